//! Handling of manual actions by people, and by their service requests.

use model::base::{Code, Error, ServiceRequestId, Timestamp, UserId};

use crate::session::{
    AgentSession, AgentSessionStatus, Handling, HandlingStatus, ProposedAction, RequestChange,
    expired,
};

use super::{alert_end::recheck_alert, status::end_session};

/// Stores a user's handling of a manual action. Returns false for a repeat by the same user,
/// which changes nothing. A session whose actions are all manual completes when each is done or
/// waived. A handed-over action keeps the proposal from expiring.
///
/// 404 for an id that is not one of its actions. 409 for an id of an earlier proposal, for an
/// automated action, and for one that was handled before. 409 also in a session that is
/// cancelled, expired or in analysis.
pub(crate) fn handle(
    session: &mut AgentSession,
    action_id: &str,
    handling: Handling,
    now: Timestamp,
) -> Result<bool, Error> {
    let status = session.status_at(now);
    let action = session.known_action(action_id)?;
    if action.is_automated {
        let detail = "The agent executes this action. Only manual actions are handed over.";
        return Err(Error::conflict(Code::ActionAutomated, detail));
    }
    if let Some(stands) = &action.handling {
        let of = |handling: &Handling| (handling.by, handling.status, handling.assignee_id);
        let is_repeat = of(stands) == of(&handling);
        return is_repeat
            .then_some(false)
            .ok_or_else(|| handled(stands));
    }
    match status {
        status if status.keeps_handlings() => {}
        AgentSessionStatus::Expired => return Err(expired("Open another session")),
        _ => return Err(status.forbids("A manual action cannot be settled")),
    }
    takes(session, action_id, Some(handling), now);
    Ok(true)
}

/// Applies a change of the service request of a handed-over action. Returns the new handling,
/// or the former one if it ends. None if nothing changes, for example after a new proposal. The
/// handling changes in every session status. The session's status changes only while it waits
/// for the action.
pub(crate) fn request_changed(
    session: &mut AgentSession,
    action_id: &str,
    request: ServiceRequestId,
    change: RequestChange,
    by: Option<UserId>,
    now: Timestamp,
) -> Option<Handling> {
    let handling = session
        .plan
        .proposed(action_id)?
        .handling
        .clone();
    let handling = handling.filter(|handling| handling.service_request_id == Some(request))?;
    let status = match (change, handling.status) {
        (RequestChange::Over, HandlingStatus::HandedOver) => Some(HandlingStatus::Done),
        (RequestChange::Reopened, HandlingStatus::Done) => Some(HandlingStatus::HandedOver),
        (RequestChange::Deleted, HandlingStatus::HandedOver) => None,
        _ => return None,
    };
    let next = status.map(|status| Handling {
        status,
        by,
        at: now,
        ..handling.clone()
    });
    takes(session, action_id, next.clone(), now);
    next.or(Some(handling))
}

/// Stores the handling of an action and updates the session.
pub(crate) fn takes(
    session: &mut AgentSession,
    action_id: &str,
    handling: Option<Handling>,
    now: Timestamp,
) {
    let status = session.status_at(now);
    if let Some(action) = session.plan.proposed_mut(action_id) {
        action.handling = handling;
    }
    session.times.updated_at = now;
    if status != AgentSessionStatus::AwaitingConfirmation {
        recheck_alert(session, now);
        return;
    }
    let actions = &session.plan.proposed_actions;
    let is_open = |action: &ProposedAction| {
        action
            .handling
            .as_ref()
            .is_some_and(Handling::is_open)
    };
    let is_over = |action: &ProposedAction| {
        !action.is_automated && action.handling.is_some() && !is_open(action)
    };
    if actions.iter().all(is_over) {
        end_session(session, AgentSessionStatus::Completed, now);
        recheck_alert(session, now);
        return;
    }
    // Until this change, the session may have waited for a handed-over action.
    let due = session
        .times
        .due_at
        .unwrap_or(now.plus(AgentSession::CONFIRMATION));
    session.times.due_at = (!actions.iter().any(is_open)).then_some(due);
}

fn handled(stands: &Handling) -> Error {
    let how = match stands.status {
        HandlingStatus::Done => "done".to_owned(),
        HandlingStatus::Waived => "waived".to_owned(),
        HandlingStatus::HandedOver => stands.service_request_id.map_or_else(
            || "handed over".to_owned(),
            |id| format!("handed over with service request {id}; it is done when that is resolved"),
        ),
    };
    let detail = format!("The action is already {how}.");
    Error::conflict(Code::AlreadyHandled, detail)
}
