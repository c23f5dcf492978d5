//! Daily occurrences of a class of alerts. A day is one item: the records named on it, with their
//! times. Windows and baselines are thus counted without reading every alert. Recording an alert
//! updates the item in the same transaction.

use std::collections::BTreeMap;

use agent::{
    alert::Alert,
    pattern::{ClassHistory, LabelledAlert, Occurrence},
};
use model::base::{Timestamp, span};
use table::{AnyKey, Batch, Condition, Key, Read, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        Store,
        record::{any_keys, record},
        records::{AlertDay, AlertsSince},
    },
    key,
};

/// Retention of days, in milliseconds.
const KEPT: i64 = ClassHistory::DAYS * span::DAY;

/// Occurrences to write, by class and day.
#[derive(Debug, Default)]
pub(crate) struct Noted(BTreeMap<(String, Timestamp), Vec<i64>>);

record! {
    alerts: AlertDay = "alert_day",
    key: day(alerts.organization_id, &alerts.signal_type, alerts.day),
    number_sets: ["occurrences"],
    expires_at: Some(expires_at(alerts.day)),
}

record! { since: AlertsSince = "alerts_since", key: key::alerts_since(since.organization_id), }

/// Returns the key of a class's day that contains an instant.
pub(crate) fn day(tenant: Tenant, signal_type: &str, at: Timestamp) -> Key<AlertDay> {
    key::alert_days(tenant, signal_type).at(key::alert_day(&at.day()))
}

fn expires_at(day: Timestamp) -> i64 {
    day.plus(KEPT + 2 * span::DAY)
        .epoch_seconds()
}

impl Noted {
    /// Adds an alert's occurrence, unless it is too old, its hour is full, or the same record
    /// occurred within this quarter of an hour. One that toggles every minute must not fill it.
    pub(crate) fn add(&mut self, alert: &Alert, at: Timestamp, batch: &Batch, now: Timestamp) {
        if now.since(at) >= KEPT {
            return;
        }
        let number = Occurrence::of(alert.id, &alert.entities, at).within_day();
        let name = (alert.signal_type.to_string(), at.start_of_day());
        let noted = self.0.entry(name).or_default();
        let hour = |number: &i64| (number >> 32) / 60;
        let day = batch.named(&day(alert.organization_id, &alert.signal_type, at));
        let before = day.map(|day: Stored<AlertDay>| day.record.occurrences);
        let of_hour = before
            .iter()
            .flatten()
            .chain(noted.iter())
            .copied();
        let of_hour: Vec<i64> = of_hour
            .filter(|number_of_hour| hour(number_of_hour) == hour(&number))
            .collect();
        let quarter = |number: i64| ((number >> 32) / 15, number & i64::from(u32::MAX));
        let is_known = of_hour
            .iter()
            .any(|number_of_hour| quarter(*number_of_hour) == quarter(number));
        if !is_known && of_hour.len() < Occurrence::MOST_AN_HOUR {
            noted.push(number);
        }
    }

    /// Returns the writes: one item per class and day.
    pub(crate) fn writes(self, tenant: Tenant) -> impl Iterator<Item = Write> {
        let days = self
            .0
            .into_iter()
            .filter(|(_, noted)| !noted.is_empty());
        days.map(move |((signal_type, at), mut noted)| {
            noted.sort_unstable();
            noted.dedup();
            let key = day(tenant, &signal_type, at);
            let change = UpdateExpression::default()
                .set("kind", AlertDay::KIND)
                .set("organizationId", tenant)
                .set("signalType", signal_type)
                .set("day", at)
                .set("expiresAt", expires_at(at))
                .put_all_in_set("occurrences", &noted);
            Write::update(key, change, Condition::default())
        })
    }
}

impl Store {
    /// Returns an alert if it exists, the history of its class, and the items under more keys. The
    /// newest alerts are read from an index, the counts from the table.
    pub(crate) async fn class_history(
        &self,
        tenant: Tenant,
        signal_type: &str,
        alert: &Key<Alert>,
        more: Vec<AnyKey>,
    ) -> Result<(Option<Stored<Alert>>, ClassHistory, Batch)> {
        let at = self.clock.now();
        let since = key::alerts_since(tenant);
        let days = key::alert_days(tenant, signal_type)
            .from(key::alert_day(&at.plus(-KEPT).day()))
            .up_to(key::alert_day(&at.day()));
        let class = || key::alerts_of_class(tenant, signal_type);
        let week_ago = at.plus(-ClassHistory::RECENT);
        let earlier = class().up_to(key::instant(week_ago));
        let recent = class().from(key::instant(week_ago));
        let recent = recent.up_to(key::instant(at.plus(1)));
        let keys = any_keys![alert, &since]
            .into_iter()
            .chain(more);
        let table = &self.table;
        let (batch, days, recent, earlier) = tokio::try_join!(
            table.batch_get(keys, Read::Consistent),
            table.list(days),
            table.list(newest(recent)),
            table.list(newest(earlier)),
        )?;
        let history = ClassHistory {
            at,
            since: batch
                .named(&since)
                .map(|since| since.record.since),
            occurrences: occurrences(&days),
            recent,
            earlier,
        };
        Ok((batch.get(alert)?, history, batch))
    }
}

/// Returns the labels of a class's newest alerts.
fn newest(class: key::RecordList<Alert, key::Gsi1>) -> key::RecordList<LabelledAlert, key::Gsi1> {
    class
        .descending()
        .only(&["id", "entities", "labels", "occurredAt"])
        .limit(ClassHistory::SAMPLE)
}

fn occurrences(days: &[AlertDay]) -> Vec<Occurrence> {
    let occurrences = days.iter().flat_map(|day| {
        let numbers = day.occurrences.iter();
        numbers.filter_map(|number| Occurrence::on_day(day.day, *number))
    });
    occurrences.collect()
}
