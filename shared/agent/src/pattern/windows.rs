//! Windows that end at the analysis, and their baselines. They make up the pattern of an alert.
//!
//! Hours count backwards from the analysis, so a window of an hour is the last sixty minutes.

use std::collections::HashSet;

use super::{ClassHistory, Cycle, Occurrence, Pattern, PatternWindow, history::count, statistics};
use crate::Alert;
use model::span;

/// The windows, in hours.
const WINDOWS: [usize; 3] = [1, 24, 7 * 24];
/// The baseline starts before the longest window, so that a surge of several days is not part of
/// it.
const SETBACK: usize = 7 * 24;
/// The baseline of a class without a cycle, in hours: a multiple of each window.
const BASELINE: usize = 28 * 24;
/// The number of months in the baseline of a class with a cycle.
const MONTHS: u32 = 3;

/// Returns the windows that end at the analysis of an alert.
pub(super) fn windows(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Vec<PatternWindow> {
    let others = others(alert, history);
    let ago = |at| usize::try_from(history.at.since(at) / span::HOUR).unwrap_or_default();
    let covered = history.since.map_or(0, ago);
    let window = |hours| {
        // The baseline consists of windows of the same length that do not overlap, as far back as
        // alerts were recorded.
        let ends: Vec<usize> = match cycle {
            Cycle::None => (SETBACK..SETBACK + BASELINE).step_by(hours).collect(),
            Cycle::Monthly => {
                let months = (1..=MONTHS).map(|months| history.at.months_earlier(months));
                months.map(ago).collect()
            }
        };
        let ends = ends.into_iter().filter(|end| end + hours <= covered);
        let earlier: Vec<u32> = ends.map(|end| distinct(&others, end, hours)).collect();
        let (cases, baseline) = (distinct(&others, 0, hours), earlier.iter().sum());
        let days = f64::from(count(hours)) / 24.0;
        let baseline_days = f64::from(count(earlier.len())) * days;
        let p_value = statistics::surge(cases, days, baseline, baseline_days);
        PatternWindow {
            hours: count(hours).into(),
            count: cases.into(),
            baseline: baseline.into(),
            baseline_days,
            // DynamoDB stores no smaller number.
            p_value: p_value.max(1e-100),
            fires: p_value <= Pattern::ALPHA / 3.0,
        }
    };
    WINDOWS.into_iter().map(window).collect()
}

/// Returns the occurrences of other records, each as its hours before the analysis and its records,
/// newest first.
fn others(alert: &Alert, history: &ClassHistory) -> Vec<(usize, u32)> {
    let minute = history.at.millis().div_euclid(span::MINUTE);
    let own = Occurrence::of(alert.id, &alert.entities, history.at).records;
    let others = history.occurrences.iter().filter(|one| one.records != own);
    let others = others.filter_map(|one| {
        let minutes = usize::try_from(minute - one.minute).ok()?;
        Some((minutes / 60, one.records))
    });
    let mut others: Vec<_> = others.collect();
    others.sort_unstable();
    others
}

/// Returns the number of different records in the window that ended `end` hours ago.
fn distinct(others: &[(usize, u32)], end: usize, hours: usize) -> u32 {
    let before = |hour: usize| others.partition_point(|(ago, _)| *ago < hour);
    let within = others.get(before(end)..before(end + hours));
    let records = within.into_iter().flatten().map(|(_, records)| records);
    count(records.collect::<HashSet<_>>().len())
}

impl Pattern {
    /// Returns the pattern of an alert in its history.
    #[must_use]
    pub fn of(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Self {
        let windows = windows(alert, history, cycle);
        // The longest window that fires has the largest sample.
        let longest = windows.iter().rfind(|window| window.fires);
        let shared = longest.map(|window| history.shared(alert, window.hours));
        Self {
            windows,
            shared: shared.unwrap_or_default(),
            recurrence: alert.recurrence.clone(),
        }
    }
}
