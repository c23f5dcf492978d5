//! Runs of claimed actions: the work that comes next after each result.

use std::time::Duration;

use ActionState::{Failed, Skipped, Succeeded, Unknown};
use Idempotency::{Keyed, Unkeyed};

use super::{
    actions::{self, called},
    preconditions::{self, seen, unread},
    *,
};

const SECOND: Duration = Duration::from_secs(1);
const LEFT: Duration = Duration::from_mins(1);

fn run_of(action: AgentAction, target: Idempotency) -> Progress {
    run_at(action, called(target, 1))
}

fn run_at(action: AgentAction, called: Called) -> Progress {
    let limits = RunLimits {
        call: SECOND * 10,
        reads: SECOND * 8,
        pauses: vec![SECOND, SECOND * 2],
        longest_pause: SECOND * 5,
    };
    Progress::new(action, called, at(0), limits)
}

fn run(target: Idempotency) -> Progress {
    run_of(actions::held(target), target)
}

fn result(effect: Effect) -> CallResult {
    CallResult {
        is_clear: Some(true),
        ..CallResult::unsent(effect, "Why.", at(0))
    }
}

/// The call that comes next.
fn sent(run: &mut Progress, now: i64) -> NextCall {
    match run.next(at(now), LEFT) {
        Work::Send(call) => call,
        other => panic!("{other:?}"),
    }
}

/// Reports the result of the call that comes next.
fn receive(run: &mut Progress, effect: Effect) {
    sent(run, 0);
    run.received(result(effect));
}

/// Pauses before a retry, and takes a slot for it.
fn retry(run: &mut Progress, pause: Duration) {
    assert_eq!(run.next(at(0), LEFT), Work::Wait(Wait::For(pause)));
    assert_eq!(run.next(at(0), LEFT), Work::Wait(Wait::Slot));
    run.reserved(Ok(at(0)));
}

/// The state that the run's outcome records.
fn outcome(run: &mut Progress) -> ActionState {
    match run.next(at(0), LEFT) {
        Work::End(RunEnd::Outcome(outcome)) => outcome.state,
        other => panic!("{other:?}"),
    }
}

fn released(run: &mut Progress) -> String {
    match run.next(at(0), LEFT) {
        Work::End(RunEnd::Release(next, problem)) => {
            assert!(next >= at(span::MINUTE));
            problem
        }
        other => panic!("{other:?}"),
    }
}

/// A claim's own announcement does not count as an earlier call.
#[test]
fn the_first_call_of_a_system_that_keeps_no_keys_is_sent() {
    let keeping_none = Called {
        kept_for: 0,
        ..called(Unkeyed, 1)
    };
    let mut run = run_at(actions::held(Unkeyed), keeping_none);
    receive(&mut run, Effect::Done);
    assert_eq!(outcome(&mut run), Succeeded);
}

#[test]
fn each_step_takes_a_slot_and_a_call() {
    let mut action = actions::held(Keyed);
    action.content.steps.push(ActionStep {
        order: 2,
        ..step("POST")
    });
    let mut run = run_of(action, Keyed);
    receive(&mut run, Effect::Done);
    assert_eq!(run.next(at(0), LEFT), Work::Wait(Wait::Slot));
    run.reserved(Ok(at(500)));
    assert_eq!(run.next(at(0), LEFT), Work::Wait(Wait::For(SECOND / 2)));
    let call = sent(&mut run, 500);
    assert!(call.key.ends_with("-2-1") && !call.is_repeated && !call.is_announced);
    run.received(result(Effect::DoneBefore));
    assert_eq!(outcome(&mut run), Succeeded);
    let steps = run.action.progress.unwritten.iter();
    assert_eq!(
        steps
            .map(|(step, _)| *step)
            .collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn the_claim_announces_the_first_call_unless_the_run_waits_before() {
    let mut at_once = run(Keyed);
    assert!(sent(&mut at_once, 0).is_announced);
    let mut waiting = run(Unkeyed);
    assert!(waiting.action.progress.call.sending);
    waiting.reserved(Ok(at(1_000)));
    assert_eq!(waiting.next(at(0), LEFT), Work::Wait(Wait::For(SECOND)));
    assert!(!waiting.action.progress.call.sending);
    assert!(!sent(&mut waiting, 1_000).is_announced);
    waiting.announce(at(1_000));
    assert!(waiting.action.progress.call.sending);
}

#[test]
fn a_call_without_a_result_is_repeated_after_pauses_with_its_key() {
    let mut run = run(Keyed);
    receive(&mut run, Effect::NotNow);
    retry(&mut run, SECOND);
    let slow = CallResult {
        retry_after: Some(4_000),
        ..result(Effect::Unclear)
    };
    sent(&mut run, 0);
    run.received(slow);
    retry(&mut run, SECOND * 4);
    let call = sent(&mut run, 0);
    assert!(call.is_repeated && call.key.ends_with("-1-1"));
    run.received(result(Effect::Unclear));
    assert_eq!(released(&mut run), "Why.");
}

#[test]
fn no_call_is_repeated_through_an_open_breaker_or_after_a_long_pause() {
    let mut left_alone = run(Keyed);
    receive(&mut left_alone, Effect::NotNow);
    assert!(left_alone.breaker_is_open(true) && !left_alone.breaker_is_open(true));
    released(&mut left_alone);
    let mut patient = run(Keyed);
    sent(&mut patient, 0);
    patient.received(CallResult {
        retry_after: Some(6_000),
        ..result(Effect::NotNow)
    });
    released(&mut patient);
}

#[test]
fn a_result_that_ends_the_action_ends_the_run() {
    for (effect, target, state) in [
        (Effect::Refused, Keyed, Failed),
        (Effect::Undecided, Keyed, Unknown),
        (Effect::UnderWay, Keyed, Unknown),
        (Effect::Unclear, Unkeyed, Unknown),
    ] {
        let mut run = run(target);
        receive(&mut run, effect);
        assert_eq!(outcome(&mut run), state, "{effect:?}");
    }
    let mut by_hand = actions::held(Keyed);
    by_hand.content.steps[0].call = None;
    assert_eq!(outcome(&mut run_of(by_hand, Keyed)), Failed);
}

#[test]
fn preconditions_are_read_before_the_first_change() {
    for (observation, is_sent) in [(seen("stuck"), true), (seen("void"), false)] {
        let mut run = run_of(preconditions::held(Keyed), Keyed);
        let Work::Read(reads) = run.next(at(0), LEFT) else {
            panic!("{run:?}");
        };
        assert_eq!(reads, run.action.required_reads());
        run.observed(&observation, at(0));
        if is_sent {
            assert!(!sent(&mut run, 0).is_announced);
        } else {
            assert_eq!(outcome(&mut run), Skipped);
        }
    }
    let mut blind = run_of(preconditions::held(Keyed), Keyed);
    assert!(matches!(blind.next(at(0), LEFT), Work::Read(_)));
    blind.observed(&unread(false), at(0));
    assert_eq!(released(&mut blind), "No answer.");
}

#[test]
fn a_call_in_doubt_is_repeated_only_if_no_read_shows_its_effect() {
    let in_doubt = || {
        let mut action = preconditions::held(Keyed);
        action.progress.call.unchecked = false;
        transition::sends(&mut action, Keyed, at(0));
        transition::answered(&mut action, Effect::Unclear, Keyed);
        run_of(action, Keyed)
    };
    let after = |observation| {
        let mut run = in_doubt();
        assert!(matches!(run.next(at(0), LEFT), Work::Read(_)));
        run.observed(&observation, at(0));
        run
    };
    assert_eq!(outcome(&mut after(seen("processed"))), Succeeded);
    assert!(sent(&mut after(seen("stuck")), 0).is_repeated);
    let mut forgotten = after(unread(false));
    let late = forgotten.next(at(2 * span::DAY), LEFT);
    assert!(
        matches!(late, Work::End(RunEnd::Outcome(outcome)) if outcome.state == Unknown),
        "{forgotten:?}"
    );
}

#[test]
fn nothing_is_begun_without_time_for_it() {
    let mut short = run(Unkeyed);
    let work = short.next(at(0), SECOND * 9);
    assert!(matches!(work, Work::End(RunEnd::Release(..))), "{work:?}");
    assert!(!short.action.progress.call.sending);
    let mut reads = run_of(preconditions::held(Keyed), Keyed);
    let work = reads.next(at(0), SECOND * 7);
    assert!(matches!(work, Work::End(RunEnd::Release(..))), "{work:?}");
    for slot in [Ok(at(51_000)), Err(at(1_000))] {
        let mut late = run(Keyed);
        late.reserved(slot);
        assert!(released(&mut late).contains("limit of calls"), "{slot:?}");
    }
}

#[test]
fn the_holder_stops_when_it_learns_that_nothing_more_is_to_be_sent() {
    let mut resolved = run(Keyed);
    resolved.alert_resolved();
    assert_eq!(outcome(&mut resolved), Skipped);
    let mut cancelled = run(Unkeyed);
    cancelled.cancelled();
    assert_eq!(outcome(&mut cancelled), Skipped);
    let mut lost = run(Keyed);
    lost.lost();
    assert_eq!(lost.next(at(0), LEFT), Work::End(RunEnd::Lost));
}

#[test]
fn a_run_without_a_result_a_day_after_the_approval_gives_up() {
    let mut run = run(Keyed);
    receive(&mut run, Effect::NotNow);
    let _ = run.breaker_is_open(true);
    let work = run.next(at(AgentAction::PATIENCE - 1), LEFT);
    assert!(
        matches!(work, Work::End(RunEnd::Outcome(outcome)) if outcome.state == Failed),
        "{run:?}"
    );
}

/// A connection whose account is read.
fn identified() -> Connection {
    let put = json!({
        "kind": "billing", "baseUrl": "https://billing.example.com", "secret": null,
        "allow": ["GET /account"], "identity": {"path": "/account", "at": ["/id", "/livemode"]},
    });
    let put: ConnectionPut = input::from_value(&put).unwrap();
    Connection::new(
        Id::new(1).unwrap(),
        model::base::Slug::new("billing").unwrap(),
        put,
        at(0),
    )
}

/// An action that was approved for the account `one`, with these conditions.
fn of_account(require: &[FactCondition]) -> AgentAction {
    let mut action = queued();
    action.content.connection = Some(ConnectionRevision {
        name: "billing".into(),
        revision: 1,
        account: Some("one, true".into()),
    });
    action.content.require = require.to_vec();
    for approval in &mut action.round.approvals {
        approval.digest = None;
    }
    action
}

fn claimed_through(mut action: AgentAction, target: Idempotency) -> Progress {
    let claim = claim_in(&mut action, &actions::context(target), 0);
    assert_eq!(claim, Claim::Held(()));
    run_of(action, target).through(&identified())
}

/// The observation of an account.
fn finds(id: &str) -> Observation {
    let read = identified()
        .identity
        .unwrap()
        .read("billing");
    let facts = read.facts(
        &json!({"id": id, "livemode": true}),
        preconditions::reading(),
    );
    let seen = Seen {
        status: 200,
        is_json: true,
        is_too_large: false,
        facts,
        excerpt: excerpt(200, json!({})),
        hash: String::new(),
    };
    [(&read, Ok(seen))]
        .into_iter()
        .collect()
}

fn reads(run: &mut Progress) -> Vec<TargetRead> {
    match run.next(at(0), LEFT) {
        Work::Read(reads) => reads,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_account_is_read_before_the_first_call_of_a_claim() {
    for target in [Keyed, Unkeyed] {
        let mut run = claimed_through(of_account(&[]), target);
        let [read] = reads(&mut run).try_into().unwrap();
        assert_eq!(read.call().summary(), "GET /account");
        assert!(!run.action.progress.call.sending);
        run.observed(&finds("one"), at(0));
        // What the claim announced is announced again, since time passed.
        assert!(!sent(&mut run, 0).is_announced);
        // One that was confirmed is not read again in this run.
        run.announce(at(0));
        run.received(result(Effect::Unclear));
        assert!(!matches!(run.next(at(0), LEFT), Work::Read(_)));
    }
}

#[test]
fn nothing_is_sent_to_another_account() {
    for require in [vec![], vec![preconditions::is("batch.state", "processing")]] {
        let mut run = claimed_through(of_account(&require), Keyed);
        reads(&mut run);
        run.observed(&finds("two"), at(0));
        assert_eq!(outcome(&mut run), Skipped);
        assert!(run.action.progress.tries.is_empty());
    }
    // A call that may have been sent went to the account of before.
    let mut action = of_account(&[]);
    action.progress.call.ambiguous = true;
    action.progress.call.since = Some(at(0));
    let mut run = claimed_through(action, Keyed);
    assert_eq!(reads(&mut run).len(), 1);
    run.observed(&finds("two"), at(0));
    assert_eq!(outcome(&mut run), Unknown);
}

#[test]
fn an_account_that_is_not_known_is_waited_for() {
    let mut run = claimed_through(of_account(&[]), Unkeyed);
    let [read] = reads(&mut run).try_into().unwrap();
    let error = ReadError::unclear("It answered 503.");
    run.observed(
        &[(&read, Err(error))]
            .into_iter()
            .collect(),
        at(0),
    );
    assert_eq!(released(&mut run), "It answered 503.");
    // Not allowed any more: it never will be known.
    let mut run = claimed_through(of_account(&[]), Unkeyed);
    let error = ReadError::for_good("It is not allowed.");
    reads(&mut run);
    run.observed(
        &[(&read, Err(error))]
            .into_iter()
            .collect(),
        at(0),
    );
    assert_eq!(outcome(&mut run), Skipped);
}
