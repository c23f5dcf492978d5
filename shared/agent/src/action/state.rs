//! The state of an approved action, and transitions without a holder.

use model::base::Timestamp;

use crate::action::{ActionState, AgentAction, Schedule};

impl AgentAction {
    /// The error of an action whose alert was resolved before it was sent.
    pub(crate) const ALERT_RESOLVED: &'static str =
        "alert_resolved: the alert was resolved before it ran. Nothing was sent.";

    /// The error of an action from a time that the table lost.
    pub(crate) const LOST: &'static str = "restored: the table was put back to an earlier instant, and the target system may have done it since. \
         Check there; it was not sent.";

    /// Returns the instant from which it may be tried again, by its limit and the known tries. None
    /// if it was not tried.
    pub(crate) fn barred_until(&self) -> Option<Timestamp> {
        self.open_from(&[])
            .max(self.end.barred_until)
    }

    /// Returns the instant from which its limit allows another try, after its own tries and those
    /// of others.
    pub(crate) fn open_from(&self, others: &[Timestamp]) -> Option<Timestamp> {
        let own = self
            .progress
            .tries
            .iter()
            .map(|attempt| attempt.at);
        let tries: Vec<_> = own
            .chain(others.iter().copied())
            .collect();
        self.content.attempts?.open_from(&tries)
    }

    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running
            && self
                .schedule
                .lease_until
                .is_some_and(|until| now < until)
    }

    /// True if the sweeper may send another message for it. Afterwards it is given up.
    pub fn may_be_resent(&self, now: Timestamp) -> bool {
        now < self.round.deadline()
    }

    /// Returns the instant from which it is overdue, if messages of the sweeper came to nothing. A
    /// planned check begins with such a message.
    pub fn overdue_since(&self) -> Option<Timestamp> {
        let pauses =
            (i64::from(self.awaits_check())..self.schedule.resends).map(Schedule::pause_after);
        let waited: i64 = pauses.sum();
        let due = self.schedule.due_at?;
        (waited > 0).then(|| due.plus(-waited))
    }

    /// True if an unconfirmed effect may have taken place: an answer did not tell, or a lost holder
    /// was about to send a change.
    pub(crate) fn may_have_taken_effect(&self) -> bool {
        let is_gone = self.state == ActionState::Running
            && !self.progress.call.unchecked
            && self.is_about_to_change();
        self.progress.call.is_open() || is_gone
    }
}
