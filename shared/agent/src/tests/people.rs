//! Settlements by people, without a table.

use AgentSessionStatus::{
    Analyzing, AwaitingConfirmation, Cancelled, Cancelling, Completed, Executing, Expired, Failed,
    Started,
};
use model::base::{ServiceRequestId, UserId};

use super::*;

fn user(id: i64) -> UserId {
    UserId::new(id).unwrap()
}

fn request(id: i64) -> ServiceRequestId {
    ServiceRequestId::new(id).unwrap()
}

fn verdict(outcome: VerdictOutcome, by: i64) -> Verdict {
    Verdict {
        outcome,
        by: user(by),
        at: at(50),
        note: "The log has it.".into(),
    }
}

/// A session whose two actions ended in these states.
fn failed(states: [ActionState; 2]) -> (AgentSession, Actions) {
    let mut session = approved(&[FIRST, SECOND]);
    let mut actions = sessions::actions(&states);
    for action in &mut actions.known {
        action.end.error = Some("It may have been done.".into());
        action.end.at = Some(at(10));
        action.schedule.due_at = Some(at(60));
        action.progress.call.ambiguous = true;
    }
    assert!(transition::settle(&mut session, &actions, at(20)));
    (session, actions)
}

#[test]
fn what_was_done_counts_from_when_it_was_sent_and_saves_nothing() {
    let (mut session, mut actions) = failed([ActionState::Unknown, ActionState::Succeeded]);
    let judged = transition::judge(
        &mut session,
        &mut actions,
        FIRST,
        verdict(VerdictOutcome::Done, 5),
    );
    let action = judged.unwrap().unwrap();
    assert_eq!(action.state, ActionState::Succeeded);
    assert_eq!((&action.end.error, action.schedule.due_at), (&None, None));
    assert!(!action.progress.call.ambiguous && !action.progress.call.sending);
    assert_eq!(action.end.at, Some(at(10)));
    assert!(action.is_effective());
    assert_eq!(action.saved(), 0);
    let held = action.holds(at(10 + COOLDOWN - 1));
    assert_eq!(held, Some(Hold::DoneRecently));
    assert_eq!(action.holds(at(10 + COOLDOWN)), None);
    assert_eq!((session.status, &session.error), (Completed, &None));
    assert_eq!(session.times.updated_at, at(50));
}

#[test]
fn what_was_not_done_holds_nothing_and_runs_again_for_a_day() {
    let (mut session, mut actions) = failed([ActionState::Unknown, ActionState::Succeeded]);
    let late = Verdict {
        at: at(30 * span::HOUR),
        ..verdict(VerdictOutcome::NotDone, 5)
    };
    let action = transition::judge(&mut session, &mut actions, FIRST, late)
        .unwrap()
        .unwrap();
    assert_eq!(action.state, ActionState::Failed);
    assert_eq!(action.holds(at(60)), None);
    assert_eq!(session.status, Failed);
    let list = ids(&[FIRST]);
    let approved = transition::approve(
        &mut session,
        &mut actions,
        &again(&list),
        &anybody(),
        at(31 * span::HOUR),
    );
    assert!(matches!(approved.unwrap(), Approved::Queued { .. }));
    // A verdict of an earlier round does not count in the next.
    assert_eq!(actions.known[0].end.verdict, None);
}

#[test]
fn what_people_do_to_manual_actions_gives_the_others_no_more_time() {
    let (mut session, mut actions) = failed([ActionState::Failed, ActionState::Succeeded]);
    let late = span::DAY;
    let done = handling(HandlingStatus::Done, 5);
    assert!(transition::handle(&mut session, MANUAL, done, at(late)).unwrap());
    assert_eq!(session.times.updated_at, at(late));
    let list = ids(&[FIRST]);
    for (now, runs) in [(20 + late, false), (20 + late - 1, true)] {
        let approved = approve_in(&mut session, &mut actions, &again(&list), now);
        assert_eq!(approved.is_ok(), runs, "{now}");
    }
}

#[test]
fn a_verdict_tells_of_the_step_that_was_unclear() {
    for (outcome, status) in [
        (VerdictOutcome::Done, StepStatus::Done),
        (VerdictOutcome::NotDone, StepStatus::NotDone),
    ] {
        let mut action = queued();
        action.state = ActionState::Unknown;
        let hash = excerpt(502, json!("Bad gateway")).hash();
        transition::keep(
            &mut action,
            1,
            StepStatus::Unclear,
            Some(hash.clone()),
            at(10),
        );
        assert!(transition::judge_action(&mut action, verdict(outcome, 5)).unwrap());
        let step = &action.results_of_steps()[0];
        assert_eq!((step.status, step.at), (status, Some(at(50))));
        assert_eq!(step.excerpt_hash.as_ref(), Some(&hash));
    }
}

#[test]
fn a_session_completes_with_the_last_verdict() {
    let (mut session, mut actions) = failed([ActionState::Unknown; 2]);
    for (id, status) in [(FIRST, Executing), (SECOND, Completed)] {
        let judged = transition::judge(
            &mut session,
            &mut actions,
            id,
            verdict(VerdictOutcome::Done, 5),
        );
        assert!(judged.unwrap().is_some());
        assert_eq!(session.status, status);
    }
    // A repeat by the same user changes nothing. Another verdict, or another user's, is too late.
    let again = transition::judge(
        &mut session,
        &mut actions,
        FIRST,
        verdict(VerdictOutcome::Done, 5),
    );
    assert!(again.unwrap().is_none());
    for verdict in [
        verdict(VerdictOutcome::Done, 6),
        verdict(VerdictOutcome::NotDone, 5),
    ] {
        let late = transition::judge(&mut session, &mut actions, FIRST, verdict).unwrap_err();
        assert_eq!(code(&late), Code::OutcomeKnown);
    }
}

#[test]
fn only_what_is_unknown_takes_a_verdict() {
    for state in STATES.iter().copied() {
        let mut action = queued();
        action.state = state;
        let judged = transition::judge_action(&mut action, verdict(VerdictOutcome::Done, 5));
        if state == ActionState::Unknown {
            assert!(judged.unwrap());
        } else {
            assert_eq!(code(&judged.unwrap_err()), Code::OutcomeKnown);
            assert_eq!(action.state, state);
        }
    }
    let (mut session, mut actions) = failed([ActionState::Unknown; 2]);
    actions
        .unreadable
        .push("s7-p1-a4".into());
    let judge = |session: &mut AgentSession, actions: &mut Actions, id: &str| {
        let judged = transition::judge(session, actions, id, verdict(VerdictOutcome::Done, 5));
        judged.map(|_| ()).unwrap_err()
    };
    let damaged = judge(&mut session, &mut actions, "s7-p1-a4");
    assert_eq!(code(&damaged), Code::InvalidTransition);
    let manual = judge(&mut session, &mut actions, MANUAL);
    assert_eq!(code(&manual), Code::OutcomeKnown);
    let nothing = judge(&mut session, &mut actions, "s7-p2-a1");
    assert!(matches!(nothing, Error::NotFound("action")));
}

#[test]
fn a_session_that_does_not_wait_for_it_stays_as_it_is() {
    for status in [Executing, Cancelling, Cancelled] {
        let (mut session, mut actions) = failed([ActionState::Unknown; 2]);
        session.status = status;
        session.plan.awaits_outcome = false;
        let judged = transition::judge(
            &mut session,
            &mut actions,
            FIRST,
            verdict(VerdictOutcome::Done, 5),
        );
        assert!(judged.unwrap().is_some());
        assert_eq!((session.status, session.times.updated_at), (status, at(50)));
    }
}

fn handling(status: HandlingStatus, by: i64) -> Handling {
    let mut handling = Handling::new(status, user(by), Some("x".into()), at(5));
    if status == HandlingStatus::HandedOver {
        handling.service_request_id = Some(request(8));
        handling.assignee_id = Some(user(9));
    }
    handling
}

/// A session with a proposal of manual actions, made at 0.
fn by_hand(count: usize) -> AgentSession {
    let mut session = opened();
    transition::begin_analysis(&mut session, None, at(0)).unwrap();
    let mut proposal = proposal();
    proposal.actions = vec![proposed(false); count];
    transition::finish_analysis(&mut session, proposal, at(0)).unwrap();
    session
}

#[test]
fn a_session_of_manual_actions_completes_with_the_last_of_them() {
    for status in [HandlingStatus::Done, HandlingStatus::Waived] {
        let mut session = by_hand(2);
        assert!(transition::handle(&mut session, FIRST, handling(status, 5), at(5)).unwrap());
        assert_eq!(session.status, AwaitingConfirmation);
        assert_eq!(session.times.due_at, Some(at(AgentSession::CONFIRMATION)));
        assert!(transition::handle(&mut session, SECOND, handling(status, 5), at(6)).unwrap());
        assert_eq!((session.status, session.times.due_at), (Completed, None));
        // The first handling counts.
        assert!(!transition::handle(&mut session, FIRST, handling(status, 5), at(7)).unwrap());
        let late = transition::handle(&mut session, FIRST, handling(status, 6), at(7));
        assert_eq!(code(&late.unwrap_err()), Code::AlreadyHandled);
        assert_eq!(session.times.updated_at, at(6));
    }
}

#[test]
fn a_mixed_session_waits_for_its_automated_actions() {
    let mut session = awaiting();
    let done = handling(HandlingStatus::Done, 5);
    transition::handle(&mut session, MANUAL, done, at(5)).unwrap();
    assert_eq!(session.status, AwaitingConfirmation);
    let automated = transition::handle(
        &mut session,
        FIRST,
        handling(HandlingStatus::Done, 5),
        at(5),
    );
    assert_eq!(code(&automated.unwrap_err()), Code::ActionAutomated);
    let nothing = transition::handle(
        &mut session,
        "s7-p2-a1",
        handling(HandlingStatus::Done, 5),
        at(5),
    );
    assert!(matches!(nothing, Err(Error::NotFound("action"))));
    transition::begin_analysis(&mut session, None, at(6)).unwrap();
    transition::finish_analysis(&mut session, proposal(), at(7)).unwrap();
    let old = transition::handle(
        &mut session,
        MANUAL,
        handling(HandlingStatus::Done, 5),
        at(8),
    );
    assert_eq!(code(&old.unwrap_err()), Code::ProposalSuperseded);
}

#[test]
fn manual_actions_are_settled_where_their_proposal_stands() {
    for status in STATUSES.iter().copied() {
        let mut session = awaiting();
        session.status = status;
        session.times.due_at = None;
        let handled = transition::handle(
            &mut session,
            MANUAL,
            handling(HandlingStatus::Waived, 5),
            at(5),
        );
        match status {
            AwaitingConfirmation | Executing | Completed | Failed => {
                assert!(handled.unwrap());
                assert_eq!(session.status, status);
            }
            Expired => assert_eq!(code(&handled.unwrap_err()), Code::SessionExpired),
            Started | Analyzing | Cancelling | Cancelled => {
                assert_eq!(code(&handled.unwrap_err()), Code::InvalidTransition);
            }
        }
    }
    let mut late = awaiting();
    let end = at(AgentSession::CONFIRMATION);
    let handled = transition::handle(&mut late, MANUAL, handling(HandlingStatus::Waived, 5), end);
    assert_eq!(code(&handled.unwrap_err()), Code::SessionExpired);
}

#[test]
fn what_is_handed_over_keeps_a_proposal_and_not_its_automated_actions() {
    let day = AgentSession::CONFIRMATION;
    let mut session = awaiting();
    let over = handling(HandlingStatus::HandedOver, 5);
    assert!(transition::handle(&mut session, MANUAL, over.clone(), at(5)).unwrap());
    assert!(!transition::handle(&mut session, MANUAL, over.clone(), at(6)).unwrap());
    let to_another = Handling {
        assignee_id: Some(user(10)),
        ..over
    };
    let late = transition::handle(&mut session, MANUAL, to_another, at(6));
    assert_eq!(code(&late.unwrap_err()), Code::AlreadyHandled);
    assert_eq!(session.status_at(at(9 * day)), AwaitingConfirmation);
    assert_eq!(session.approvable_until(at(day - 1)), Some(at(day)));
    assert_eq!(session.approvable_until(at(day)), None);
    let list = ids(&[FIRST]);
    for (now, expected) in [(day - 1, Ok(true)), (day, Err(Code::SessionExpired))] {
        let result = approve_in(&mut session.clone(), &mut Actions::none(), &of(&list), now);
        assert_eq!(result, expected);
    }
    // After the end of the request, the proposal has a day again.
    let done = transition::request_changed(
        &mut session,
        MANUAL,
        request(8),
        RequestChange::Over,
        None,
        at(3 * day),
    );
    assert_eq!(done.unwrap().status, HandlingStatus::Done);
    assert_eq!(session.status_at(at(4 * day - 1)), AwaitingConfirmation);
    assert_eq!(session.status_at(at(4 * day)), Expired);
    // A request opened again after the expiry does not reopen the session.
    let reopened = RequestChange::Reopened;
    let again = transition::request_changed(
        &mut session,
        MANUAL,
        request(8),
        reopened,
        None,
        at(4 * day),
    );
    assert_eq!(again.unwrap().status, HandlingStatus::HandedOver);
    assert_eq!(session.status_at(at(4 * day)), Expired);
}

#[test]
fn an_action_follows_its_request() {
    use HandlingStatus::{Done, HandedOver};
    use RequestChange::{Deleted, Over, Reopened};
    let mut session = by_hand(1);
    let over = handling(HandedOver, 5);
    transition::handle(&mut session, FIRST, over, at(5)).unwrap();
    let change = |session: &mut AgentSession, change| {
        let changed =
            transition::request_changed(session, FIRST, request(8), change, Some(user(6)), at(7));
        changed.map(|handling| (handling.status, handling.by))
    };
    let by = Some(user(6));
    assert_eq!(change(&mut session, Reopened), None);
    assert_eq!(change(&mut session, Over), Some((Done, by)));
    assert_eq!(session.status, Completed);
    assert_eq!(change(&mut session, Over), None);
    // A completed session stays completed. A done action stays done when its request is deleted.
    assert_eq!(change(&mut session.clone(), Deleted), None);
    assert_eq!(change(&mut session, Reopened), Some((HandedOver, by)));
    assert_eq!((session.status, session.times.due_at), (Completed, None));
    assert_eq!(change(&mut session, Deleted), Some((HandedOver, by)));
    assert_eq!(session.plan.proposed_actions[0].handling, None);
    let mut session = by_hand(1);
    let over = handling(HandedOver, 5);
    transition::handle(&mut session, FIRST, over, at(5)).unwrap();
    // Another request and another action are unrelated.
    for (action, id) in [(FIRST, 9), (SECOND, 8)] {
        let changed =
            transition::request_changed(&mut session, action, request(id), Over, None, at(7));
        assert_eq!(changed, None);
    }
    let deleted = change(&mut session, Deleted);
    assert_eq!(deleted, Some((HandedOver, Some(user(5)))));
    let due = at(7 + AgentSession::CONFIRMATION);
    assert_eq!(session.times.due_at, Some(due));
}

#[test]
fn a_request_says_what_is_to_be_done_and_fits_whatever_it_says() {
    let mut session = by_hand(1);
    session.plan.proposed_actions[0]
        .content
        .risk = Risk::Critical;
    session.plan.proposed_actions[0]
        .content
        .description = "ä".repeat(60_000);
    let action = session.plan.proposed_actions[0].clone();
    let request_body = action
        .as_request(&session, Some("Before Monday."))
        .unwrap();
    assert_eq!(request_body.title.chars().count(), 255);
    assert!(
        request_body
            .title
            .starts_with("Alert 9: ä")
    );
    assert_eq!(
        request_body
            .description
            .unwrap()
            .chars()
            .count(),
        50_000
    );
    assert_eq!(request_body.priority.0, model::work::Priority::Urgent);
    let action = &by_hand(1).plan.proposed_actions[0];
    let request_body = action
        .as_request(&session, Some("Before Monday."))
        .unwrap();
    let description = request_body.description.unwrap();
    for part in [
        "Before Monday.",
        "Cause: It is stuck.",
        "Records: `usage_batch/ub_1001`",
        "1. Have it processed again. (POST /usage-batches/ub_1001/reprocess)",
        "Action s7-p1-a1 of agent session 7 on alert 9.",
    ] {
        assert!(description.contains(part), "{part}: {}", &*description);
    }
    assert_eq!(request_body.priority.0, model::work::Priority::Medium);
}

#[test]
fn a_preview_is_of_actions_that_stand() {
    let mut session = awaiting();
    let records = session.plan.proposed_actions[0]
        .content
        .records
        .clone();
    session.plan.proposed_actions[1]
        .content
        .records = records;
    let pairs = session.plan.exclusive_pairs(
        &session
            .named(&ids(&[SECOND, MANUAL, FIRST]))
            .unwrap(),
    );
    assert_eq!(pairs, [[SECOND.to_owned(), FIRST.to_owned()]]);
    let unknown = session
        .named(&ids(&[FIRST, "nothing"]))
        .unwrap_err();
    assert_eq!(faults(unknown)[0].pointer, "/actionIds/1");
    transition::begin_analysis(&mut session, None, at(1)).unwrap();
    transition::finish_analysis(&mut session, proposal(), at(2)).unwrap();
    let void = session
        .named(&ids(&[FIRST]))
        .unwrap_err();
    assert_eq!(code(&void), Code::ProposalSuperseded);
}
