//! Settlements: a user says what became of an action. The settlement of an automated action with an
//! unknown outcome is a *verdict*; the settlement of a manual action is its
//! [`Handling`](crate::session::Handling).

use std::ops::DerefMut;

use model::{
    base::{Code, Error, Fault, FaultCode, Reason, Timestamp, UserId, span},
    input, names,
    people::JournalHead,
};

use crate::{
    action::{ActionState, AgentAction, Schedule, StepStatus, Verdict, VerdictOutcome},
    session::{ActionRecord, AgentSession, ApprovedActions, HandlingStatus, ProposedAction},
};

input! {
    pub struct ActionSettle {
        /// For an automated action with an unknown outcome: `done` if the target system shows all
        /// of its effect, `not_done` if it shows no effect of the unclear call. For a manual
        /// action: `done`, or `waived` if it is not needed.
        outcome: SettleOutcome,
        /// Where and how the user saw it, or the reason.
        note: Reason,
    }
    example {"outcome": "done", "note": "The log of the billing system shows the call."};
}

names! {
    /// The outcome of an action, as a user says it.
    pub enum SettleOutcome = "an outcome" {
        /// The action is done.
        Done,
        /// The automated action certainly took no effect.
        NotDone,
        /// The manual action is not needed.
        Waived,
    }
}

impl SettleOutcome {
    /// Returns the verdict on an automated action. 400 for `waived`.
    pub fn verdict(self) -> Result<VerdictOutcome, Error> {
        match self {
            Self::Done => Ok(VerdictOutcome::Done),
            Self::NotDone => Ok(VerdictOutcome::NotDone),
            Self::Waived => Err(not_for("The agent executes this action", "done, not_done")),
        }
    }

    /// Returns the handling of a manual action. 400 for `not_done`.
    pub fn handling(self) -> Result<HandlingStatus, Error> {
        match self {
            Self::Done => Ok(HandlingStatus::Done),
            Self::Waived => Ok(HandlingStatus::Waived),
            Self::NotDone => Err(not_for("This action is manual", "done, waived")),
        }
    }
}

fn not_for(action: &str, outcomes: &str) -> Error {
    let detail = format!("{action}. Send one of: {outcomes}.");
    Error::invalid(Fault::at("outcome", FaultCode::Combination, detail))
}

impl AgentAction {
    /// Rebuilds the unreadable record of an approved action, with an unknown outcome. Its steps and
    /// answers are only in the journal, which continues after `journal`.
    pub fn rebuilt(
        session: &AgentSession,
        proposed: &ProposedAction,
        journal: JournalHead,
        now: Timestamp,
    ) -> Self {
        let approvals = proposed.approvals.clone();
        let at = session.times.updated_at;
        let mut action = Self::approve(session, proposed, approvals, None, at);
        action.state = ActionState::Unknown;
        action.schedule = Schedule::default();
        action.end.at = Some(now);
        action.journal = journal;
        action
    }

    /// Settles an action whose outcome is unknown. An action that was done counts from its sending,
    /// as if the target system had confirmed it. An action that was not done may run again. Returns
    /// true if this call settled it, and false for the same user's same verdict. 409 unless its
    /// outcome is unknown.
    pub fn judge(&mut self, verdict: Verdict) -> Result<bool, Error> {
        if self.state != ActionState::Unknown {
            let of = |verdict: &Verdict| (verdict.by, verdict.outcome);
            let is_the_same = self.end.verdict.as_ref().map(of) == Some(of(&verdict));
            if is_the_same && self.state.has_ended() {
                return Ok(false);
            }
            return Err(known(&format!("The action is {}.", self.state.name())));
        }
        match verdict.outcome {
            VerdictOutcome::Done => {
                self.is_known(StepStatus::Done, verdict.at);
                self.state = ActionState::Succeeded;
                self.progress.steps_done =
                    i64::try_from(self.content.steps.len()).unwrap_or(i64::MAX);
                self.end.error = None;
            }
            VerdictOutcome::NotDone => {
                if let Some(why) = self.under_way(verdict.at) {
                    return Err(Error::conflict(Code::UnderWay, why));
                }
                self.is_known(StepStatus::NotDone, verdict.at);
                self.state = ActionState::Failed;
                let note = &verdict.note;
                let error = format!("not_done: a person checked the target system. {note}");
                self.end.error = Some(error);
            }
        }
        self.schedule.lease_until = None;
        self.schedule.due_at = None;
        self.end_checks_of_call();
        self.plan_checks(verdict.at);
        self.end.verdict = Some(verdict);
        Ok(true)
    }

    /// Time before a check in which `not_done` is refused, in milliseconds.
    pub const SOON: i64 = 5 * span::MINUTE;

    /// Returns the user who said that it was not done, if it moves money. The user has an interest
    /// in what is next done to its records, by any session.
    pub fn denied_by(&self) -> Option<UserId> {
        let verdict = self.end.verdict.as_ref();
        let denied = verdict.filter(|verdict| verdict.outcome == VerdictOutcome::NotDone);
        let money = self.content.money.as_ref();
        denied
            .zip(money)
            .map(|(verdict, _)| verdict.by)
    }

    /// Returns the reason to refuse `not_done`: the call is under way by the system's word, or a
    /// check is due. None once no check is planned.
    fn under_way(&self, now: Timestamp) -> Option<String> {
        let next = self.next_check_at()?;
        let why = if self.progress.call.under_way == Some(true) {
            "The target system says that the call is under way"
        } else if next <= now.plus(Self::SOON) {
            "A check whether the call took effect is due"
        } else {
            return None;
        };
        Some(format!(
            "{why}. The agent checks again at {next}; settle the action after that."
        ))
    }
}

impl AgentSession {
    /// Settles one of its actions whose outcome is unknown. The action and the session are written
    /// together, so that a concurrent end of the session conflicts. Returns the action; none for a
    /// repeat, when there is nothing to write.
    ///
    /// The session ends with the last outcome that was open. Then, actions that are not done may
    /// run again for as long as after a failure. A cancelled session stays cancelled.
    ///
    /// A user who says that an action with money was not done counts as its proposer from then on.
    ///
    /// 404 for an id that is not one of its actions. 409 for an id of an earlier proposal, and
    /// unless the outcome is unknown. 409 for `not_done` while the call is under way.
    pub fn judge<'a, A: ActionRecord + DerefMut>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        action_id: &str,
        verdict: Verdict,
    ) -> Result<Option<&'a A>, Error> {
        let now = verdict.at;
        let by = verdict.by;
        let outcome = verdict.outcome;
        if actions
            .unreadable
            .iter()
            .any(|id| id == action_id)
        {
            let detail =
                "The record of this action cannot be read. Settle it when the session has ended.";
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        let is_it = |action: &A| action.key.action_id == action_id;
        let Some(action) = actions
            .known
            .iter_mut()
            .find(|action| is_it(action))
        else {
            self.known_action(action_id)?;
            return Err(known("The action was not executed."));
        };
        if !action.judge(verdict)? {
            return Ok(None);
        }
        let moves_money = action.content.money.is_some();
        if outcome == VerdictOutcome::NotDone && moves_money {
            let proposed = self.proposed_mut(action_id);
            if let Some(proposed) = proposed.filter(|proposed| !proposed.denied_by.contains(&by)) {
                proposed.denied_by.push(by);
            }
        }
        self.times.updated_at = now;
        self.settle_again(actions, now);
        Ok(actions
            .known
            .iter()
            .find(|action| is_it(action)))
    }
}

fn known(why: &str) -> Error {
    let detail = "An automated action is settled only while its outcome is unknown: send done or not_done then.";
    Error::conflict(Code::OutcomeKnown, format!("{why} {detail}"))
}
