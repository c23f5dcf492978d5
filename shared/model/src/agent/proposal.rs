//! What an analysis comes to: what was found out, and the actions that would resolve the signal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionApproval, AnswerCondition, ConfidenceFrom, Evidence, FactCondition, Handling,
    ReadEvidence, Reconciliation, TargetEffect, TargetRead, Verification,
};
use crate::{JsonText, Money, Pattern, span};

/// What a client calls a proposed action that is not there.
pub(super) const ACTION: &str = "action";

/// What the agent found out about a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// What most likely caused it.
    pub root_cause: String,
    /// What hangs on it: money and records.
    pub impact: String,
    /// The systems it touches.
    pub affected_systems: Vec<String>,
    /// What the entity went through before.
    pub entity_lifecycle_context: String,
    /// Whether it is one of many rather than a single case.
    pub is_anomaly_pattern: bool,
    /// How often signals of the class came, and what they share.
    pub pattern_description: String,
    /// The numbers behind that; null for an analysis that was made before there were any.
    #[serde(default)]
    pub pattern: Option<Pattern>,
    /// How likely it is that what is proposed helps, from 0 to 1.
    pub confidence: f64,
    /// What that follows from; null for an analysis that was made before it followed from anything.
    #[serde(default)]
    pub confidence_from: Option<ConfidenceFrom>,
    /// What the playbook asks of what was read.
    #[serde(default)]
    #[schema(required)]
    pub evidence: Vec<Evidence>,
    /// The playbook that it follows; null for one that was made before it was told.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// Ids of the findings for which that playbook was chosen.
    #[serde(default)]
    #[schema(required)]
    pub cites: Vec<String>,
    /// Playbooks for such an alert that were not chosen, since this version of them did not help one of
    /// its records before, each as `name#version`.
    #[serde(default)]
    #[schema(required)]
    pub passed_over: Vec<String>,
}

/// An analysis with the actions that would resolve the signal; they have no ids yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What was found out.
    pub analysis: Analysis,
    /// What was read of target systems for it.
    pub reads: Vec<ReadEvidence>,
    /// What to do, in this order; their ids are still empty.
    pub actions: Vec<ProposedAction>,
}

/// An action that the agent proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedAction {
    /// Unique within the session; every proposal gives out new ones.
    pub id: String,
    /// Its name within the playbook, by which other actions of the proposal speak of it.
    #[serde(default)]
    pub key: String,
    /// Keys of the actions that must not be done if this one is; each of them says the same.
    #[serde(default)]
    pub excludes: Vec<String>,
    /// Keys of the actions that come first where they are approved too.
    #[serde(default)]
    pub after: Vec<String>,
    /// What kind of action.
    pub action_type: ActionType,
    /// What it does; for an automated action that cannot run by itself also why.
    pub description: String,
    /// Whether the agent can execute it; otherwise a person has to.
    pub is_automated: bool,
    /// The system it acts on.
    pub target_system: String,
    /// The records of that system it acts on.
    pub target_entities: Vec<String>,
    /// What is so once it succeeded.
    pub expected_outcome: String,
    /// What may go wrong.
    pub risk: Risk,
    /// What is read of the target system to judge the conditions that follow, and those of the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<TargetRead>,
    /// What must be so when it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<FactCondition>,
    /// What is done, in this order.
    pub steps: Vec<ActionStep>,
    /// What is so once it had its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verification>,
    /// Minutes that a person would have needed.
    pub minutes_saved: i64,
    /// How long after it was done nobody does it again to the same records, in milliseconds.
    #[serde(default = "ProposedAction::usual_cooldown")]
    pub cooldown: i64,
    /// The playbook that it comes from.
    #[serde(default)]
    pub playbook: Option<PlaybookVersion>,
    /// The connection to its target system, as it was when it was proposed.
    #[serde(default)]
    pub connection: Option<ConnectionRevision>,
    /// The money that it moves, as far as that is known.
    #[serde(default)]
    pub money: Option<Money>,
    /// Which way it moves that.
    #[serde(default)]
    pub money_effect: Option<MoneyEffect>,
    /// Approvals of it that are not enough yet. They leave it as soon as it is run.
    #[serde(default)]
    pub approvals: Vec<ActionApproval>,
    /// How many it needed when the last of these came.
    #[serde(default)]
    pub approvers: i64,
    /// How it is undone and until when, for people; none where nothing is known of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// What became of it, if it is manual and somebody took care of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handling: Option<Handling>,
}

/// A playbook as it was when it proposed an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybookVersion {
    /// Its name.
    pub name: String,
    /// Raised with every change.
    pub version: u32,
    /// SHA-256 of its text, in hexadecimal.
    pub hash: String,
}

/// A connection to a target system as it was when an action was proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionRevision {
    /// Its name.
    pub name: String,
    /// Raised with every change.
    pub revision: i64,
}

impl ProposedAction {
    /// The cooldown of an action that names none, in milliseconds.
    pub const USUAL_COOLDOWN: i64 = 24 * span::HOUR;

    pub(super) const fn usual_cooldown() -> i64 {
        Self::USUAL_COOLDOWN
    }

    /// The effects that it would have.
    pub fn effects(&self) -> impl Iterator<Item = TargetEffect> {
        self.target_entities.iter().map(|entity| TargetEffect {
            target_system: self.target_system.clone(),
            action_type: self.action_type,
            entity: entity.clone(),
        })
    }
}

/// A kind of action: the catalogue that playbooks choose from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionType {
    /// Have a usage batch processed again.
    ReprocessUsageBatch,
    /// Have usage events sent again.
    ResendUsageEvents,
    /// Have an invoice charged again.
    RetryInvoice,
    /// Have an invoice computed again.
    RefreshInvoice,
    /// Have a payment made again.
    RetryPayment,
    /// Void an invoice.
    VoidInvoice,
    /// Issue a credit note.
    IssueCreditNote,
    /// Have an invoice made that was not.
    GenerateInvoice,
    /// Have an account billed again that billing had set aside.
    ResumeBilling,
    /// Have a draft of an invoice computed again from what was metered.
    RecomputeInvoice,
    /// Have a payment's outcome asked of the processor and noted.
    ReconcilePayment,
    /// Take usage out of a batch that is in it twice.
    RemoveDuplicateUsage,
    /// Keep an invoice from being collected and reminded of.
    PauseCollection,
    /// Have webhooks delivered that were not.
    ResendWebhooks,
    /// Bring a customer in line between systems.
    SyncCustomer,
    /// Send a customer a message.
    NotifyCustomer,
    /// Have a person look at it.
    ManualReview,
}

impl ActionType {
    /// Whether it puts something right in a target system, as neither a message nor a look does.
    #[must_use]
    pub const fn puts_right(self) -> bool {
        !matches!(self, Self::NotifyCustomer | Self::ManualReview)
    }

    /// Whether it changes what somebody pays or owes.
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

/// Which way an action moves money. Its playbook's hash says so in the digest, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoneyEffect {
    /// A claim on the customer becomes less or goes, such as by voiding an invoice.
    CustomerOwesLess,
    /// A claim on the customer comes up or becomes more, such as by finalizing an invoice.
    CustomerOwesMore,
    /// Money is taken from the customer.
    CustomerPays,
    /// Money goes back to the customer.
    CustomerIsRepaid,
}

/// What may go wrong with an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing that matters.
    Low,
    /// Something that is easily put right.
    Medium,
    /// Something that a customer notices.
    High,
    /// Something that cannot be undone.
    Critical,
}

/// A step of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionStep {
    /// From 1.
    pub order: i64,
    /// What it does.
    pub description: String,
    /// The call it makes; none where a person does it.
    pub call: Option<ApiCall>,
    /// What tells whether the call took effect when its answer does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<Reconciliation>,
    /// What asks the target system what the call would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
}

/// A call by which a target system says what another one would do, without doing it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// The call.
    pub call: ApiCall,
    /// Whether the playbook declares that it changes nothing, whatever its method.
    #[serde(default)]
    pub is_harmless: bool,
}

impl DryRun {
    /// The call, if it may be sent: a GET, or declared harmless.
    #[must_use]
    pub fn sendable(&self) -> Option<&ApiCall> {
        let call = &self.call;
        (self.is_harmless || !call.changes()).then_some(call)
    }
}

impl ActionStep {
    /// Whether it may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.call.as_ref().is_none_or(ApiCall::changes)
    }
}

/// A call of a target system, ready to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCall {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Below the system's base URL, percent-encoded.
    pub path: String,
    /// The JSON body.
    pub body: Option<JsonText>,
    /// Statuses that mean success.
    pub expect: Vec<u16>,
    /// What a body says besides that means success; all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success: Vec<AnswerCondition>,
    /// Answers that mean that it was done before.
    #[serde(default)]
    pub already_done: Vec<AlreadyDone>,
    /// Statuses besides 429 by which the system promises that nothing was done.
    #[serde(default)]
    pub not_done: Vec<u16>,
}

impl ApiCall {
    /// A call that changes nothing, which 200 answers.
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

    /// As the API shows it: `POST /usage-batches/ub_1001/reprocess`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An answer that means that the effect had taken place before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlreadyDone {
    /// The status.
    pub status: u16,
    /// The body's `code`; any when absent.
    pub code: Option<String>,
}
