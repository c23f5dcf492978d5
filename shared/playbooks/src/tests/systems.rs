//! Systems that playbooks name by their roles.

use serde_json::{Value, json};

use super::{
    stripe::{alert_about, unpaid},
    *,
};

/// A connection of another name, kind and partners, like one of the demo's.
fn like(name: &str, other: &str, kind: SystemKind, partners: &Value) -> Connection {
    let mut connection = Connection::named(&connections(), other)
        .unwrap()
        .clone();
    connection.name = Slug::new(name).unwrap();
    connection.kind = kind.into();
    connection.partners = serde_json::from_value(partners.clone()).unwrap();
    connection
}

/// A case of an alert about a system, with one more connection.
fn case_of(system: &str, more: Connection) -> Case {
    let mut case = case(&json!({"targetSystem": system}));
    case.connections.push(more);
    case
}

#[test]
fn reads_and_calls_go_to_the_alerts_own_system() {
    for system in ["billing", "billing_eu"] {
        let eu = like("billing_eu", "billing", SystemKind::Billing, &json!({}));
        let proposal = propose_in(&case_of(system, eu), &stuck());
        let content = &proposal.actions[0].content;
        assert_eq!(manual(&proposal.actions[0]), None);
        assert_eq!(content.target_system, system);
        assert_eq!(
            content
                .connection
                .as_ref()
                .unwrap()
                .name,
            system
        );
        assert!(!content.reads.is_empty() && !proposal.reads.is_empty());
        assert!(
            content
                .reads
                .iter()
                .all(|read| read.connection == system)
        );
        assert!(
            proposal
                .reads
                .iter()
                .all(|read| read.connection == system)
        );
        let systems = &proposal.analysis.affected_systems;
        assert!(
            systems
                .iter()
                .any(|name| name == system),
            "{systems:?}"
        );
        let other = if system == "billing" {
            "billing_eu"
        } else {
            "billing"
        };
        assert!(!systems.iter().any(|name| name == other), "{systems:?}");
        // The record is that of the system.
        let of = content.systems.get(&content.records[0]);
        assert!(of.is_some_and(|of| {
            of.origin
                .starts_with("http://127.0.0.1:")
        }));
    }
}

#[test]
fn an_alert_of_no_connection_or_of_an_ambiguous_role_is_for_a_person() {
    let eu = like("payments_eu", "payments", SystemKind::Payments, &json!({}));
    for (system, why) in [
        (
            "billing_us",
            "the alert's system `billing_us` is no connection",
        ),
        (
            "billing",
            "two connections are of kind payments: name one in `partners` of `billing`",
        ),
    ] {
        let mut case = case_of(system, eu.clone());
        case.alert = alert(&failed_payment());
        case.alert.target_system = serde_json::from_value(json!(system)).unwrap();
        let proposal = propose_in(&case, &payment("processing_error"));
        for action in proposal.actions.iter().take(2) {
            let description = manual(action).unwrap();
            assert!(description.contains(why), "{description}");
        }
        let unsent = proposal
            .reads
            .iter()
            .filter(|read| read.request.is_none());
        let errors: Vec<&str> = unsent
            .filter_map(|read| read.error.as_deref())
            .collect();
        assert!(
            errors
                .iter()
                .any(|error| error.contains(why)),
            "{errors:?}"
        );
    }
}

#[test]
fn a_playbook_for_stripe_is_for_every_connection_of_that_kind() {
    for (kind, is_stripe) in [(SystemKind::Stripe, true), (SystemKind::Billing, false)] {
        let mut case = case_of("billing", like("stripe_eu", "stripe", kind, &json!({})));
        let about = with(alert_about("in_1"), &json!({"targetSystem": "stripe_eu"}));
        case.alert = alert(&about);
        case.connections
            .retain(|connection| *connection.name != *"stripe");
        let proposal = propose_in(&case, &unpaid("in_1"));
        let playbook = proposal
            .analysis
            .playbook
            .as_ref()
            .unwrap();
        assert_eq!(playbook.name == "stripe-invoice-unpaid", is_stripe);
        let content = &proposal.actions[0].content;
        assert_eq!(content.target_system, "stripe_eu");
        assert_eq!(manual(&proposal.actions[0]).is_none(), is_stripe);
    }
}

#[test]
fn money_needs_a_known_unit() {
    let mut case = case(&json!({}));
    for connection in &mut case.connections {
        connection.kind = SystemKind::Other.into();
        connection.sent_amounts = None;
    }
    let proposal = propose_in(&case, &stuck());
    let why = manual(&proposal.actions[0]).unwrap();
    let expected = "the connection `billing` does not say in `amounts` how it writes amounts";
    assert!(why.contains(expected), "{why}");
    for connection in &mut case.connections {
        connection.sent_amounts = Some(Amounts::Minor);
    }
    let proposal = propose_in(&case, &stuck());
    assert_eq!(manual(&proposal.actions[0]), None);
}
