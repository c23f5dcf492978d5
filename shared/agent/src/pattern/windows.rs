//! Windows that end at the analysis, and their baselines. They make up the pattern of an alert.
//!
//! Hours count backwards from the analysis, so a window of an hour is the last sixty minutes.

use std::collections::{HashMap, HashSet};

use model::base::span;

use crate::{
    alert::Alert,
    pattern::{
        ClassHistory, Cycle, Occurrence, Pattern, PatternWindow, history::count, statistics,
    },
};

/// The windows, in hours.
const WINDOWS: [usize; 3] = [1, 24, 7 * 24];
/// The baseline starts before the longest window, so that a surge of several days is not part of
/// it. It starts later while alerts have been recorded for less than twice as long.
const SETBACK: usize = 7 * 24;
/// The baseline of a class without a cycle, in hours: a multiple of each window.
const BASELINE: usize = 28 * 24;
/// The number of months in the baseline of a class with a cycle.
const MONTHS: u32 = 3;

pub(super) fn windows(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Vec<PatternWindow> {
    let others = others(alert, history);
    let ago = |at| usize::try_from(history.at.since(at) / span::HOUR).unwrap_or_default();
    let covered = history.since.map_or(0, ago);
    let window = |hours: usize| {
        // The baseline consists of windows of the same length that do not overlap, as far back as
        // alerts were recorded. Of a short record, the older half is the baseline.
        let start = SETBACK.min(covered / 2).max(hours);
        let ends: Vec<usize> = match cycle {
            Cycle::None => (start..start + BASELINE)
                .step_by(hours)
                .collect(),
            Cycle::Monthly => {
                let months = (1..=MONTHS).map(|months| history.at.months_earlier(months));
                months.map(ago).collect()
            }
        };
        let ends = ends
            .into_iter()
            .filter(|end| end + hours <= covered);
        let earlier: Vec<_> = ends
            .map(|end| distinct(&others, end, hours))
            .collect();
        let (within, within_is_least) = distinct(&others, 0, hours);
        let baseline = earlier
            .iter()
            .map(|(records, _)| records)
            .sum();
        let days = f64::from(count(hours)) / 24.0;
        let baseline_days = f64::from(count(earlier.len())) * days;
        let p_value = statistics::surge(within, days, baseline, baseline_days);
        PatternWindow {
            hours: count(hours).into(),
            count: within.into(),
            count_is_least: within_is_least,
            baseline: baseline.into(),
            baseline_is_least: earlier
                .iter()
                .any(|(_, is_least)| *is_least),
            baseline_days,
            // DynamoDB stores no smaller number.
            p_value: p_value.max(1e-100),
            fires: p_value <= Pattern::ALPHA / 3.0,
        }
    };
    let mut windows: Vec<_> = WINDOWS
        .into_iter()
        .map(window)
        .collect();
    let is_storm =
        |window: &&mut PatternWindow| window.count_is_least && window.baseline_days <= 0.0;
    if cycle == Cycle::None
        && !windows
            .iter()
            .any(|window| window.fires)
        && let Some(storm) = windows.iter_mut().find(is_storm)
    {
        storm.fires = true;
    }
    windows
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Other {
    /// Hours before the analysis.
    ago: usize,
    records: u32,
    /// True if its hour has as many occurrences as are kept.
    is_of_full_hour: bool,
}

/// Returns the occurrences of other records, newest first.
fn others(alert: &Alert, history: &ClassHistory) -> Vec<Other> {
    let minute = history
        .at
        .millis()
        .div_euclid(span::MINUTE);
    let own = Occurrence::of(alert.id, &alert.entities, history.at).records;
    let hour = |occurrence: &Occurrence| occurrence.minute.div_euclid(60);
    let mut of_hours: HashMap<i64, usize> = HashMap::new();
    for occurrence in &history.occurrences {
        *of_hours
            .entry(hour(occurrence))
            .or_default() += 1;
    }
    let is_full = |occurrence: &Occurrence| {
        of_hours.get(&hour(occurrence)).copied() >= Some(Occurrence::MOST_AN_HOUR)
    };
    let others = history
        .occurrences
        .iter()
        .filter(|occurrence| occurrence.records != own);
    let others = others.filter_map(|occurrence| {
        let minutes = usize::try_from(minute - occurrence.minute).ok()?;
        Some(Other {
            ago: minutes / 60,
            records: occurrence.records,
            is_of_full_hour: is_full(occurrence),
        })
    });
    let mut others: Vec<_> = others.collect();
    others.sort_unstable();
    others
}

/// Returns the number of different records in the window that ended `end` hours ago, and whether
/// there may have been more.
fn distinct(others: &[Other], end: usize, hours: usize) -> (u32, bool) {
    let before = |hour: usize| others.partition_point(|other| other.ago < hour);
    let within = others.get(before(end)..before(end + hours));
    let within = within.unwrap_or_default();
    let records: HashSet<u32> = within
        .iter()
        .map(|other| other.records)
        .collect();
    let is_least = within
        .iter()
        .any(|other| other.is_of_full_hour);
    (count(records.len()), is_least)
}

impl Pattern {
    pub fn of(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Self {
        let windows = windows(alert, history, cycle);
        // The longest window that fires has the largest sample.
        let longest = windows
            .iter()
            .rfind(|window| window.fires);
        let shared = longest.map(|window| history.shared(alert, window.hours));
        Self {
            windows,
            shared: shared.unwrap_or_default(),
            recurrence: alert.recurrence.clone(),
        }
    }
}
