//! Patterns in words.

use agent::{Alert, Cycle, Pattern, PatternWindow};

/// Returns the numbers of a pattern and the conclusion.
pub(super) fn describe(alert: &Alert, cycle: Cycle, pattern: &Pattern) -> String {
    let class = &alert.signal_type;
    let windows = pattern.windows.iter();
    let windows: Vec<String> = windows
        .map(|window| format!("{} in the last {}", window.count, hours(window.hours)))
        .collect();
    let windows = windows.join(", ");
    let usual = usual(cycle, pattern);
    let verdict = verdict(pattern);
    let tried = pattern.fired_on_history;
    let before = match tried.days {
        0 => String::new(),
        days => format!(
            " It would have been said on {} of the {days} days before.",
            tried.times
        ),
    };
    format!("Alerts of class {class} about other records: {windows}. {usual} {verdict}{before}")
}

fn hours(hours: i64) -> String {
    match hours {
        1 => "hour".to_owned(),
        hours if hours % 24 == 0 && hours > 24 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}

/// Returns the expected number.
fn usual(cycle: Cycle, pattern: &Pattern) -> String {
    // The day's window serves people best; the other windows say the same.
    let day = pattern.windows.iter().find(|window| window.hours == 24);
    let Some(PatternWindow {
        baseline,
        baseline_days,
        ..
    }) = day.filter(|day| day.baseline_days > 0.0)
    else {
        return "Too little is known of earlier days to compare with.".to_owned();
    };
    match cycle {
        Cycle::Monthly => {
            format!(
                "At the same 24 hours of the last {baseline_days:.0} months there were {baseline}."
            )
        }
        Cycle::None => {
            let days = format!("the {baseline_days:.0} days before the last 7");
            format!("In {days} there were {baseline}.")
        }
    }
}

fn verdict(pattern: &Pattern) -> String {
    let fired = pattern.windows.iter().filter(|window| window.fires);
    let clearest = fired.min_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let mut verdict = match clearest {
        Some(window) => format!(
            "They come far more often than that (p = {:.1e} for the last {}): a systemic cause is likely.",
            window.p_value,
            hours(window.hours)
        ),
        None if pattern.recurrence.is_some() => String::new(),
        None => "Nothing points to more than a single case.".to_owned(),
    };
    let shared = pattern.shared.iter();
    let shared: Vec<String> = shared
        .map(|label| {
            format!(
                "{}={} ({} of {})",
                label.name, label.value, label.count, label.of
            )
        })
        .collect();
    if !shared.is_empty() {
        verdict.extend([" They share ", &shared.join(", "), "."]);
    }
    if let Some(recurrence) = &pattern.recurrence {
        let back = format!(
            "It is {} again, which session {} put right at {}.",
            recurrence.entity, recurrence.agent_session_id, recurrence.at
        );
        let space = if verdict.is_empty() { "" } else { " " };
        verdict.push_str(space);
        verdict.push_str(&back);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use agent::{ClassHistory, Occurrence, Recurrence, SignalEntity};
    use model::{Id, span};
    use serde_json::json;

    use super::*;
    use crate::tests::{alert, nothing};

    /// Occurrences of different batches, that many hours ago.
    fn history(hours: impl IntoIterator<Item = i64>) -> ClassHistory {
        let none = nothing();
        let occurrences = hours.into_iter().enumerate().map(|(at, hours)| {
            let batch = SignalEntity {
                kind: "usage_batch".into(),
                id: format!("ub_{at}"),
            };
            let id = Id::new(1).unwrap();
            Occurrence::of(id, &[batch], none.at.plus(-hours * span::HOUR))
        });
        ClassHistory {
            since: Some(none.at.plus(-ClassHistory::DAYS * span::DAY)),
            occurrences: occurrences.collect(),
            ..none.clone()
        }
    }

    fn told(history: &ClassHistory, cycle: Cycle) -> String {
        let alert = alert(&json!({}));
        describe(&alert, cycle, &Pattern::of(&alert, history, cycle))
    }

    #[test]
    fn the_numbers_are_told() {
        assert_eq!(
            told(&history([0, 5, 30, 24 * 9]), Cycle::None),
            "Alerts of class usage_batch_stuck about other records: 1 in the last hour, 2 in the last \
             24 hours, 3 in the last 7 days. In the 28 days before the last 7 there were 1. Nothing \
             points to more than a single case. It would have been said on 0 of the 28 days before."
        );
        let surge = told(&history([1, 2, 3, 4]), Cycle::None);
        assert!(surge.contains("a systemic cause is likely"), "{surge}");
        assert!(surge.contains("for the last 24 hours"), "{surge}");
        let unknown = told(&nothing(), Cycle::None);
        assert!(unknown.contains("Too little is known"), "{unknown}");
        let monthly = told(&history([1, 24 * 31 + 2]), Cycle::Monthly);
        assert!(
            monthly.contains("of the last 3 months there were 1."),
            "{monthly}"
        );
    }

    #[test]
    fn what_comes_back_is_told() {
        let mut again = alert(&json!({}));
        again.recurrence = Some(Recurrence {
            entity: "ub_1001".into(),
            agent_session_id: Id::new(7).unwrap(),
            at: nothing().at,
        });
        let pattern = Pattern::of(&again, &nothing(), Cycle::None);
        let told = describe(&again, Cycle::None, &pattern);
        assert!(
            told.ends_with(
                "It is ub_1001 again, which session 7 put right at 2026-01-15T12:00:00.000Z."
            ),
            "{told}"
        );
    }
}
