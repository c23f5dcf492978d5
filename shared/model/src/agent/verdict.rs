//! Verdicts: what somebody found out in the target system about an action of which the service does
//! not know whether it took effect.

use std::ops::DerefMut;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    ActionState, AgentAction, AgentSession, ApprovedActions, StepStatus, proposal::ACTION,
};
use crate::{Code, Error, Reason, Timestamp, UserId, input};

input! {
    /// What a client sends to settle an action whose outcome is unknown.
    pub struct ActionVerdict {
        /// Whether the target system shows its effect: all of it, or none of the call that is unclear.
        outcome: VerdictOutcome,
        /// Where and how that was seen.
        note: Reason,
    }
}

/// What somebody found out about an action.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum VerdictOutcome {
    /// It took effect.
    Done,
    /// It did not, for certain.
    NotDone,
}

/// That somebody settled an action whose outcome was unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// What they found out.
    pub outcome: VerdictOutcome,
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// Where and how they saw it.
    pub note: String,
}

impl AgentAction {
    /// Settles it, whose outcome is unknown. What was done counts from when it was sent, as if the
    /// target system had confirmed it; what was not done may run again. Answers whether that was so
    /// just now: the same person's same word again changes nothing. 409 unless it is unknown.
    pub fn judge(&mut self, verdict: Verdict) -> Result<bool, Error> {
        if self.state != ActionState::Unknown {
            let stands = self.verdict.as_ref();
            let is_the_same = stands
                .is_some_and(|stands| (stands.by, stands.outcome) == (verdict.by, verdict.outcome));
            return if is_the_same && self.state.has_ended() {
                Ok(false)
            } else {
                Err(known(&format!("The action is {}.", self.state.name())))
            };
        }
        match verdict.outcome {
            VerdictOutcome::Done => {
                self.is_known(StepStatus::Done, verdict.at);
                self.state = ActionState::Succeeded;
                self.steps_done = i64::try_from(self.steps.len()).unwrap_or(i64::MAX);
                self.error = None;
            }
            VerdictOutcome::NotDone => {
                self.is_known(StepStatus::NotDone, verdict.at);
                self.state = ActionState::Failed;
                self.error = Some(format!(
                    "not_done: somebody looked into the target system. {}",
                    verdict.note
                ));
            }
        }
        self.lease_until = None;
        self.due_at = None;
        self.no_look_told();
        self.plan_looks(verdict.at);
        self.verdict = Some(verdict);
        Ok(true)
    }
}

impl AgentSession {
    /// Settles one of its actions whose outcome is unknown; the action and the session are written
    /// together, so that whoever ends the session at the same time sees it. Answers the action; none
    /// when the same was said before, and there is nothing to write.
    ///
    /// A session that failed completes when every approved action has succeeded by then; otherwise
    /// what is not done may run again for as long as after a failure. One that was cancelled stays so.
    ///
    /// 404 for an id that is none of its actions', 409 for one of an earlier proposal, and unless the
    /// outcome is unknown.
    pub fn judge<'a, A: DerefMut<Target = AgentAction>>(
        &mut self,
        actions: &'a mut ApprovedActions<A>,
        action_id: &str,
        verdict: Verdict,
    ) -> Result<Option<&'a A>, Error> {
        let now = verdict.at;
        if actions.unreadable.iter().any(|id| id == action_id) {
            return Err(Error::conflict(
                Code::InvalidTransition,
                "The record of this action does not read, and takes no verdict.",
            ));
        }
        let mut known = actions.known.iter_mut();
        let Some(place) = known.position(|action| action.action_id == action_id) else {
            self.known_action(action_id)?;
            return Err(known_not_yet());
        };
        let judged = match actions.known.get_mut(place) {
            Some(action) => action.judge(verdict)?,
            None => return Err(Error::NotFound(ACTION)),
        };
        if !judged {
            return Ok(None);
        }
        self.updated_at = now;
        self.settle_again(actions, now);
        Ok(actions.known.get(place))
    }
}

fn known_not_yet() -> Error {
    known("The action was never executed.")
}

fn known(why: &str) -> Error {
    Error::conflict(
        Code::OutcomeKnown,
        format!("{why} Only an action whose outcome is unknown takes a verdict."),
    )
}
