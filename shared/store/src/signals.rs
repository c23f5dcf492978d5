//! Signals (alerts).

use std::collections::BTreeMap;

use model::{
    AlertFilter, Code, Error, Id, LifecycleEvent, Metric, Money, OrganizationId, Signal,
    SignalEntity, SignalId, SignalStatus, Timestamp, UserId,
};
use serde::{Deserialize, Serialize};

use super::{
    Permit, Store,
    filter::Filter,
    key::{self, Gsi1, Gsi2, Key},
    page::{Page, Wanted},
    table::{Record, Stored, Write},
};

/// Signals.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a>(pub(super) &'a Store);

/// What a signal begins with.
#[derive(Clone, Debug)]
pub struct NewSignal {
    /// Who reports it.
    pub source: String,
    /// The reporter's own id, unique with `source` in the organization.
    pub external_id: String,
    /// Its class.
    pub signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// Whether it still stands.
    pub status: SignalStatus,
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// The system it is about.
    pub target_system: String,
    /// The records of that system it is about.
    pub entities: Vec<SignalEntity>,
    /// Further facts, by name.
    pub labels: BTreeMap<String, String>,
    /// The measure that gave the alarm.
    pub metric: Option<Metric>,
    /// Money that hangs on it.
    pub amount_at_risk: Option<Money>,
    /// What the entity went through before, oldest first.
    pub lifecycle: Vec<LifecycleEvent>,
    /// When it occurred.
    pub occurred_at: Timestamp,
}

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

impl Record for SignalSource {
    const KIND: &'static str = "signal_source";

    fn key(&self) -> Key<Self> {
        key::signal_source(self.organization_id, &self.source, &self.external_id)
    }
}

impl Signals<'_> {
    /// Records a signal. 409 `duplicate_signal` when the source has reported that id before.
    pub async fn create(&self, permit: impl Into<Permit>, new: NewSignal) -> Result<Signal, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let (_, id) = permit.beside(self.0.next_id()).await?;
        let now = self.0.clock.now();
        let source = SignalSource {
            organization_id: tenant,
            source: new.source.clone(),
            external_id: new.external_id.clone(),
            signal_id: id,
        };
        let signal = Signal {
            id,
            organization_id: tenant,
            source: new.source,
            external_id: new.external_id,
            signal_type: new.signal_type,
            severity: new.severity,
            status: new.status,
            title: new.title,
            description: new.description,
            target_system: new.target_system,
            entities: new.entities,
            labels: new.labels,
            metric: new.metric,
            amount_at_risk: new.amount_at_risk,
            lifecycle: new.lifecycle,
            occurred_at: new.occurred_at,
            agent_session_id: None,
            created_at: now,
            updated_at: now,
        };
        let writes = vec![Write::create(&source)?, Write::create(&signal)?];
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(signal),
            Err(refused) if refused.at(0) => Err(Error::conflict(
                Code::DuplicateSignal,
                "The source has reported a signal of this id before.",
            )),
            Err(_) => Err(super::id_is_taken(Signal::KIND)),
        }
    }

    /// One signal. 404 when it is not the tenant's.
    pub async fn get(&self, tenant: OrganizationId, id: SignalId) -> Result<Signal, Error> {
        let key = key::signal(tenant, id);
        Ok(self.0.one(&key, SignalId::NOUN).await?.record)
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

    /// The signals of a class up to one of them and with it, newest first, at most `most`.
    pub(super) async fn of_class_up_to(
        &self,
        tenant: OrganizationId,
        signal_type: &str,
        occurred_at: Timestamp,
        id: SignalId,
        most: usize,
    ) -> Result<Vec<Signal>, Error> {
        let newest_first = key::signals_of_class(tenant, signal_type)
            .up_to(key::signal_order(occurred_at, id))
            .descending()
            .limit(most);
        self.0.table.list(newest_first).await
    }
}
