//! What finds out about a signal and proposes actions.

mod analysis;
mod money;
mod pattern;
mod playbook;
mod playbooks;
mod template;

pub use playbook::{CallFlaw, Flaw};
pub use playbooks::PlaybookError;

use futures::future::BoxFuture;
use shared::{
    error::Source,
    model::{ClassHistory, Connection, Proposal, ProposedAction, Signal},
};

use self::playbooks::Playbooks;

/// Why an analysis came to nothing: whatever an engine trips over.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EngineError(pub Source);

/// Analyses signals.
pub trait Engine: Send + Sync {
    /// An analysis of a signal with the actions that would resolve it, given what is known of its
    /// class and what the organization's actions may call.
    fn analyse<'a>(
        &'a self,
        signal: &'a Signal,
        history: &'a ClassHistory,
        connections: &'a [Connection],
    ) -> BoxFuture<'a, Result<Proposal, EngineError>>;
}

/// The deterministic engine: the most specific matching playbook says what it is and what to do,
/// and statistics over the history say whether it is one of many.
#[derive(Debug)]
pub struct PlaybookEngine {
    playbooks: Playbooks,
}

impl PlaybookEngine {
    /// With the playbooks of this function, all of which are checked here.
    pub fn new() -> Result<Self, PlaybookError> {
        Ok(Self {
            playbooks: Playbooks::shipped()?,
        })
    }

    /// Actions that the connections do not allow are proposed as manual ones.
    fn propose(
        &self,
        signal: &Signal,
        history: &ClassHistory,
        connections: &[Connection],
    ) -> Proposal {
        let playbook = self.playbooks.for_signal(signal);
        let values = playbook.values(signal);
        let actions: Vec<ProposedAction> = playbook
            .actions
            .iter()
            .map(|action| ProposedAction {
                playbook: Some(playbook.version()),
                ..action.render(&values, connections)
            })
            .collect();
        let analysis = analysis::of(signal, history, playbook, &values, &actions);
        Proposal { analysis, actions }
    }
}

impl Engine for PlaybookEngine {
    fn analyse<'a>(
        &'a self,
        signal: &'a Signal,
        history: &'a ClassHistory,
        connections: &'a [Connection],
    ) -> BoxFuture<'a, Result<Proposal, EngineError>> {
        Box::pin(async move { Ok(self.propose(signal, history, connections)) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::model::{ActionType, Id, Occurrence, Signal, Slug, span};

    use super::*;

    pub(super) fn signal(more: &serde_json::Value) -> Signal {
        let mut signal = json!({
            "id": 9, "organizationId": 1, "source": "billing-monitor", "externalId": "x-9",
            "signalType": "usage_batch_stuck", "severity": "error", "status": "open",
            "title": "Usage batch ub_1001 is stuck", "targetSystem": "billing",
            "entities": [{"type": "usage_batch", "id": "ub_1001"}],
            "occurredAt": "2026-01-15T12:00:00Z",
            "createdAt": "2026-01-15T12:00:00Z", "updatedAt": "2026-01-15T12:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            signal[name] = value.clone();
        }
        serde_json::from_value(signal).unwrap()
    }

    /// A class of which nothing is known.
    pub(super) fn nothing() -> ClassHistory {
        ClassHistory::none("2026-01-15T12:00:00Z".parse().unwrap())
    }

    /// Those of the demo systems.
    pub(super) fn connections() -> Vec<Connection> {
        let demo = local::target_systems::DemoTargets::start(0, None).unwrap();
        let (tenant, now) = (Id::new(1).unwrap(), signal(&json!({})).occurred_at);
        let connections = demo.connections();
        let connection = |(name, put): (&String, &serde_json::Value)| {
            let put = shared::input::from_value(put).unwrap();
            Connection::new(tenant, Slug::new(name).unwrap(), put, now)
        };
        let all = connections.as_object().unwrap().iter();
        all.map(connection).collect()
    }

    fn propose(signal: &Signal) -> Proposal {
        let engine = PlaybookEngine::new().unwrap();
        engine.propose(signal, &nothing(), &connections())
    }

    #[test]
    fn a_stuck_usage_batch_is_reprocessed() {
        let proposal = propose(&signal(&json!({
            "amountAtRisk": {"minorUnits": 482_100, "currency": "USD"},
            "lifecycle": [{"at": "2026-01-15T09:30:00Z", "state": "processing"}],
        })));
        let action = &proposal.actions[0];
        assert_eq!(action.action_type, ActionType::ReprocessUsageBatch);
        assert!(action.is_automated);
        assert_eq!(action.target_entities, ["ub_1001"]);
        let call = action.steps[0].call.as_ref().unwrap();
        assert_eq!(call.summary(), "POST /usage-batches/ub_1001/reprocess");
        let analysis = proposal.analysis;
        assert!(analysis.root_cause.contains("ub_1001"));
        assert!(analysis.root_cause.contains("processing"));
        assert!(
            analysis.impact.contains("4821.00 USD"),
            "{}",
            analysis.impact
        );
        assert_eq!(analysis.affected_systems, ["billing"]);
        assert!(analysis.entity_lifecycle_context.contains("2 h 30 min"));
    }

    #[test]
    fn the_most_specific_playbook_wins() {
        let payment = json!({
            "signalType": "payment_failed", "targetSystem": "payments",
            "entities": [{"type": "payment", "id": "pay_1"}, {"type": "customer", "id": "cus_1"}],
        });
        let usual = propose(&signal(&payment));
        assert_eq!(usual.actions[0].action_type, ActionType::RetryPayment);
        // Who is told of it is not affected by it.
        assert_eq!(usual.analysis.affected_systems, ["payments"]);
        let mut declined = payment;
        declined["labels"] = json!({"failure": "card_declined"});
        let declined = propose(&signal(&declined));
        assert_eq!(declined.actions[0].action_type, ActionType::NotifyCustomer);
        assert!(declined.analysis.confidence > usual.analysis.confidence);
    }

    #[test]
    fn a_class_that_was_seen_often_is_known_well() {
        let engine = PlaybookEngine::new().unwrap();
        let now = signal(&json!({}));
        let after = |count: u32| {
            let mut history = nothing();
            let minute = now.occurred_at.millis() / span::MINUTE - 1;
            let others = (0..count).map(|records| Occurrence { minute, records });
            history.occurrences = others.collect();
            engine.propose(&now, &history, &[]).analysis.confidence
        };
        let gained = [0, 1, 14, 100].map(|count| format!("{:.2}", after(count) - after(0)));
        assert_eq!(gained, ["0.00", "0.01", "0.11", "0.15"]);
    }

    #[test]
    fn an_unknown_signal_gets_a_manual_review_and_little_confidence() {
        let proposal = propose(&signal(
            &json!({"signalType": "moon_in_the_way", "targetSystem": "sky"}),
        ));
        let [action] = proposal.actions.as_slice() else {
            panic!("{:?}", proposal.actions);
        };
        assert_eq!(action.action_type, ActionType::ManualReview);
        assert_eq!(action.target_system, "sky");
        assert!(!action.is_automated);
        assert!(proposal.analysis.root_cause.contains("No playbook"));
        assert!(proposal.analysis.confidence < 0.3);
    }

    #[test]
    fn an_action_that_cannot_run_is_manual_and_says_why() {
        let engine = PlaybookEngine::new().unwrap();
        let proposal = engine.propose(&signal(&json!({})), &nothing(), &[]);
        let action = &proposal.actions[0];
        assert!(!action.is_automated);
        assert!(
            action.description.contains("no connection"),
            "{}",
            action.description
        );

        // Nobody to be told.
        let payment = json!({
            "signalType": "payment_failed", "entities": [{"type": "payment", "id": "pay_1"}],
        });
        let actions = propose(&signal(&payment)).actions;
        assert!(actions[0].is_automated);
        assert!(!actions[1].is_automated);
        assert!(
            actions[1].description.contains("customer"),
            "{}",
            actions[1].description
        );
        assert_eq!(actions[1].steps[0].call, None);
    }

    #[test]
    fn what_a_signal_says_cannot_leave_its_place() {
        for (id, call) in [
            (
                "a b/../c?d#e%2f",
                Some("POST /usage-batches/a%20b%2F..%2Fc%3Fd%23e%252f/reprocess"),
            ),
            ("ü", Some("POST /usage-batches/%C3%BC/reprocess")),
            ("..", None),
            ("", None),
        ] {
            let entities = json!([{"type": "usage_batch", "id": id}]);
            let proposal = propose(&signal(&json!({"entities": entities})));
            let action = &proposal.actions[0];
            // What the worker would refuse is not offered as automated.
            let runs = action.steps[0]
                .call
                .as_ref()
                .is_some_and(|_| action.is_automated);
            assert_eq!(runs, id == "ü", "{id}");
            let shown = action.steps[0]
                .call
                .as_ref()
                .map(shared::model::ApiCall::summary);
            assert_eq!(shown.as_deref(), call, "{id}");
        }
    }

    #[test]
    fn bodies_keep_the_types_of_their_values() {
        let actions = propose(&signal(&json!({
            "signalType": "invoice_duplicated",
            "entities": [{"type": "invoice", "id": "inv_\"1\""}],
            "amountAtRisk": {"minorUnits": 701_550, "currency": "USD"},
        })))
        .actions;
        let body = &actions[1].steps[0].call.as_ref().unwrap().body;
        assert_eq!(
            json!(body.as_ref().unwrap().0),
            json!({"amount": 701_550, "reason": "Invoice inv_\"1\" was a duplicate"})
        );
    }
}
