//! The result of an analysis: the findings, and the actions that would resolve the alert.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionApproval, AnswerCondition, ConfidenceFrom, Evidence, FactCondition, Handling,
    ReadEvidence, Reconciliation, TargetEffect, TargetRead, Verification,
};
use crate::{JsonText, Money, Pattern, span};

/// The noun for a proposed action in a 404.
pub(super) const ACTION: &str = "action";

/// The agent's analysis of an alert.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "rootCause": "The worker that processed usage batch ub_1001 stopped before its end.",
    "impact": "4,821.00 USD of usage are not billed.",
    "affectedSystems": ["billing"],
    "entityLifecycleContext": "Open for 4 hours, then processing for 26.",
    "isAnomalyPattern": false,
    "patternDescription": "The only alert of its class in 30 days.",
    "pattern": null,
    "confidence": 0.9,
    "confidenceFrom": null,
    "evidence": [],
    "playbook": null,
    "cites": [],
    "passedOver": []
})))]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// The most likely cause.
    pub root_cause: String,
    /// The impact: affected money and records.
    pub impact: String,
    /// The affected systems.
    pub affected_systems: Vec<String>,
    /// The entity's earlier lifecycle.
    pub entity_lifecycle_context: String,
    /// True if the alert is one of many rather than a single case.
    pub is_anomaly_pattern: bool,
    /// The frequency of alerts of the class, and what they share.
    pub pattern_description: String,
    /// The numbers behind the description; null for an analysis made by an older release.
    #[serde(default)]
    pub pattern: Option<Pattern>,
    /// Probability that the proposal helps, from 0 to 1.
    pub confidence: f64,
    /// The factors of the confidence; null for an analysis made by an older release.
    #[serde(default)]
    pub confidence_from: Option<ConfidenceFrom>,
    /// The playbook's findings on what was read.
    #[serde(default)]
    #[schema(required)]
    pub evidence: Vec<Evidence>,
    /// The playbook; null for an analysis made by an older release.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// Ids of the findings for which the playbook was chosen.
    #[serde(default)]
    #[schema(required)]
    pub cites: Vec<String>,
    /// Playbooks for such an alert that were passed over, each as `name#version`. This version of
    /// them did not help one of the alert's records before.
    #[serde(default)]
    #[schema(required)]
    pub passed_over: Vec<String>,
}

/// An analysis with the actions that would resolve the alert. The actions have no ids yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The analysis.
    pub analysis: Analysis,
    /// The reads of target systems behind it.
    pub reads: Vec<ReadEvidence>,
    /// The actions, in order. Their ids are still empty.
    pub actions: Vec<ProposedAction>,
}

/// An action that the agent proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedAction {
    /// Unique id within the session. Every proposal assigns new ids.
    pub id: String,
    /// Its name within the playbook, by which other actions of the proposal refer to it.
    #[serde(default)]
    pub key: String,
    /// Keys of the actions that must not run if this one does. Each of them lists this one too.
    #[serde(default)]
    pub excludes: Vec<String>,
    /// Keys of the actions that come first, if they are approved too.
    #[serde(default)]
    pub after: Vec<String>,
    /// The kind of action.
    pub action_type: ActionType,
    /// A description of what it does. For an automated action that cannot run automatically, also
    /// the reason.
    pub description: String,
    /// True if the agent can execute it. Otherwise a person does it.
    pub is_automated: bool,
    /// The system it acts on.
    pub target_system: String,
    /// The records of that system it acts on.
    pub target_entities: Vec<String>,
    /// The expected state after success.
    pub expected_outcome: String,
    /// The risk level.
    pub risk: Risk,
    /// Reads of the target system for the conditions below and those of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<TargetRead>,
    /// Conditions that must hold when it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<FactCondition>,
    /// The steps, in order.
    pub steps: Vec<ActionStep>,
    /// The condition that shows that it had its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verification>,
    /// Minutes a person would have needed.
    pub minutes_saved: i64,
    /// Cooldown: milliseconds after its end in which no action repeats the effect on the same
    /// records.
    #[serde(default = "ProposedAction::usual_cooldown")]
    pub cooldown: i64,
    /// The playbook that proposed it.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// The connection to its target system, as of the proposal.
    #[serde(default)]
    pub connection: Option<ConnectionRevision>,
    /// The money that it moves, if known.
    #[serde(default)]
    pub money: Option<Money>,
    /// The direction in which it moves the money.
    #[serde(default)]
    pub money_effect: Option<MoneyEffect>,
    /// Approvals that are not enough yet. They are removed when the action runs.
    #[serde(default)]
    pub approvals: Vec<ActionApproval>,
    /// Number of approvers needed at the last of these approvals.
    #[serde(default)]
    pub approvers: i64,
    /// Instructions for people: how to undo it and until when. None if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The handling of a manual action, once a user has handled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handling: Option<Handling>,
}

/// The version of a playbook that proposed an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybookVersion {
    /// The playbook's name.
    pub name: String,
    /// The version; every change raises it.
    pub version: u32,
    /// SHA-256 of the playbook's text, in hexadecimal.
    pub hash: String,
}

/// The revision of a connection at the time an action was proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRevision {
    /// The connection's name.
    pub name: String,
    /// The revision; every change to calls or their reading raises it.
    pub revision: i64,
}

impl ProposedAction {
    /// The default cooldown, in milliseconds.
    pub const USUAL_COOLDOWN: i64 = 24 * span::HOUR;

    pub(super) const fn usual_cooldown() -> i64 {
        Self::USUAL_COOLDOWN
    }

    /// Returns the effects that it would have.
    pub fn effects(&self) -> impl Iterator<Item = TargetEffect> {
        self.target_entities.iter().map(|entity| TargetEffect {
            target_system: self.target_system.clone(),
            action_type: self.action_type,
            entity: entity.clone(),
        })
    }
}

/// The kind of an action. Playbooks choose from this catalogue.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionType {
    /// Process a usage batch again.
    ReprocessUsageBatch,
    /// Send usage events again.
    ResendUsageEvents,
    /// Charge an invoice again.
    RetryInvoice,
    /// Compute an invoice again.
    RefreshInvoice,
    /// Retry a payment.
    RetryPayment,
    /// Void an invoice.
    VoidInvoice,
    /// Issue a credit note.
    IssueCreditNote,
    /// Generate a missing invoice.
    GenerateInvoice,
    /// Resume the billing of an account that billing had suspended.
    ResumeBilling,
    /// Compute a draft invoice again from the metered usage.
    RecomputeInvoice,
    /// Ask the processor for a payment's outcome and record it.
    ReconcilePayment,
    /// Remove usage that is in a batch twice.
    RemoveDuplicateUsage,
    /// Pause the collection of an invoice and its reminders.
    PauseCollection,
    /// Deliver webhooks that were not delivered.
    ResendWebhooks,
    /// Synchronize a customer between systems.
    SyncCustomer,
    /// Send a customer a message.
    NotifyCustomer,
    /// A person reviews the case.
    ManualReview,
}

impl crate::input::OneOf for ActionType {
    const NOUN: &'static str = "an action type";
}

impl ActionType {
    /// True if it fixes something in a target system, as neither a message nor a review does.
    #[must_use]
    pub const fn puts_right(self) -> bool {
        !matches!(self, Self::NotifyCustomer | Self::ManualReview)
    }

    /// True if it changes what a customer pays or owes.
    #[must_use]
    pub const fn moves_money(self) -> bool {
        match self {
            Self::RetryInvoice
            | Self::RefreshInvoice
            | Self::RetryPayment
            | Self::VoidInvoice
            | Self::IssueCreditNote
            | Self::GenerateInvoice => true,
            Self::ReprocessUsageBatch
            | Self::ResendUsageEvents
            | Self::RecomputeInvoice
            | Self::ReconcilePayment
            | Self::ResumeBilling
            | Self::RemoveDuplicateUsage
            | Self::PauseCollection
            | Self::ResendWebhooks
            | Self::SyncCustomer
            | Self::NotifyCustomer
            | Self::ManualReview => false,
        }
    }
}

/// The direction in which an action moves money. The digest covers it through the playbook's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoneyEffect {
    /// A claim on the customer shrinks or ends, such as by voiding an invoice.
    CustomerOwesLess,
    /// A claim on the customer arises or grows, such as by finalizing an invoice.
    CustomerOwesMore,
    /// Money is taken from the customer.
    CustomerPays,
    /// Money goes back to the customer.
    CustomerIsRepaid,
}

/// The risk of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// No harm that matters.
    Low,
    /// Harm that is easily fixed.
    Medium,
    /// A customer notices.
    High,
    /// Cannot be undone.
    Critical,
}

impl crate::input::OneOf for Risk {
    const NOUN: &'static str = "a risk";
}

/// A step of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStep {
    /// The position, from 1.
    pub order: i64,
    /// A description of what it does.
    pub description: String,
    /// The call; none for a step that a person does.
    pub call: Option<ApiCall>,
    /// Conditions that show whether the call took effect when its answer does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<Reconciliation>,
    /// A dry run of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
}

/// A call by which a target system reports the effect of another call without performing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// The call.
    pub call: ApiCall,
    /// True if the playbook declares it free of side effects, for any method.
    #[serde(default)]
    pub is_harmless: bool,
}

impl DryRun {
    /// Returns the call if it may be sent: a GET, or one declared free of side effects.
    #[must_use]
    pub fn sendable(&self) -> Option<&ApiCall> {
        let call = &self.call;
        (self.is_harmless || !call.changes()).then_some(call)
    }
}

impl ActionStep {
    /// True if it may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.call.as_ref().is_none_or(ApiCall::changes)
    }
}

/// A rendered call of a target system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path below the system's base URL, percent-encoded.
    pub path: String,
    /// The JSON body.
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// Conditions on the body that success requires besides the status; all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<AnswerCondition>,
    /// Answers that mean that it was already done.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
    /// Statuses besides 429 by which the system guarantees that nothing was done.
    #[serde(default)]
    pub not_done: Vec<u16>,
}

impl ApiCall {
    /// Creates a GET, which changes nothing and expects 200.
    #[must_use]
    pub fn get(path: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            path: path.to_owned(),
            body: None,
            expect: vec![200],
            success: Vec::new(),
            already_done: Vec::new(),
            not_done: Vec::new(),
        }
    }

    /// Returns method and path as the API shows them: `POST /usage-batches/ub_1001/reprocess`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An answer that means that the effect had already taken place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    /// The status.
    pub status: u16,
    /// The body's `code`; absent for any code.
    pub code: Option<String>,
}
