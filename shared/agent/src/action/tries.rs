//! Tries of an action: the rounds in which a call asked something of the target system.

use crate::action::{AgentAction, Try};
use model::Timestamp;

impl AgentAction {
    /// Notes that the next call is announced. The first one of a round that changes something is a try.
    pub(crate) fn tries(&mut self, now: Timestamp) {
        let round = self.round.number;
        let last = self.progress.tries.last();
        if self.is_about_to_change() && last.is_none_or(|last| last.round != round) {
            self.progress.tries.push(Try { round, at: now });
        }
    }

    /// Records a refusal, with its status if there was an answer. A transfer of money stays a try,
    /// unless the status says that the request never reached a bank.
    pub fn refused(&mut self, status: Option<u16>) {
        let reached_nobody =
            |status| matches!(status, 401 | 403..=405 | 407 | 410 | 411 | 413..=415 | 429 | 431);
        if self.content.transfer().is_none() || status.is_none_or(reached_nobody) {
            self.not_tried();
        }
    }

    /// Takes back the try of this round, unless one of its steps changed something.
    pub(crate) fn not_tried(&mut self) {
        if !self.has_changed() {
            let round = self.round.number;
            self.progress.tries.retain(|one| one.round != round);
        }
    }

    /// Returns the instants of its tries in earlier rounds.
    pub(crate) fn earlier_tries(&self) -> Vec<Timestamp> {
        let tries = self.progress.tries.iter();
        let earlier = tries.filter(|one| one.round != self.round.number);
        earlier.map(|one| one.at).collect()
    }
}
