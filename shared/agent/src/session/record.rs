//! The record of a session, its status at an instant, and its analyses.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    base::{
        AgentSessionId, AlertId, AnyOf, Code, Error, OrganizationId, Reason, Timestamp, UserId,
        span,
    },
    input, names,
    people::JournalHead,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    action::{ActionKey, ActionState, digest_of},
    check::ResolvedWhen,
    session::{Analysis, ProposedAction, ReadEvidence},
};

/// A session of the agent on one alert.
///
/// Its groups are stored flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSession {
    pub id: AgentSessionId,
    /// The owning organization, the same as the alert's.
    pub organization_id: OrganizationId,
    #[serde(flatten)]
    pub alert: SessionAlert,
    /// The status at the last write; see [`status_at`](Self::status_at).
    pub status: AgentSessionStatus,
    pub error: Option<String>,
    #[serde(flatten)]
    pub analysis: SessionAnalysis,
    #[serde(flatten)]
    pub plan: SessionPlan,
    #[serde(flatten)]
    pub people: SessionPeople,
    pub journal: JournalHead,
    #[serde(flatten)]
    pub times: SessionTimes,
}

/// The alert of a session, as it was when the session was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionAlert {
    pub alert_id: AlertId,
    /// The alert's class. With `occurred_at`, it locates the alert among those of its class.
    pub signal_type: String,
    /// The instant of the alert's event.
    pub occurred_at: Timestamp,
    /// Ids of the records that the alert named when the session was opened. Playbook outcomes for
    /// them are read beside the alert.
    pub entities: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionAnalysis {
    #[serde(rename = "analysis")]
    pub newest: Option<Analysis>,
    /// The reads of target systems behind it.
    pub reads: Vec<ReadEvidence>,
    /// The idempotency key of the request that began the newest analysis.
    #[serde(rename = "analysisKey")]
    pub key: Option<String>,
}

/// The newest proposal of a session, and what became of its actions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPlan {
    /// Number of the newest proposal, part of its action ids; 0 before the first.
    pub proposal: i64,
    /// The end of the alert's matter, by the newest proposal's playbook.
    pub resolved_when: Option<ResolvedWhen>,
    pub proposed_actions: Vec<ProposedAction>,
    /// The approved lists of action ids, each ascending, the oldest first.
    pub approved: Vec<Vec<String>>,
    /// The approved actions that ended without success, with their states. Without unneeded
    /// actions, and those approved again.
    pub shortfall: BTreeMap<String, ActionState>,
    /// The next checks of actions in the shortfall whose outcome is unknown. Without one, a user
    /// settles the action.
    #[serde(default)]
    pub awaited: BTreeMap<String, Timestamp>,
    /// Succeeded actions with a pending verification.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unverified: BTreeSet<String>,
    /// The next checks of these verifications.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub verified_at: BTreeMap<String, Timestamp>,
    /// The instants from which actions in the shortfall may be tried again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub barred_until: BTreeMap<String, Timestamp>,
    /// True if every approved action has ended, and the outcome of one is still open.
    #[serde(default)]
    pub awaits_outcome: bool,
    /// Actions without a use, by the newest results: not needed, or with a false precondition.
    #[serde(default)]
    pub void: BTreeSet<String>,
    /// True once its alert has a newer session. Its actions are not approved any more.
    pub superseded: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPeople {
    /// The user who recorded the alert; none if a machine did.
    pub recorded_by: Option<UserId>,
    pub created_by: UserId,
    /// The user who requested the newest proposal.
    pub proposed_by: Option<UserId>,
    pub rejection: Option<Rejection>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTimes {
    /// The instant of that entry.
    pub journal_at: Option<Timestamp>,
    /// The number of the newest entry that the organization's journal names.
    pub journal_named: i64,
    /// The sweeper's next visit. During an analysis or a proposal, also its deadline.
    pub due_at: Option<Timestamp>,
    /// The next check of its alert, in a completed session.
    pub alert_check_at: Option<Timestamp>,
    /// Checks of its alert that found the matter unsettled, since the last action or settlement.
    pub alert_checks: i64,
    /// End of the time in which its automated actions can be approved, or approved again.
    pub approvable_until: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    pub user_id: UserId,
    pub at: Timestamp,
    pub reason: String,
}

input! {
    pub struct SessionReject {
        /// The reason, shown with the session.
        reason: Reason,
    }
    example {"reason": "The customer paid in the meantime."};
}

names! {
    /// The status of an agent session.
    pub enum AgentSessionStatus = "a session status" {
        /// Opened.
        Started,
        /// The alert is being analysed.
        Analyzing,
        /// Actions are proposed and wait for approval, for 24 hours.
        AwaitingConfirmation,
        /// Approved actions run, or the outcome of one is still open.
        Executing,
        /// Running actions end, and no action starts.
        Cancelling,
        /// Every approved action succeeded, or all actions are manual and each is done or waived.
        Completed,
        /// The analysis failed, or an approved action certainly did not succeed.
        Failed,
        /// Cancelled or rejected.
        Cancelled,
        /// The proposal did not get enough approvals within 24 hours.
        Expired,
    }
}

input! {
    pub struct AgentSessionFilter {
        status: Option<AnyOf<AgentSessionStatus>>,
        alert_id: Option<AnyOf<AlertId>>,
        /// `true` for sessions with open actions, `false` for the others.
        open: Option<bool>,
        /// `me` for sessions with open work on which the caller can take the next step now.
        next: Option<NextFilter>,
    }
}

names! {
    /// The user whose step is next.
    pub enum NextFilter = "a user" {
        /// The caller.
        Me,
    }
}

impl AgentSessionStatus {
    /// True if the alert may get a new session. A failed session may still be executed again.
    pub const fn has_ended(self) -> bool {
        use AgentSessionStatus::{Cancelled, Completed, Expired, Failed};
        matches!(self, Completed | Failed | Cancelled | Expired)
    }

    /// True while manual actions are settled and handed over.
    pub(crate) const fn keeps_handlings(self) -> bool {
        use AgentSessionStatus::{AwaitingConfirmation, Completed, Executing, Failed};
        matches!(self, AwaitingConfirmation | Executing | Completed | Failed)
    }

    /// True while approved actions may still change.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Executing | Self::Cancelling)
    }

    /// Returns the 409 for an `operation` in a status that forbids it.
    pub(crate) fn forbids(self, operation: &str) -> Error {
        let detail = format!("{operation} while the session is {}.", self.name());
        Error::conflict(Code::InvalidTransition, detail)
    }
}

impl SessionPlan {
    pub fn proposed(&self, action_id: &str) -> Option<&ProposedAction> {
        self.proposed_actions
            .get(self.place(action_id)?)
    }

    pub(crate) fn proposed_mut(&mut self, action_id: &str) -> Option<&mut ProposedAction> {
        let mut actions = self.proposed_actions.iter_mut();
        actions.find(|action| action.id == action_id)
    }

    /// Returns an action's position in the proposal, from 0.
    pub fn place(&self, action_id: &str) -> Option<usize> {
        let mut actions = self.proposed_actions.iter();
        actions.position(|action| action.id == action_id)
    }

    pub fn is_approved(&self, action_id: &str) -> bool {
        let mut approved = self.approved.iter().flatten();
        approved.any(|id| id == action_id)
    }

    /// Returns the instant from which an action may be tried again, if its limit of tries bars it
    /// now.
    pub(crate) fn barred_until(&self, action_id: &str, now: Timestamp) -> Option<Timestamp> {
        let from = self
            .barred_until
            .get(action_id)
            .copied();
        from.filter(|from| now < *from)
    }

    /// Returns the ids of the approved actions with one of these keys.
    pub(crate) fn approved_among(&self, keys: &[String]) -> Vec<String> {
        let proposed_actions = self.proposed_actions.iter();
        let among = proposed_actions
            .filter(|action| keys.contains(&action.key) && self.is_approved(&action.id));
        among
            .map(|action| action.id.clone())
            .collect()
    }

    /// Returns the ids of the actions that are not approved together with an action: both share a
    /// record, and neither comes before the other.
    pub fn excluded_by(&self, action: &ProposedAction) -> Vec<String> {
        let proposed_actions = self.proposed_actions.iter();
        let excluded = proposed_actions.filter(|other| self.are_exclusive(action, other));
        excluded
            .map(|other| other.id.clone())
            .collect()
    }

    pub(crate) fn are_exclusive(&self, action: &ProposedAction, other: &ProposedAction) -> bool {
        action.key != other.key
            && action.is_automated
            && other.is_automated
            && action.content.meets(&other.content)
            && !self.comes_after(action, other)
            && !self.comes_after(other, action)
    }

    /// True if an action comes after another one, directly or not. Playbooks have no circles.
    fn comes_after(&self, action: &ProposedAction, other: &ProposedAction) -> bool {
        let mut before = action
            .after
            .iter()
            .chain(&action.unless);
        before.any(|key| {
            let mut proposed_actions = self.proposed_actions.iter();
            let predecessor = proposed_actions.find(|proposed| proposed.key == *key);
            predecessor.is_some_and(|predecessor| {
                predecessor.key == other.key || self.comes_after(predecessor, other)
            })
        })
    }

    /// Returns the pairs of these actions that are not approved together, by their ids.
    pub fn exclusive_pairs(&self, actions: &[&ProposedAction]) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        for (at, action) in actions.iter().enumerate() {
            let later = actions.iter().skip(at + 1);
            let excluded = later.filter(|other| self.are_exclusive(action, other));
            pairs.extend(excluded.map(|other| [action.id.clone(), other.id.clone()]));
        }
        pairs
    }
}

impl AgentSession {
    /// Limit of an analysis before it counts as interrupted, in milliseconds.
    pub const ANALYSIS: i64 = 2 * span::MINUTE;
    /// Time a proposal waits for approval, in milliseconds.
    pub const CONFIRMATION: i64 = 24 * span::HOUR;
    /// Time after the end in which its other actions may be approved, and its failed ones run
    /// again, in milliseconds.
    pub const AGAIN: i64 = 24 * span::HOUR;
    /// Delay after a change before the sweeper checks whether all actions ended, in milliseconds.
    pub const SETTLE_CHECK: i64 = span::MINUTE;
    pub const INTERRUPTED: &'static str = "The analysis was interrupted.";

    /// Returns the status at `now`. A proposal expires and an analysis counts as interrupted at its
    /// deadline, even before the sweeper writes so.
    pub fn status_at(&self, now: Timestamp) -> AgentSessionStatus {
        let is_over = self
            .times
            .due_at
            .is_some_and(|due| due <= now);
        match self.status {
            AgentSessionStatus::AwaitingConfirmation if is_over => AgentSessionStatus::Expired,
            AgentSessionStatus::Analyzing if is_over => AgentSessionStatus::Failed,
            status => status,
        }
    }

    /// Returns the reason of a failure, at `now`.
    pub fn error_at(&self, now: Timestamp) -> Option<&str> {
        match (self.status, self.status_at(now)) {
            (AgentSessionStatus::Analyzing, AgentSessionStatus::Failed) => Some(Self::INTERRUPTED),
            _ => self.error.as_deref(),
        }
    }

    /// True while actions run. Once all have ended, it may still await the outcome of one.
    pub const fn works(&self) -> bool {
        self.status.is_running() && !self.plan.awaits_outcome
    }

    /// True once its approved actions have ended. Other actions can be approved then.
    pub(crate) const fn is_at_rest(&self) -> bool {
        use AgentSessionStatus::{Completed, Failed};
        self.plan.awaits_outcome || matches!(self.status, Completed | Failed)
    }

    /// Returns the users with an interest in an action: those who recorded the alert, opened the
    /// session, requested the proposal, or said that an earlier try was not done.
    pub fn proposers(&self, action_id: &str) -> Vec<UserId> {
        let SessionPeople {
            recorded_by,
            created_by,
            proposed_by,
            ..
        } = self.people;
        let people = [recorded_by, Some(created_by), proposed_by];
        let deniers = self
            .plan
            .proposed(action_id)
            .map(|action| &action.denied_by);
        let deniers = deniers.into_iter().flatten().copied();
        people
            .into_iter()
            .flatten()
            .chain(deniers)
            .collect()
    }

    /// Returns the id of an action in a proposal; `place` counts from 1.
    pub fn action_id(&self, proposal: i64, place: usize) -> String {
        format!("s{}-p{proposal}-a{place}", self.id)
    }

    pub fn key_of(&self, action_id: &str) -> ActionKey {
        ActionKey::new(self.organization_id, self.id, action_id)
    }

    /// True if an earlier proposal of this session assigned the id, which is void now.
    pub fn is_void(&self, action_id: &str) -> bool {
        let rest = action_id.strip_prefix(&format!("s{}-p", self.id));
        rest.and_then(|rest| rest.split_once("-a"))
            .is_some_and(|(proposal, place)| {
                let is_earlier = |proposal| (1..self.plan.proposal).contains(&proposal);
                proposal.parse().is_ok_and(is_earlier)
                    && place
                        .parse()
                        .is_ok_and(|at: u32| at >= 1)
            })
    }
}

impl ProposedAction {
    pub fn digest(&self, session: &AgentSession) -> String {
        let alert = session.alert.alert_id;
        digest_of(&self.content, session.organization_id, alert, &self.id)
    }
}
