//! Proposals as analyses of tests make them.

use std::{collections::BTreeMap, sync::Arc};

use resolution_agent::Analyse;
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionContent, ActionStep, ActionType, MoneyDirection, MoneyMoved, Risk},
        alert::{Alert, Currency, Money},
        check::{FactCondition, Reconciliation, ResolvedWhen, TargetRead, Verification},
        connection::ApiCall,
        session::{Analysis, Proposal, ProposedAction},
    },
    model::base::{JsonText, span},
};

use super::{AgentSettings, Concierge};

impl Concierge {
    /// A world in which these actions are proposed, whatever the alert.
    pub async fn start_proposing(actions: Vec<ProposedAction>) -> Self {
        let agent = AgentSettings {
            analyse: Some(proposing(move |_| actions.clone())),
            ..AgentSettings::default()
        };
        Self::start_with(agent).await
    }

    /// A session that proposes an automated and a manual action.
    pub async fn mixed(&self) -> (Value, String, String) {
        let id = self.stuck_batch().await;
        let mut actions = self.proposed(&id).await;
        let manual = actions.remove(1);
        (id, actions.remove(0), manual)
    }

    /// The journal of a session, in which nothing was changed.
    pub async fn journal(&self, session: &Value) -> Vec<Value> {
        let path = format!("/api/concierge/agent-sessions/{session}/journal");
        let check = self
            .max
            .reads(&format!("{path}/check"))
            .await;
        assert_eq!(check["verified"], true, "{check}");
        self.max.walk(&path).await
    }
}

/// A read of the state of a record, by a name.
pub fn read_of(name: &str, connection: &str, path: &str) -> TargetRead {
    TargetRead {
        name: name.to_owned(),
        connection: connection.to_owned(),
        path: path.to_owned(),
        facts: [("state".to_owned(), "/state".to_owned())].into(),
        ..TargetRead::default()
    }
}

/// Money of a known amount that moves.
pub fn money(direction: MoneyDirection, minor_units: i64, currency: &str) -> Option<MoneyMoved> {
    let currency = Currency::new(currency).unwrap();
    let amount = Some(Money {
        minor_units,
        currency,
    });
    Some(MoneyMoved { direction, amount })
}

/// Returns the condition that a fact has this value.
pub fn fact_is(fact: &str, value: impl Into<Value>) -> FactCondition {
    let value: Value = value.into();
    serde_json::from_value(json!({"fact": fact, "is": [value]})).unwrap()
}

/// Retries payment 3001, and reads its state. It requires nothing yet, and looks for nothing.
pub fn retrying() -> ProposedAction {
    let path = "/payments/pay_3001/retry";
    let action_type = ActionType::RetryPayment;
    let retry = posting(action_type, "payments", path, &json!({}), "pay_3001");
    with(retry, |retry| {
        retry.reads = vec![read_of("payment", "payments", "/payments/pay_3001")];
    })
}

/// The retry with the precondition that the payment failed.
pub fn retrying_if_failed() -> ProposedAction {
    with(retrying(), |retry| {
        retry.require = vec![fact_is("payment.state", "failed")];
    })
}

/// The retry with a precondition, verified for ten minutes by the payment's success.
pub fn retrying_verified() -> ProposedAction {
    with(retrying(), |retry| {
        retry.verify = Some(Verification {
            effective: vec![fact_is("payment.state", "succeeded")],
            fails_if: Vec::new(),
            amount: None,
            within: 10 * span::MINUTE,
        });
    })
}

/// Reconciles the retry by the payment's state.
pub fn reconciled() -> Reconciliation {
    Reconciliation {
        not_done: Some(fact_is("payment.state", "failed")),
        ..Reconciliation::by(fact_is("payment.state", "succeeded"))
    }
}

/// These actions, and an analysis that says nothing. The alert's matter is settled once the effect
/// of each verified action is there.
pub fn proposal(actions: Vec<ProposedAction>) -> Proposal {
    let analysis = Analysis {
        root_cause: "Unknown".to_owned(),
        impact: "None".to_owned(),
        affected_systems: Vec::new(),
        entity_lifecycle_context: String::new(),
        is_anomaly_pattern: false,
        pattern_description: String::new(),
        pattern: None,
        confidence: 0.5,
        confidence_says: "1 of 2 findings hold; no run of this playbook yet".to_owned(),
        evidence: Vec::new(),
        playbook: None,
        resolved_when: Vec::new(),
        not_applicable: Vec::new(),
        passed_over: Vec::new(),
    };
    let proposed_actions = actions.iter();
    let verified = || {
        proposed_actions
            .clone()
            .filter(|action| action.content.verify.is_some())
    };
    let mut reads: Vec<TargetRead> = Vec::new();
    for read in verified().flat_map(|action| &action.content.reads) {
        if !reads
            .iter()
            .any(|listed| listed.name == read.name)
        {
            reads.push(read.clone());
        }
    }
    let conditions = verified().filter_map(|action| action.content.verify.as_ref());
    let conditions: Vec<FactCondition> = conditions
        .flat_map(|verification| verification.effective.clone())
        .collect();
    let resolved_when = ResolvedWhen { reads, conditions };
    Proposal {
        analysis,
        reads: Vec::new(),
        excerpts: Vec::new(),
        resolved_when: Some(resolved_when).filter(|end| !end.conditions.is_empty()),
        actions,
    }
}

/// An action of one step: a POST to a system that does something to a record.
pub fn posting(
    action_type: ActionType,
    system: &str,
    path: &str,
    body: &Value,
    entity: &str,
) -> ProposedAction {
    let kind: &str = action_type.into();
    let body = body.as_object().unwrap().clone();
    let call = ApiCall {
        method: "POST".to_owned(),
        path: path.to_owned(),
        body: Some(JsonText(body.into_iter().collect())),
        expect: vec![200],
        ..ApiCall::default()
    };
    let step = ActionStep {
        order: 1,
        description: kind.to_owned(),
        call: Some(call),
        reconcile: None,
    };
    ProposedAction {
        id: String::new(),
        key: kind.to_owned(),
        after: Vec::new(),
        unless: Vec::new(),
        is_automated: true,
        content: ActionContent {
            playbook: None,
            action_type,
            description: kind.to_owned(),
            expected_outcome: "It is done.".to_owned(),
            reversible: None,
            risk: Risk::Low,
            money: None,
            debt: None,
            minutes_saved: 5,
            target_system: system.to_owned(),
            connection: None,
            records: vec![record_of(entity)],
            systems: BTreeMap::new(),
            size: None,
            customer: None,
            attempts: None,
            reads: Vec::new(),
            require: Vec::new(),
            steps: vec![step],
            verify: None,
        },
        rules: Vec::new(),
        approvals: Vec::new(),
        approvers: 0,
        handling: None,
        denied_by: Vec::new(),
    }
}

/// Returns the name of a record of the demo, by its id.
fn record_of(entity: &str) -> String {
    let kind = match entity
        .split_once('_')
        .map_or(entity, |(prefix, _)| prefix)
    {
        "inv" => "invoice",
        "pay" => "payment",
        "cus" => "customer",
        "ub" => "usage_batch",
        _ => "record",
    };
    format!("{kind}/{entity}")
}

/// Changes the content of an action.
pub fn with(mut action: ProposedAction, change: impl FnOnce(&mut ActionContent)) -> ProposedAction {
    change(&mut action.content);
    action
}

/// An analysis with the proposal of a test.
pub fn proposing(
    actions: impl Fn(&Alert) -> Vec<ProposedAction> + Send + Sync + 'static,
) -> Analyse {
    Arc::new(move |case| {
        let proposed = proposal(actions(&case.alert));
        Box::pin(async { Ok(proposed) })
    })
}
