//! The result of an analysis: the findings, and the actions that would resolve the alert.

use model::{
    base::{ServiceRequestId, Timestamp, UserId},
    names,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    action::{ActionApproval, ActionContent, PlaybookVersion, PolicyRule},
    check::ResolvedWhen,
    connection::Excerpt,
    pattern::Pattern,
    policy::{AgentPolicy, Requirement},
    session::{Evidence, ReadEvidence},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// The most likely cause.
    pub root_cause: String,
    /// The impact: affected money and records.
    pub impact: String,
    pub affected_systems: Vec<String>,
    /// The entity's earlier lifecycle.
    pub entity_lifecycle_context: String,
    /// True if the alert is one of many rather than a single case.
    pub is_anomaly_pattern: bool,
    /// The number of other alerts of the class, their rate before, and what they share.
    pub pattern_description: String,
    /// The numbers behind the description; null if there are none.
    pub pattern: Option<Pattern>,
    /// Share of the playbook's findings that hold, from 0 to 1, with two digits.
    pub confidence: f64,
    /// The findings and the playbook's record in words.
    pub confidence_says: String,
    /// The playbook's findings on what was read.
    pub evidence: Vec<Evidence>,
    /// The playbook; null for an analysis without one.
    pub playbook: Option<PlaybookVersion>,
    /// Conditions under which the agent resolves the alert. Empty if only people resolve it.
    pub resolved_when: Vec<String>,
    /// Actions of the playbook that do not apply to the record as it is.
    pub not_applicable: Vec<NotApplicable>,
    /// Playbooks for such an alert that were passed over, each as `name#version`. This version of
    /// them did not help one of the alert's records before.
    pub passed_over: Vec<String>,
}

/// An action that does not apply to the record as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotApplicable {
    /// The action in short.
    pub title: String,
    pub reason: String,
}

/// An analysis with the actions that would resolve the alert. The actions have no ids yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub analysis: Analysis,
    /// The reads of target systems behind it.
    pub reads: Vec<ReadEvidence>,
    pub excerpts: Vec<Excerpt>,
    /// The actions, in order. Their ids are still empty.
    pub actions: Vec<ProposedAction>,
    /// The end of the alert's matter; none if the playbook does not say it, or if it cannot be
    /// read.
    pub resolved_when: Option<ResolvedWhen>,
}

impl Proposal {
    /// Returns it with the rules of a policy that apply to its actions.
    #[must_use]
    pub fn under(mut self, policy: &AgentPolicy) -> Self {
        for action in &mut self.actions {
            action.rules = policy.requires(&action.content).rules();
        }
        self
    }
}

impl AgentPolicy {
    /// Returns the requirements for a proposed action, with the rules that applied at the proposal.
    pub fn demands<'a>(&'a self, action: &'a ProposedAction) -> Requirement<'a> {
        self.requires(&action.content)
            .and(&action.rules)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedAction {
    /// Unique id within the session. Every proposal assigns new ids.
    pub id: String,
    /// Its name within the playbook, by which other actions of the proposal refer to it.
    pub key: String,
    /// Keys of the actions that come first, if they are approved too.
    pub after: Vec<String>,
    /// Keys of the actions that come first if they are approved too. This one replaces them: it
    /// does not run if one of them succeeds.
    pub unless: Vec<String>,
    /// True if the agent can execute it. Otherwise a person does it.
    pub is_automated: bool,
    pub content: ActionContent,
    /// The rules of the policy at the proposal that apply to it. They stay when the policy changes.
    pub rules: Vec<PolicyRule>,
    /// Approvals that are not enough yet. They are removed when the action runs.
    pub approvals: Vec<ActionApproval>,
    /// Number of approvers needed at the last of these approvals.
    pub approvers: i64,
    pub handling: Option<Handling>,
    /// Users who said that a try of it was not done. They count as its proposers, since it moves
    /// money.
    #[serde(default)]
    pub denied_by: Vec<UserId>,
}

impl ProposedAction {
    /// Creates a manual action without an id.
    pub const fn manual(key: String, content: ActionContent) -> Self {
        Self {
            id: String::new(),
            key,
            after: Vec::new(),
            unless: Vec::new(),
            is_automated: false,
            content,
            rules: Vec::new(),
            approvals: Vec::new(),
            approvers: 0,
            handling: None,
            denied_by: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Handling {
    pub status: HandlingStatus,
    /// The user who set this status; null if the service set it.
    pub by: Option<UserId>,
    pub at: Timestamp,
    /// The user's note.
    pub note: Option<String>,
    /// The service request of a handover.
    pub service_request_id: Option<ServiceRequestId>,
    /// The user to whom the action was handed over. The service request names the current assignee.
    pub assignee_id: Option<UserId>,
}

names! {
    /// The status of a manual action that a user has handled.
    pub enum HandlingStatus {
        /// A user did it.
        Done,
        /// Not needed.
        Waived,
        /// Handed over by a service request that is not resolved.
        HandedOver,
    }
}

impl Handling {
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

    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.status, HandlingStatus::HandedOver)
    }
}
