//! Reports of alerts, applied to the alerts that they are of.
//!
//! Reports of one request may be of the same alert, and of several firings of one series. Each is applied to
//! what the earlier ones left.

use std::collections::HashMap;

use agent::{
    action::LastOutcome,
    alert::{Alert, AlertReport, AlertStatus, Recurrence, StatusSource},
};
use model::{
    AlertId, EntryContent, Error, Journaled, OrganizationEvent, OrganizationId, Timestamp,
    journal::subject,
};
use serde_json::{Map, json};

use super::{
    Store, WriteContext,
    alert_days::Noted,
    ids::Reserved,
    key::{self, Key},
    record::record,
    records::{AlertSeries, AlertSource},
    table::{Batch, Stored, Write},
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
pub(super) struct Found {
    /// For each report, the name under which its alert was recorded.
    pub(super) names: Vec<Option<Stored<AlertSource>>>,
    /// The readable alerts of these names and of the series.
    pub(super) alerts: HashMap<AlertId, Stored<Alert>>,
    /// The series of the reports, by name.
    pub(super) series: HashMap<String, Stored<AlertSeries>>,
    /// The start of records, the days of the classes, and the last fixes of the records.
    pub(super) batch: Batch,
    /// The id of the first new alert.
    pub(super) id: Option<Reserved<AlertId>>,
}

#[derive(Debug)]
pub(super) struct Reported {
    found: Found,
    now: Timestamp,
    alerts: Vec<Changed>,
    /// The index of each alert.
    places: HashMap<AlertId, usize>,
    /// The alerts of the names that these reports gave, by source and external id.
    named: HashMap<(String, String), AlertId>,
    /// For each report, the index of its alert.
    of: Vec<usize>,
    noted: Noted,
    /// The series of the reports as they will be.
    series: HashMap<String, AlertSeries>,
    writes: Vec<Write>,
}

#[derive(Debug)]
struct Changed {
    alert: Stored<Alert>,
    /// The status before, and its source; none for a new alert.
    was: Option<(AlertStatus, Option<StatusSource>)>,
}

impl Reported {
    pub(super) fn new(found: Found, now: Timestamp) -> Self {
        let series = found.series.iter();
        let series = series.map(|(name, stored)| (name.clone(), stored.record.clone()));
        Self {
            now,
            alerts: Vec::new(),
            places: HashMap::new(),
            named: HashMap::new(),
            of: Vec::new(),
            noted: Noted::default(),
            series: series.collect(),
            writes: Vec::new(),
            found,
        }
    }

    /// Applies the report with this index.
    pub(super) async fn add(
        &mut self,
        store: &Store,
        context: &WriteContext,
        at: usize,
        report: &AlertReport,
    ) -> Result<(), Error> {
        let status = if self.is_late(report) {
            AlertStatus::Resolved
        } else {
            report.status
        };
        let (tenant, now) = (context.tenant, self.now);
        let AlertReport { content: sent, .. } = report;
        let name = (sent.source.to_string(), sent.external_id.to_string());
        let stored = self.found.names.get(at).cloned().flatten();
        let known = stored.as_ref().map(|name| name.alert_id);
        let known = self.named.get(&name).copied().or(known);
        let place = known.and_then(|id| self.place_of(id));
        let occurred_at = report.occurred_at;
        let (place, occurs) = if let Some(place) = place {
            let Some(Changed { alert, .. }) = self.alerts.get_mut(place) else {
                return Err(none_recorded());
            };
            let opens = alert.report_again(status, occurred_at, now);
            // It lasts until now, whenever it began.
            (place, opens.then_some(now))
        } else {
            let id = match self.found.id.take() {
                Some(id) => id,
                None => store.next_id().await?,
            };
            let report = AlertReport {
                status,
                ..report.clone()
            };
            let mut alert = Alert::new(id.used(), tenant, report, context.actor, now);
            let credential = context.credential.as_ref();
            alert.recorded_by_machine = credential.is_some_and(|credential| credential.is_machine);
            // An alert that does not read keeps its id, and leaves its name to the new one.
            self.writes.push(match stored {
                None => Write::create(&AlertSource::of(&alert))?,
                Some(mut name) => {
                    name.alert_id = alert.id;
                    Write::replace(&name)?
                }
            });
            self.named.insert(name, alert.id);
            let stored = Stored::created(alert);
            (self.push(stored, None), Some(occurred_at))
        };
        self.of.push(place);
        if let Some(until) = occurs
            && let Some(Changed { alert, .. }) = self.alerts.get_mut(place)
        {
            alert.recurrence = recurrence(alert, until, &self.found.batch);
            self.noted.add(alert, occurred_at, &self.found.batch, now);
        }
        self.end_others(place, status, report);
        Ok(())
    }

    /// True for a report of a firing that began before an open one of its series.
    fn is_late(&self, report: &AlertReport) -> bool {
        let Some(firing) = &report.firing else {
            return false;
        };
        let last = self.series.get(&*firing.series);
        let is_open = |id: AlertId| {
            let changed = self.places.get(&id).and_then(|at| self.alerts.get(*at));
            let alert = changed.map(|changed| &changed.alert);
            let alert = alert.or_else(|| self.found.alerts.get(&id));
            alert.is_some_and(|alert| alert.status != AlertStatus::Resolved)
        };
        report.status != AlertStatus::Resolved
            && last.is_some_and(|last| firing.starts_at < last.starts_at && is_open(last.alert_id))
    }

    /// Resolves the alert of another firing of the series that the report ends. An open firing becomes the
    /// series' last one. `place` is of the report's alert, and `status` is the one that it was given.
    fn end_others(&mut self, place: usize, status: AlertStatus, report: &AlertReport) {
        let Some((firing, alert)) = report.firing.as_ref().zip(self.alerts.get(place)) else {
            return;
        };
        let (id, organization_id) = (alert.alert.id, alert.alert.organization_id);
        let last = self.series.get(&*firing.series);
        let ended = last
            .filter(|last| last.alert_id != id && firing.ends(last.starts_at, report.status))
            .map(|last| last.alert_id);
        if let Some(ended) = ended
            && let Some(place) = self.place_of(ended)
            && let Some(Changed { alert, .. }) = self.alerts.get_mut(place)
        {
            alert.resolve(StatusSource::Report, self.now);
        }
        if status != AlertStatus::Resolved {
            let last = AlertSeries {
                organization_id,
                source: report.content.source.clone(),
                series: firing.series.clone(),
                alert_id: id,
                starts_at: firing.starts_at,
            };
            self.series.insert(firing.series.to_string(), last);
        }
    }

    /// Returns the index of an alert. None for one that does not read.
    fn place_of(&mut self, id: AlertId) -> Option<usize> {
        if let Some(place) = self.places.get(&id) {
            return Some(*place);
        }
        let alert = self.found.alerts.get(&id)?.clone();
        let was = Some((alert.status, alert.status_by));
        Some(self.push(alert, was))
    }

    fn push(
        &mut self,
        alert: Stored<Alert>,
        was: Option<(AlertStatus, Option<StatusSource>)>,
    ) -> usize {
        let place = self.alerts.len();
        self.places.insert(alert.id, place);
        self.alerts.push(Changed { alert, was });
        place
    }

    /// Returns the writes of all alerts, names, series and occurrences.
    pub(super) fn writes(&mut self, tenant: OrganizationId) -> Result<Vec<Write>, Error> {
        let mut writes = std::mem::take(&mut self.writes);
        for Changed { alert, was } in &self.alerts {
            writes.push(match was {
                None => Write::create(&alert.record)?,
                Some(_) => Write::replace(alert)?,
            });
        }
        for (name, last) in &self.series {
            let found = self.found.series.get(name);
            if found.is_some_and(|found| found.record == *last) {
                continue;
            }
            writes.push(match found.cloned() {
                None => Write::create(last)?,
                Some(mut found) => {
                    found.record = last.clone();
                    Write::replace(&found)?
                }
            });
        }
        writes.extend(std::mem::take(&mut self.noted).writes(tenant));
        Ok(writes)
    }

    /// Returns the entries of the organization's journal: one for all new alerts, and one for all whose
    /// status changed.
    pub(super) fn entries(&self) -> impl Iterator<Item = EntryContent> {
        let mut recorded = Map::new();
        let (mut before, mut after) = (Map::new(), Map::new());
        for Changed { alert, was } in &self.alerts {
            let name = subject::alert(alert.id);
            let Some((was, was_by)) = was else {
                recorded.insert(name, alert.noted());
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
    pub(super) fn written(self) -> Vec<Stored<Alert>> {
        let alerts = self.alerts.into_iter();
        let alerts: Vec<_> = alerts
            .map(|Changed { alert, was }| {
                if was.is_none() {
                    alert
                } else {
                    alert.replaced()
                }
            })
            .collect();
        let of = self.of.into_iter();
        of.filter_map(|place| alerts.get(place).cloned()).collect()
    }
}

pub(super) fn source(tenant: OrganizationId, report: &AlertReport) -> Key<AlertSource> {
    key::alert_source(tenant, &report.content.source, &report.content.external_id)
}

/// Returns the key of the series of a report; none if its source has none.
pub(super) fn series(tenant: OrganizationId, report: &AlertReport) -> Option<Key<AlertSeries>> {
    let firing = report.firing.as_ref()?;
    Some(key::alert_series(
        tenant,
        &report.content.source,
        &firing.series,
    ))
}

/// Returns the names of the alerts reported before, of a batch.
pub(super) fn known(
    tenant: OrganizationId,
    some: &[AlertReport],
    names: &Batch,
) -> Result<Vec<Option<Stored<AlertSource>>>, Error> {
    let known = some.iter();
    known
        .map(|report| names.get(&source(tenant, report)))
        .collect()
}

/// Returns the last fix of an alert's records before an instant.
fn recurrence(alert: &Alert, at: Timestamp, batch: &Batch) -> Option<Recurrence> {
    let entities = alert.entities.iter();
    let outcomes = entities.filter_map(|entity| {
        let key = key::last_outcome(alert.organization_id, &entity.id, &alert.target_system);
        Some(batch.named(&key)?.record)
    });
    let fixes = outcomes.filter(|outcome: &LastOutcome| outcome.helped && outcome.at < at);
    fixes.max_by_key(|outcome| outcome.at).map(Into::into)
}

pub(super) fn none_recorded() -> Error {
    let source = "a reserved name has no alert";
    Error::internal("recording an alert", source)
}
