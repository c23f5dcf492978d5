//! What is known of a class of signals.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{Pattern, SharedLabel, statistics};
use crate::{Signal, SignalEntity, SignalId, Timestamp, span};

/// That a signal of a class occurred, as its counters have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// Minutes since the Unix epoch.
    pub minute: i64,
    /// Which records it named: the first four bytes of a hash, so that of a thousand different ones two
    /// are taken for one in one of nine thousand cases.
    pub records: u32,
}

/// What is known of a class of signals.
#[derive(Clone, Debug)]
pub struct ClassHistory {
    /// As of when, which is where windows end.
    pub at: Timestamp,
    /// Since when signals of the organization are recorded, of any class; none while none are.
    pub since: Option<Timestamp>,
    /// Its signals of the last [`DAYS`](Self::DAYS), in any order.
    pub occurrences: Vec<Occurrence>,
    /// Its newest signals of the last week, at most [`SAMPLE`](Self::SAMPLE).
    pub recent: Vec<LabelledSignal>,
    /// Its newest signals before that, at most as many.
    pub earlier: Vec<LabelledSignal>,
}

/// What labels a signal has.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelledSignal {
    /// Unique id.
    pub id: SignalId,
    /// The records that it names.
    #[serde(default)]
    pub entities: Vec<SignalEntity>,
    /// Its labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// When it occurred.
    pub occurred_at: Timestamp,
}

impl Occurrence {
    /// The most of an hour that are kept, in windows and baselines alike.
    pub const MOST_AN_HOUR: usize = 100;

    /// That of a signal.
    #[must_use]
    pub fn of(id: SignalId, entities: &[SignalEntity], at: Timestamp) -> Self {
        Self {
            minute: at.millis().div_euclid(span::MINUTE),
            records: records(id, entities),
        }
    }

    /// As a number that stands among others of its day (UTC).
    #[must_use]
    pub const fn within_day(self) -> i64 {
        let minute = self.minute.rem_euclid(span::DAY / span::MINUTE);
        (minute << 32) | self.records as i64
    }

    /// That which has this number on the day that begins at an instant; none for a number that no
    /// occurrence has.
    #[must_use]
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
    /// How many days back occurrences are kept: four weeks on which windows are tried out, each with
    /// three months before it, and a week.
    pub const DAYS: i64 = 130;
    /// How many signals of either part are looked at for their labels.
    pub const SAMPLE: usize = 100;
    /// How far back [`recent`](Self::recent) goes, in milliseconds.
    pub const RECENT: i64 = 7 * span::DAY;

    /// That nothing is known.
    #[must_use]
    pub const fn none(at: Timestamp) -> Self {
        Self {
            at,
            since: None,
            occurrences: Vec::new(),
            recent: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Occurrences of other records in the last five weeks, each hour's apart.
    #[must_use]
    pub fn seen(&self, signal: &Signal) -> usize {
        let own = records(signal.id, &signal.entities);
        let first = self
            .at
            .plus(-35 * span::DAY)
            .millis()
            .div_euclid(span::MINUTE);
        let others = self.occurrences.iter();
        let others = others.filter(|one| one.records != own && one.minute > first);
        let hours: HashSet<_> = others.map(|one| (one.minute / 60, one.records)).collect();
        hours.len()
    }

    /// The labels that a signal shares with others of a window, more than with those before it.
    pub(super) fn shared(&self, signal: &Signal, window_hours: i64) -> Vec<SharedLabel> {
        let own = records(signal.id, &signal.entities);
        let (mut within, mut before) = (HashSet::new(), HashSet::new());
        let (mut window, mut baseline) = (Vec::new(), Vec::new());
        for other in self.recent.iter().chain(&self.earlier) {
            let records = records(other.id, &other.entities);
            let is_within = self.at.since(other.occurred_at) < window_hours * span::HOUR;
            let (seen, part) = if is_within {
                (&mut within, &mut window)
            } else {
                (&mut before, &mut baseline)
            };
            if records != own && seen.insert(records) {
                part.push(&other.labels);
            }
        }
        let having = |part: &[&BTreeMap<String, String>], name: &str, value: &str| {
            let have = part
                .iter()
                .filter(|labels| labels.get(name).is_some_and(|one| one == value));
            count(have.count())
        };
        let (of, baseline_of) = (count(window.len()), count(baseline.len()));
        let labels = signal.labels.iter().map(|(name, value)| {
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
        let labels: Vec<SharedLabel> = labels.collect();
        let p_values: Vec<f64> = labels.iter().map(|label| label.p_value).collect();
        let named = statistics::rejected(&p_values, Pattern::FALSE_SHARE);
        let labels = labels.into_iter().zip(named);
        let mut shared: Vec<_> = labels
            .filter(|(_, named)| *named)
            .map(|(one, _)| one)
            .collect();
        shared.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
        shared
    }
}

/// A number for the records that a signal names, whatever their order; one that names none is a case of
/// its own.
fn records(id: SignalId, entities: &[SignalEntity]) -> u32 {
    let mut hash = Sha256::new();
    let mut named: Vec<(&str, &str)> = entities
        .iter()
        .map(|entity| (entity.kind.as_str(), entity.id.as_str()))
        .collect();
    named.sort_unstable();
    for (kind, id) in &named {
        hash.update(kind);
        hash.update([0]);
        hash.update(id);
        hash.update([0]);
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
