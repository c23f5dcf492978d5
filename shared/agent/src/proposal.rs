//! The result of an analysis: the findings, and the actions that would resolve the alert.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionApproval, ActionStep, ActionType, ConfidenceFrom, ConnectionRevision, Evidence,
    FactCondition, MoneyEffect, PlaybookVersion, PolicySubject, ReadEvidence, Risk, TargetEffect,
    TargetRead, Verification,
};
use crate::{Money, Pattern};
use model::{ServiceRequestId, Timestamp, UserId};

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
    "patternDescription": "No others in the last 24 hours; 0.1 a day before.",
    "pattern": null,
    "confidence": 0.9,
    "confidenceFrom": null,
    "evidence": [],
    "playbook": null,
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
    /// The number of other alerts of the class, their rate before, and what they share.
    pub pattern_description: String,
    /// The numbers behind the description; null if there are none.
    pub pattern: Option<Pattern>,
    /// Probability that the proposal helps, from 0 to 1.
    pub confidence: f64,
    /// The factors of the confidence; null if there are none.
    pub confidence_from: Option<ConfidenceFrom>,
    /// The playbook's findings on what was read.
    pub evidence: Vec<Evidence>,
    /// The playbook; null for an analysis without one.
    pub playbook: Option<PlaybookVersion>,
    /// Playbooks for such an alert that were passed over, each as `name#version`. This version of
    /// them did not help one of the alert's records before.
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

impl ProposedAction {
    /// Returns the properties that a policy uses.
    #[must_use]
    pub fn subject(&self) -> PolicySubject<'_> {
        PolicySubject {
            action_type: self.action_type,
            risk: Some(self.risk),
            money: self.money.as_ref(),
            connection: &self.target_system,
        }
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

/// The handling of a manual action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Handling {
    /// The status.
    pub status: HandlingStatus,
    /// The user who set this status; null if the service set it.
    pub by: Option<UserId>,
    /// The instant of this status.
    pub at: Timestamp,
    /// The user's note.
    pub note: Option<String>,
    /// The service request of a handover.
    pub service_request_id: Option<ServiceRequestId>,
    /// The user to whom the action was handed over. The service request names the current assignee.
    pub assignee_id: Option<UserId>,
}

/// The status of a manual action that a user has handled.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HandlingStatus {
    /// A user did it.
    Done,
    /// Not needed.
    Waived,
    /// Handed over by a service request that is not resolved.
    HandedOver,
}

impl Handling {
    /// Creates a user's handling of an action.
    #[must_use]
    pub fn new(status: HandlingStatus, by: UserId, note: Option<String>, at: Timestamp) -> Self {
        Self {
            status,
            by: Some(by),
            at,
            note,
            service_request_id: None,
            assignee_id: None,
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        matches!(self.status, HandlingStatus::HandedOver)
    }
}
