//! Open work and the next step of sessions.

use ActionState::{Failed, Skipped, Succeeded, Unknown};
use AgentSessionStatus as Status;
use model::{base::span, people::Permission};

use super::*;

/// Session 7 with actions that ended in these states at 10; none for an unapproved one.
fn ended(states: [Option<ActionState>; 2]) -> (AgentSession, Actions) {
    let mut session = awaiting();
    let states_by_id = session
        .plan
        .proposed_actions
        .iter()
        .zip(states);
    let states_by_id: Vec<(String, ActionState)> = states_by_id
        .filter_map(|(proposed, state)| Some((proposed.id.clone(), state?)))
        .collect();
    let list: Vec<String> = states_by_id
        .iter()
        .map(|(id, _)| id.clone())
        .collect();
    let mut actions = Actions::none();
    let approved = transition::approve(&mut session, &mut actions, &of(&list), &anybody(), at(5));
    let Approved::Queued { new, .. } = approved.unwrap() else {
        panic!("it was not approved");
    };
    for (mut action, (_, state)) in new.into_iter().zip(states_by_id) {
        (action.state, action.end.at) = (state, Some(at(10)));
        actions.known.push(Box::new(action));
    }
    assert!(transition::settle(&mut session, &actions, at(10)));
    (session, actions)
}

fn under(policy: AgentPolicy) -> SessionContext {
    SessionContext {
        policy,
        approvers: everybody(),
        is_resolved: false,
        unbound: std::collections::BTreeSet::new(),
    }
}

fn open(session: &AgentSession, now: i64) -> Vec<(&str, OpenWork)> {
    let open = session.open_actions(false, at(now));
    open.map(|(action, work)| (&*action.id, work))
        .collect()
}

#[test]
fn the_open_work_follows_from_the_states_of_the_actions() {
    let by_hand = (MANUAL, OpenWork::ByHand);
    let cases = [
        (
            [Some(Succeeded), None],
            vec![(SECOND, OpenWork::Approve), by_hand],
        ),
        ([Some(Succeeded), Some(Succeeded)], vec![by_hand]),
        (
            [Some(Failed), Some(Skipped)],
            vec![
                (FIRST, OpenWork::ApproveAgain),
                (SECOND, OpenWork::ApproveAgain),
                by_hand,
            ],
        ),
        (
            [Some(Unknown), None],
            vec![
                (FIRST, OpenWork::Judge),
                (SECOND, OpenWork::Approve),
                by_hand,
            ],
        ),
    ];
    for (states, expected) in cases {
        let (mut session, _) = ended(states);
        assert_eq!(open(&session, 11), expected, "{states:?}");
        assert!(session.has_open_work());
        // Approvals end after a day, and with another session. People's work stays.
        let stays = |(_, work): &(&str, OpenWork)| !work.is_approval();
        let stays: Vec<_> = expected
            .iter()
            .copied()
            .filter(stays)
            .collect();
        assert_eq!(open(&session, 10 + span::DAY), stays, "{states:?}");
        session.plan.superseded = true;
        assert_eq!(open(&session, 11), stays, "{states:?}");
    }
}

#[test]
fn others_are_approved_after_the_end_and_the_same_list_stands() {
    let (mut session, mut actions) = ended([Some(Succeeded), None]);
    assert_eq!(session.status, Status::Completed);
    assert_eq!(session.times.due_at, Some(at(10 + span::DAY)));
    let mut superseded = session.clone();
    superseded.plan.superseded = true;
    let mixed = ids(&[FIRST, SECOND]);
    let second = ids(&[SECOND]);
    for (session, list, now, code) in [
        (&mut session.clone(), &mixed, 11, Code::OtherActionsApproved),
        (
            &mut session.clone(),
            &second,
            10 + span::DAY,
            Code::SessionExpired,
        ),
        (&mut superseded, &second, 11, Code::SessionSuperseded),
    ] {
        let refused = approve_in(session, &mut actions, &of(list), now);
        assert_eq!(refused, Err(code));
    }
    for (list, is_queued) in [(&second, true), (&ids(&[FIRST]), false), (&second, false)] {
        let result = approve_in(&mut session, &mut actions, &of(list), 11);
        assert_eq!((result, session.status), (Ok(is_queued), Status::Executing));
    }
}

/// The later one of two actions that share a record reads again before it calls.
#[test]
fn what_shares_a_record_with_an_ended_action_stays_open() {
    for state in [Succeeded, Failed] {
        let (mut session, mut actions) = ended([Some(state), None]);
        let records = session.plan.proposed_actions[0]
            .content
            .records
            .clone();
        session.plan.proposed_actions[1]
            .content
            .records = records;
        let open = open(&session, 11);
        assert!(open.contains(&(SECOND, OpenWork::Approve)), "{state:?}");
        let approved = approve_in(&mut session, &mut actions, &of(&ids(&[SECOND])), 11);
        assert_eq!(approved, Ok(true), "{state:?}");
    }
}

/// An action waits for its predecessors of earlier lists, too.
#[test]
fn order_holds_over_lists() {
    let (mut session, mut actions) = ended([Some(Succeeded), None]);
    session.plan.proposed_actions[1].unless = vec!["first".into()];
    let approved = transition::approve(
        &mut session,
        &mut actions,
        &of(&ids(&[SECOND])),
        &anybody(),
        at(11),
    );
    let Ok(Approved::Queued { new, .. }) = approved else {
        panic!("it was not approved");
    };
    assert_eq!(new[0].round.unless, [FIRST]);
}

#[test]
fn a_day_after_its_end_a_session_closes() {
    let (mut session, _) = ended([Some(Succeeded), None]);
    session.plan.proposed_actions.pop();
    assert!(session.has_open_work());
    assert!(!transition::close(&mut session, at(9 + span::DAY)));
    assert!(transition::close(&mut session, at(10 + span::DAY)));
    assert!(!session.has_open_work());
    assert!(!transition::close(&mut session, at(11 + span::DAY)));
}

/// Approvals of another action stay while one is executed.
#[test]
fn a_first_approval_outlives_the_execution_of_another_action() {
    let mut session = awaiting();
    let mut no_actions = Actions::none();
    session.plan.proposed_actions[1].rules = policy(&json!({"rules": [{"approvers": 2}]})).rules;
    for list in [ids(&[SECOND]), ids(&[FIRST])] {
        let approved =
            transition::approve(&mut session, &mut no_actions, &of(&list), &anybody(), at(5));
        approved.unwrap();
    }
    assert_eq!(session.status, Status::Executing);
    assert_eq!(
        session.plan.proposed_actions[1]
            .approvals
            .len(),
        1
    );
}

fn says(next: Option<Next>) -> String {
    let Some(next) = next else {
        return "-".to_owned();
    };
    let until = next.until.map(Timestamp::millis);
    let until = until.map(|until| format!(", until {until}"));
    format!("{} {}{}", next.who, next.what, until.unwrap_or_default())
}

/// Session 7 in each status, and what is next.
#[test]
fn each_status_has_a_next_step() {
    let context = under(policy(&json!({})));
    let mut analyzing = opened();
    transition::begin_analysis(&mut analyzing, None, at(0)).unwrap();
    let mut failed = analyzing.clone();
    transition::fail_analysis(&mut failed, "It failed.", at(1));
    let executing = approved(&[FIRST]);
    let mut cancelling = executing.clone();
    cancelling.status = Status::Cancelling;
    let mut cancelled = awaiting();
    transition::cancel(&mut cancelled, &mut Actions::none(), at(5)).unwrap();
    let mut expired = awaiting();
    assert!(transition::lapse(&mut expired, at(span::DAY)));
    let again = "A user who may propose actions proposes again in another session on alert 9, or \
                 resolves the alert";
    let (done, _) = ended([Some(Succeeded), Some(Succeeded)]);
    let by_hand =
        "A user who may execute actions settles \"Have it processed again\" or hands it over";
    for (session, expected) in [
        (
            opened(),
            "A user who may propose actions has actions proposed",
        ),
        (analyzing, "The agent analyses the alert, until 120000"),
        (
            awaiting(),
            "A user who may execute actions approves \"Have it processed again\", or one other open \
             action, until 86400000",
        ),
        (executing, "The agent executes the approved actions"),
        (cancelling, "The agent ends the running actions"),
        (done, by_hand),
        (failed, again),
        (cancelled, again),
        (expired, again),
    ] {
        let next = says(session.next(&context, at(11)));
        assert_eq!(next, expected, "{:?}", session.status);
    }
}

#[test]
fn the_next_step_after_the_end_is_the_open_work() {
    let context = under(policy(&json!({})));
    for (states, expected) in [
        (
            [Some(Failed), Some(Succeeded)],
            "A user who may execute actions approves \"Have it processed again\" again, until 86400010",
        ),
        (
            [Some(Unknown), Some(Succeeded)],
            "A user who may execute actions looks in billing and settles \"Have it processed again\" \
             as done or not done",
        ),
        (
            [Some(Succeeded), None],
            "A user who may execute actions approves \"Have it processed again\", until 86400010",
        ),
    ] {
        let (session, _) = ended(states);
        assert_eq!(says(session.next(&context, at(11))), expected, "{states:?}");
    }
    // With every action settled, the alert is left; nothing is left of a resolved one.
    let (mut session, _) = ended([Some(Succeeded); 2]);
    let user = Id::new(5).unwrap();
    let over = Handling {
        service_request_id: Some(Id::new(8).unwrap()),
        assignee_id: Some(user),
        ..Handling::new(HandlingStatus::HandedOver, user, None, at(11))
    };
    assert!(transition::handle(&mut session, MANUAL, over, at(11)).unwrap());
    let request = "The assignee of service request 8 does \"Have it processed again\" and resolves the \
                   service request";
    assert_eq!(says(session.next(&context, at(12))), request);
    session.plan.proposed_actions.pop();
    assert!(says(session.next(&context, at(12))).contains("resolves the alert"));
    let resolved = SessionContext {
        is_resolved: true,
        ..context
    };
    assert_eq!(says(session.next(&resolved, at(12))), "-");
    let (session, _) = ended([Some(Succeeded), None]);
    let left = says(session.next(&resolved, at(12)));
    assert!(left.contains("hands it over"), "{left}");
}

#[test]
fn the_approver_is_named_by_the_policy() {
    for (rules, expected) in [
        (
            json!([{"approvers": 2, "roles": ["manager"], "notOpener": true}]),
            "A manager who did not open this session approves \"Have it processed again\" (1 of 2), or \
             one other open action, until 86400000",
        ),
        (
            json!([{"notOpener": true}]),
            "A user who may execute actions and did not open this session approves \"Have it processed \
             again\", or one other open action, until 86400000",
        ),
        (
            json!([{"roles": ["manager", "admin"]}, {"roles": ["support", "admin"]}]),
            "An admin approves \"Have it processed again\", or one other open action, until 86400000",
        ),
        (
            json!([{"roles": ["manager", "admin"]}]),
            "A manager or admin approves \"Have it processed again\", or one other open action, until \
             86400000",
        ),
        (
            json!([{"deny": true}]),
            "A user who may execute actions rejects the proposal, or has the policy changed: no user \
             may approve \"Have it processed again\", until 86400000",
        ),
    ] {
        let context = under(policy(&json!({"rules": rules})));
        assert_eq!(says(awaiting().next(&context, at(11))), expected);
    }
    // The second approval is in time while the first one is valid.
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    let approver = Approver {
        policy: &two,
        ..anybody()
    };
    let mut session = awaiting();
    let list = ids(&[FIRST]);
    let mut no_actions = Actions::none();
    let pending = transition::approve(&mut session, &mut no_actions, &of(&list), &approver, at(5));
    assert!(matches!(pending, Ok(Approved::Pending)));
    let next = says(session.next(&under(two.clone()), at(11)));
    assert!(next.contains("(2 of 2)"), "{next}");
    assert!(next.ends_with("until 3600005"), "{next}");
}

#[test]
fn a_step_is_a_users_if_the_user_can_take_it_now() {
    let others = policy(&json!({"rules": [{"approvers": 2, "notOpener": true}]}));
    let context = under(others.clone());
    let mut session = awaiting();
    session.plan.proposed_actions.remove(2);
    let may_do_all = |_| true;
    // User 3 opened the session.
    assert!(
        session
            .next_of(&user(3), may_do_all, &context, at(11))
            .is_none()
    );
    assert!(
        session
            .next_of(&user(4), may_do_all, &context, at(11))
            .is_some()
    );
    let may_not = |permission| permission != Permission::ExecuteAgentRemediation;
    let next = session.next_of(&user(4), may_not, &context, at(11));
    assert!(next.is_none());
    // User 4 has approved both, and waits for another.
    let approver = Approver {
        policy: &others,
        ..anybody()
    };
    let list = ids(&[FIRST, SECOND]);
    let mut no_actions = Actions::none();
    let pending = transition::approve(&mut session, &mut no_actions, &of(&list), &approver, at(12));
    assert!(matches!(pending, Ok(Approved::Pending)));
    assert!(
        session
            .next_of(&user(4), may_do_all, &context, at(13))
            .is_none()
    );
    assert!(
        session
            .next_of(&user(5), may_do_all, &context, at(13))
            .is_some()
    );
    // The agent's work is nobody's, and manual work beside it is somebody's.
    let by_another = Approving::of(&list, Id::new(5).unwrap());
    let another = Approver {
        user: &user(5),
        ..approver
    };
    let queued = transition::approve(&mut session, &mut no_actions, &by_another, &another, at(14));
    assert!(matches!(queued, Ok(Approved::Queued { .. })));
    assert!(
        session
            .next_of(&user(5), may_do_all, &context, at(15))
            .is_none()
    );
    session.plan.proposed_actions = awaiting().plan.proposed_actions;
    assert!(
        session
            .next_of(&user(5), may_do_all, &context, at(15))
            .is_some()
    );
}
