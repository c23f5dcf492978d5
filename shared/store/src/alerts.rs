//! Alerts.

use std::collections::HashMap;

use agent::{Alert, AlertFilter, AlertReport, AlertStatus, AlertUpdate, LastOutcome, Recurrence};
use model::{
    AlertId, EntryContent, Error, Id, Journaled, OrganizationEvent, OrganizationId, Timestamp,
    UserId, journal::subject,
};
use serde_json::{Map, Value, json};

use super::{
    PendingWrite, WriteContext,
    alert_days::{self, Noted},
    filter::Filter,
    idempotency::Once,
    ids::Reserved,
    journal::head_in,
    key::{self, AnyKey, Gsi1, Gsi2, Key},
    page::{Page, Wanted},
    records::{AlertSource, AlertsSince},
    retry::reretry_or_none,
    store::resource,
    table::{Batch, Read, Record, Stored, Write},
    tracked::Tracked,
    writes::Writes,
};

/// The most reports per transaction. DynamoDB permits a hundred writes; each report needs up to
/// three, and five more are common.
const TOGETHER: usize = 30;

resource! {
    /// Alerts.
    pub Alerts as alerts
}

impl Record<crate::Workdesk> for Alert {
    const KIND: &'static str = "alert";

    fn key(&self) -> Key<Self> {
        key::alert(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::alert_in_class(self))
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::alert_in_time(self))
    }
}

impl Tracked for Alert {
    const IS_JOURNALED: bool = true;

    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        EntryContent::changed(OrganizationEvent::AlertChanged, before, after)
    }
}

impl AlertSource {
    fn of(alert: &Alert) -> Self {
        Self {
            organization_id: alert.organization_id,
            source: alert.source.clone(),
            external_id: alert.external_id.clone(),
            alert_id: alert.id,
        }
    }
}

impl Record<crate::Workdesk> for AlertSource {
    const KIND: &'static str = "alert_source";

    fn key(&self) -> Key<Self> {
        key::alert_source(self.organization_id, &self.source, &self.external_id)
    }
}

/// The records that reports refer to, as read.
#[derive(Debug)]
struct Found {
    /// The alerts reported before.
    alerts: Vec<Option<Stored<Alert>>>,
    /// The start of records, the days of the classes, and the last fixes of the records.
    around: Batch,
    /// The id of the first new alert.
    id: Option<Reserved<AlertId>>,
}

/// Alerts to write.
#[derive(Debug, Default)]
struct Reported {
    alerts: Vec<(Stored<Alert>, IsNew)>,
    /// For each report, the index of its alert.
    of: Vec<usize>,
    noted: Noted,
    /// The status before, of each that was reported again.
    statuses: HashMap<AlertId, AlertStatus>,
}

type IsNew = bool;

impl Alerts<'_> {
    /// Records an alert. A repeated report, known by source and external id, is counted and returns
    /// the alert.
    pub async fn record(
        &self,
        pending: impl Into<PendingWrite>,
        report: AlertReport,
    ) -> Result<Stored<Alert>, Error> {
        let mut recorded = self.record_all(pending, &[report]).await?;
        recorded.pop().ok_or_else(none_recorded)
    }

    /// Records several alerts as [`record`](Self::record) does, thirty per transaction. Returns
    /// them in order. After an error, the earlier ones stay recorded. A repeated request records
    /// the rest and counts the others.
    pub async fn record_all(
        &self,
        pending: impl Into<PendingWrite>,
        reports: &[AlertReport],
    ) -> Result<Vec<Stored<Alert>>, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let recorded = self.record_new(pending, reports).await?;
        let load = async |_| {
            let names = reports.iter().map(|report| source(tenant, report));
            let names = self.0.table.batch_get(names, Read::Consistent).await?;
            let found = self.known(tenant, reports, &names).await?;
            let found: Option<Vec<_>> = found.into_iter().collect();
            found.ok_or_else(none_recorded)
        };
        recorded.or_load(load).await
    }

    async fn record_new(
        &self,
        pending: PendingWrite,
        reports: &[AlertReport],
    ) -> Result<Once<Vec<Stored<Alert>>>, Error> {
        let tenant = pending.tenant();
        let mut left = reports.chunks(TOGETHER);
        let mut some = left.next().unwrap_or_default();
        let first = self.found(tenant, some);
        let (context, mut found) = match self.0.authorized(pending, first).await? {
            Once::New(authorized) => authorized,
            Once::Replayed(made) => return Ok(Once::Replayed(made)),
        };
        let without_key = WriteContext {
            idempotency_key: None,
            ..context.clone()
        };
        let mut recorded = Vec::with_capacity(reports.len());
        loop {
            let next = left.next();
            // The last ones store the idempotency key.
            let context = next.map_or(&context, |_| &without_key);
            let read = || self.found(tenant, some);
            let write = |found| Box::pin(self.write_some(context, some, found));
            match reretry_or_none(found, read, write).await? {
                Once::New(alerts) => recorded.extend(alerts),
                Once::Replayed(made) => return Ok(Once::Replayed(made)),
            }
            let Some(more) = next else {
                return Ok(Once::New(recorded));
            };
            some = more;
            found = self.found(tenant, some).await?;
        }
    }

    /// Reads the records that reports refer to, and reserves an id: most reports are of one new
    /// alert.
    async fn found(&self, tenant: OrganizationId, some: &[AlertReport]) -> Result<Found, Error> {
        let of_head = key::organization_head(tenant);
        let mut keys = vec![AnyKey::from(key::alerts_since(tenant)), of_head.into()];
        for report in some {
            let sent = &report.content;
            keys.push(source(tenant, report).into());
            keys.push(alert_days::day(tenant, &sent.signal_type, report.occurred_at).into());
            let entities = sent.entities().iter();
            let outcomes =
                entities.map(|one| key::last_outcome(tenant, &one.id, &sent.target_system));
            keys.extend(outcomes.map(AnyKey::from));
        }
        let around = self.0.table.batch_get(keys, Read::Consistent);
        // Both end, also after an error, so that no id is lost on its way.
        let (around, id) = tokio::join!(around, self.0.next_id());
        let (around, id) = (around?, id?);
        Ok(Found {
            alerts: self.known(tenant, some, &around).await?,
            around,
            id: Some(id),
        })
    }

    /// Returns the alerts reported before, by the names in a batch.
    async fn known(
        &self,
        tenant: OrganizationId,
        some: &[AlertReport],
        names: &Batch,
    ) -> Result<Vec<Option<Stored<Alert>>>, Error> {
        let mut ids = Vec::with_capacity(some.len());
        for report in some {
            let known = names.get(&source(tenant, report))?;
            ids.push(known.map(|known| known.alert_id));
        }
        let alert = |id| key::alert(tenant, id);
        let known = ids.iter().flatten().map(|id| alert(*id));
        let known = self.0.table.batch_get(known, Read::Consistent).await?;
        let alerts = ids.into_iter().map(|id| match id {
            None => Ok(None),
            Some(id) => known.get(&alert(id))?.map(Some).ok_or_else(none_recorded),
        });
        alerts.collect()
    }

    /// Returns `None` when another request wrote one of them.
    async fn write_some(
        &self,
        context: &WriteContext,
        some: &[AlertReport],
        found: Found,
    ) -> Result<Option<Once<Vec<Stored<Alert>>>>, Error> {
        let (tenant, now) = (context.tenant, self.0.clock.now());
        let since = key::alerts_since(tenant);
        let is_first = !found.around.has(&since) && !some.is_empty();
        let context = context.clone().with_head(head_in(&found.around, tenant)?);
        let mut reported = self.reported(&context, some, found, now).await?;
        let mut writes = Vec::with_capacity(3 * some.len() + 2);
        for (alert, is_new) in &reported.alerts {
            if *is_new {
                writes.push(Write::create(&AlertSource::of(alert))?);
                writes.push(Write::create(&alert.record)?);
            } else {
                writes.push(Write::replace(alert)?);
            }
        }
        writes.extend(std::mem::take(&mut reported.noted).writes(tenant));
        if is_first {
            writes.push(Write::create(&AlertsSince {
                organization_id: tenant,
                since: now,
            })?);
        }
        let mut writes = Writes::from(writes);
        for entry in reported.entries() {
            writes.note(entry);
        }
        self.0.commit(&context, writes, reported.written()).await
    }

    /// Returns the alerts of reports as they will be written.
    async fn reported(
        &self,
        context: &WriteContext,
        some: &[AlertReport],
        found: Found,
        now: Timestamp,
    ) -> Result<Reported, Error> {
        let Found {
            alerts,
            around,
            id: mut reserved,
        } = found;
        let mut reported = Reported::default();
        let mut places: HashMap<_, usize> = HashMap::with_capacity(some.len());
        for (report, found) in some.iter().zip(alerts) {
            let name = (&*report.content.source, &*report.content.external_id);
            let all = &mut reported.alerts;
            let place = places.get(&name).copied().unwrap_or(all.len());
            places.insert(name, place);
            reported.of.push(place);
            let is_known = place < all.len() || found.is_some();
            if place == all.len() {
                let alert = if let Some(known) = found {
                    reported.statuses.insert(known.id, known.status);
                    known
                } else {
                    let id = match reserved.take() {
                        Some(id) => id,
                        None => self.0.next_id().await?,
                    };
                    let id = id.used();
                    let (tenant, by) = (context.tenant, context.actor);
                    Stored::created(Alert::new(id, tenant, report.clone(), by, now))
                };
                all.push((alert, !is_known));
            }
            let Some((alert, _)) = all.get_mut(place) else {
                continue;
            };
            let occurs = !is_known || alert.report_again(report, now);
            if occurs {
                alert.recurrence = recurrence(alert, report.occurred_at, &around);
                let noted = &mut reported.noted;
                noted.add(alert, report.occurred_at, &around, now);
            }
        }
        Ok(reported)
    }

    /// Sets the start of an organization's records of alerts, for imports of past alerts. Without
    /// it, the first recorded alert sets the start.
    pub async fn recorded_since(
        &self,
        tenant: OrganizationId,
        since: Timestamp,
    ) -> Result<(), Error> {
        let since = AlertsSince {
            organization_id: tenant,
            since,
        };
        let done = self.0.table.write(Write::put(&since)?).await?;
        done.map_err(|_| Error::contended())
    }

    /// Changes an alert. 404 if it is another tenant's.
    pub async fn update(
        &self,
        pending: impl Into<PendingWrite>,
        id: AlertId,
        update: &AlertUpdate,
    ) -> Result<Stored<Alert>, Error> {
        let change = |_: &WriteContext, alert: &mut Alert, now| {
            alert.change(update, now);
            Ok(Writes::default())
        };
        self.0.update(pending, key::alert, id, change).await
    }

    /// Returns an alert. 404 if it is another tenant's.
    pub async fn get(&self, tenant: OrganizationId, id: AlertId) -> Result<Stored<Alert>, Error> {
        let key = key::alert(tenant, id);
        self.0.one(&key, AlertId::NOUN).await
    }

    /// Returns the organization's alerts that match, newest first.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &AlertFilter,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Alert>>, Error> {
        let fits = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("severity", filter.severity.as_ref())?
            .any("signalType", filter.signal_type.as_ref())?;
        let newest_first = key::alerts(tenant).descending().filter(fits.condition());
        self.0.table.page(newest_first, wanted).await
    }
}

impl Reported {
    /// Returns the entries of the organization's journal: one for all new alerts, and one for all whose
    /// status changed.
    fn entries(&self) -> impl Iterator<Item = EntryContent> {
        let mut recorded = Map::new();
        let (mut before, mut after) = (Map::new(), Map::new());
        for (alert, is_new) in &self.alerts {
            let name = subject::alert(alert.id);
            if *is_new {
                recorded.insert(name, alert.noted());
                continue;
            }
            let was = self.statuses.get(&alert.id);
            if let Some(was) = was.filter(|was| **was != alert.status) {
                before.insert(name.clone(), status(*was));
                after.insert(name, status(alert.status));
            }
        }
        let recorded = EntryContent::several(OrganizationEvent::AlertRecorded, None, recorded);
        let changed = EntryContent::several(OrganizationEvent::AlertChanged, Some(before), after);
        recorded.into_iter().chain(changed)
    }

    /// Returns the alert of each report after the write.
    fn written(self) -> Vec<Stored<Alert>> {
        let alerts = self.alerts.into_iter();
        let alerts: Vec<_> = alerts
            .map(|(alert, is_new)| if is_new { alert } else { alert.replaced() })
            .collect();
        let of = self.of.into_iter();
        of.filter_map(|place| alerts.get(place).cloned()).collect()
    }
}

fn status(status: AlertStatus) -> Value {
    json!({"status": status})
}

/// Returns the key that reserves an alert's name.
fn source(tenant: OrganizationId, report: &AlertReport) -> Key<AlertSource> {
    key::alert_source(tenant, &report.content.source, &report.content.external_id)
}

/// Returns the last fix of an alert's records before an instant.
fn recurrence(alert: &Alert, at: Timestamp, around: &Batch) -> Option<Recurrence> {
    let entities = alert.entities.iter();
    let outcomes = entities.filter_map(|entity| {
        let key = key::last_outcome(alert.organization_id, &entity.id, &alert.target_system);
        Some(around.named(&key)?.record)
    });
    let fixes = outcomes.filter(|outcome: &LastOutcome| outcome.helped && outcome.at < at);
    fixes.max_by_key(|outcome| outcome.at).map(Into::into)
}

fn none_recorded() -> Error {
    let source = "a reserved name has no alert";
    Error::internal("recording an alert", source)
}
