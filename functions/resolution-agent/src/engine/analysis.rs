//! What is found out about a signal.

use shared::model::{ActionType, Analysis, ClassHistory, Pattern, ProposedAction, Signal, span};

use super::{
    money::money,
    pattern,
    playbook::{Playbook, Values},
};

/// What a playbook and the history say of a signal, with the actions that are proposed for it.
pub(super) fn of(
    signal: &Signal,
    history: &ClassHistory,
    playbook: &Playbook,
    values: &Values,
    actions: &[ProposedAction],
) -> Analysis {
    let pattern = Pattern::of(signal, history, playbook.cycle);
    Analysis {
        root_cause: values.text(&playbook.root_cause),
        impact: impact(&values.text(&playbook.impact), signal),
        affected_systems: affected_systems(signal, playbook, actions),
        entity_lifecycle_context: lifecycle(signal),
        is_anomaly_pattern: pattern.is_anomaly(),
        pattern_description: pattern::describe(signal, playbook.cycle, &pattern),
        confidence: confidence(playbook, signal, history),
        pattern: Some(pattern),
    }
}

/// From 0 to 1, in hundredths. A playbook counts 0.55, and 0.05 for each thing that it asks of
/// the signal beyond its class, up to 0.75; the fallback counts 0.15. Other signals of the class in
/// the five weeks before add up to 0.15, half of it with seven of them, since a class that was seen
/// often is known well. A lifecycle adds 0.05.
fn confidence(playbook: &Playbook, signal: &Signal, history: &ClassHistory) -> f64 {
    let specificity = f64::from(playbook.matches.specificity());
    let known = if specificity == 0.0 {
        0.15
    } else {
        (0.5 + 0.05 * specificity).min(0.75)
    };
    let seen = f64::from(u32::try_from(history.seen(signal)).unwrap_or(u32::MAX));
    let seen = 0.15 * (1.0 - 0.5_f64.powf(seen / 7.0));
    let told = if signal.lifecycle.is_empty() {
        0.0
    } else {
        0.05
    };
    ((known + seen + told) * 100.0).round() / 100.0
}

fn impact(text: &str, signal: &Signal) -> String {
    let mut text = text.to_owned();
    if let Some(amount) = &signal.amount_at_risk {
        text.push_str(" At risk: ");
        text.push_str(&money(amount));
        text.push('.');
    }
    if !signal.entities.is_empty() {
        let entities: Vec<String> = signal
            .entities
            .iter()
            .map(|entity| format!("{} {}", entity.kind.replace('_', " "), entity.id))
            .collect();
        text.push_str(" Records: ");
        text.push_str(&entities.join(", "));
        text.push('.');
    }
    text
}

fn affected_systems(
    signal: &Signal,
    playbook: &Playbook,
    actions: &[ProposedAction],
) -> Vec<String> {
    let mut systems = vec![signal.target_system.clone()];
    systems.extend(playbook.affected_systems.iter().cloned());
    systems.extend(
        actions
            .iter()
            // Sending a message to a customer leaves that system as it is.
            .filter(|action| action.action_type != ActionType::NotifyCustomer)
            .map(|action| action.target_system.clone()),
    );
    let mut seen = std::collections::HashSet::new();
    systems.retain(|system| seen.insert(system.clone()));
    systems
}

fn lifecycle(signal: &Signal) -> String {
    let Some(last) = signal.lifecycle.last() else {
        return "The signal says nothing of what the entity went through before.".to_owned();
    };
    let steps: Vec<String> = signal
        .lifecycle
        .iter()
        .map(|event| format!("{} at {}", event.state, event.at))
        .collect();
    let minutes = signal.occurred_at.since(last.at).max(0) / span::MINUTE;
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!(
        "{}. It had been {} for {hours} h {minutes} min when the signal occurred.",
        steps.join(", then "),
        last.state
    )
}
