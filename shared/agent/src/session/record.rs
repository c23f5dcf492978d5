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
    action::{ActionKey, ActionState},
    alert::Alert,
    check::ResolvedWhen,
    session::{Analysis, Proposal, ProposedAction, ReadEvidence},
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

    pub fn open(id: AgentSessionId, alert: &Alert, by: UserId, now: Timestamp) -> Self {
        let entities = alert
            .entities
            .iter()
            .map(|entity| entity.id.to_string());
        Self {
            id,
            organization_id: alert.organization_id,
            alert: SessionAlert {
                alert_id: alert.id,
                signal_type: alert.signal_type.to_string(),
                occurred_at: alert.occurred_at,
                entities: entities.collect(),
            },
            status: AgentSessionStatus::Started,
            error: None,
            analysis: SessionAnalysis::default(),
            plan: SessionPlan::default(),
            people: SessionPeople {
                recorded_by: alert
                    .created_by
                    .filter(|_| !alert.recorded_by_machine),
                created_by: by,
                proposed_by: None,
                rejection: None,
            },
            journal: JournalHead::default(),
            times: SessionTimes {
                journal_at: None,
                journal_named: 0,
                due_at: None,
                alert_check_at: None,
                alert_checks: 0,
                approvable_until: None,
                created_at: now,
                updated_at: now,
            },
        }
    }

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

    /// Begins an analysis. 409 unless it is started or awaits confirmation. A replay with the same
    /// idempotency key may begin the same analysis again.
    pub fn begin_analysis(&mut self, key: Option<&str>, now: Timestamp) -> Result<(), Error> {
        use AgentSessionStatus::{Analyzing, AwaitingConfirmation, Started};
        let is_replay = key.is_some() && key == self.analysis.key.as_deref();
        match self.status_at(now) {
            Started | AwaitingConfirmation => {}
            Analyzing if is_replay => {}
            status => return Err(status.forbids("Actions cannot be proposed")),
        }
        self.analysis.key = key.map(str::to_owned);
        self.times.approvable_until = None;
        self.set_status(Analyzing, Some(now.plus(Self::ANALYSIS)), now);
        Ok(())
    }

    /// Ends an analysis with its proposal. The actions get new ids, and the ids of earlier
    /// proposals become void. 409 if the analysis was interrupted or the session cancelled
    /// meanwhile.
    pub fn finish_analysis(&mut self, proposal: Proposal, now: Timestamp) -> Result<(), Error> {
        if self.status_at(now) != AgentSessionStatus::Analyzing {
            let detail = "The analysis took too long. Open another session.";
            return Err(Error::conflict(Code::AnalysisInterrupted, detail));
        }
        let number = self.plan.proposal + 1;
        let mut actions = proposal.actions;
        for (place, action) in (1..).zip(&mut actions) {
            action.id = self.action_id(number, place);
        }
        self.analysis.newest = Some(proposal.analysis);
        self.analysis.reads = proposal.reads;
        self.plan.resolved_when = proposal.resolved_when;
        self.plan.proposal = number;
        self.plan.proposed_actions = actions;
        self.plan.void = BTreeSet::new();
        let due = now.plus(Self::CONFIRMATION);
        self.times.approvable_until = Some(due);
        self.set_status(AgentSessionStatus::AwaitingConfirmation, Some(due), now);
        Ok(())
    }

    pub fn fail_analysis(&mut self, error: impl Into<String>, now: Timestamp) {
        self.error = Some(error.into());
        self.set_status(AgentSessionStatus::Failed, None, now);
    }

    /// Rejects the proposal and cancels the session; none of its actions run. Returns true if this
    /// call rejected it, and false for a repeat by the same user. 409 unless it awaits
    /// confirmation.
    pub fn reject(&mut self, by: UserId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        match (self.status_at(now), &self.people.rejection) {
            (AgentSessionStatus::AwaitingConfirmation, _) => {}
            (AgentSessionStatus::Cancelled, Some(rejection)) if rejection.user_id == by => {
                return Ok(false);
            }
            (status, _) => return Err(status.forbids("The proposal cannot be rejected")),
        }
        self.people.rejection = Some(Rejection {
            user_id: by,
            at: now,
            reason: reason.to_owned(),
        });
        self.withdraw_approvals();
        self.set_status(AgentSessionStatus::Cancelled, None, now);
        Ok(true)
    }

    /// Drops approvals that did not lead to an execution, and takes no more.
    pub(crate) fn withdraw_approvals(&mut self) {
        self.times.approvable_until = None;
        for action in &mut self.plan.proposed_actions {
            action.approvals = Vec::new();
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

    /// Ends it after its last action. Its other actions can be approved for [`AGAIN`](Self::AGAIN).
    pub(crate) fn end(&mut self, status: AgentSessionStatus, now: Timestamp) {
        self.set_status(status, None, now);
        self.times.approvable_until = Some(now.plus(Self::AGAIN));
        self.plan_visit();
    }

    /// Ends the time for another execution of an ended session. It leaves the list of open work.
    /// Returns whether that time was over.
    pub fn close(&mut self, now: Timestamp) -> bool {
        let until = self.times.approvable_until;
        let rests = self.status.has_ended() || self.plan.awaits_outcome;
        let is_over = rests && until.is_some_and(|until| until <= now);
        if is_over {
            self.times.approvable_until = None;
            self.plan_visit();
        }
        is_over
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
            .proposed(action_id)
            .map(|action| &action.denied_by);
        let deniers = deniers.into_iter().flatten().copied();
        people
            .into_iter()
            .flatten()
            .chain(deniers)
            .collect()
    }

    /// Sets the status that follows from its deadline: an expired proposal, or an interrupted
    /// analysis. Returns whether the status changed.
    pub fn lapse(&mut self, now: Timestamp) -> bool {
        let status = self.status_at(now);
        if status == self.status {
            return false;
        }
        self.error = self.error_at(now).map(str::to_owned);
        self.withdraw_approvals();
        self.set_status(status, None, now);
        true
    }

    /// Schedules another check by the sweeper whether all actions ended.
    pub fn check_later(&mut self, now: Timestamp) {
        self.times.due_at = Some(now.plus(Self::SETTLE_CHECK));
    }

    /// Sets the status and the sweeper's next visit.
    pub(crate) fn set_status(
        &mut self,
        status: AgentSessionStatus,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) {
        self.status = status;
        self.times.due_at = due_at;
        self.times.alert_check_at = None;
        self.plan.awaits_outcome = false;
        self.times.updated_at = now;
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

    pub fn proposed(&self, action_id: &str) -> Option<&ProposedAction> {
        self.plan
            .proposed_actions
            .get(self.place(action_id)?)
    }

    pub(crate) fn proposed_mut(&mut self, action_id: &str) -> Option<&mut ProposedAction> {
        let mut actions = self.plan.proposed_actions.iter_mut();
        actions.find(|action| action.id == action_id)
    }

    /// Returns an action's position in the proposal, from 0.
    pub fn place(&self, action_id: &str) -> Option<usize> {
        let mut actions = self.plan.proposed_actions.iter();
        actions.position(|action| action.id == action_id)
    }
}
