//! Checks after an action's end.

use ActionState::{Failed, Succeeded, Unknown};
use Idempotency::Unkeyed;
use JournalEvent::{Checked, Reconciled, Verified};

use super::{
    actions::context,
    open_outcomes::next,
    preconditions::{LEASE, WITHIN, held, is, seen, succeeded, unknown, unread},
    *,
};

fn check(action: &mut AgentAction, observation: &Observation, now: i64) -> Option<JournalEvent> {
    let noted = transition::apply_check(action, observation, SETTLES, at(now));
    noted.map(|(event, _)| event)
}

/// A check that finds the batch in this state.
fn finds(action: &mut AgentAction, state: &str, now: i64) -> Option<JournalEvent> {
    check(action, &seen(state), now)
}

#[test]
fn an_action_counts_once_its_effect_was_found() {
    let mut action = succeeded();
    assert_eq!(action.state, Succeeded);
    assert_eq!((action.saved(), action.fixes_records()), (0, false));
    assert_eq!(action.schedule.due_at, Some(at(0)));
    assert_eq!(action.next_check_at(), Some(at(0)));
    // A later count finds no saving either.
    transition::count_later(&mut action, at(0));
    assert!(!action.schedule.uncounted);
    assert_eq!(action.schedule.due_at, Some(at(0)));
    assert_eq!(finds(&mut action, "stuck", 0), Some(Checked));
    assert_eq!(action.saved(), 0);
    assert_eq!(finds(&mut action, "processed", 20_000), Some(Verified));
    assert_eq!((action.saved(), action.fixes_records()), (25, true));
    assert_eq!(action.schedule.due_at, None);
    assert_eq!(action.next_check_at(), None);
    assert_eq!(check(&mut action, &seen("stuck"), 30_000), None);
    let record = action.checks.effect.unwrap();
    assert_eq!(record.status, CheckStatus::Done);
    assert_eq!(record.count, 2);
    assert_eq!(record.found.unwrap().0.0["batch.state"], "processed");
}

/// Returns the times of checks that always observe the same, until the last check.
fn times(mut action: AgentAction, observation: &Observation) -> (Vec<i64>, AgentAction) {
    let mut times = Vec::new();
    while let Some(next) = action.next_check_at() {
        assert_eq!(action.schedule.due_at, Some(next));
        times.push(next.millis() / span::SECOND);
        assert!(times.len() < 100, "{times:?}");
        assert!(transition::apply_check(&mut action, observation, SETTLES, next).is_some());
    }
    (times, action)
}

#[test]
fn an_effect_that_is_not_found_in_time_is_none() {
    let (checked, action) = times(succeeded(), &seen("stuck"));
    assert_eq!(checked, [0, 15, 60, 300, 600]);
    let record = action.checks.effect.as_ref().unwrap();
    assert_eq!(record.status, CheckStatus::NotDone);
    let problem = record.problem.as_ref().unwrap();
    assert!(problem.contains("found that batch.state is `stuck`"));
    assert_eq!(action.state, Succeeded);
    assert_eq!(action.saved(), 0);
    assert_eq!(action.schedule.due_at, None);
    // An unreadable system is checked for another day.
    let (checked, action) = times(succeeded(), &unread(false));
    let day = (WITHIN + AgentAction::UNREADABLE) / span::SECOND;
    assert_eq!(checked[..5], [0, 15, 60, 300, 600]);
    let last = *checked.last().unwrap();
    assert!(last >= day && checked.len() < 15, "{checked:?}");
    let record = action.checks.effect.unwrap();
    assert_eq!(record.problem.unwrap(), "No answer.");
    let (checked, _) = times(succeeded(), &unread(true));
    assert_eq!(checked, [0, 15, 60, 300, 600]);
}

#[test]
fn what_looks_found_tells_whether_it_helped() {
    let checked =
        |action: AgentAction, observation: &Observation| times(action, observation).1.helped();
    assert_eq!(succeeded().helped(), None);
    assert_eq!(checked(succeeded(), &seen("processed")), Some(true));
    assert_eq!(checked(succeeded(), &seen("stuck")), Some(false));
    // No check read anything, temporarily or permanently.
    for is_for_good in [true, false] {
        assert_eq!(checked(succeeded(), &unread(is_for_good)), None);
    }
    // A message fixes nothing, and neither does an action that was already done.
    let mut message = succeeded();
    message.content.action_type = ActionType::NotifyCustomer;
    assert_eq!(checked(message, &seen("stuck")), None);
    let mut done_before = succeeded();
    done_before.progress.already_done = 1;
    assert_eq!(checked(done_before, &seen("processed")), None);
}

#[test]
fn a_look_that_nobody_made_is_asked_for_again_and_late_ones_keep_apart() {
    let mut action = succeeded();
    for pause in [2, 4, 8, 16, 32, 60, 60] {
        transition::check_requested(&mut action, at(0));
        assert_eq!(action.schedule.due_at, Some(at(pause * span::MINUTE)));
    }
    let late = 5 * span::MINUTE;
    assert_eq!(finds(&mut action, "stuck", late), Some(Checked));
    assert_eq!(action.schedule.resends, 0);
    assert_eq!(action.next_check_at(), Some(at(late + 15 * span::SECOND)));
    transition::defer_check(&mut action, at(late + span::MINUTE));
    assert_eq!(action.schedule.due_at, Some(at(late + span::MINUTE)));
    assert_eq!(action.next_check_at(), Some(at(late + 15 * span::SECOND)));
}

#[test]
fn an_unknown_call_that_took_effect_is_done() {
    let mut action = unknown();
    assert_eq!(action.state, Unknown);
    assert_eq!(action.schedule.due_at, Some(at(15_000)));
    assert_eq!(action.results_of_steps()[0].status, StepStatus::Unclear);
    assert_eq!(action.holds(at(15_000)), Some(Hold::EffectUnknown));
    assert_eq!(finds(&mut action, "processed", 15_000), Some(Reconciled));
    assert_eq!((action.state, action.progress.steps_done), (Succeeded, 1));
    assert_eq!(action.end.error.as_deref(), None);
    assert!(!action.progress.call.sending);
    assert_eq!(action.results_of_steps()[0].status, StepStatus::Done);
    assert_eq!(action.holds(at(15_000)), Some(Hold::EffectInProgress));
    // The end time stays, and verification starts at once.
    assert_eq!(action.end.at, Some(at(0)));
    assert_eq!(action.next_check_at(), Some(at(15_000)));
    assert_eq!(finds(&mut action, "processed", 15_000), Some(Verified));
    assert_eq!(action.holds(at(15_000)), Some(Hold::DoneRecently));
    assert_eq!(action.saved(), 25);
}

#[test]
fn that_a_call_took_no_effect_takes_two_reads_as_far_apart_as_reads_may_lag() {
    let mut action = unknown();
    for (seconds, next) in [(15, 60), (60, 300), (300, 915)] {
        let checked = finds(&mut action, "stuck", seconds * span::SECOND);
        assert_eq!(checked, Some(Checked), "{seconds}");
        assert_eq!(action.state, Unknown);
        // A check is planned at the end of that time.
        assert_eq!(action.next_check_at(), Some(at(next * span::SECOND)));
    }
    let proven = 15_000 + SETTLES;
    let mut early = action.clone();
    assert_eq!(finds(&mut early, "stuck", proven - 1), Some(Checked));
    assert_eq!(early.state, Unknown);
    let checked = check(&mut action, &seen("stuck"), proven);
    assert_eq!(checked, Some(JournalEvent::Reconciled));
    assert_eq!((action.state, action.schedule.due_at), (Failed, None));
    assert_eq!(action.holds(at(proven)), None);
    assert_eq!(action.results_of_steps()[0].status, StepStatus::NotDone);
    let error = action.end.error.as_ref().unwrap();
    assert!(error.contains("did not take effect"));
    transition::queue_again(&mut action, &awaiting(), Vec::new(), None, at(proven));
    assert_eq!(action.results_of_steps()[0].status, StepStatus::NotSent);
    assert_eq!(action.checks.call, None);
    assert_eq!(action.checks.effect, None);
}

#[test]
fn the_reads_that_find_no_effect_follow_each_other() {
    // Another result in between begins anew.
    let mut action = unknown();
    finds(&mut action, "stuck", 15_000);
    finds(&mut action, "archived", span::MINUTE);
    assert_eq!(finds(&mut action, "stuck", 15_000 + SETTLES), Some(Checked));
    assert_eq!(action.state, Unknown);
    let proven = 15_000 + 2 * SETTLES;
    finds(&mut action, "stuck", 30 * span::MINUTE);
    assert_eq!(action.next_check_at(), Some(at(proven)));
    assert_eq!(finds(&mut action, "stuck", proven), Some(Reconciled));
    assert_eq!(action.state, Failed);
    // A read that failed does not.
    let mut action = unknown();
    finds(&mut action, "stuck", 15_000);
    check(&mut action, &unread(false), span::MINUTE);
    let late = 15_000 + SETTLES;
    assert_eq!(finds(&mut action, "stuck", late), Some(Reconciled));
}

#[test]
fn a_system_whose_reads_lag_for_days_is_checked_as_long() {
    let mut action = unknown();
    let days = 7 * span::DAY;
    let mut last = 0;
    while let Some(next) = action.next_check_at() {
        transition::apply_check(&mut action, &seen("stuck"), days, next).unwrap();
        last = next.millis();
    }
    assert_eq!((action.state, last), (Failed, 15_000 + days));
}

/// The observation of a stuck batch after so many attempts.
fn attempted(attempts: i64) -> Observation {
    let mut observation = seen("stuck");
    let attempts = json!(attempts);
    observation
        .facts
        .insert("batch.attempts".into(), attempts);
    observation
}

/// An action whose reconciliation names the number of attempts, after its call.
fn marked(is_under_way: bool) -> AgentAction {
    let mut action = held(Unkeyed);
    let reconcile = action.content.steps[0]
        .reconcile
        .as_mut()
        .unwrap();
    reconcile.mark = Some("batch.attempts".into());
    if is_under_way {
        reconcile.not_done = None;
        reconcile.refused = Some(is("batch.state", "stuck"));
    }
    transition::permits(&mut action, &attempted(1), at(0));
    transition::sends(&mut action, Unkeyed, at(0));
    let effect = if is_under_way {
        Effect::UnderWay
    } else {
        Effect::Unclear
    };
    transition::answered(&mut action, effect, Unkeyed);
    transition::record(&mut action, &Outcome::unknown(None, "Who knows."), at(0));
    let stored = serde_json::to_value(&action).unwrap();
    serde_json::from_value(stored).unwrap()
}

#[test]
fn a_mark_that_changed_since_the_call_proves_its_end_at_once() {
    for is_under_way in [true, false] {
        let mut action = marked(is_under_way);
        let checked = check(&mut action, &attempted(2), 15_000);
        assert_eq!(checked, Some(Reconciled), "{is_under_way}");
        assert_eq!(action.state, Failed);
    }
    // With the mark of before, the record tells nothing of a call that was under way.
    let (_, action) = times(marked(true), &attempted(1));
    assert_eq!(action.state, Unknown);
    // That a call took no effect follows from two reads.
    let mut action = marked(false);
    check(&mut action, &attempted(1), 15_000);
    let late = 15_000 + SETTLES;
    assert_eq!(check(&mut action, &attempted(1), late), Some(Reconciled));
    // Neither does a mark that is not known.
    let mut action = marked(true);
    action.progress.mark = None;
    check(&mut action, &attempted(2), 15_000);
    assert_eq!(action.state, Unknown);
    assert_eq!(check(&mut action, &attempted(2), late), Some(Reconciled));
}

#[test]
fn a_mark_is_read_before_the_call() {
    let mut action = queued();
    action.content.reads = vec![
        super::preconditions::read("batch", "/usage-batches/ub_1001"),
        super::preconditions::read("payments", "/payments"),
    ];
    action.content.require = vec![is("batch.state", "stuck")];
    action.content.steps[0].reconcile = Some(Reconciliation {
        mark: Some("payments.newest".into()),
        ..Reconciliation::by(is("batch.state", "processed"))
    });
    assert_eq!(action.required_reads().len(), 2);
}

#[test]
fn an_unknown_step_that_took_effect_is_gone_on_from() {
    let mut action = unknown();
    action.content.steps.push(step("POST"));
    action.content.steps[1].order = 2;
    assert_eq!(finds(&mut action, "processed", 15_000), Some(Reconciled));
    assert_eq!((action.state, action.progress.steps_done), (Failed, 1));
    assert_eq!(action.holds(at(15_000)), Some(Hold::DoneRecently));
    let steps = action.results_of_steps();
    let statuses: Vec<StepStatus> = steps
        .iter()
        .map(|step| step.status)
        .collect();
    assert_eq!(statuses, [StepStatus::Done, StepStatus::NotSent]);
    assert!(
        action
            .end
            .error
            .unwrap()
            .contains("continues with them")
    );
}

#[test]
fn what_no_look_tells_stays_for_a_person() {
    for observation in [seen("archived"), unread(false), unread(true)] {
        let (checked, action) = times(unknown(), &observation);
        assert_eq!(checked, [15, 60, 300, 1_800, 10_800, 43_200]);
        assert_eq!((action.state, action.schedule.due_at), (Unknown, None));
        let record = action.checks.call.as_ref().unwrap();
        assert_eq!(record.status, CheckStatus::Unknown);
        assert!(record.problem.is_some());
        assert!(!action.awaits_check());
    }
    // An observation that meets both conditions proves nothing.
    let mut action = unknown();
    action.content.steps[0].reconcile = Some(Reconciliation {
        not_done: Some(is("batch.state", "stuck")),
        ..Reconciliation::by(is("batch.state", "stuck"))
    });
    let (checked, action) = times(action, &seen("stuck"));
    assert_eq!((checked.len(), action.state), (6, Unknown));
    // A check does not prove that the effect cannot come later.
    let mut action = unknown();
    action.content.steps[0]
        .reconcile
        .as_mut()
        .unwrap()
        .not_done = None;
    let (checked, action) = times(action, &seen("stuck"));
    assert_eq!((checked.len(), action.state), (6, Unknown));
    // Without a reconciliation, there is no check.
    let mut action = held(Unkeyed);
    action.content.steps[0].reconcile = None;
    transition::record(&mut action, &Outcome::unknown(None, "Who knows."), at(0));
    assert_eq!(action.schedule.due_at, None);
    assert!(!action.awaits_check());
}

#[test]
fn whatever_leaves_a_call_unknown_has_it_looked_at() {
    // Its holder died. The next claim, a cancellation or the sweeper ends it.
    let dead = || {
        let mut action = held(Unkeyed);
        transition::permits(&mut action, &seen("stuck"), at(0));
        transition::sends(&mut action, Unkeyed, at(0));
        action
    };
    let mut claimed = dead();
    let ended = transition::claim(&mut claimed, &context(Unkeyed), LEASE, at(LEASE));
    assert_eq!(ended, Claim::Ended(Unknown));
    let mut given_up = dead();
    assert_eq!(
        transition::give_up(&mut given_up, "Why.", at(LEASE)),
        Some(Unknown)
    );
    let mut cancelled = dead();
    transition::release(&mut cancelled, at(LEASE), at(5));
    assert!(transition::cancel_queued(&mut cancelled, at(LEASE)));
    for action in [claimed, given_up, cancelled] {
        assert_eq!(action.state, Unknown);
        assert_eq!(action.next_check_at(), Some(at(LEASE + 15_000)));
    }
}

/// A session whose approved actions are in these states.
fn session_of(actions: Vec<AgentAction>) -> (AgentSession, Actions) {
    let session = approved(&[FIRST, SECOND]);
    let readable = actions
        .into_iter()
        .map(Box::new)
        .collect();
    let unreadable = Vec::new();
    (
        session,
        Actions {
            known: readable,
            unreadable,
        },
    )
}

#[test]
fn a_session_with_an_open_outcome_completes_when_all_turn_out_to_be_done() {
    let mut second = queued();
    second.key.action_id = SECOND.into();
    second.state = Succeeded;
    let (mut session, mut actions) = session_of(vec![unknown(), second]);
    assert!(transition::settle(&mut session, &actions, at(0)));
    assert_eq!(session.status, AgentSessionStatus::Executing);
    assert!(!session.works() && !transition::settle(&mut session, &actions, at(1)));
    assert!(!transition::settle_again(&mut session, &actions, at(5)));
    let until = at(5 + AgentSession::AGAIN);
    assert_eq!(session.times.approvable_until, Some(until));
    transition::apply_check(
        &mut actions.known[0],
        &seen("processed"),
        SETTLES,
        at(15_000),
    );
    assert!(transition::settle_again(&mut session, &actions, at(15_000)));
    assert_eq!(session.status, AgentSessionStatus::Completed);
    assert_eq!(session.error.as_deref(), None);
    assert_eq!(session.times.due_at, None);
    assert!(!transition::settle_again(
        &mut session,
        &actions,
        at(15_000)
    ));
}

#[test]
fn a_session_fails_with_the_last_outcome_that_was_open() {
    let mut second = unknown();
    second.key.action_id = SECOND.into();
    let (mut session, mut actions) = session_of(vec![unknown(), second]);
    assert!(transition::settle(&mut session, &actions, at(0)));
    transition::apply_check(
        &mut actions.known[0],
        &seen("processed"),
        SETTLES,
        at(15_000),
    );
    assert!(!transition::settle_again(
        &mut session,
        &actions,
        at(15_000)
    ));
    assert_eq!((session.works(), &session.error), (false, &None));
    let late = 15_000 + SETTLES;
    transition::apply_check(&mut actions.known[1], &seen("stuck"), SETTLES, at(15_000));
    transition::apply_check(&mut actions.known[1], &seen("stuck"), SETTLES, at(late));
    assert!(transition::settle_again(&mut session, &actions, at(late)));
    assert_eq!(session.status, AgentSessionStatus::Failed);
    assert!(
        session
            .error
            .as_ref()
            .unwrap()
            .starts_with("1 of 2")
    );
    // Sessions without actions, cancelled ones, and running ones do not change.
    let mut analysed = awaiting();
    transition::fail_analysis(&mut analysed, "It failed.", at(0));
    assert!(!transition::settle_again(
        &mut analysed,
        &Actions::none(),
        at(5)
    ));
    assert_eq!(analysed.error.as_deref(), Some("It failed."));
    for status in [AgentSessionStatus::Cancelled, AgentSessionStatus::Executing] {
        session.status = status;
        assert!(!transition::settle_again(
            &mut session,
            &actions,
            at(15_000)
        ));
        assert_eq!(session.status, status);
    }
}

#[test]
fn an_alert_is_checked_once_each_effect_was_found() {
    let mut second = succeeded();
    second.key.action_id = SECOND.into();
    let (mut session, mut actions) = session_of(vec![succeeded(), second]);
    let is_checked =
        |session: &AgentSession, actions: &Actions| session.alert_check(actions).is_some();
    session.plan.resolved_when = Some(ResolvedWhen {
        reads: Vec::new(),
        conditions: Vec::new(),
    });
    transition::apply_check(&mut actions.known[0], &seen("processed"), SETTLES, at(0));
    assert!(transition::settle(&mut session, &actions, at(0)));
    assert_eq!(session.status, AgentSessionStatus::Completed);
    assert!(!is_checked(&session, &actions));
    // Meanwhile nobody is asked to propose again.
    let next = |session: &AgentSession| next(session, 1);
    session
        .plan
        .proposed_actions
        .truncate(2);
    let verifies =
        "The agent checks in billing whether \"Have it processed again\" took effect; Some(0)";
    assert_eq!(next(&session), verifies);
    transition::apply_check(&mut actions.known[1], &seen("processed"), SETTLES, at(0));
    assert!(is_checked(&session, &actions));
    transition::note_outcomes(&mut session, &actions);
    transition::plan_alert_check(&mut session, &actions, at(1));
    let settled = "The agent checks whether the matter of alert 9 is settled; Some(1)";
    assert_eq!(next(&session), settled);
    transition::alert_is_unsettled(&mut session, at(1));
    assert!(
        next(&session).contains("proposes again"),
        "{}",
        next(&session)
    );
    for status in STATUSES.iter().copied() {
        session.status = status;
        // Somebody else may have settled what an action did not.
        let ended = [AgentSessionStatus::Completed, AgentSessionStatus::Failed];
        assert_eq!(is_checked(&session, &actions), ended.contains(&status));
    }
    session.status = AgentSessionStatus::Completed;
    actions
        .unreadable
        .push("s7-p1-a3".into());
    assert!(!is_checked(&session, &actions));
    actions.unreadable.clear();
    // Without an end, only people resolve the alert.
    session.plan.resolved_when = None;
    assert!(!is_checked(&session, &actions));
}

#[test]
fn a_record_without_looks_still_reads() {
    let mut stored = json!(queued());
    let fields = stored.as_object_mut().unwrap();
    for field in ["looking", "stepResults", "verification", "reconciliation"] {
        fields.remove(field);
    }
    let read: AgentAction = serde_json::from_value(stored).unwrap();
    assert_eq!(read, queued());
}
