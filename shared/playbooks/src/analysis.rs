use std::collections::HashSet;

use agent::{
    action::ActionType,
    alert::Alert,
    connection::{Connection, SystemKind},
    pattern::Pattern,
    session::{Analysis, Case, ProposedAction},
};
use model::base::{characters::without_hidden, span};

use crate::{
    pattern,
    playbook::{Playbook, Values},
    template::quoted,
};

pub(super) fn of(
    case: &Case,
    playbook: &Playbook,
    values: &Values,
    actions: &[ProposedAction],
) -> Analysis {
    let alert = &case.alert;
    let pattern = Pattern::of(alert, &case.history, playbook.cycle);
    let evidence = playbook.evidence(values, case.history.at);
    let confidence = playbook.confidence(&evidence, &case.playbooks);
    Analysis {
        root_cause: playbook.cause(values),
        impact: impact(&values.text(&playbook.impact), case),
        affected_systems: affected_systems(alert, playbook, actions),
        entity_lifecycle_context: lifecycle(alert),
        is_anomaly_pattern: pattern.is_anomaly(),
        pattern_description: pattern::describe(playbook.cycle, &pattern),
        confidence: confidence.share(),
        confidence_says: confidence.says(),
        evidence,
        playbook: Some(playbook.version()),
        resolved_when: Vec::new(),
        not_applicable: Vec::new(),
        passed_over: Vec::new(),
        pattern: Some(pattern),
    }
}

fn impact(text: &str, case: &Case) -> String {
    let alert = &case.alert;
    let connection = Connection::named(&case.connections, &alert.target_system);
    let kind = connection.map_or(SystemKind::Other, Connection::system_kind);
    let mut said = Vec::new();
    let at_risk = alert.amount_at_risk.as_ref();
    if let Some(amount) = at_risk.filter(|amount| amount.minor_units != 0) {
        said.push(format!("at risk are {}", amount.says(kind)));
    }
    if !alert.entities.is_empty() {
        let entities = alert.entities.iter().map(|entity| {
            let kind = without_hidden(&entity.r#type.replace('_', " "));
            format!("{kind} {}", quoted(&entity.id))
        });
        let entities: Vec<String> = entities.collect();
        said.push(format!("it is about {}", entities.join(", ")));
    }
    if said.is_empty() {
        return text.to_owned();
    }
    format!("{text} The alert says: {}.", said.join("; "))
}

fn affected_systems(alert: &Alert, playbook: &Playbook, actions: &[ProposedAction]) -> Vec<String> {
    let mut systems = vec![alert.target_system.to_string()];
    systems.extend(
        playbook
            .affected_systems
            .iter()
            .cloned(),
    );
    let contents = actions
        .iter()
        .map(|action| &action.content);
    // A message to a customer does not affect the system that sends it.
    let called = contents.filter(|content| content.action_type != ActionType::NotifyCustomer);
    systems.extend(called.map(|content| content.target_system.clone()));
    let mut seen = HashSet::new();
    systems.retain(|system| seen.insert(system.clone()));
    systems
}

fn lifecycle(alert: &Alert) -> String {
    let Some(last) = alert.lifecycle.last() else {
        return "The alert names no earlier states of the record.".to_owned();
    };
    let steps = alert.lifecycle.iter();
    let steps = steps.map(|event| format!("{} at {}", quoted(&event.state), event.at));
    let steps: Vec<String> = steps.collect();
    let minutes = alert.occurred_at.since(last.at).max(0) / span::MINUTE;
    let hours = minutes / 60;
    let minutes = minutes % 60;
    format!(
        "{}. When the alert occurred, the record had been in state {} for {hours} h {minutes} min.",
        steps.join(", then "),
        quoted(&last.state)
    )
}
