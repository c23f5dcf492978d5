//! Patterns in words.

use agent::pattern::{Cycle, Pattern, PatternWindow};

use crate::template::quoted;

/// Returns the number of other alerts, their usual rate, what they share, and the conclusion.
pub(super) fn describe(cycle: Cycle, pattern: &Pattern) -> String {
    let mut text = Vec::new();
    let windows = &pattern.windows;
    // The longest window that fires has the largest sample.
    let fired = windows
        .iter()
        .rfind(|window| window.fires);
    if let Some(window) = fired.or_else(|| {
        windows
            .iter()
            .find(|window| window.hours == 24)
    }) {
        let number = match (window.count, window.count_is_least) {
            (0, _) => "No others".to_owned(),
            (number, false) => number.to_string(),
            (number, true) => format!("At least {number}"),
        };
        let hours = hours(window.hours);
        let usual = usual(cycle, window);
        text.push(format!("{number} in the last {hours}; {usual}."));
    }
    let shared = pattern.shared.iter().map(|label| {
        let label_says = format!("{}={}", label.name, label.value);
        let count = label.count;
        let of = label.of;
        // Labels are read of a sample.
        let is_sample = fired.is_some_and(|window| window.count_is_least || window.count > of);
        let the = if is_sample { "the newest " } else { "" };
        format!("{count} of {the}{of} share {}", quoted(&label_says))
    });
    if !pattern.shared.is_empty() {
        text.push(format!("{}.", shared.collect::<Vec<_>>().join(", ")));
    }
    if fired.is_some() {
        text.push("A systemic cause is likely.".to_owned());
    }
    if let Some(last) = &pattern.recurrence {
        let session = last.agent_session_id;
        let entity = quoted(&last.entity);
        text.push(format!("Session {session} fixed {entity} at {}.", last.at));
    }
    text.join(" ")
}

fn hours(hours: i64) -> String {
    match hours {
        1 => "hour".to_owned(),
        hours if hours % 24 == 0 && hours > 24 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}

/// Returns the usual rate: a day or, for a class with a cycle, in a window.
fn usual(cycle: Cycle, window: &PatternWindow) -> String {
    if window.baseline_days <= 0.0 {
        return "too little is known of the time before".to_owned();
    }
    let number = |number: i64| f64::from(i32::try_from(number).unwrap_or(i32::MAX));
    let a_day = number(window.baseline) / window.baseline_days;
    let (rate, unit, before) = match cycle {
        Cycle::None => (a_day, " a day", "before"),
        Cycle::Monthly => {
            let in_window = a_day * number(window.hours) / 24.0;
            (in_window, "", "in the same hours of earlier months")
        }
    };
    let least = window
        .baseline_is_least
        .then_some("at least ");
    let least = least.unwrap_or_default();
    if window.baseline == 0 {
        format!("none {before}")
    } else if rate < 0.05 {
        format!("less than 0.1{unit} {before}")
    } else {
        format!("{least}{rate:.1}{unit} {before}")
    }
}

#[cfg(test)]
mod tests {
    use agent::{
        alert::{AlertEntity, Recurrence},
        pattern::{ClassHistory, Occurrence, SharedLabel},
    };
    use model::base::{Id, Slug, span};
    use serde_json::json;

    use super::*;
    use crate::tests::{alert, nothing};

    /// Occurrences of different batches, that many hours ago.
    fn history(hours: impl IntoIterator<Item = i64>) -> ClassHistory {
        let empty = nothing();
        let occurrences = hours
            .into_iter()
            .enumerate()
            .map(|(at, hours)| {
                let batch = AlertEntity {
                    r#type: Slug::new("usage_batch").unwrap(),
                    id: format!("ub_{at}").try_into().unwrap(),
                };
                let id = Id::new(1).unwrap();
                Occurrence::of(id, &[batch], empty.at.plus(-hours * span::HOUR))
            });
        ClassHistory {
            since: Some(
                empty
                    .at
                    .plus(-ClassHistory::DAYS * span::DAY),
            ),
            occurrences: occurrences.collect(),
            ..empty.clone()
        }
    }

    fn text_of(history: &ClassHistory, cycle: Cycle) -> String {
        describe(cycle, &Pattern::of(&alert(&json!({})), history, cycle))
    }

    #[test]
    fn a_pattern_is_a_number_and_a_rate() {
        let cases = [
            (
                vec![0, 5, 30, 24 * 9],
                Cycle::None,
                "2 in the last 24 hours; less than 0.1 a day before.",
            ),
            (
                vec![24 * 9, 24 * 10, 24 * 11],
                Cycle::None,
                "No others in the last 24 hours; 0.1 a day before.",
            ),
            (
                vec![],
                Cycle::None,
                "No others in the last 24 hours; none before.",
            ),
            (
                vec![1, 2, 3, 4],
                Cycle::None,
                "4 in the last 24 hours; none before. A systemic cause is likely.",
            ),
            (
                vec![1, 24 * 31 + 2],
                Cycle::Monthly,
                "1 in the last 24 hours; 0.3 in the same hours of earlier months.",
            ),
            (
                vec![1],
                Cycle::Monthly,
                "1 in the last 24 hours; none in the same hours of earlier months.",
            ),
        ];
        for (ages, cycle, expected) in cases {
            assert_eq!(text_of(&history(ages), cycle), expected);
        }
        let unknown = "No others in the last 24 hours; too little is known of the time before.";
        assert_eq!(text_of(&nothing(), Cycle::None), unknown);
    }

    /// As many as are kept of an hour may have been more.
    #[test]
    fn a_full_hour_is_at_least_so_many() {
        let mut storm = history([0; 120]);
        let known_before =
            "At least 120 in the last 7 days; none before. A systemic cause is likely.";
        assert_eq!(text_of(&storm, Cycle::None), known_before);
        storm.since = None;
        let unknown = "At least 120 in the last hour; too little is known of the time before. A \
                       systemic cause is likely.";
        assert_eq!(text_of(&storm, Cycle::None), unknown);
        let every_day = history((0..40).flat_map(|day| [24 * day + 2; 110]));
        let least = "At least 110 in the last 24 hours; at least 110.0 a day before.";
        assert_eq!(text_of(&every_day, Cycle::None), least);
    }

    #[test]
    fn shared_labels_and_the_last_fix_are_told() {
        let mut again = alert(&json!({}));
        again.recurrence = Some(Recurrence {
            entity: "ub_1001".into(),
            agent_session_id: Id::new(7).unwrap(),
            at: nothing().at,
        });
        let mut pattern = Pattern::of(&again, &history([1, 2, 3, 4]), Cycle::None);
        pattern.shared = vec![SharedLabel {
            name: "gateway".to_owned(),
            value: "adyen".to_owned(),
            count: 3,
            of: 4,
            baseline_count: 0,
            baseline_of: 9,
            p_value: 0.01,
        }];
        assert_eq!(
            describe(Cycle::None, &pattern),
            "4 in the last 24 hours; none before. 3 of 4 share `gateway=adyen`. A systemic cause is \
             likely. Session 7 fixed `ub_1001` at 2026-01-15T12:00:00.000Z."
        );
    }
}
