use std::collections::{HashMap, HashSet};

use agent::alert::{Alert, AlertFilter, AlertReport, AlertUpdate};
use model::{
    base::{AlertId, Error, Timestamp, UserId},
    people::{EntryContent, OrganizationEvent},
};
use table::{
    AnyKey, Stored, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    agent::{
        alert_days,
        alert_reports::{Found, Reported, known, none_recorded, series, source},
    },
    base::{
        InScope, Pending, PendingWrite, WriteContext, filter::Filter, idempotency::Created,
        record::record, records::AlertsSince, retry::retry, store::resource, tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::journal::head_in,
};

/// The most reports per transaction: of its 100 writes, each takes up to five, and five are common.
const TOGETHER: usize = 19;

resource! { pub Alerts as alerts }

record! {
    alert: Alert, id: AlertId,
    gsi1: Some(key::alert_in_class(alert)),
    gsi2: Some(key::alert_in_time(alert)),
    hidden: ["organizationId", "recurrence"],
}

impl Tracked for Alert {
    const IS_JOURNALED: bool = true;

    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        EntryContent::changed(OrganizationEvent::AlertChanged, before, after)
    }
}

impl Alerts<'_> {
    /// Records an alert. A repeated report, known by source and external id, is counted and returns
    /// the alert.
    pub async fn record(
        &self,
        pending: impl Pending,
        report: AlertReport,
    ) -> Result<Stored<Alert>> {
        let mut recorded = self
            .record_all(pending, &[report])
            .await?;
        recorded.pop().ok_or_else(none_recorded)
    }

    /// Records several alerts as [`record`](Self::record) does, nineteen per transaction. Returns
    /// them in order. After an error, the earlier ones stay. A repeat records the rest and counts
    /// them.
    pub async fn record_all(
        &self,
        pending: impl Pending,
        reports: &[AlertReport],
    ) -> Result<Vec<Stored<Alert>>> {
        let (pending, tenant) = pending.with_tenant();
        let recorded = self
            .record_new(pending, reports)
            .await?;
        let load = async |_| {
            let names = reports
                .iter()
                .map(|report| source(tenant, report));
            let names = known(tenant, reports, &self.0.batch(names).await?)?;
            let ids = names
                .iter()
                .flatten()
                .map(|name| name.alert_id);
            let alerts_by_id = self.alerts_of(tenant, ids).await?;
            let alerts = names.iter();
            let alerts = alerts.map(|name| {
                alerts_by_id
                    .get(&name.as_ref()?.alert_id)
                    .cloned()
            });
            alerts
                .collect::<Option<_>>()
                .ok_or_else(none_recorded)
        };
        recorded.or_load(load).await
    }

    async fn record_new(
        &self,
        pending: PendingWrite,
        reports: &[AlertReport],
    ) -> Result<Created<Vec<Stored<Alert>>>> {
        let tenant = pending.tenant();
        let mut left = reports.chunks(TOGETHER);
        let mut some = left.next().unwrap_or_default();
        let first = self.found(tenant, some);
        let (context, mut records) = match self
            .0
            .authorized(pending, first)
            .await?
        {
            Created::New(authorized) => authorized,
            Created::Replayed(made) => return Ok(Created::Replayed(made)),
        };
        let mut without_key = context.clone();
        without_key.idempotency_key = None;
        let mut recorded = Vec::with_capacity(reports.len());
        loop {
            let next = left.next();
            // The last ones store the idempotency key.
            let context = next.map_or(&context, |_| &without_key);
            let read = || self.found(tenant, some);
            let write = |records| Box::pin(self.write_some(context, some, records));
            match retry(records, read, write).await? {
                Created::New(alerts) => recorded.extend(alerts),
                Created::Replayed(made) => return Ok(Created::Replayed(made)),
            }
            let Some(more) = next else {
                return Ok(Created::New(recorded));
            };
            some = more;
            records = self.found(tenant, some).await?;
        }
    }

    /// Reads the records that reports refer to, and reserves an id: most reports are of one new
    /// alert.
    async fn found(&self, tenant: Tenant, some: &[AlertReport]) -> Result<Found> {
        let of_head = key::organization_head(tenant);
        let mut keys = vec![AnyKey::from(key::alerts_since(tenant)), of_head.into()];
        for report in some {
            let sent = &report.content;
            keys.push(source(tenant, report).into());
            keys.push(alert_days::day(tenant, &sent.signal_type, report.occurred_at).into());
            keys.extend(series(tenant, report).map(AnyKey::from));
            let outcome = |id: &str| key::last_outcome(tenant, id, &sent.target_system);
            let outcomes = sent
                .entities()
                .iter()
                .map(|entity| outcome(&entity.id));
            keys.extend(outcomes.map(AnyKey::from));
        }
        let batch = self.0.batch(keys);
        // Both end, also after an error, so that no id is lost on its way.
        let (batch, id) = tokio::join!(batch, self.0.next_id());
        let (batch, id) = (batch?, id?);
        let names = known(tenant, some, &batch)?;
        let opened = some.iter().filter_map(|report| {
            let name = report
                .firing
                .as_ref()?
                .series
                .to_string();
            // An unreadable series has no other firing.
            Some((name, batch.named(&series(tenant, report)?)?))
        });
        let opened: HashMap<_, _> = opened.collect();
        let reported = names
            .iter()
            .flatten()
            .map(|name| name.alert_id);
        let ids = reported.chain(
            opened
                .values()
                .map(|series| series.alert_id),
        );
        Ok(Found {
            alerts: self.alerts_of(tenant, ids).await?,
            names,
            series: opened,
            batch,
            id: Some(id),
        })
    }

    async fn alerts_of(
        &self,
        tenant: Tenant,
        ids: impl Iterator<Item = AlertId>,
    ) -> Result<HashMap<AlertId, Stored<Alert>>> {
        let ids: HashSet<AlertId> = ids.collect();
        let keys = ids.iter().map(|id| id.key(tenant));
        let batch = self.0.batch(keys).await?;
        let alert = |id: AlertId| Some((id, batch.named(&id.key(tenant))?));
        Ok(ids
            .into_iter()
            .filter_map(alert)
            .collect())
    }

    /// Returns `None` when another request wrote one of them.
    async fn write_some(
        &self,
        context: &WriteContext,
        some: &[AlertReport],
        records: Found,
    ) -> Result<Option<Created<Vec<Stored<Alert>>>>> {
        let tenant = context.tenant;
        let now = self.0.now();
        let since = key::alerts_since(tenant);
        let is_first = !records.batch.has(&since) && !some.is_empty();
        let context = context
            .clone()
            .with_head(head_in(&records.batch, tenant)?);
        let mut reported = Reported::new(records, tenant, now);
        for (at, report) in some.iter().enumerate() {
            reported
                .add(self.0, &context, at, report)
                .await?;
        }
        let mut writes = Writes::from(reported.writes()?);
        if is_first {
            let since = AlertsSince {
                organization_id: tenant,
                since: now,
            };
            writes.push(Write::create(&since)?);
        }
        for entry in reported.entries() {
            writes.note(entry);
        }
        self.0
            .commit(&context, writes, reported.written())
            .await
    }

    /// Sets the start of an organization's records of alerts, for imports of past alerts. Without
    /// it, the first recorded alert sets the start.
    pub async fn recorded_since(&self, tenant: Tenant, since: Timestamp) -> Result<()> {
        let organization_id = tenant;
        let since = Write::put(&AlertsSince {
            organization_id,
            since,
        })?;
        let done = self.0.table.write(since).await?;
        done.map_err(|_| Error::contended())
    }

    /// Changes an alert. 404 if it is another tenant's, and the errors of [`Alert::change`].
    pub async fn update(
        &self,
        pending: impl Pending,
        id: AlertId,
        update: &AlertUpdate,
    ) -> Result<InScope<Alert>> {
        let change = |context: &WriteContext, alert: &mut Alert, now| {
            let credential = context.credential.as_ref();
            let is_machine = credential.is_some_and(|credential| credential.is_machine);
            alert.change(update, is_machine, now)?;
            Ok(Writes::default())
        };
        self.0.update(pending, id, change).await
    }

    /// Returns an alert. 404 if it is another tenant's.
    pub async fn get(&self, tenant: Tenant, id: AlertId) -> Result<Stored<Alert>> {
        self.0.get(tenant, id).await
    }

    /// Returns the organization's alerts that match, newest first.
    pub async fn list(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &AlertFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Alert>>> {
        let fits = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("severity", filter.severity.as_ref())?
            .any("signalType", filter.signal_type.as_ref())?;
        let newest_first = key::alerts(tenant)
            .descending()
            .filter(fits.condition());
        self.0
            .table
            .page(newest_first, wanted)
            .await
    }
}
