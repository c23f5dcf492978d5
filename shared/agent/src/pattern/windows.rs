//! Windows that end at an instant, and their baselines. They make up the pattern of an alert.
//!
//! Hours count backwards from the analysis, so a window of an hour is the last sixty minutes. The
//! table [`Counts`] stores, for each hour, the number of different records in the window that ends
//! there. Every window and every block of a baseline is one lookup in the table, at present and at
//! any past hour. Filling the table takes one pass over the occurrences per length of window.

use std::collections::HashMap;

use super::{
    ClassHistory, Cycle, FiredOnHistory, Occurrence, Pattern, PatternWindow, history::count,
    statistics,
};
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
/// The number of tested days before the last 24 hours.
const TRIED: usize = 28;
const DAY: usize = 24;

/// The number of different records in each window, by the hours since its end.
#[derive(Debug)]
pub(super) struct Counts {
    /// For each window, by the hours since its end.
    by_hour: [Vec<u32>; 3],
    /// Sums of `by_hour` for the first window, up to but excluding an hour.
    sums: Vec<u32>,
    /// Number of past hours with complete records.
    covered: usize,
    /// For a class with a cycle, the hours back to each month.
    months: Option<Vec<usize>>,
}

/// A baseline: a number of cases in a number of windows.
#[derive(Clone, Copy, Debug, Default)]
struct Baseline {
    cases: u32,
    windows: u32,
}

impl Counts {
    pub(super) fn of(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Self {
        let now = history.at;
        let minute = now.millis().div_euclid(span::MINUTE);
        let own = Occurrence::of(alert.id, &alert.entities, now).records;
        let hours = usize::try_from(ClassHistory::DAYS).unwrap_or_default() * DAY;
        let mut others: Vec<(usize, u32)> = history
            .occurrences
            .iter()
            .filter(|one| one.records != own)
            .filter_map(|one| {
                let ago = usize::try_from(minute - one.minute).ok()? / 60;
                (ago < hours).then_some((ago, one.records))
            })
            .collect();
        others.sort_unstable();
        others.dedup();
        let by_hour = WINDOWS.map(|window| distinct(&others, window, hours));
        let mut sum = 0;
        let sums = std::iter::once(0).chain(by_hour[0].iter().map(|count| {
            sum += count;
            sum
        }));
        let covered = history
            .since
            .map_or(0, |since| now.since(since) / span::HOUR);
        let months = (cycle == Cycle::Monthly).then(|| {
            let months = (1..=MONTHS).map(|months| now.since(now.months_earlier(months)));
            let hours = months.map(|millis| usize::try_from(millis / span::HOUR));
            hours.filter_map(Result::ok).collect()
        });
        Self {
            sums: sums.collect(),
            by_hour,
            covered: usize::try_from(covered).unwrap_or_default().min(hours),
            months,
        }
    }

    /// Returns the windows that end at the analysis.
    pub(super) fn windows(&self) -> Vec<PatternWindow> {
        let all = (0..WINDOWS.len()).map(|window| self.window(window, 0));
        all.collect()
    }

    /// Returns the number of days on which a window would have fired at any hour.
    pub(super) fn fired(&self) -> FiredOnHistory {
        let first = match &self.months {
            None => SETBACK,
            Some(months) => months.first().copied().unwrap_or_default(),
        };
        // The first hour of a tested day needs a baseline too.
        let is_known = |day: &usize| self.covered >= (day + 1) * DAY + first + DAY;
        let days = (1..=TRIED).filter(is_known);
        let any = |ago: usize| (0..WINDOWS.len()).any(|window| self.window(window, ago).fires);
        let on = days
            .clone()
            .filter(|day| (day * DAY..(day + 1) * DAY).any(any));
        FiredOnHistory {
            days: count(days.clone().count()).into(),
            times: count(on.count()).into(),
        }
    }

    /// Returns a window that ended `ago` hours ago.
    fn window(&self, window: usize, ago: usize) -> PatternWindow {
        let hours = WINDOWS[window];
        let cases = self.count(window, ago);
        let baseline = self.baseline(window, ago);
        let days = |hours: usize| f64::from(count(hours)) / 24.0;
        let baseline_days = f64::from(baseline.windows) * days(hours);
        let p_value = statistics::surge(cases, days(hours), baseline.cases, baseline_days);
        PatternWindow {
            hours: count(hours).into(),
            count: cases.into(),
            baseline: baseline.cases.into(),
            baseline_days,
            // DynamoDB stores no smaller number.
            p_value: p_value.max(1e-100),
            fires: p_value <= Pattern::ALPHA / 3.0,
        }
    }

    /// Returns the baseline of a window: windows of the same length that do not overlap, as far
    /// back as alerts were recorded.
    fn baseline(&self, window: usize, ago: usize) -> Baseline {
        let hours = WINDOWS[window];
        let is_covered = |end: &usize| end + hours <= self.covered;
        let blocks = |ends: &mut dyn Iterator<Item = usize>| {
            ends.filter(is_covered)
                .fold(Baseline::default(), |sum, end| Baseline {
                    cases: sum.cases + self.count(window, end),
                    windows: sum.windows + 1,
                })
        };
        match &self.months {
            Some(months) => blocks(&mut months.iter().map(|month| ago + month)),
            // The shortest windows are many, so their sums are precomputed.
            None if hours == 1 => {
                let first = ago + SETBACK;
                let end = (first + BASELINE).min(self.covered).max(first);
                let sum = |hour: usize| self.sums.get(hour).copied().unwrap_or_default();
                Baseline {
                    cases: sum(end).saturating_sub(sum(first)),
                    windows: count(end - first),
                }
            }
            None => blocks(&mut (ago + SETBACK..ago + SETBACK + BASELINE).step_by(hours)),
        }
    }

    fn count(&self, window: usize, ago: usize) -> u32 {
        self.by_hour[window].get(ago).copied().unwrap_or_default()
    }
}

impl Pattern {
    /// Returns the pattern of an alert in its history.
    #[must_use]
    pub fn of(alert: &Alert, history: &ClassHistory, cycle: Cycle) -> Self {
        let counts = Counts::of(alert, history, cycle);
        let windows = counts.windows();
        // The longest window that fires has the largest sample.
        let longest = windows.iter().rfind(|window| window.fires);
        let shared = longest.map(|window| history.shared(alert, window.hours));
        Self {
            windows,
            shared: shared.unwrap_or_default(),
            recurrence: alert.recurrence.clone(),
            fired_on_history: counts.fired(),
        }
    }
}

/// Returns the number of different records in the window that ends at each hour. The occurrences
/// are sorted by hour.
fn distinct(occurrences: &[(usize, u32)], window: usize, hours: usize) -> Vec<u32> {
    let mut counts = vec![0; hours];
    let mut within: HashMap<u32, u32> = HashMap::new();
    let (mut newest, mut next) = (0, 0);
    for (ago, counted) in counts.iter_mut().enumerate() {
        while let Some((hour, records)) = occurrences.get(next)
            && *hour < ago + window
        {
            *within.entry(*records).or_default() += 1;
            next += 1;
        }
        while let Some((hour, records)) = occurrences.get(newest)
            && *hour < ago
        {
            if let Some(left) = within.get_mut(records) {
                *left -= 1;
                if *left == 0 {
                    within.remove(records);
                }
            }
            newest += 1;
        }
        *counted = count(within.len());
    }
    counts
}
