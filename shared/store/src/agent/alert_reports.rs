//! Reports of alerts, applied to the alerts that they are of.
//!
//! Reports of one request may be of one alert, and of several firings of a series. Each follows the
//! others.

use std::collections::{BTreeMap, HashMap};

use agent::{
    action::LastOutcome,
    alert::{Alert, AlertReport, AlertStatus, Recurrence, StatusSource},
};
use model::{
    base::{AlertId, Error, Timestamp},
    people::{EntryContent, Journaled, OrganizationEvent, journal::subject},
};
use serde_json::{Map, json};
use table::{Batch, Key, Stored, Write};

use crate::{
    Result, Tenant,
    agent::alert_days::Noted,
    base::{
        Store, WriteContext,
        ids::Reserved,
        record::record,
        records::{AlertSeries, AlertSource},
    },
    key,
};

record! {
    source: AlertSource = "alert_source",
    key: key::alert_source(source.organization_id, &source.source, &source.external_id),
}

record! {
    series: AlertSeries = "alert_series",
    key: key::alert_series(series.organization_id, &series.source, &series.series),
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

#[derive(Debug)]
pub(crate) struct Found {
    /// For each report, the name under which its alert was recorded.
    pub(crate) names: Vec<Option<Stored<AlertSource>>>,
    /// The readable alerts of these names and of the series.
    pub(crate) alerts: HashMap<AlertId, Stored<Alert>>,
    /// The series of the reports, by name.
    pub(crate) series: HashMap<String, Stored<AlertSeries>>,
    /// The start of records, the days of the classes, and the last fixes of the records.
    pub(crate) batch: Batch,
    /// The id of the first new alert.
    pub(crate) id: Option<Reserved<AlertId>>,
}

#[derive(Debug)]
pub(crate) struct Reported {
    found: Found,
    tenant: Tenant,
    now: Timestamp,
    alerts: BTreeMap<AlertId, Changed>,
    /// The alerts of the names that these reports gave, by source and external id.
    named: HashMap<(String, String), AlertId>,
    /// The alert of each report.
    of: Vec<AlertId>,
    noted: Noted,
    /// The series of the reports as they will be.
    series: HashMap<String, AlertSeries>,
    writes: Vec<Write>,
}

#[derive(Debug)]
struct Changed {
    /// The alert; a new one has version 0.
    alert: Stored<Alert>,
    /// The status before, and its source; none for a new alert.
    was: Option<(AlertStatus, Option<StatusSource>)>,
}

impl Reported {
    pub(crate) fn new(records: Found, tenant: Tenant, now: Timestamp) -> Self {
        let series = records.series.iter();
        let series = series.map(|(name, stored)| (name.clone(), stored.record.clone()));
        Self {
            tenant,
            now,
            alerts: BTreeMap::new(),
            named: HashMap::new(),
            of: Vec::new(),
            noted: Noted::default(),
            series: series.collect(),
            writes: Vec::new(),
            found: records,
        }
    }

    /// Applies the report with this index.
    pub(crate) async fn add(
        &mut self,
        store: &Store,
        context: &WriteContext,
        at: usize,
        report: &AlertReport,
    ) -> Result<()> {
        let status = if self.is_late(report) {
            AlertStatus::Resolved
        } else {
            report.status
        };
        let occurred_at = report.occurred_at;
        let now = self.now;
        let sent = &report.content;
        let name = (sent.source.to_string(), sent.external_id.to_string());
        let stored = self
            .found
            .names
            .get(at)
            .cloned()
            .flatten();
        let named_before = stored
            .as_ref()
            .map(|name| name.alert_id);
        let alert_id = self
            .named
            .get(&name)
            .copied()
            .or(named_before);
        let (id, occurs) = if let Some(alert) = alert_id.and_then(|id| self.alert(id)) {
            let opens = alert.report_again(status, occurred_at, now);
            // It lasts until now, whenever it began.
            (alert.id, opens.then_some(now))
        } else {
            let id = match self.found.id.take() {
                Some(id) => id.used(),
                None => store.next_id().await?.used(),
            };
            let mut report = report.clone();
            report.status = status;
            let mut alert = Alert::new(id, self.tenant, report, context.actor, now);
            let credential = context.credential.as_ref();
            alert.recorded_by_machine = credential.is_some_and(|credential| credential.is_machine);
            // An alert that does not read keeps its id, and leaves its name to the new one.
            let source = AlertSource::of(&alert);
            self.writes
                .push(Write::create_or_replace(stored, source)?);
            self.named.insert(name, id);
            let alert = Stored::unwritten(alert);
            let was = None;
            self.alerts
                .insert(id, Changed { alert, was });
            (id, Some(occurred_at))
        };
        self.of.push(id);
        if let Some(until) = occurs
            && let Some(Changed { alert, .. }) = self.alerts.get_mut(&id)
        {
            alert.recurrence = recurrence(alert, until, &self.found.batch);
            self.noted
                .add(alert, occurred_at, &self.found.batch, now);
        }
        self.end_others(id, status, report);
        Ok(())
    }

    /// True for a report of a firing that began before an open one of its series.
    fn is_late(&self, report: &AlertReport) -> bool {
        let Some(firing) = &report.firing else {
            return false;
        };
        let last = self.series.get(&*firing.series);
        let is_open = |id: AlertId| {
            let changed = self
                .alerts
                .get(&id)
                .map(|changed| &changed.alert);
            let alert = changed.or_else(|| self.found.alerts.get(&id));
            alert.is_some_and(|alert| alert.status != AlertStatus::Resolved)
        };
        report.status != AlertStatus::Resolved
            && last.is_some_and(|last| firing.starts_at < last.starts_at && is_open(last.alert_id))
    }

    /// Resolves the alert of another firing of the series that the report ends. An open firing
    /// becomes the series' last one. `id` is of the report's alert, and `status` is the one that it
    /// was given.
    fn end_others(&mut self, id: AlertId, status: AlertStatus, report: &AlertReport) {
        let Some(firing) = &report.firing else {
            return;
        };
        let last = self.series.get(&*firing.series);
        let ended = last
            .filter(|last| last.alert_id != id && firing.ends(last.starts_at, report.status))
            .map(|last| last.alert_id);
        let now = self.now;
        if let Some(alert) = ended.and_then(|ended| self.alert(ended)) {
            alert.resolve(StatusSource::Report, now);
        }
        if status != AlertStatus::Resolved {
            let last = AlertSeries {
                organization_id: self.tenant,
                source: report.content.source.clone(),
                series: firing.series.clone(),
                alert_id: id,
                starts_at: firing.starts_at,
            };
            self.series
                .insert(firing.series.to_string(), last);
        }
    }

    /// Returns an alert for a change. None for one that does not read.
    fn alert(&mut self, id: AlertId) -> Option<&mut Stored<Alert>> {
        if !self.alerts.contains_key(&id) {
            let alert = self.found.alerts.get(&id)?.clone();
            let was = Some((alert.status, alert.status_by));
            self.alerts
                .insert(id, Changed { alert, was });
        }
        Some(&mut self.alerts.get_mut(&id)?.alert)
    }

    /// Returns the writes of all alerts, names, series and occurrences.
    pub(crate) fn writes(&mut self) -> Result<Vec<Write>> {
        let mut writes = std::mem::take(&mut self.writes);
        for Changed { alert, was } in self.alerts.values() {
            writes.push(match was {
                None => Write::create(&alert.record)?,
                Some(_) => Write::replace(alert)?,
            });
        }
        for (name, last) in &self.series {
            let before = self.found.series.get(name).cloned();
            if before.as_deref() != Some(last) {
                writes.push(Write::create_or_replace(before, last.clone())?);
            }
        }
        writes.extend(std::mem::take(&mut self.noted).writes(self.tenant));
        Ok(writes)
    }

    /// Returns the journal's entries: one for all new alerts, and one for all whose status changed.
    pub(crate) fn entries(&self) -> impl Iterator<Item = EntryContent> {
        let mut recorded = Map::new();
        let mut before = Map::new();
        let mut after = Map::new();
        for Changed { alert, was } in self.alerts.values() {
            let name = subject::alert(alert.id);
            let Some((was, was_by)) = was else {
                recorded.insert(name, alert.noted().into());
                continue;
            };
            if *was != alert.status {
                let noted = |status, by| json!({"status": status, "statusBy": by});
                before.insert(name.clone(), noted(*was, *was_by));
                after.insert(name, noted(alert.status, alert.status_by));
            }
        }
        let recorded = EntryContent::several(OrganizationEvent::AlertRecorded, None, recorded);
        let changed = EntryContent::several(OrganizationEvent::AlertChanged, Some(before), after);
        recorded.into_iter().chain(changed)
    }

    /// Returns the alert of each report after the write.
    pub(crate) fn written(&self) -> Vec<Stored<Alert>> {
        let alerts = self
            .of
            .iter()
            .filter_map(|id| self.alerts.get(id));
        alerts
            .map(|changed| changed.alert.clone().replaced())
            .collect()
    }
}

pub(crate) fn source(tenant: Tenant, report: &AlertReport) -> Key<AlertSource> {
    key::alert_source(tenant, &report.content.source, &report.content.external_id)
}

/// Returns the key of the series of a report; none if its source has none.
pub(crate) fn series(tenant: Tenant, report: &AlertReport) -> Option<Key<AlertSeries>> {
    let (firing, source) = (report.firing.as_ref()?, &report.content.source);
    Some(key::alert_series(tenant, source, &firing.series))
}

/// Returns the names of the alerts reported before, of a batch.
pub(crate) fn known(
    tenant: Tenant,
    some: &[AlertReport],
    names: &Batch,
) -> Result<Vec<Option<Stored<AlertSource>>>> {
    let sources = some
        .iter()
        .map(|report| names.get(&source(tenant, report)));
    sources.collect()
}

/// Returns the last fix of an alert's records before an instant.
fn recurrence(alert: &Alert, at: Timestamp, batch: &Batch) -> Option<Recurrence> {
    let outcomes = alert
        .entities
        .iter()
        .filter_map(|entity| {
            let key = key::last_outcome(alert.organization_id, &entity.id, &alert.target_system);
            Some(batch.named(&key)?.record)
        });
    let fixes = outcomes.filter(|outcome: &LastOutcome| outcome.helped && outcome.at < at);
    fixes
        .max_by_key(|outcome| outcome.at)
        .map(Into::into)
}

pub(crate) fn none_recorded() -> Error {
    Error::internal("recording an alert", "a reserved name has no alert")
}
