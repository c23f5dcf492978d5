//! Open outcomes, and the effects of results on other actions.

use ActionState::{Failed, Skipped, Succeeded, Unknown};
use AgentSessionStatus as Status;
use Idempotency::Unkeyed;

use super::{
    preconditions::{held, is, seen, succeeded, unknown},
    *,
};

const SECOND_MILLIS: i64 = span::SECOND;

/// Session 7, which executes this action as its first one, and lists these others.
fn executing(first: AgentAction, others: &[AgentAction]) -> (AgentSession, Actions) {
    let mut session = awaiting();
    session.plan.proposed_actions.pop();
    let mut list = ids(&[FIRST]);
    list.extend(
        others
            .iter()
            .map(|action| action.key.action_id.clone()),
    );
    let mut no_actions = Actions::none();
    let approved =
        transition::approve(&mut session, &mut no_actions, &of(&list), &anybody(), at(0));
    approved.unwrap();
    let executed = std::iter::once(first).chain(others.iter().cloned());
    let actions = Actions {
        known: executed.map(Box::new).collect(),
        unreadable: Vec::new(),
    };
    assert!(transition::settle(&mut session, &actions, at(0)));
    (session, actions)
}

fn second(mut action: AgentAction) -> AgentAction {
    action.key.action_id = SECOND.into();
    action
}

/// An action of a bank, which has ten days. Its call is under way since 0.
fn under_way() -> AgentAction {
    let mut action = held(Unkeyed);
    let reconcile = action.content.steps[0]
        .reconcile
        .as_mut()
        .unwrap();
    reconcile.not_done = None;
    reconcile.pending = Some(is("batch.state", "processing"));
    reconcile.refused = Some(is("batch.state", "stuck"));
    reconcile.within = Some(10 * span::DAY);
    transition::permits(&mut action, &seen("stuck"), at(0));
    transition::sends(&mut action, Unkeyed, at(0));
    transition::keep(&mut action, 1, StepStatus::Unclear, None, at(0));
    let ends = transition::answered(&mut action, Effect::UnderWay, Unkeyed);
    assert_eq!(ends, Some(ActionState::Unknown));
    transition::record(
        &mut action,
        &Outcome::unknown(None, "It is under way."),
        at(0),
    );
    action
}

fn context(is_resolved: bool) -> SessionContext {
    SessionContext {
        policy: AgentPolicy::none(Id::new(1).unwrap()),
        approvers: everybody(),
        is_resolved,
        unbound: std::collections::BTreeSet::new(),
    }
}

/// The next step, and until when.
pub(super) fn next(session: &AgentSession, now: i64) -> String {
    let Some(next) = session.next(&context(false), at(now)) else {
        return "-".to_owned();
    };
    let until = next.until.map(Timestamp::millis);
    format!("{} {}; {until:?}", next.who, next.what)
}

/// Looks until no look is due. Returns the hours after the end of the last one.
fn checks(action: &mut AgentAction, states: impl Fn(i64) -> &'static str) -> i64 {
    let mut last = 0;
    while let Some(due) = action.next_check_at() {
        let state = states(due.millis());
        transition::apply_check(action, &seen(state), SETTLES, due).unwrap();
        last = due.millis();
    }
    last / span::HOUR
}

#[test]
fn while_a_check_is_planned_the_session_executes_and_the_agent_is_next() {
    let (mut session, mut actions) = executing(unknown(), &[]);
    assert_eq!((session.status, &session.error), (Status::Executing, &None));
    assert!(!session.works());
    let next_check = "The agent checks in billing whether \"Have it processed again\" took effect";
    assert_eq!(next(&session, 1), format!("{next_check}; Some(15000)"));
    // Also while the check is due.
    assert_eq!(next(&session, 15_001), format!("{next_check}; Some(15000)"));
    let open: Vec<_> = session
        .open_actions(false, at(1))
        .collect();
    let are_approvals = open
        .iter()
        .all(|(_, work)| *work == OpenWork::Approve);
    assert!(are_approvals, "{open:?}");
    // Each check names the next one.
    transition::apply_check(
        &mut actions.known[0],
        &seen("archived"),
        SETTLES,
        at(15 * SECOND_MILLIS),
    );
    transition::note_outcomes(&mut session, &actions);
    assert!(next(&session, 16_000).ends_with("; Some(60000)"));
    // After the last one, it is a user's.
    checks(&mut actions.known[0], |_| "archived");
    assert!(!transition::settle_again(
        &mut session,
        &actions,
        at(13 * span::HOUR)
    ));
    assert_eq!(session.status, Status::Executing);
    assert!(!session.works());
    let left = next(&session, 13 * span::HOUR);
    let settles = "A user who may execute actions looks in billing and settles";
    assert!(left.starts_with(settles), "{left}");
    let open = session.open_actions(false, at(13 * span::HOUR));
    assert_eq!(
        open.filter(|(_, work)| *work == OpenWork::Judge)
            .count(),
        1
    );
}

#[test]
fn other_actions_run_beside_an_open_outcome() {
    let (mut session, mut actions) = executing(unknown(), &[]);
    let first = ids(&[FIRST]);
    let second = ids(&[SECOND]);
    let approved = approve_in(&mut session, &mut actions, &of(&second), 5);
    assert_eq!((approved, session.works()), (Ok(true), true));
    let (mut session, mut actions) = executing(unknown(), &[]);
    let refused = approve_in(&mut session, &mut actions, &again(&first), 5);
    assert_eq!(refused, Err(Code::OutcomeUnknown));
    // It can be cancelled, so that another session can be opened.
    assert!(
        transition::cancel(&mut session, &mut actions, at(6))
            .unwrap()
            .is_some()
    );
    assert_eq!(session.status, Status::Cancelled);
    // Its time ends, as after an end.
    let (mut session, _) = executing(unknown(), &[]);
    assert_eq!(session.times.due_at, Some(at(AgentSession::AGAIN)));
    assert!(transition::close(&mut session, at(AgentSession::AGAIN)));
    assert_eq!(session.times.due_at, None);
}

#[test]
fn a_bank_has_days() {
    for (days, ended, state) in [(4, "processed", Succeeded), (4, "stuck", Failed)] {
        let mut action = under_way();
        let decided = days * span::DAY;
        let last = checks(&mut action, |due| {
            if due < decided { "processing" } else { ended }
        });
        assert_eq!(action.state, state, "{ended}");
        assert!((96..=102).contains(&last), "{last}");
    }
    // What stays under way is a person's in the end.
    let mut action = under_way();
    assert_eq!(checks(&mut action, |_| "processing"), 240);
    assert_eq!(action.state, Unknown);
    // Half a day is enough for what the system does not know of.
    let mut action = under_way();
    assert_eq!(checks(&mut action, |_| "archived"), 12);
}

/// Before the system said that a call is under way, its record is as it was before.
#[test]
fn what_was_never_under_way_is_not_refused() {
    let mut action = unknown();
    let reconcile = action.content.steps[0]
        .reconcile
        .as_mut()
        .unwrap();
    reconcile.not_done = None;
    reconcile.refused = Some(is("batch.state", "stuck"));
    checks(&mut action, |_| "stuck");
    assert_eq!(action.state, Unknown);
}

fn says(outcome: VerdictOutcome, now: i64) -> Verdict {
    Verdict {
        outcome,
        by: Id::new(4).unwrap(),
        at: at(now),
        note: "I looked.".into(),
    }
}

#[test]
fn nobody_says_not_done_of_what_is_under_way() {
    let refusal = |action: &mut AgentAction, now| {
        let judged = transition::judge_action(action, says(VerdictOutcome::NotDone, now));
        judged.err().map(|error| code(&error))
    };
    // A check is due.
    let mut action = unknown();
    assert_eq!(refusal(&mut action, 5), Some(Code::UnderWay));
    for due in [15_000, 60_000, 300_000] {
        transition::apply_check(&mut action, &seen("archived"), SETTLES, at(due));
    }
    assert_eq!(refusal(&mut action.clone(), 300_001), None);
    let soon = 30 * span::MINUTE - AgentAction::SOON;
    assert_eq!(refusal(&mut action, soon), Some(Code::UnderWay));
    // The system says so.
    let mut action = under_way();
    for due in [15_000, 60_000, 300_000] {
        transition::apply_check(&mut action, &seen("processing"), SETTLES, at(due));
    }
    assert_eq!(refusal(&mut action.clone(), 300_001), Some(Code::UnderWay));
    let mut archived = action.clone();
    transition::apply_check(&mut archived, &seen("archived"), SETTLES, at(1_800_000));
    assert_eq!(refusal(&mut archived, 1_800_001), None);
    // Done is done.
    assert!(transition::judge_action(&mut action, says(VerdictOutcome::Done, 300_001)).unwrap());
    // After the last check, a person decides.
    let mut action = under_way();
    checks(&mut action, |_| "processing");
    assert_eq!(refusal(&mut action, 20 * span::DAY), None);
}

#[test]
fn a_verdict_on_money_is_an_interest() {
    let money = MoneyMoved {
        direction: MoneyDirection::CustomerIsRepaid,
        amount: None,
    };
    let rules = [PolicyRule {
        approvers: 1,
        not_opener: true,
        ..PolicyRule::default()
    }];
    for (money, outcome, counts) in [
        (Some(money.clone()), VerdictOutcome::NotDone, false),
        (None, VerdictOutcome::NotDone, true),
    ] {
        let mut first = unknown();
        first.content.money = money;
        checks(&mut first, |_| "archived");
        let (mut session, mut actions) = executing(first, &[]);
        session.plan.proposed_actions[0].rules = rules.to_vec();
        let late = 13 * span::HOUR;
        let judged = transition::judge(&mut session, &mut actions, FIRST, says(outcome, late));
        assert!(judged.unwrap().is_some());
        assert_eq!(session.status, Status::Failed);
        let list = ids(&[FIRST]);
        let same = transition::approve(
            &mut session,
            &mut actions,
            &again(&list),
            &anybody(),
            at(late),
        );
        assert_eq!(same.is_ok(), counts);
        if let Err(error) = same {
            let error = error.to_string();
            assert!(error.contains("You said that it was not done"), "{error}");
            // Another session's action on the record knows of it.
            assert_eq!(actions.known[0].denied_by(), Id::new(4));
            let another = Approver {
                user: &user(5),
                ..anybody()
            };
            let by_another = Approving {
                by: Id::new(5).unwrap(),
                ..again(&list)
            };
            let approved =
                transition::approve(&mut session, &mut actions, &by_another, &another, at(late));
            assert!(matches!(approved, Ok(Approved::Queued { .. })));
        }
    }
}

/// The session, with a second action that replaces or follows the first.
fn beside(first: AgentAction, relate: impl Fn(&mut ProposedAction)) -> AgentSession {
    let (mut session, actions) = executing(first, &[]);
    relate(&mut session.plan.proposed_actions[1]);
    transition::note_outcomes(&mut session, &actions);
    session
}

#[test]
fn what_a_result_makes_void_is_not_next() {
    let mut action = succeeded();
    transition::apply_check(&mut action, &seen("processed"), SETTLES, at(0));
    let is_open = |session: &AgentSession| {
        let mut open = session.open_actions(false, at(1));
        open.any(|(action, _)| action.id == SECOND)
    };
    let replaced = beside(action.clone(), |second| {
        second.unless = vec!["first".into()];
    });
    assert!(!is_open(&replaced));
    let next = next(&replaced, 1);
    assert!(!next.contains("approves"), "{next}");
    let reads = action.content.reads.clone();
    let requires = |state: &'static str| {
        beside(action.clone(), |second| {
            second.content.reads.clone_from(&reads);
            second.content.require = vec![is("batch.state", state)];
        })
    };
    assert!(!is_open(&requires("stuck")));
    assert!(is_open(&requires("processed")));
    // The facts of another record say nothing.
    let other = beside(action.clone(), |second| {
        second.content.reads.clone_from(&reads);
        second.content.reads[0].path = "/usage-batches/ub_1002".into();
        second.content.require = vec![is("batch.state", "stuck")];
    });
    assert!(is_open(&other));
}

fn skipped(why: &str) -> AgentAction {
    let mut action = queued();
    (action.state, action.end.at) = (Skipped, Some(at(0)));
    action.end.error = Some(format!("{why}: it is so."));
    action
}

#[test]
fn after_a_skip_nobody_approves_again_what_has_changed() {
    let (session, _) = executing(skipped("precondition_changed"), &[]);
    assert_eq!(session.status, Status::Failed);
    let mut session = session;
    session
        .plan
        .proposed_actions
        .truncate(1);
    let proposes = "A user who may propose actions proposes again in another session on alert 9, or \
                    resolves the alert; None";
    assert_eq!(next(&session, 1), proposes);
    assert!(
        session
            .next(&context(true), at(1))
            .is_none()
    );
    // What only lacks an approval is approved again.
    let (session, _) = executing(skipped("approval_missing"), &[]);
    assert!(next(&session, 1).contains("again"), "{}", next(&session, 1));
}

#[test]
fn a_matter_that_was_settled_elsewhere_leaves_nothing() {
    let (mut session, actions) = executing(skipped("precondition_changed"), &[]);
    session.plan.resolved_when = Some(ResolvedWhen {
        reads: Vec::new(),
        conditions: Vec::new(),
    });
    transition::plan_alert_check(&mut session, &actions, at(1));
    assert!(session.awaits_alert_check());
    transition::matter_is_settled(&mut session, at(2));
    assert_eq!((session.status, &session.error), (Status::Completed, &None));
    assert!(!session.awaits_alert_check());
    // A failure stays one.
    let mut failed = skipped("x");
    failed.state = Failed;
    let (mut session, _) = executing(failed, &[]);
    transition::matter_is_settled(&mut session, at(2));
    assert_eq!(session.status, Status::Failed);
    // An action that its alert's resolution kept back was not needed.
    let (session, _) = executing(skipped("alert_resolved"), &[]);
    assert_eq!(session.status, Status::Completed);
}

/// The replaced action was skipped while the first one was under way.
#[test]
fn an_action_that_is_replaced_later_was_not_needed() {
    let notify = second(skipped("predecessor_unknown"));
    let (mut session, mut actions) = executing(under_way(), &[notify]);
    session.plan.proposed_actions[1].unless = vec!["first".into()];
    checks(&mut actions.known[0], |due| {
        if due < span::DAY {
            "processing"
        } else {
            "processed"
        }
    });
    assert!(transition::settle_again(
        &mut session,
        &actions,
        at(2 * span::DAY)
    ));
    assert_eq!((session.status, &session.error), (Status::Completed, &None));
}

/// A failed action of session 7 that was tried at 0, once a day.
fn tried() -> AgentAction {
    let mut action = queued();
    action.content.attempts = Some(Attempts::OF_MONEY);
    action.progress.tries = vec![Try {
        round: 1,
        at: at(0),
    }];
    (action.state, action.end.at) = (Failed, Some(at(0)));
    action
}

#[test]
fn nobody_approves_again_while_the_tries_are_used_up() {
    let (mut session, actions) = executing(tried(), &[]);
    session
        .plan
        .proposed_actions
        .truncate(1);
    transition::settle_again(&mut session, &actions, at(0));
    // The time for another approval ends before.
    let proposes = "A user who may propose actions proposes again in another session on alert 9 from \
                    1970-01-02 00:00 UTC on, or resolves the alert; None";
    assert_eq!(next(&session, 1), proposes);
    assert_eq!(
        session
            .open_actions(false, at(1))
            .count(),
        0
    );
    // It ends later.
    session.times.approvable_until = Some(at(span::DAY + span::HOUR));
    let approves = "A user who may execute actions approves \"Have it processed again\" again from \
                    1970-01-02 00:00 UTC on, as its playbook limits the tries; Some(90000000)";
    assert_eq!(next(&session, 1), approves);
    let may = |session: &AgentSession, now| {
        let user = user(4);
        let context = context(false);
        let action = &session.plan.proposed_actions[0];
        let next = session.next_of(&user, |_| true, &context, at(now));
        (
            next.is_some(),
            session
                .may_approve(action, &user, &context, at(now))
                .is_ok(),
        )
    };
    assert_eq!(may(&session, 1), (false, false));
    assert_eq!(may(&session, span::DAY), (true, true));
    let again = next(&session, span::DAY);
    assert!(again.contains("again\" again; Some"), "{again}");
}

#[test]
fn the_tries_of_others_bar_an_action_too() {
    let mut action = queued();
    action.content.attempts = Some(Attempts::OF_MONEY);
    action.round.approvals[0].digest = Some(action.digest());
    let context = ClaimContext {
        tries: vec![vec![at(0)]],
        ..super::actions::context(Unkeyed)
    };
    assert_eq!(claim_in(&mut action, &context, 5), Claim::Ended(Skipped));
    let error = action.end.error.clone().unwrap();
    assert!(
        error.contains("it was tried once within 24 hours"),
        "{error}"
    );
    assert!(
        error.contains("again from 1970-01-02T00:00:00.000Z on"),
        "{error}"
    );
    let (session, _) = executing(action, &[]);
    assert_eq!(session.plan.barred_until[FIRST], at(span::DAY));
}

#[test]
fn nobody_approves_an_action_whose_connection_changed() {
    let mut session = awaiting();
    session
        .plan
        .proposed_actions
        .truncate(1);
    let connection = Some(ConnectionRevision {
        name: "billing".into(),
        revision: 1,
        account: None,
    });
    session.plan.proposed_actions[0]
        .content
        .connection = connection;
    assert!(session.unbound(&[]).contains(FIRST));
    let unbound = SessionContext {
        unbound: session.unbound(&[]),
        ..context(false)
    };
    let says = session
        .next(&unbound, at(1))
        .unwrap()
        .what;
    let proposes =
        "has actions proposed again, since the connection of \"Have it processed again\" changed";
    assert_eq!(says, proposes);
    let action = &session.plan.proposed_actions[0];
    let refused = session.may_approve(action, &user(4), &unbound, at(1));
    assert_eq!(code(&refused.unwrap_err()), Code::ContentChanged);
    // After its end, another session is needed.
    let mut failed = queued();
    (failed.state, failed.end.at) = (Failed, Some(at(0)));
    let (mut session, _) = executing(failed, &[]);
    session
        .plan
        .proposed_actions
        .truncate(1);
    let unbound = SessionContext {
        unbound: [FIRST.to_owned()].into(),
        ..context(false)
    };
    let says = session
        .next(&unbound, at(1))
        .unwrap()
        .what;
    assert!(
        says.starts_with("proposes again in another session"),
        "{says}"
    );
}
