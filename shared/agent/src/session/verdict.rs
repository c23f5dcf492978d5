//! Settlements: a user says what became of an action. The settlement of an automated action with an
//! unknown outcome is a *verdict*; the settlement of a manual action is its
//! [`Handling`](crate::session::Handling).

use model::{
    base::{Error, Fault, FaultCode, Reason, UserId, span},
    input, names,
};

use crate::{
    action::{AgentAction, VerdictOutcome},
    session::HandlingStatus,
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
}
