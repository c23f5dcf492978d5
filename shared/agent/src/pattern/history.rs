use std::collections::{BTreeMap, HashSet};

use model::base::{AlertId, Timestamp, span};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{
    alert::{Alert, AlertEntity, Labels},
    pattern::{Pattern, SharedLabel, statistics},
};

/// An occurrence of an alert, as its class's counters store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// Minutes since the Unix epoch.
    pub minute: i64,
    /// The records that it named: the first four bytes of a hash. Among a thousand different sets,
    /// two collide in one of nine thousand cases.
    pub records: u32,
}

#[derive(Clone, Debug)]
pub struct ClassHistory {
    /// The instant of the history, at which windows end.
    pub at: Timestamp,
    /// The first recorded alert of the organization, of any class; none before that.
    pub since: Option<Timestamp>,
    /// Its alerts of the last [`DAYS`](Self::DAYS), in any order.
    pub occurrences: Vec<Occurrence>,
    /// Its newest alerts of the last week, at most [`SAMPLE`](Self::SAMPLE).
    pub recent: Vec<LabelledAlert>,
    /// Its newest alerts before that, at most [`SAMPLE`](Self::SAMPLE).
    pub earlier: Vec<LabelledAlert>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelledAlert {
    pub id: AlertId,
    pub entities: Vec<AlertEntity>,
    pub labels: Labels,
    pub occurred_at: Timestamp,
}

impl Occurrence {
    /// The most occurrences stored per hour, for windows and baselines alike.
    pub const MOST_AN_HOUR: usize = 100;

    pub fn of(id: AlertId, entities: &[AlertEntity], at: Timestamp) -> Self {
        Self {
            minute: at.millis().div_euclid(span::MINUTE),
            records: records(id, entities),
        }
    }

    /// Returns a number that identifies it within its day (UTC).
    pub const fn within_day(self) -> i64 {
        let minute = self
            .minute
            .rem_euclid(span::DAY / span::MINUTE);
        (minute << 32) | self.records as i64
    }

    /// Returns the occurrence with this number on the day that begins at `day`. None for an invalid
    /// number.
    pub fn on_day(day: Timestamp, number: i64) -> Option<Self> {
        let minute = number >> 32;
        let is_one = (0..span::DAY / span::MINUTE).contains(&minute);
        let records = u32::try_from(number & i64::from(u32::MAX)).ok()?;
        is_one.then(|| Self {
            minute: day.millis().div_euclid(span::MINUTE) + minute,
            records,
        })
    }
}

impl ClassHistory {
    /// Number of days for which occurrences are stored: three months, and the longest window.
    pub const DAYS: i64 = 100;
    pub const SAMPLE: usize = 100;
    /// The length of [`recent`](Self::recent), in milliseconds.
    pub const RECENT: i64 = 7 * span::DAY;

    pub const fn none(at: Timestamp) -> Self {
        Self {
            at,
            since: None,
            occurrences: Vec::new(),
            recent: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Returns the labels that an alert shares with others in a window, more than with earlier
    /// ones.
    pub(super) fn shared(&self, alert: &Alert, window_hours: i64) -> Vec<SharedLabel> {
        let own = records(alert.id, &alert.entities);
        let mut within = HashSet::new();
        let mut before = HashSet::new();
        let mut window = Vec::new();
        let mut baseline = Vec::new();
        for other in self.recent.iter().chain(&self.earlier) {
            let records = records(other.id, &other.entities);
            let is_within = self.at.since(other.occurred_at) < window_hours * span::HOUR;
            let (seen, part) = if is_within {
                (&mut within, &mut window)
            } else {
                (&mut before, &mut baseline)
            };
            if records != own && seen.insert(records) {
                part.push(&other.labels.0);
            }
        }
        let having = |part: &[&BTreeMap<String, String>], name: &str, value: &str| {
            let has = |labels: &&&BTreeMap<String, String>| {
                labels
                    .get(name)
                    .is_some_and(|label| label == value)
            };
            count(part.iter().filter(has).count())
        };
        let of = count(window.len());
        let baseline_of = count(baseline.len());
        let labels = alert
            .labels
            .0
            .iter()
            .map(|(name, value)| {
                let with = having(&window, name, value);
                let baseline_with = having(&baseline, name, value);
                SharedLabel {
                    name: name.clone(),
                    value: value.clone(),
                    count: with.into(),
                    of: of.into(),
                    baseline_count: baseline_with.into(),
                    baseline_of: baseline_of.into(),
                    p_value: statistics::fisher(with, of, baseline_with, baseline_of),
                }
            });
        let mut shared: Vec<SharedLabel> = labels.collect();
        let p_values: Vec<f64> = shared
            .iter()
            .map(|label| label.p_value)
            .collect();
        let mut named = statistics::rejected(&p_values, Pattern::FALSE_SHARE).into_iter();
        shared.retain(|_| named.next() == Some(true));
        shared.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
        shared
    }
}

/// Returns a hash of the records that an alert names, in any order. Without records, each alert has
/// its own hash.
fn records(id: AlertId, entities: &[AlertEntity]) -> u32 {
    let mut hash = Sha256::new();
    let named = entities
        .iter()
        .map(|entity| (&*entity.r#type, &*entity.id));
    let mut named: Vec<(&str, &str)> = named.collect();
    named.sort_unstable();
    for (kind, id) in &named {
        hash.update(format!("{kind}\0{id}\0"));
    }
    if named.is_empty() {
        hash.update(id.to_string());
    }
    let hash: [u8; 32] = hash.finalize().into();
    let [first, second, third, fourth, ..] = hash;
    u32::from_be_bytes([first, second, third, fourth])
}

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
