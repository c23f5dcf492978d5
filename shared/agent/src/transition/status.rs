//! The status of a session and its next visit by the sweeper.

use model::base::Timestamp;

use crate::session::{AgentSession, AgentSessionStatus};

/// Sets the status and the sweeper's next visit.
pub(crate) fn set_status(
    session: &mut AgentSession,
    status: AgentSessionStatus,
    due_at: Option<Timestamp>,
    now: Timestamp,
) {
    session.status = status;
    session.times.due_at = due_at;
    session.times.alert_check_at = None;
    session.plan.awaits_outcome = false;
    session.times.updated_at = now;
}

/// Ends it after its last action. Its other actions can be approved for [`AGAIN`](AgentSession::AGAIN).
pub(crate) fn end_session(session: &mut AgentSession, status: AgentSessionStatus, now: Timestamp) {
    set_status(session, status, None, now);
    session.times.approvable_until = Some(now.plus(AgentSession::AGAIN));
    plan_visit(session);
}

/// Drops approvals that did not lead to an execution, and takes no more.
pub(crate) fn withdraw_approvals(session: &mut AgentSession) {
    session.times.approvable_until = None;
    for action in &mut session.plan.proposed_actions {
        action.approvals = Vec::new();
    }
}

/// Sets the status that follows from its deadline: an expired proposal, or an interrupted
/// analysis. Returns whether the status changed.
pub(crate) fn lapse(session: &mut AgentSession, now: Timestamp) -> bool {
    let status = session.status_at(now);
    if status == session.status {
        return false;
    }
    session.error = session.error_at(now).map(str::to_owned);
    withdraw_approvals(session);
    set_status(session, status, None, now);
    true
}

/// Ends the time for another execution of an ended session. It leaves the list of open work.
/// Returns whether that time was over.
pub(crate) fn close(session: &mut AgentSession, now: Timestamp) -> bool {
    let until = session.times.approvable_until;
    let rests = session.status.has_ended() || session.plan.awaits_outcome;
    let is_over = rests && until.is_some_and(|until| until <= now);
    if is_over {
        session.times.approvable_until = None;
        plan_visit(session);
    }
    is_over
}

/// Schedules another check by the sweeper whether all actions ended.
pub(crate) fn check_later(session: &mut AgentSession, now: Timestamp) {
    session.times.due_at = Some(now.plus(AgentSession::SETTLE_CHECK));
}

/// Schedules the sweeper's next visit after its end. It names the newest entry at once, checks
/// the alert, and ends the time in which other actions can be approved.
pub(crate) fn plan_visit(session: &mut AgentSession) {
    let unnamed = session
        .times
        .journal_at
        .filter(|_| session.is_unnamed());
    let closes = session.approvable_until(session.times.updated_at);
    let visits = [unnamed, session.times.alert_check_at, closes];
    session.times.due_at = visits.into_iter().flatten().min();
}

/// Records that the organization's journal names its newest entry.
pub(crate) fn set_named(session: &mut AgentSession) {
    session.times.journal_named = session.journal.seq;
    plan_visit(session);
}
