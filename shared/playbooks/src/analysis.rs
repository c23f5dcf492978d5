//! Analyses of alerts.

use agent::{ActionType, Analysis, Case, Pattern, ProposedAction, Signal};
use model::span;

use super::{
    money::money,
    pattern,
    playbook::{Playbook, Values},
    template::readable,
};

/// Returns the analysis by a playbook, its record and the history, for the proposed actions.
pub(super) fn of(
    case: &Case,
    playbook: &Playbook,
    values: &Values,
    actions: &[ProposedAction],
) -> Analysis {
    let signal = &case.signal;
    let pattern = Pattern::of(signal, &case.history, playbook.cycle);
    let confidence_from = playbook.confidence(values, &case.playbooks);
    Analysis {
        root_cause: playbook.cause(values),
        impact: impact(&values.text(&playbook.impact), signal),
        affected_systems: affected_systems(signal, playbook, actions),
        entity_lifecycle_context: lifecycle(signal),
        is_anomaly_pattern: pattern.is_anomaly(),
        pattern_description: pattern::describe(signal, playbook.cycle, &pattern),
        confidence: confidence_from.confidence(),
        confidence_from: Some(confidence_from),
        evidence: playbook.evidence(values, case.history.at),
        playbook: Some(playbook.version()),
        passed_over: Vec::new(),
        pattern: Some(pattern),
    }
}

fn impact(text: &str, signal: &Signal) -> String {
    let mut text = text.to_owned();
    let at_risk = signal.amount_at_risk.as_ref();
    if let Some(amount) = at_risk.filter(|amount| amount.minor_units != 0) {
        text.push_str(" At risk: ");
        text.push_str(&money(amount));
        text.push('.');
    }
    if !signal.entities.is_empty() {
        let entities: Vec<String> = signal
            .entities
            .iter()
            .map(|entity| {
                let text = format!("{} {}", entity.kind.replace('_', " "), entity.id);
                readable(&text)
            })
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
            // A message to a customer does not affect the system that sends it.
            .filter(|action| action.content.action_type != ActionType::NotifyCustomer)
            .map(|action| action.content.target_system.clone()),
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
        .map(|event| format!("{} at {}", readable(&event.state), event.at))
        .collect();
    let minutes = signal.occurred_at.since(last.at).max(0) / span::MINUTE;
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!(
        "{}. It had been {} for {hours} h {minutes} min when the signal occurred.",
        steps.join(", then "),
        readable(&last.state)
    )
}
