//! Whether a signal is one of many, from the signals of its class before it.
//!
//! Three numbers are taken, each from the signal's own instant backwards, with the signal itself
//! in the first two:
//!
//! - *o*, how many came in a window of the last 24 hours or 7 days;
//! - *e*, how many were to be expected in that window: the baseline's daily rate times its days.
//!   The baseline are the 30 days before the last 7, or as much of them as the history covers
//!   when it was cut off at 200 signals;
//! - *r*, how many of the last 30 days name a record that this signal names.
//!
//! The signal is part of a surge when, in either window, *o* ≥ 3 and *o* > *e* + 3·√(*e* + 1):
//! three standard deviations of a Poisson process, with one more for a baseline that is itself
//! an estimate. It repeats itself when *r* ≥ 2. Either makes an anomaly pattern.

use shared::model::{AgentSession, Signal, span};

/// Days of the baseline.
const BASELINE: f64 = 30.0;

/// What the history says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pattern {
    last_day: f64,
    last_week: f64,
    /// Signals a day in the baseline; none when the history does not reach back that far.
    baseline: Option<f64>,
    /// In the 37 days before the signal.
    seen: f64,
    /// In the 30 days before the signal.
    month: f64,
    /// Of those, how many name a record of the signal.
    repeats: f64,
}

impl Pattern {
    /// From the newest signals of the class before this one.
    pub(super) fn of(signal: &Signal, history: &[Signal]) -> Self {
        let age = |other: &Signal| signal.occurred_at.since(other.occurred_at);
        let within = |from: i64, to: i64| {
            count(
                history
                    .iter()
                    .filter(|other| (from..to).contains(&age(other))),
            )
        };
        let (week, month) = (7 * span::DAY, 30 * span::DAY);
        let covered = if history.len() < AgentSession::HISTORY {
            BASELINE
        } else {
            let oldest = history.last().map_or(0, age);
            (days(oldest) - 7.0).clamp(0.0, BASELINE)
        };
        let names_the_same = |other: &&Signal| {
            age(other) < month
                && other
                    .entities
                    .iter()
                    .any(|entity| signal.entities.contains(entity))
        };
        Self {
            last_day: 1.0 + within(0, span::DAY),
            last_week: 1.0 + within(0, week),
            baseline: (covered >= 1.0).then(|| within(week, week + month) / covered),
            seen: within(0, week + month),
            month: within(0, month),
            repeats: count(history.iter().filter(names_the_same)),
        }
    }

    /// Signals of the class in the 37 days before this one.
    pub(super) const fn seen(&self) -> f64 {
        self.seen
    }

    /// Whether it is one of many.
    pub(super) fn is_anomaly(&self) -> bool {
        self.surges() || self.repeats_itself()
    }

    fn surges(&self) -> bool {
        let Some(daily) = self.baseline else {
            // 200 signals in little more than a week leave nothing to compare with, and need none.
            return true;
        };
        [(self.last_day, daily), (self.last_week, 7.0 * daily)]
            .into_iter()
            .any(|(came, expected)| came >= 3.0 && came > expected + 3.0 * (expected + 1.0).sqrt())
    }

    fn repeats_itself(&self) -> bool {
        self.repeats >= 2.0
    }

    /// In words.
    pub(super) fn describe(&self, signal: &Signal) -> String {
        let class = &signal.signal_type;
        let usual = self.baseline.map_or_else(
            || "more than can be compared with earlier days".to_owned(),
            |daily| format!("{daily:.1} a day were usual in the 30 days before that"),
        );
        let verdict = match (self.surges(), self.repeats_itself()) {
            (true, _) => "They come far more often than usual: a systemic cause is likely.",
            (false, true) => "The same records come up again and again.",
            (false, false) => "Nothing points to more than a single case.",
        };
        format!(
            "Signals of class {class}: {} in the last 24 hours and {} in the last 7 days, with this \
             one; {usual}. Of {} in the 30 days before it, {} name the same records. {verdict}",
            self.last_day, self.last_week, self.month, self.repeats
        )
    }
}

fn count<'a>(signals: impl Iterator<Item = &'a Signal>) -> f64 {
    // There are 200 at most.
    u32::try_from(signals.count()).map_or(0.0, f64::from)
}

fn days(millis: i64) -> f64 {
    i32::try_from(millis / span::HOUR).map_or(0.0, |hours| f64::from(hours) / 24.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::tests::signal;

    /// Signals so many hours before the one in question, each of another batch.
    fn history(hours: impl IntoIterator<Item = i64>) -> Vec<Signal> {
        let mut history: Vec<Signal> = hours
            .into_iter()
            .enumerate()
            .map(|(at, hours)| {
                let mut earlier = signal(&json!({
                    "entities": [{"type": "usage_batch", "id": format!("ub_{at}")}],
                }));
                earlier.occurred_at = earlier.occurred_at.plus(-hours * span::HOUR);
                earlier
            })
            .collect();
        history.sort_by_key(|signal| std::cmp::Reverse(signal.occurred_at));
        history
    }

    fn is_anomaly(history: &[Signal]) -> bool {
        Pattern::of(&signal(&json!({})), history).is_anomaly()
    }

    #[test]
    fn a_first_case_is_no_pattern() {
        assert!(!is_anomaly(&[]));
        assert!(!is_anomaly(&history([1])));
    }

    #[test]
    fn several_on_one_day_where_none_were_usual_are_a_surge() {
        assert!(!is_anomaly(&history([1, 2])));
        assert!(is_anomaly(&history([1, 2, 3])));
    }

    #[test]
    fn what_is_usual_is_no_surge() {
        // Two a day for 37 days.
        let steady: Vec<i64> = (1..74).map(|half_days| half_days * 12).collect();
        assert!(!is_anomaly(&history(steady.clone())));
        let with_surge = steady.into_iter().chain([1, 2, 3, 4, 5, 6, 7]);
        assert!(is_anomaly(&history(with_surge)));
    }

    #[test]
    fn the_same_record_again_and_again_is_a_pattern() {
        let mut history = history([24 * 10, 24 * 20]);
        assert!(!is_anomaly(&history));
        for earlier in &mut history {
            earlier.entities = signal(&json!({})).entities;
        }
        assert!(is_anomaly(&history));
    }

    #[test]
    fn a_history_that_was_cut_off_is_compared_with_what_it_covers() {
        // Ten a day: 200 of them reach back 20 days, of which 13 are baseline.
        let steady = (0..200).map(|at| at * 24 / 10 + 1);
        let pattern = Pattern::of(&signal(&json!({})), &history(steady));
        assert!(!pattern.is_anomaly(), "{pattern:?}");
        assert!(
            pattern
                .baseline
                .is_some_and(|daily| (9.0..11.0).contains(&daily))
        );
        // 200 in a day.
        assert!(is_anomaly(&history((0..200).map(|_| 5))));
    }

    #[test]
    fn a_class_is_known_by_its_signals_of_37_days() {
        let earlier = history([1, 24 * 8, 24 * 36, 24 * 38]);
        let seen = Pattern::of(&signal(&json!({})), &earlier).seen();
        assert_eq!(seen.to_string(), "3");
    }

    #[test]
    fn the_numbers_are_told() {
        let text = Pattern::of(&signal(&json!({})), &history([1, 30, 24 * 8]))
            .describe(&signal(&json!({})));
        assert!(
            text.contains("2 in the last 24 hours and 3 in the last 7 days"),
            "{text}"
        );
        assert!(text.contains("0.0 a day were usual"), "{text}");
    }
}
