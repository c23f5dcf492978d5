//! Visits of an action by the sweeper.

use model::base::{Timestamp, span};

use crate::action::{AgentAction, Schedule};

/// Records another message by the sweeper and schedules the next: after two minutes, doubled
/// each time, up to an hour.
pub(crate) fn resent(action: &mut AgentAction, now: Timestamp) {
    let pause = Schedule::pause_after(action.schedule.resends);
    action.schedule.due_at = Some(
        now.plus(pause)
            .min(action.round.deadline()),
    );
    action.schedule.deferred = false;
    action.schedule.resends += 1;
}

/// Plans the count of saved minutes that could not be counted together with the outcome.
pub(crate) fn count_later(action: &mut AgentAction, now: Timestamp) {
    action.schedule.uncounted = action.saved() > 0;
    if action.schedule.uncounted {
        action.schedule.due_at = Some(now.plus(span::MINUTE));
    }
}

pub(crate) fn counted(action: &mut AgentAction) {
    action.schedule.uncounted = false;
    action.schedule.due_at = None;
}

/// Records that the sweeper requested the due check, and schedules its next request: after two
/// minutes, doubled each time, up to an hour.
pub(crate) fn check_requested(action: &mut AgentAction, now: Timestamp) {
    action.schedule.due_at = Some(now.plus(Schedule::pause_after(action.schedule.resends)));
    action.schedule.resends += 1;
}

/// Defers the due check, since nothing may be sent at this time.
pub(crate) fn defer_check(action: &mut AgentAction, later: Timestamp) {
    action.schedule.due_at = Some(later);
    action.schedule.resends = 0;
}
