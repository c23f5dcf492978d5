//! A session: what it holds, how it reads at an instant, and its analyses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Analysis, JournalHead, Proposal, ProposedAction, Proposers, ReadEvidence};
use crate::{
    AgentSessionId, AnyOf, Code, Error, OrganizationId, Reason, Signal, SignalId, Timestamp,
    UserId, input, span,
};

/// A session of the resolution agent on one signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSession {
    /// Unique id.
    pub id: AgentSessionId,
    /// The owning organization, which is the signal's.
    pub organization_id: OrganizationId,
    /// The signal.
    pub alert_id: SignalId,
    /// The signal's class and instant, which say where it stands among the signals of its class.
    pub signal_type: String,
    /// See `signal_type`.
    pub occurred_at: Timestamp,
    /// Ids of the records that the signal named when the session was opened, so that what is known of
    /// them is read beside the signal.
    #[serde(default)]
    pub entities: Vec<String>,
    /// Where the session stood when it was written; see [`status_at`](Self::status_at).
    pub status: AgentSessionStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// The newest analysis.
    pub analysis: Option<Analysis>,
    /// What was read of target systems for it.
    #[serde(default)]
    pub reads: Vec<ReadEvidence>,
    /// The number of the newest proposal, which its action ids carry; 0 before the first.
    #[serde(default)]
    pub proposal: i64,
    /// The actions of the newest proposal.
    #[serde(default)]
    pub proposed_actions: Vec<ProposedAction>,
    /// The idempotency key of the request that analyses the signal, or did last.
    #[serde(default)]
    pub analysis_key: Option<String>,
    /// The ids that were approved last, ascending.
    #[serde(default)]
    pub approved: Vec<String>,
    /// Who opened it.
    pub created_by: UserId,
    /// Who had the newest proposal made.
    #[serde(default)]
    pub proposed_by: Option<UserId>,
    /// That somebody rejected what it proposed.
    #[serde(default)]
    pub rejection: Option<Rejection>,
    /// The newest entry of its journal.
    #[serde(default)]
    pub journal: JournalHead,
    /// When the sweeper has to look at it, and when an analysis or a proposal is void.
    pub due_at: Option<Timestamp>,
    /// Until when the newest proposal's automated actions can be approved; none of one that is older
    /// than this field, which expires as a whole.
    #[serde(default)]
    pub approvable_until: Option<Timestamp>,
    /// Since when its actions may run again, for [`AGAIN`](Self::AGAIN): when it failed, or was found to
    /// have failed. None of one that never did.
    #[serde(default)]
    pub failed_at: Option<Timestamp>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// That somebody rejected a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    /// Who.
    pub user_id: UserId,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
}

input! {
    /// What a client sends to reject a proposal.
    pub struct SessionReject {
        /// Why, for those who read the session later.
        reason: Reason,
    }
}

/// Where a session stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AgentSessionStatus {
    /// Opened.
    Started,
    /// The signal is being analysed.
    Analyzing,
    /// Actions are proposed; for 24 hours.
    AwaitingConfirmation,
    /// Approved actions run.
    Executing,
    /// Actions that run end; nothing new starts.
    Cancelling,
    /// Every approved action succeeded, or each of those that were all manual is done or waived.
    Completed,
    /// The analysis or an approved action did not succeed.
    Failed,
    /// Cancelled.
    Cancelled,
    /// Too few approved what it proposed within 24 hours.
    Expired,
}

input! {
    /// Which agent sessions to list.
    pub struct AgentSessionFilter {
        status: Option<AnyOf<AgentSessionStatus>>,
        alert_id: Option<AnyOf<SignalId>>,
    }
}

/// Orders of agent sessions; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum AgentSessionSort {
    /// The newest first.
    #[default]
    #[serde(rename = "-createdAt")]
    NewestFirst,
}

impl AgentSessionStatus {
    /// Whether the signal may get a new session. A failed session may still be executed again.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Expired
        )
    }

    /// Whether approved actions may still change.
    #[must_use]
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Executing | Self::Cancelling)
    }

    /// The name as the API writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// 409: `what` is not possible in this state.
    pub(super) fn forbids(self, what: &str) -> Error {
        Error::conflict(
            Code::InvalidTransition,
            format!("{what} while the session is {}.", self.name()),
        )
    }
}

impl AgentSession {
    /// How long an analysis may take before it counts as interrupted, in milliseconds.
    pub const ANALYSIS: i64 = 2 * span::MINUTE;
    /// How long a proposal waits for its approval, in milliseconds.
    pub const CONFIRMATION: i64 = 24 * span::HOUR;
    /// How long after a session failed its actions may run again, in milliseconds.
    pub const AGAIN: i64 = 24 * span::HOUR;
    /// How long after a change the sweeper looks whether all actions ended, in milliseconds.
    pub const SETTLE_CHECK: i64 = span::MINUTE;
    /// What a session says whose analysis was interrupted.
    pub const INTERRUPTED: &'static str = "The analysis was interrupted.";

    /// A session that was just opened on a signal.
    #[must_use]
    pub fn open(id: AgentSessionId, signal: &Signal, by: UserId, now: Timestamp) -> Self {
        Self {
            id,
            organization_id: signal.organization_id,
            alert_id: signal.id,
            signal_type: signal.signal_type.clone(),
            occurred_at: signal.occurred_at,
            entities: signal.entities.iter().map(|one| one.id.clone()).collect(),
            status: AgentSessionStatus::Started,
            error: None,
            analysis: None,
            reads: Vec::new(),
            proposal: 0,
            proposed_actions: Vec::new(),
            analysis_key: None,
            approved: Vec::new(),
            created_by: by,
            proposed_by: None,
            rejection: None,
            journal: JournalHead::default(),
            due_at: None,
            approvable_until: None,
            failed_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Where it stands at `now`: a proposal expires, and an analysis counts as interrupted, when
    /// its time is up, whether or not the sweeper has written so yet.
    #[must_use]
    pub fn status_at(&self, now: Timestamp) -> AgentSessionStatus {
        let is_over = self.due_at.is_some_and(|due| due <= now);
        match self.status {
            AgentSessionStatus::AwaitingConfirmation if is_over => AgentSessionStatus::Expired,
            AgentSessionStatus::Analyzing if is_over => AgentSessionStatus::Failed,
            status => status,
        }
    }

    /// Why it failed, as of `now`.
    #[must_use]
    pub fn error_at(&self, now: Timestamp) -> Option<&str> {
        match (self.status, self.status_at(now)) {
            (AgentSessionStatus::Analyzing, AgentSessionStatus::Failed) => Some(Self::INTERRUPTED),
            _ => self.error.as_deref(),
        }
    }

    /// Begins an analysis. 409 unless it is started or awaits confirmation; the request that began
    /// one may begin it again, when it is sent again with its idempotency key.
    pub fn begin_analysis(&mut self, key: Option<&str>, now: Timestamp) -> Result<(), Error> {
        match self.status_at(now) {
            AgentSessionStatus::Started | AgentSessionStatus::AwaitingConfirmation => {}
            AgentSessionStatus::Analyzing
                if key.is_some() && key == self.analysis_key.as_deref() => {}
            status => return Err(status.forbids("Actions cannot be proposed")),
        }
        self.analysis_key = key.map(str::to_owned);
        let due = now.plus(Self::ANALYSIS);
        self.turn(AgentSessionStatus::Analyzing, Some(due), now);
        Ok(())
    }

    /// Ends an analysis with what it proposes: the actions get ids, which void those of earlier
    /// proposals. 409 when the analysis counted as interrupted, or the session was cancelled,
    /// meanwhile.
    pub fn finish_analysis(&mut self, proposal: Proposal, now: Timestamp) -> Result<(), Error> {
        if self.status_at(now) != AgentSessionStatus::Analyzing {
            return Err(Error::conflict(
                Code::AnalysisInterrupted,
                "The analysis took too long; open another session.",
            ));
        }
        let number = self.proposal + 1;
        let mut actions = proposal.actions;
        for (place, action) in (1..).zip(&mut actions) {
            action.id = self.action_id(number, place);
        }
        self.analysis = Some(proposal.analysis);
        self.reads = proposal.reads;
        self.proposal = number;
        self.proposed_actions = actions;
        let due = now.plus(Self::CONFIRMATION);
        self.approvable_until = Some(due);
        self.turn(AgentSessionStatus::AwaitingConfirmation, Some(due), now);
        Ok(())
    }

    /// Ends an analysis that did not come to a proposal.
    pub fn fail_analysis(&mut self, error: impl Into<String>, now: Timestamp) {
        self.error = Some(error.into());
        self.turn(AgentSessionStatus::Failed, None, now);
    }

    /// Ends what it proposes, since somebody rejects it: nothing of it is run. It reads as
    /// cancelled, with who rejected it and why. Answers whether that was so just now: the same
    /// person again changes nothing. 409 unless it awaits confirmation.
    pub fn reject(&mut self, by: UserId, reason: &str, now: Timestamp) -> Result<bool, Error> {
        match (self.status_at(now), &self.rejection) {
            (AgentSessionStatus::AwaitingConfirmation, _) => {}
            (AgentSessionStatus::Cancelled, Some(rejection)) if rejection.user_id == by => {
                return Ok(false);
            }
            (status, _) => return Err(status.forbids("The proposal cannot be rejected")),
        }
        self.rejection = Some(Rejection {
            user_id: by,
            at: now,
            reason: reason.to_owned(),
        });
        self.withdraw_approvals();
        self.turn(AgentSessionStatus::Cancelled, None, now);
        Ok(true)
    }

    /// Drops approvals that did not come to anything.
    pub(super) fn withdraw_approvals(&mut self) {
        for action in &mut self.proposed_actions {
            action.approvals = Vec::new();
        }
    }

    /// Who had its actions proposed.
    #[must_use]
    pub const fn proposers(&self) -> Proposers {
        Proposers {
            opener: Some(self.created_by),
            proposer: self.proposed_by,
        }
    }

    /// Notes what its time did to it: a proposal expired, an analysis was interrupted. Answers
    /// whether that is so.
    pub fn lapse(&mut self, now: Timestamp) -> bool {
        let status = self.status_at(now);
        if status == self.status {
            return false;
        }
        self.error = self.error_at(now).map(str::to_owned);
        self.withdraw_approvals();
        self.turn(status, None, now);
        true
    }

    /// Has the sweeper look again later whether all actions ended.
    pub fn check_later(&mut self, now: Timestamp) {
        self.due_at = Some(now.plus(Self::SETTLE_CHECK));
    }

    /// Takes a status, and says when the sweeper has to look at it.
    pub(super) fn turn(
        &mut self,
        status: AgentSessionStatus,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) {
        self.status = status;
        self.due_at = due_at;
        self.updated_at = now;
        if status == AgentSessionStatus::Failed {
            self.failed_at = Some(now);
        }
    }

    /// The id of an action of the proposal with that number; `place` counts from 1.
    #[must_use]
    pub fn action_id(&self, proposal: i64, place: usize) -> String {
        format!("s{}-p{proposal}-a{place}", self.id)
    }

    /// Whether an id was given out by an earlier proposal of this session, which voided it.
    #[must_use]
    pub fn is_void(&self, action_id: &str) -> bool {
        action_id
            .strip_prefix(&format!("s{}-p", self.id))
            .and_then(|rest| rest.split_once("-a"))
            .and_then(|(proposal, place)| {
                Some((proposal.parse::<i64>().ok()?, place.parse::<u32>().ok()?))
            })
            .is_some_and(|(proposal, place)| place >= 1 && (1..self.proposal).contains(&proposal))
    }

    /// A proposed action by its id.
    #[must_use]
    pub fn proposed(&self, action_id: &str) -> Option<&ProposedAction> {
        self.proposed_actions
            .iter()
            .find(|action| action.id == action_id)
    }

    /// Where an action stands in the proposal, from 0.
    #[must_use]
    pub fn place(&self, action_id: &str) -> Option<usize> {
        self.proposed_actions
            .iter()
            .position(|action| action.id == action_id)
    }
}
