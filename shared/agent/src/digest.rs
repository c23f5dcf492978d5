//! The digest of an action's content. An approval covers exactly this content.

use serde_json::{Value, json};

use super::{
    ActionStep, ActionType, AgentAction, AgentSession, ConnectionRevision, FactCondition,
    PlaybookVersion, ProposedAction, Risk, TargetRead, Verification, canonical::canonical,
};
use crate::Money;
use model::{AlertId, OrganizationId, digest};

/// The content that an approver relies on.
struct Content<'a> {
    organization: OrganizationId,
    alert: Option<AlertId>,
    /// Its id, which also names the session and the proposal.
    action: &'a str,
    playbook: Option<&'a PlaybookVersion>,
    action_type: ActionType,
    risk: Option<Risk>,
    target_system: &'a str,
    connection: Option<&'a ConnectionRevision>,
    entities: &'a [String],
    money: Option<&'a Money>,
    reads: &'a [TargetRead],
    require: &'a [FactCondition],
    steps: &'a [ActionStep],
    verify: Option<&'a Verification>,
}

impl Content<'_> {
    fn digest(&self) -> String {
        let steps: Vec<Value> = self.steps.iter().map(step).collect();
        let content = json!({
            "organization": self.organization,
            "alert": self.alert,
            "action": self.action,
            "playbook": self.playbook,
            "actionType": self.action_type,
            "risk": self.risk,
            "targetSystem": self.target_system,
            "connection": self.connection,
            "targetEntities": self.entities,
            "money": self.money,
            "steps": steps,
        });
        let looks = [
            ("reads", json!(self.reads)),
            ("require", json!(self.require)),
            ("verify", json!(self.verify)),
        ];
        digest(&canonical(&with(content, looks)))
    }
}

/// Adds members that are not null or empty. Content approved before these members existed keeps its
/// digest.
fn with<const N: usize>(mut content: Value, more: [(&str, Value); N]) -> Value {
    let says =
        |value: &Value| !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty());
    if let Some(members) = content.as_object_mut() {
        for (name, value) in more.into_iter().filter(|(_, value)| says(value)) {
            members.insert(name.to_owned(), value);
        }
    }
    content
}

fn step(step: &ActionStep) -> Value {
    let call = step.call.as_ref();
    let content = json!({
        "order": step.order,
        "description": step.description,
        "request": call.map(|call| json!({
            "method": call.method,
            "path": call.path,
            "body": call.body.as_ref().map(|body| &body.0),
        })),
        "expect": call.map(|call| &call.expect),
        "alreadyDone": call.map(|call| &call.already_done),
    });
    let looks = [
        ("success", json!(call.map(|call| &call.success))),
        ("reconcile", json!(step.reconcile)),
    ];
    with(content, looks)
}

impl ProposedAction {
    /// Returns the SHA-256 of the canonical JSON of its content, in hexadecimal.
    #[must_use]
    pub fn digest(&self, session: &AgentSession) -> String {
        let content = Content {
            organization: session.organization_id,
            alert: Some(session.alert_id),
            action: &self.id,
            playbook: self.playbook.as_ref(),
            action_type: self.action_type,
            risk: Some(self.risk),
            target_system: &self.target_system,
            connection: self.connection.as_ref(),
            entities: &self.target_entities,
            money: self.money.as_ref(),
            reads: &self.reads,
            require: &self.require,
            steps: &self.steps,
            verify: self.verify.as_ref(),
        };
        content.digest()
    }
}

impl AgentAction {
    /// Returns the digest, which equals that of the [proposed action](ProposedAction::digest)
    /// unless one of them was changed.
    #[must_use]
    pub fn digest(&self) -> String {
        let content = Content {
            organization: self.organization_id,
            alert: self.alert_id,
            action: &self.action_id,
            playbook: self.playbook.as_ref(),
            action_type: self.action_type,
            risk: self.risk,
            target_system: &self.target_system,
            connection: self.connection.as_ref(),
            entities: &self.entities,
            money: self.money.as_ref(),
            reads: &self.reads,
            require: &self.require,
            steps: &self.steps,
            verify: self.verify.as_ref(),
        };
        content.digest()
    }
}
