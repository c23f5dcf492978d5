//! Signals (alerts).

use std::collections::HashMap;

use model::{
    AlertFilter, AlertUpdate, Error, Id, NewSignal, OrganizationId, Recurrence, Signal, SignalId,
    Timestamp, UserId,
};
use serde::{Deserialize, Serialize};

use super::{
    Given, Permit, Store,
    agent::Remedy,
    filter::Filter,
    key::{self, AnyKey, Gsi1, Gsi2, Key},
    page::{Page, Wanted},
    rewrite::rewrite,
    signal_days::{self, Noted, SignalsSince},
    table::{Batch, Read, Record, Stored, Write},
};

/// How many reports one transaction takes, which has room for a hundred writes: three for each at most,
/// and two more.
const TOGETHER: usize = 30;

/// Signals.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a>(pub(super) &'a Store);

impl Record for Signal {
    const KIND: &'static str = "signal";

    fn key(&self) -> Key<Self> {
        key::signal(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::signal_in_class(self))
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::signal_in_time(self))
    }
}

/// Holds the reporter's id of a signal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignalSource {
    organization_id: OrganizationId,
    source: String,
    external_id: String,
    signal_id: SignalId,
}

impl SignalSource {
    fn of(signal: &Signal) -> Self {
        Self {
            organization_id: signal.organization_id,
            source: signal.source.clone(),
            external_id: signal.external_id.clone(),
            signal_id: signal.id,
        }
    }
}

impl Record for SignalSource {
    const KIND: &'static str = "signal_source";

    fn key(&self) -> Key<Self> {
        key::signal_source(self.organization_id, &self.source, &self.external_id)
    }
}

/// What is known of what is reported.
#[derive(Debug)]
struct Found {
    /// The signals that were reported before.
    signals: Vec<Option<Stored<Signal>>>,
    /// Since when signals are recorded, what their classes did on their days, and what put their records
    /// right.
    around: Batch,
    /// For the first that is new.
    id: Option<SignalId>,
}

/// Signals as they are to be written.
#[derive(Debug, Default)]
struct Reported {
    signals: Vec<(Stored<Signal>, IsNew)>,
    /// Which of them each of the reports is about.
    of: Vec<usize>,
    noted: Noted,
}

type IsNew = bool;

impl Signals<'_> {
    /// Records a signal. Its reporter did so before when it is known by its source and external id:
    /// then that is counted, and the signal answered as it is.
    pub async fn record(
        &self,
        permit: impl Into<Permit>,
        new: NewSignal,
    ) -> Result<Stored<Signal>, Error> {
        let mut recorded = self.record_all(permit, &[new]).await?;
        recorded.pop().ok_or_else(none_recorded)
    }

    /// Records several, as [`record`](Self::record) does each, thirty in a transaction, and answers them
    /// in their order. What was recorded before an error stays so: whoever repeats it all records the
    /// rest, and counts the others.
    pub async fn record_all(
        &self,
        permit: impl Into<Permit>,
        new: &[NewSignal],
    ) -> Result<Vec<Stored<Signal>>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let record = async |permit: Permit| {
            let mut left = new.chunks(TOGETHER);
            let mut some = left.next().unwrap_or_default();
            let (given, mut found) = permit.beside(self.found(tenant, some)).await?;
            let mut recorded = Vec::with_capacity(new.len());
            loop {
                let next = left.next();
                let (given, is_last) = (&given, next.is_none());
                let read = || self.found(tenant, some);
                let write = |found| self.write_some(given, some, found, is_last);
                recorded.extend(rewrite(found, read, write).await?);
                match next {
                    Some(more) => some = more,
                    None => return Ok(recorded),
                }
                found = self.found(tenant, some).await?;
            }
        };
        let again = async |_| {
            let names = new.iter().map(|new| source(tenant, new));
            let names = self.0.table.batch_get(names, Read::Consistent).await?;
            let found = self.known(tenant, new, &names).await?;
            let found: Option<Vec<_>> = found.into_iter().collect();
            found.ok_or_else(none_recorded)
        };
        permit.once(record, again).await
    }

    /// What is known of what is reported. An id is reserved beside that, since most reports are of one
    /// signal, and new.
    async fn found(&self, tenant: OrganizationId, some: &[NewSignal]) -> Result<Found, Error> {
        let mut keys = vec![AnyKey::from(key::signals_since(tenant))];
        for new in some {
            keys.push(source(tenant, new).into());
            keys.push(signal_days::day(tenant, &new.signal_type, new.occurred_at).into());
            let entities = new.entities.iter();
            let remedies = entities.map(|one| key::remedy(tenant, &new.target_system, &one.id));
            keys.extend(remedies.map(AnyKey::from));
        }
        let around = self.0.table.batch_get(keys, Read::Consistent);
        let (around, id) = tokio::try_join!(around, self.0.next_id())?;
        Ok(Found {
            signals: self.known(tenant, some, &around).await?,
            around,
            id: Some(id),
        })
    }

    /// The signals that were reported before, of which the names were read.
    async fn known(
        &self,
        tenant: OrganizationId,
        some: &[NewSignal],
        names: &Batch,
    ) -> Result<Vec<Option<Stored<Signal>>>, Error> {
        let mut ids = Vec::with_capacity(some.len());
        for new in some {
            let known = names.get(&source(tenant, new))?;
            ids.push(known.map(|known| known.signal_id));
        }
        let signal = |id| key::signal(tenant, id);
        let known = ids.iter().flatten().map(|id| signal(*id));
        let known = self.0.table.batch_get(known, Read::Consistent).await?;
        let signals = ids.into_iter().map(|id| match id {
            None => Ok(None),
            Some(id) => known.get(&signal(id))?.map(Some).ok_or_else(none_recorded),
        });
        signals.collect()
    }

    /// None when somebody else wrote one of them meanwhile. The last ones note that the request was
    /// done.
    async fn write_some(
        &self,
        given: &Given,
        some: &[NewSignal],
        found: Found,
        is_last: bool,
    ) -> Result<Option<Vec<Stored<Signal>>>, Error> {
        let (tenant, now) = (given.tenant(), self.0.clock.now());
        let since = key::signals_since(tenant);
        let is_first = !found.around.has(&since) && !some.is_empty();
        let mut reported = self.reported(tenant, some, found, now).await?;
        let mut writes = Vec::with_capacity(3 * some.len() + 2);
        for (signal, is_new) in &reported.signals {
            if *is_new {
                writes.push(Write::create(&SignalSource::of(signal))?);
                writes.push(Write::create(&signal.record)?);
            } else {
                writes.push(Write::replace(signal)?);
            }
        }
        writes.extend(std::mem::take(&mut reported.noted).writes(tenant));
        if is_first {
            writes.push(Write::create(&SignalsSince {
                organization_id: tenant,
                since: now,
            })?);
        }
        let done = if is_last {
            self.0.commit(given, writes, None).await?
        } else {
            self.0.table.transact(writes).await?
        };
        Ok(done.is_ok().then(|| reported.written()))
    }

    /// The signals that reports are about, as they are once they are recorded.
    async fn reported(
        &self,
        tenant: OrganizationId,
        some: &[NewSignal],
        found: Found,
        now: Timestamp,
    ) -> Result<Reported, Error> {
        let Found {
            signals,
            around,
            id: mut reserved,
        } = found;
        let mut reported = Reported::default();
        let mut places: HashMap<_, usize> = HashMap::with_capacity(some.len());
        for (new, found) in some.iter().zip(signals) {
            let name = (new.source.as_str(), new.external_id.as_str());
            let all = &mut reported.signals;
            let place = places.get(&name).copied().unwrap_or(all.len());
            places.insert(name, place);
            reported.of.push(place);
            let is_known = place < all.len() || found.is_some();
            if place == all.len() {
                let signal = if let Some(known) = found {
                    known
                } else {
                    let id = match reserved.take() {
                        Some(id) => id,
                        None => self.0.next_id().await?,
                    };
                    Stored::created(Signal::new(id, tenant, new.clone(), now))
                };
                all.push((signal, !is_known));
            }
            let Some((signal, _)) = all.get_mut(place) else {
                continue;
            };
            let occurs = !is_known || signal.report_again(new, now);
            if occurs {
                signal.recurrence = recurrence(signal, new.occurred_at, &around);
                let noted = &mut reported.noted;
                noted.add(signal, new.occurred_at, &around, now);
            }
        }
        Ok(reported)
    }

    /// Says since when the organization's signals are recorded, which otherwise is when the first one
    /// was: for who records signals of the past.
    pub async fn recorded_since(
        &self,
        tenant: OrganizationId,
        since: Timestamp,
    ) -> Result<(), Error> {
        let since = SignalsSince {
            organization_id: tenant,
            since,
        };
        let done = self.0.table.write(Write::put(&since)?).await?;
        done.map_err(|_| Error::contended())
    }

    /// Changes a signal. 404 when it is not the tenant's.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: SignalId,
        update: &AlertUpdate,
    ) -> Result<Stored<Signal>, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::signal(permit.tenant(), id);
        let read = || table.get(&key, Read::Consistent);
        let write = |given: Given, found: Option<Stored<Signal>>| async move {
            let mut signal = given.current(found, SignalId::NOUN)?;
            signal.change(update, self.0.clock.now());
            let done = table.write(Write::replace(&signal)?).await?;
            Ok(done.is_ok().then(|| signal.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// One signal. 404 when it is not the tenant's.
    pub async fn get(&self, tenant: OrganizationId, id: SignalId) -> Result<Stored<Signal>, Error> {
        let key = key::signal(tenant, id);
        self.0.one(&key, SignalId::NOUN).await
    }

    /// The organization's signals that fit, newest first.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &AlertFilter,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Signal>>, Error> {
        let fits = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("severity", filter.severity.as_ref())?
            .any("signalType", filter.signal_type.as_ref())?;
        let newest_first = key::signals(tenant).descending().filter(fits.condition());
        self.0.table.page(newest_first, wanted).await
    }
}

impl Reported {
    /// The signal of each report, once they are written.
    fn written(self) -> Vec<Stored<Signal>> {
        let signals = self.signals.into_iter();
        let signals: Vec<_> = signals
            .map(|(signal, is_new)| if is_new { signal } else { signal.replaced() })
            .collect();
        let of = self.of.into_iter();
        of.filter_map(|place| signals.get(place).cloned()).collect()
    }
}

/// What holds the name of a signal.
fn source(tenant: OrganizationId, new: &NewSignal) -> Key<SignalSource> {
    key::signal_source(tenant, &new.source, &new.external_id)
}

/// What put a record that a signal names right before an instant.
fn recurrence(signal: &Signal, at: Timestamp, around: &Batch) -> Option<Recurrence> {
    let entities = signal.entities.iter();
    let remedies = entities.filter_map(|entity| {
        let key = key::remedy(signal.organization_id, &signal.target_system, &entity.id);
        Some(around.named(&key)?.record)
    });
    let before = remedies.filter(|remedy: &Remedy| remedy.at < at);
    before.max_by_key(|remedy| remedy.at).map(Into::into)
}

fn none_recorded() -> Error {
    let source = "the name of a signal leads to none";
    Error::internal("recording a signal", source)
}
