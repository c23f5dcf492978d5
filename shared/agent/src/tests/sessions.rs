//! Sessions.

use AgentSessionStatus::{
    Analyzing, AwaitingConfirmation, Cancelled, Cancelling, Completed, Executing, Expired, Failed,
    Started,
};
use model::base::{Code, FaultCode};

use super::*;

/// A session in that status with a proposal, before any deadline.
fn in_status(status: AgentSessionStatus) -> AgentSession {
    let mut session = awaiting();
    session.status = status;
    session.times.due_at = None;
    session
}

/// Approved actions in these states, by their positions in the proposal.
pub(super) fn actions(states: &[ActionState]) -> Actions {
    let session = awaiting();
    let readable = session
        .plan
        .proposed_actions
        .iter()
        .zip(states);
    let readable = readable.map(|(proposed, state)| {
        let mut action = transition::queued(&session, proposed, Vec::new(), None, at(0));
        action.state = *state;
        Box::new(action)
    });
    Actions {
        known: readable.collect(),
        unreadable: Vec::new(),
    }
}

/// A session whose first two actions were approved at 0 and are in these states.
fn executing(states: &[ActionState]) -> (AgentSession, Actions) {
    let session = approved(&[FIRST, SECOND]);
    (session, actions(states))
}

fn approve(session: &mut AgentSession, list: &[&str]) -> Result<bool, Error> {
    let mut no_actions = Actions::none();
    let approved =
        transition::approve(session, &mut no_actions, &of(&ids(list)), &anybody(), at(5))?;
    Ok(matches!(approved, Approved::Queued { .. }))
}

#[test]
fn an_opened_session_is_its_alerts() {
    let session = opened();
    assert_eq!((session.status, session.times.due_at), (Started, None));
    let of = (session.alert.alert_id, session.organization_id);
    assert_eq!(of, (alert().id, alert().organization_id));
    assert_eq!(session.alert.signal_type, "usage_batch_stuck");
}

#[test]
fn an_analysis_begins_where_nothing_was_approved() {
    for status in STATUSES.iter().copied() {
        let mut session = in_status(status);
        let begun = transition::begin_analysis(&mut session, None, at(5));
        if matches!(status, Started | AwaitingConfirmation) {
            begun.unwrap();
            assert_eq!(session.status, Analyzing);
            assert_eq!(session.times.due_at, Some(at(5 + AgentSession::ANALYSIS)));
            assert_eq!(session.times.updated_at, at(5));
        } else {
            let error = begun.unwrap_err();
            assert_eq!(code(&error), Code::InvalidTransition);
            assert!(
                error
                    .to_string()
                    .contains(status.name()),
                "{error}"
            );
            assert_eq!(session, in_status(status));
        }
    }
}

#[test]
fn an_expired_proposal_is_not_replaced() {
    let mut session = awaiting();
    let late = at(AgentSession::CONFIRMATION);
    let error = transition::begin_analysis(&mut session, None, late).unwrap_err();
    assert!(error.to_string().contains("expired"), "{error}");
}

#[test]
fn each_proposal_gives_out_new_ids_and_voids_the_old_ones() {
    let mut session = awaiting();
    let action_ids = session.plan.proposed_actions.iter();
    let action_ids: Vec<&str> = action_ids
        .map(|action| &*action.id)
        .collect();
    assert_eq!(action_ids, [FIRST, SECOND, MANUAL]);
    assert_eq!(session.status, AwaitingConfirmation);
    assert_eq!(session.times.due_at, Some(at(AgentSession::CONFIRMATION)));
    transition::begin_analysis(&mut session, None, at(1)).unwrap();
    transition::finish_analysis(&mut session, proposal(), at(2)).unwrap();
    assert_eq!(session.plan.proposal, 2);
    assert_eq!(session.plan.proposed_actions[0].id, "s7-p2-a1");
    assert!(session.is_void(FIRST));
    let error = approve(&mut session, &[FIRST]).unwrap_err();
    assert_eq!(code(&error), Code::ProposalSuperseded);
}

#[test]
fn ids_of_earlier_proposals_are_void_and_others_unknown() {
    let mut session = opened();
    session.plan.proposal = 3;
    assert!(session.is_void(&session.action_id(1, 1)));
    assert!(session.is_void(&session.action_id(2, 9)));
    for id in [
        "s7-p3-a1", "s7-p0-a1", "s7-p4-a1", "s8-p1-a1", "s7-p1-a0", "s7-p1-ax", "s7-p1", "",
    ] {
        assert!(!session.is_void(id), "{id}");
    }
}

#[test]
fn a_late_proposal_is_refused() {
    let mut session = opened();
    transition::begin_analysis(&mut session, None, at(0)).unwrap();
    let late = at(AgentSession::ANALYSIS);
    let error = transition::finish_analysis(&mut session, proposal(), late).unwrap_err();
    assert_eq!(code(&error), Code::AnalysisInterrupted);
    assert_eq!(session.plan.proposal, 0);
    let in_time = at(AgentSession::ANALYSIS - 1);
    transition::finish_analysis(&mut session, proposal(), in_time).unwrap();
}

#[test]
fn a_failed_analysis_says_why() {
    let mut session = opened();
    transition::begin_analysis(&mut session, None, at(0)).unwrap();
    transition::fail_analysis(&mut session, "It failed.", at(5));
    assert_eq!((session.status, session.times.due_at), (Failed, None));
    assert_eq!(session.error_at(at(9)), Some("It failed."));
}

#[test]
fn what_time_did_is_read_at_once_and_written_once() {
    let mut analyzing = opened();
    transition::begin_analysis(&mut analyzing, None, at(0)).unwrap();
    let interrupted = Some(AgentSession::INTERRUPTED);
    for (mut session, lasts, status, error) in [
        (awaiting(), AgentSession::CONFIRMATION, Expired, None),
        (analyzing, AgentSession::ANALYSIS, Failed, interrupted),
    ] {
        assert_eq!(session.status_at(at(lasts - 1)), session.status);
        assert!(!transition::lapse(&mut session, at(lasts - 1)));
        assert_eq!(session.status_at(at(lasts)), status);
        assert_eq!(session.error_at(at(lasts)), error);
        assert!(transition::lapse(&mut session, at(lasts)));
        assert_eq!((session.status, session.times.due_at), (status, None));
        assert_eq!(session.error.as_deref(), error);
        assert!(!transition::lapse(&mut session, at(lasts + 1)));
    }
}

#[test]
fn time_alone_ends_no_session_that_executes() {
    let (mut session, _) = executing(&[]);
    assert!(!transition::lapse(&mut session, at(i64::MAX)));
    transition::check_later(&mut session, at(5));
    let due = at(5 + AgentSession::SETTLE_CHECK);
    assert_eq!(session.times.due_at, Some(due));
    assert_eq!(session.status, Executing);
}

#[test]
fn what_is_approved_is_queued_with_its_session() {
    let mut session = awaiting();
    let mut no_actions = Actions::none();
    let list = ids(&[SECOND, FIRST]);
    let approving = Approving {
        trace: Some("trace"),
        ..of(&list)
    };
    let approved =
        transition::approve(&mut session, &mut no_actions, &approving, &anybody(), at(5));
    let Ok(Approved::Queued { again, new }) = approved else {
        panic!("{approved:?}");
    };
    assert!(again.is_empty());
    let queued: Vec<&str> = new
        .iter()
        .map(|action| &*action.key.action_id)
        .collect();
    assert_eq!(queued, [FIRST, SECOND]);
    for action in new {
        assert_eq!(action.state, ActionState::Queued);
        assert_eq!(action.round.trace_id.as_deref(), Some("trace"));
    }
    assert_eq!(session.status, Executing);
    assert_eq!(session.plan.approved, [ids(&[FIRST, SECOND])]);
    let due = at(5 + AgentSession::SETTLE_CHECK);
    assert_eq!(session.times.due_at, Some(due));
}

#[test]
fn all_of_a_list_is_checked_before_any_of_it_is_queued() {
    let mut session = awaiting();
    let error = approve(&mut session, &["s7-p1-a9", FIRST, MANUAL, "s7-p0-a1"]).unwrap_err();
    let expected = [
        ("/actionIds/0", FaultCode::Unknown),
        ("/actionIds/2", FaultCode::Manual),
        ("/actionIds/3", FaultCode::Unknown),
    ];
    let faults = faults(error);
    let faults = faults
        .iter()
        .map(|fault| (&*fault.pointer, fault.code));
    assert!(faults.eq(expected));
    assert_eq!(session, awaiting());
}

#[test]
fn the_same_list_stands_and_another_is_refused() {
    for (status, code_of_others) in [
        (Executing, Code::OtherActionsApproved),
        (Cancelling, Code::InvalidTransition),
        (Completed, Code::OtherActionsApproved),
        (Failed, Code::OtherActionsApproved),
        (Cancelled, Code::InvalidTransition),
    ] {
        let (mut session, mut done) = executing(&[ActionState::Succeeded; 2]);
        session.status = status;
        let mut approve = |list| approve_in(&mut session, &mut done, &of(&ids(list)), 9);
        assert_eq!(approve(&[SECOND, FIRST]), Ok(false), "{status:?}");
        assert_eq!(approve(&[FIRST]), Err(code_of_others), "{status:?}");
        assert_eq!(session.status, status);
    }
}

#[test]
fn nothing_is_approved_before_a_proposal_or_after_it_expired() {
    for status in [Started, Analyzing] {
        let error = approve(&mut in_status(status), &[FIRST]).unwrap_err();
        assert_eq!(code(&error), Code::InvalidTransition);
    }
    let list = ids(&[FIRST]);
    let late = AgentSession::CONFIRMATION;
    let expired = approve_in(&mut awaiting(), &mut Actions::none(), &of(&list), late);
    assert_eq!(expired, Err(Code::SessionExpired));
}

#[test]
fn what_is_not_done_for_certain_runs_again_when_that_is_asked_for() {
    for state in [ActionState::Failed, ActionState::Skipped] {
        let (mut session, mut ended) = executing(&[ActionState::Succeeded, state]);
        assert!(transition::settle(&mut session, &ended, at(5)));
        let both = ids(&[FIRST, SECOND]);
        let second = ids(&[SECOND]);
        for (approving, expected) in [
            (of(&both), Ok(false)),
            (of(&second), Err(Code::OtherActionsApproved)),
            (again(&both), Err(Code::ActionNotFailed)),
        ] {
            let result = approve_in(&mut session, &mut ended, &approving, 9);
            assert_eq!(result, expected);
        }

        let approved =
            transition::approve(&mut session, &mut ended, &again(&second), &anybody(), at(9));
        let Ok(Approved::Queued { again, new }) = approved else {
            panic!("{approved:?}");
        };
        assert!(new.is_empty());
        let [again] = again.as_slice() else {
            panic!("{again:?}");
        };
        assert_eq!(again.key.action_id, SECOND);
        assert_eq!(again.state, ActionState::Queued);
        assert_eq!(again.round.trace_id.as_deref(), Some("second"));
        assert_eq!((session.status, session.error.as_ref()), (Executing, None));
        assert_eq!(session.plan.approved, [both, second]);
    }
}

/// A client library may repeat a request without an answer. The repeat must not run the actions
/// again.
#[test]
fn a_list_that_failed_as_a_whole_stands_as_well() {
    let (mut session, mut ended) = executing(&[ActionState::Failed; 2]);
    assert!(transition::settle(&mut session, &ended, at(5)));
    let both = ids(&[FIRST, SECOND]);
    // During the run and after success, there is nothing to run again.
    for (approving, runs) in [
        (of(&both), false),
        (again(&both), true),
        (again(&both), false),
    ] {
        let result = approve_in(&mut session, &mut ended, &approving, 9);
        assert_eq!(result, Ok(runs));
    }
}

#[test]
fn a_failed_session_runs_again_for_a_day() {
    let second = ids(&[SECOND]);
    let states = [ActionState::Succeeded, ActionState::Failed];
    for (after, expected) in [
        (AgentSession::AGAIN - 1, Ok(true)),
        (AgentSession::AGAIN, Err(Code::SessionExpired)),
    ] {
        let (mut session, mut ended) = executing(&states);
        assert!(transition::settle(&mut session, &ended, at(5)));
        let result = approve_in(&mut session, &mut ended, &again(&second), 5 + after);
        assert_eq!(result, expected);
    }
}

#[test]
fn what_may_have_been_done_never_runs_again() {
    let (mut session, mut ended) = executing(&[ActionState::Unknown, ActionState::Failed]);
    assert!(transition::settle(&mut session, &ended, at(5)));
    let first = ids(&[FIRST]);
    // An unreadable record has an unknown outcome.
    let mut damaged = actions(&[]);
    damaged.unreadable = ids(&[FIRST]);
    for actions in [&mut ended, &mut damaged] {
        let result = approve_in(&mut session, actions, &again(&first), 9);
        assert_eq!(result, Err(Code::OutcomeUnknown));
    }
}

fn related(relate: impl Fn(&mut [ProposedAction])) -> AgentSession {
    let mut session = awaiting();
    relate(&mut session.plan.proposed_actions);
    session
}

fn exclusive() -> AgentSession {
    related(|actions| {
        let records = &mut actions[1].content.records;
        records.push("usage_batch/ub_1001".into());
    })
}

#[test]
fn two_actions_that_exclude_each_other_are_not_approved_together() {
    let error = approve(&mut exclusive(), &[SECOND, FIRST]).unwrap_err();
    let [fault] = faults(error).try_into().unwrap();
    assert_eq!(fault.code, FaultCode::Exclusive);
    assert_eq!(fault.pointer, "/actionIds/1");
    assert!(
        fault
            .detail
            .contains("Have it processed again"),
        "{}",
        fault.detail
    );
    assert!(approve(&mut exclusive(), &[FIRST]).unwrap());
}

/// Actions that share a record are approved together if one comes after the other.
#[test]
fn an_order_takes_the_place_of_an_exclusion() {
    for order in [
        (|action: &mut ProposedAction| action.after = vec!["first".into()])
            as fn(&mut ProposedAction),
        |action| action.unless = vec!["first".into()],
    ] {
        let mut session = exclusive();
        order(&mut session.plan.proposed_actions[1]);
        assert!(approve(&mut session, &[SECOND, FIRST]).unwrap());
    }
    // One comes after the other by a third one.
    let mut session = exclusive();
    session.plan.proposed_actions[2].after = vec!["first".into()];
    session.plan.proposed_actions[1].after = vec!["review".into()];
    assert!(approve(&mut session, &[SECOND, FIRST]).unwrap());
}

#[test]
fn an_action_comes_after_those_that_are_approved_with_it() {
    let ordered = || related(|actions| actions[1].after = vec!["first".into(), "review".into()]);
    for (list, after) in [
        (vec![FIRST, SECOND], vec![FIRST]),
        (vec![SECOND], Vec::new()),
    ] {
        let mut no_actions = Actions::none();
        let list = ids(&list);
        let mut session = ordered();
        let approved =
            transition::approve(&mut session, &mut no_actions, &of(&list), &anybody(), at(5));
        let Ok(Approved::Queued { new, .. }) = approved else {
            panic!("{approved:?}");
        };
        assert_eq!(new.last().unwrap().round.after, after);
    }
}

#[test]
fn who_waited_for_an_action_is_told_when_it_ended() {
    for (state, waiting) in [
        (ActionState::Succeeded, vec![SECOND]),
        (ActionState::Failed, vec![SECOND]),
        (ActionState::Running, vec![]),
    ] {
        let (_, mut both) = executing(&[state, ActionState::Queued]);
        both.known[1].round.after = ids(&[FIRST]);
        assert_eq!(both.waiting_for(FIRST), waiting, "{state:?}");
        assert!(both.waiting_for(SECOND).is_empty());
    }
}

#[test]
fn cancelling_ends_what_is_queued_and_waits_for_what_runs() {
    let [done, queued] = [ActionState::Succeeded, ActionState::Queued];
    let running = ActionState::Running;
    for (states, status, outcomes) in [
        (vec![], Cancelled, 0),
        (vec![queued; 2], Cancelled, 2),
        (vec![done, queued], Cancelled, 1),
        (vec![running, queued], Cancelling, 1),
    ] {
        let (mut session, mut actions) = executing(&states);
        let cancelled = transition::cancel(&mut session, &mut actions, at(5))
            .unwrap()
            .unwrap();
        let transition::Cancelled { ended, stopping } = cancelled;
        assert_eq!(ended.len(), outcomes, "{states:?}");
        assert!(
            ended
                .iter()
                .all(|a| a.state == ActionState::Skipped)
        );
        assert!(
            stopping
                .iter()
                .all(|a| a.fence.stopping)
        );
        assert_eq!(stopping.len(), usize::from(status == Cancelling));
        assert_eq!(session.status, status, "{states:?}");
        let due = (status == Cancelling).then(|| at(5 + AgentSession::SETTLE_CHECK));
        assert_eq!(session.times.due_at, due);
    }
}

#[test]
fn only_what_has_not_ended_is_cancelled() {
    for status in STATUSES.iter().copied() {
        let mut session = in_status(status);
        let mut no_actions = Actions::none();
        let cancelled = transition::cancel(&mut session, &mut no_actions, at(5));
        match status {
            Cancelling | Cancelled => assert!(cancelled.unwrap().is_none()),
            Completed | Failed | Expired => {
                assert_eq!(code(&cancelled.unwrap_err()), Code::InvalidTransition);
            }
            _ => assert!(cancelled.unwrap().is_some()),
        }
        let ended = status.has_ended() || status == Cancelling;
        assert_eq!(session.status, if ended { status } else { Cancelled });
    }
}

#[test]
fn a_session_ends_with_the_last_of_its_actions() {
    let [done, failed] = [ActionState::Succeeded, ActionState::Failed];
    for (was, states, status) in [
        (Executing, [done, done], Completed),
        (Executing, [done, failed], Failed),
        (Executing, [done, ActionState::Unknown], Executing),
        (Executing, [done, ActionState::Skipped], Failed),
        (Cancelling, [done, ActionState::Skipped], Cancelled),
        (Cancelling, [done, done], Cancelled),
    ] {
        let (mut session, actions) = executing(&states);
        session.status = was;
        assert!(transition::settle(&mut session, &actions, at(5)));
        // What is certainly not done can be approved again for a day.
        let is_open = status == Failed && states[1].is_not_done();
        let due = is_open.then_some(at(5 + AgentSession::AGAIN));
        assert_eq!((session.status, session.times.due_at), (status, due));
        let says = session.error.unwrap_or_default();
        let is_short = says.starts_with("1 of 2 approved");
        assert_eq!(is_short, status == Failed, "{says}");
    }
}

#[test]
fn a_session_does_not_end_before_that_and_not_twice() {
    for state in [ActionState::Queued, ActionState::Running] {
        let (mut session, actions) = executing(&[ActionState::Succeeded, state]);
        assert!(!transition::settle(&mut session, &actions, at(5)));
        assert_eq!(session.status, Executing);
    }
    for status in STATUSES.iter().copied() {
        if !status.is_running() {
            let mut session = in_status(status);
            assert!(!transition::settle(&mut session, &Actions::none(), at(5)));
            assert_eq!(session.status, status);
        }
    }
}

#[test]
fn a_record_that_does_not_read_counts_as_ended_without_success() {
    let (mut session, mut actions) = executing(&[ActionState::Running, ActionState::Succeeded]);
    actions.known.remove(0);
    actions.unreadable = ids(&[FIRST]);
    assert_eq!(actions.state(FIRST), Some(ActionState::Unknown));
    assert_eq!(actions.state(SECOND), Some(ActionState::Succeeded));
    assert_eq!(actions.state(MANUAL), None);
    assert!(transition::settle(&mut session, &actions, at(5)));
    assert_eq!((session.status, session.works()), (Executing, false));
    let results = session.results(&actions);
    assert_eq!(results[0].action_id, FIRST);
    assert!(!results[0].success);
    assert!(results[1].success);
}

#[test]
fn a_session_is_stored_flat_as_before_it_had_groups() {
    let mut stored = json!({
        "id": 7, "organizationId": 1, "alertId": 9, "signalType": "usage_batch_stuck",
        "occurredAt": at(0), "entities": ["ub_1001"], "status": "executing", "error": null,
        "analysis": null, "reads": [], "proposal": 1, "resolvedWhen": null,
        "proposedActions": [], "analysisKey": "key", "approved": [[FIRST]],
        "shortfall": {FIRST: "unknown"}, "awaited": {FIRST: at(5)}, "awaitsOutcome": true,
        "void": [SECOND], "superseded": false, "recordedBy": null, "createdBy": 3,
        "proposedBy": 4, "rejection": null, "journal": {"seq": 2, "hash": "ab"},
        "journalAt": at(1), "journalNamed": 1, "dueAt": at(60), "alertCheckAt": null,
        "alertChecks": 2, "approvableUntil": at(70), "createdAt": at(0), "updatedAt": at(1),
    });
    let session: AgentSession = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(json!(session), stored);
    assert_eq!(session.times.alert_checks, 2);
    // Items of earlier releases lack these.
    for later in ["awaited", "awaitsOutcome", "void"] {
        stored
            .as_object_mut()
            .unwrap()
            .remove(later);
    }
    let earlier: AgentSession = serde_json::from_value(stored).unwrap();
    assert!(!earlier.plan.awaits_outcome && earlier.plan.awaited.is_empty());
    // An absent null is a null.
    let members = json!(session);
    let members = members
        .as_object()
        .unwrap()
        .clone()
        .into_iter();
    let present: serde_json::Map<_, _> = members
        .filter(|(_, value)| !value.is_null())
        .collect();
    let lean: AgentSession = serde_json::from_value(present.into()).unwrap();
    assert_eq!(lean, session);
}
