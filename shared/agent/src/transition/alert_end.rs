//! Checks of an alert's end, and effects other than the approved ones.

use model::base::{Timestamp, span};

use crate::{
    action::{ActionContent, ActionState, AgentAction},
    check::record::Timetable,
    connection::SystemKind,
    session::{
        ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions, OtherEffect,
        ProposedAction,
    },
};

use super::status::plan_visit;

/// Time after which a requested check is requested again, in milliseconds.
const ALERT_CHECK_AGAIN: i64 = 2 * span::MINUTE;

/// Schedules a check of its alert at once, if there is one.
pub(crate) fn plan_alert_check(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
    now: Timestamp,
) {
    if session.alert_check(actions).is_some() {
        check_alert_at(session, now);
        session.times.alert_checks = 0;
    }
}

/// Schedules a check of its alert at once, after a user settled a manual action. A completed
/// session may still await the verification of another action; its result schedules the check
/// again.
pub(crate) fn recheck_alert(session: &mut AgentSession, now: Timestamp) {
    plan_alert_check(session, &ApprovedActions::<&AgentAction>::none(), now);
}

pub(crate) fn alert_check_requested(session: &mut AgentSession, now: Timestamp) {
    check_alert_at(session, now.plus(ALERT_CHECK_AGAIN));
}

pub(crate) fn check_alert_at(session: &mut AgentSession, at: Timestamp) {
    session.times.alert_check_at = Some(at);
    plan_visit(session);
}

/// Schedules the next check after one that found the matter unsettled.
pub(crate) fn alert_is_unsettled(session: &mut AgentSession, now: Timestamp) {
    session.times.alert_check_at = Timetable::ALERT_END.next(session.times.alert_checks, now);
    session.times.alert_checks += 1;
    plan_visit(session);
}

/// Records that the alert's matter was read as settled. Actions that were skipped are not
/// needed.
pub(crate) fn matter_is_settled(session: &mut AgentSession, now: Timestamp) {
    let shortfall = &mut session.plan.shortfall;
    shortfall.retain(|_, state| *state != ActionState::Skipped);
    if session.status == AgentSessionStatus::Failed && session.plan.shortfall.is_empty() {
        session.status = AgentSessionStatus::Completed;
        session.error = None;
    }
    session.times.updated_at = now;
    end_alert_checks(session);
}

/// Ends the checks: the alert is resolved, or another event will schedule a check.
pub(crate) fn end_alert_checks(session: &mut AgentSession) {
    session.times.alert_check_at = None;
    plan_visit(session);
}

/// Adds a manual action, if an action had another effect than the approved one. Examples are
/// another amount, and money taken for a void invoice. `kind` is the kind of the target system.
pub(crate) fn note_other_effect(
    session: &mut AgentSession,
    action: &AgentAction,
    kind: SystemKind,
) {
    let other = action.other_effect();
    let Some((other, proposed)) = other.zip(
        session
            .plan
            .proposed(&action.key.action_id),
    ) else {
        return;
    };
    let about = &proposed.content;
    let (key, check, outcome, step) = match other {
        OtherEffect::Amount {
            approved,
            found: actual,
        } => {
            let approved = approved.says(kind);
            let actual = actual.says(kind);
            let check =
                format!("Check the amount: {approved} was approved, and {actual} was found.");
            let step = format!("Find out why {actual} was found instead of {approved}");
            let outcome = "The difference is corrected, or accepted.";
            (format!("{}_amount", proposed.key), check, outcome, step)
        }
        OtherEffect::State(says) => {
            let check = format!("Check the effect: {says}, which was not approved.");
            let outcome = "What moved is given back, or the record is corrected.";
            let step = format!("Find out why {says}, and what has to be given back");
            (format!("{}_effect", proposed.key), check, outcome, step)
        }
    };
    let content = ActionContent {
        playbook: about.playbook.clone(),
        connection: about.connection.clone(),
        records: about.records.clone(),
        systems: about.systems.clone(),
        ..ActionContent::manual(
            &about.target_system,
            format!("{check} The action was: {}", about.description),
            outcome,
            step,
        )
    };
    let place = session.plan.proposed_actions.len() + 1;
    let manual = ProposedAction {
        id: session.action_id(session.plan.proposal, place),
        ..ProposedAction::manual(key, content)
    };
    session
        .plan
        .proposed_actions
        .push(manual);
}
