//! Approved actions.

use ActionState::{Failed, Queued, Running, Skipped, Succeeded, Unknown};
use AgentSessionStatus::{Cancelled, Cancelling, Executing};
use Idempotency::{Keyed, Unkeyed};

use super::*;

const LEASE: i64 = 60_000;

/// An action that was approved at 0 and claimed at 0.
fn held(target: Idempotency) -> AgentAction {
    let mut action = queued();
    assert_eq!(claim(&mut action, target, 0), Claim::Held(()));
    action
}

fn claim(action: &mut AgentAction, target: Idempotency, now: i64) -> Claim {
    action.claim(Executing, target, LEASE, at(now))
}

fn error(action: &AgentAction) -> &str {
    action.error.as_deref().unwrap_or_default()
}

#[test]
fn a_claim_takes_a_lease_and_raises_the_token() {
    let mut action = queued();
    action.resends = 3;
    assert_eq!(claim(&mut action, Keyed, 5), Claim::Held(()));
    assert_eq!(action.state, Running);
    assert_eq!((action.token, action.attempts, action.resends), (1, 1, 0));
    assert_eq!(action.lease_until, Some(at(5 + LEASE)));
    let due = at(5 + LEASE + AgentAction::LEASE_MARGIN);
    assert_eq!(action.due_at, Some(due));
    assert_eq!(action.started_at, Some(at(5)));
    assert!(!action.sending && !action.ambiguous);
}

#[test]
fn a_claim_before_a_system_without_keys_notes_the_call_that_follows() {
    assert!(held(Unkeyed).sending);
    assert!(!held(Keyed).sending);
}

#[test]
fn nobody_takes_what_somebody_holds() {
    let mut action = held(Keyed);
    let before = action.clone();
    assert!(action.is_held(at(LEASE - 1)));
    assert_eq!(claim(&mut action, Keyed, LEASE - 1), Claim::Busy);
    let cancelled = action.claim(Cancelling, Keyed, LEASE, at(LEASE - 1));
    assert_eq!(cancelled, Claim::Busy);
    assert_eq!(action.give_up("Why.", at(LEASE - 1)), None);
    assert_eq!(action, before);
    assert!(!action.is_held(at(LEASE)));
}

#[test]
fn after_the_lease_a_keyed_call_may_have_been_sent_and_is_sent_again() {
    let mut action = held(Keyed);
    assert_eq!(claim(&mut action, Keyed, LEASE), Claim::Held(()));
    assert!(action.ambiguous);
    assert_eq!((action.token, action.attempts), (2, 2));
    assert_eq!(action.started_at, Some(at(0)));
}

#[test]
fn after_the_lease_an_unkeyed_call_is_never_sent_again() {
    let mut action = held(Unkeyed);
    assert_eq!(claim(&mut action, Unkeyed, LEASE), Claim::Ended(Unknown));
    assert!(error(&action).contains("not sent again"), "{action:?}");
    assert_eq!((action.state, action.due_at), (Unknown, None));
    assert!(!action.sending);
    // That no call was under way is known of one that was released.
    let mut action = held(Unkeyed);
    action.not_sent();
    action.release(at(5));
    assert_eq!(claim(&mut action, Unkeyed, 6), Claim::Held(()));
    assert!(!action.ambiguous && action.sending);
}

#[test]
fn what_has_ended_is_over() {
    for state in STATES.into_iter().filter(|state| state.has_ended()) {
        let mut action = queued();
        action.state = state;
        let before = action.clone();
        assert_eq!(claim(&mut action, Keyed, 5), Claim::Over);
        assert!(!action.cancel(at(5)));
        assert_eq!(action.give_up("Why.", at(5)), None);
        assert_eq!(action, before);
    }
}

#[test]
fn after_five_attempts_it_is_given_up() {
    let mut action = queued();
    for attempt in 0..AgentAction::MOST_ATTEMPTS {
        assert!(!action.is_last_attempt());
        assert_eq!(claim(&mut action, Keyed, attempt), Claim::Held(()));
        action.release(at(attempt));
    }
    assert!(action.is_last_attempt());
    let mut unclear = action.clone();
    unclear.ambiguous = true;
    for (mut action, outcome) in [(action, Failed), (unclear, Unknown)] {
        assert_eq!(claim(&mut action, Keyed, 9), Claim::Ended(outcome));
        assert!(error(&action).contains("several attempts"), "{action:?}");
        assert_eq!(action.executed_at, Some(at(9)));
    }
}

/// Actions as a cancellation may find them, and what becomes of them.
fn unclaimed() -> [(AgentAction, ActionState); 4] {
    let mut halfway = queued();
    halfway.steps_done = 1;
    let mut ambiguous = queued();
    ambiguous.ambiguous = true;
    let mut sending = queued();
    sending.sending = true;
    [
        (queued(), Skipped),
        (halfway, Failed),
        (ambiguous, Unknown),
        (sending, Unknown),
    ]
}

#[test]
fn in_a_session_that_does_not_execute_nothing_is_claimed() {
    for (action, outcome) in unclaimed() {
        for session in STATUSES.into_iter().filter(|one| *one != Executing) {
            let mut action = action.clone();
            let claim = action.claim(session, Keyed, LEASE, at(5));
            assert_eq!(claim, Claim::Ended(outcome), "{session:?}");
            assert!(error(&action).starts_with("Cancelled"), "{action:?}");
        }
    }
    // Its holder is gone, and may have sent the call.
    let claim = held(Keyed).claim(Cancelled, Keyed, LEASE, at(LEASE));
    assert_eq!(claim, Claim::Ended(Unknown));
}

#[test]
fn cancelling_ends_what_is_queued_and_nothing_else() {
    for (mut action, outcome) in unclaimed() {
        assert!(action.cancel(at(5)));
        assert_eq!((action.state, action.executed_at), (outcome, Some(at(5))));
    }
    let mut running = held(Keyed);
    assert!(!running.cancel(at(5)));
    // Not even one whose holder is gone: the sweeper has it judged by the next claim.
    assert!(!running.cancel(at(LEASE)));
    assert_eq!(running.state, Running);
}

#[test]
fn a_holder_that_is_stopped_between_two_calls_knows_what_it_sent() {
    let mut halfway = held(Keyed);
    halfway.answered(Effect::Done, Keyed);
    let mut unclear = held(Keyed);
    unclear.answered(Effect::Unclear, Keyed);
    let mut refused = held(Unkeyed);
    refused.answered(Effect::NotNow, Unkeyed);
    refused.sends(Unkeyed);
    refused.not_sent();
    for (action, outcome) in [
        // That it is claimed says nothing of a call.
        (held(Keyed), Skipped),
        (refused, Skipped),
        (halfway, Failed),
        (unclear, Unknown),
    ] {
        assert_eq!(action.stopped(None).state, outcome, "{action:?}");
        assert_eq!(action.state, Running);
    }
}

#[test]
fn an_answer_says_how_it_goes_on() {
    for (effect, target, answered) in [
        (Effect::Done, Keyed, Answered::StepDone),
        (Effect::Done, Unkeyed, Answered::StepDone),
        (Effect::Refused, Keyed, Answered::Refused),
        (Effect::Refused, Unkeyed, Answered::Refused),
        (Effect::NotNow, Keyed, Answered::Again),
        (Effect::NotNow, Unkeyed, Answered::Again),
        (Effect::Unclear, Keyed, Answered::Again),
        (Effect::Unclear, Unkeyed, Answered::Unknown),
    ] {
        let mut action = held(target);
        assert_eq!(action.answered(effect, target), answered, "{effect:?}");
        assert_eq!(action.steps_done, i64::from(effect == Effect::Done));
        let is_open = action.sending || action.ambiguous;
        assert_eq!(is_open, effect == Effect::Unclear, "{effect:?} {target:?}");
    }
}

#[test]
fn what_was_unclear_stays_so_until_an_answer_tells() {
    for (effect, is_clear) in [
        (Effect::NotNow, false),
        (Effect::Unclear, false),
        (Effect::Done, true),
        (Effect::Refused, true),
    ] {
        let mut action = held(Keyed);
        action.answered(Effect::Unclear, Keyed);
        action.answered(effect, Keyed);
        assert_eq!(!action.ambiguous, is_clear, "{effect:?}");
    }
}

#[test]
fn a_holder_that_tries_no_more_says_what_is_known() {
    let clear = held(Keyed).exhausted(None, "503.");
    assert_eq!(
        clear,
        Outcome::failed(None, "503. Given up. It was not done.")
    );
    let mut unclear = held(Keyed);
    unclear.answered(Effect::Unclear, Keyed);
    let unclear = unclear.exhausted(None, "500.");
    assert_eq!(unclear.state, Unknown);
    let says = unclear.error.unwrap();
    assert!(
        says.starts_with("500. Given up. It may have been done"),
        "{says}"
    );
}

#[test]
fn a_released_action_waits_for_its_message() {
    let mut action = held(Keyed);
    action.release(at(5));
    assert_eq!((action.state, action.lease_until), (Queued, None));
    assert_eq!(action.due_at, Some(at(5 + AgentAction::DELIVERY)));
    assert_eq!((action.token, action.attempts), (1, 1));
}

#[test]
fn an_outcome_ends_it_with_its_answer() {
    for (outcome, saved) in [
        (
            Outcome::succeeded(Some(answer(200, json!({"ok": true})))),
            25,
        ),
        (Outcome::failed(None, "No."), 0),
        (Outcome::unknown(None, "Who knows."), 0),
    ] {
        let mut action = held(Keyed);
        action.record(&outcome, at(40));
        assert_eq!(action.state, outcome.state);
        assert_eq!((action.lease_until, action.due_at), (None, None));
        assert_eq!(action.saved(), saved);
        let result = action.result().unwrap();
        assert_eq!(result.success, outcome.state == Succeeded);
        assert_eq!(result.response, outcome.response);
        assert_eq!(result.error, outcome.error);
        assert_eq!((result.executed_at, result.duration), (at(40), 40));
    }
    assert_eq!(held(Keyed).result(), None);
}

#[test]
fn given_up_it_is_failed_unless_a_call_may_have_taken_effect() {
    for (mut action, outcome) in unclaimed() {
        let outcome = if outcome == Skipped { Failed } else { outcome };
        assert_eq!(action.give_up("Why.", at(5)), Some(outcome));
        assert_eq!(error(&action), "Why.");
    }
    let mut dead = held(Keyed);
    assert_eq!(dead.give_up("Why.", at(LEASE)), Some(Unknown));
}

#[test]
fn the_sweeper_waits_twice_as_long_each_time_up_to_an_hour() {
    let mut action = queued();
    let mut pauses = Vec::new();
    while action.may_be_resent() {
        action.resent(at(0));
        pauses.push(action.due_at.unwrap().millis() / 1_000);
    }
    assert_eq!(pauses[..8], [30, 60, 120, 240, 480, 960, 1_920, 3_600]);
    assert_eq!(pauses[8..], [3_600; 8]);
    assert_eq!(action.state, Queued);
}

#[test]
fn approved_again_it_begins_anew_after_its_done_steps() {
    let mut action = held(Unkeyed);
    action.answered(Effect::Done, Unkeyed);
    action.record(&Outcome::failed(None, "No."), at(5));
    (action.ambiguous, action.sending) = (true, true);
    action.approve_again(Some("second"), at(9));
    let mut fresh = queued();
    fresh.trace_id = Some("second".into());
    fresh.steps_done = 1;
    fresh.token = 1;
    fresh.due_at = Some(at(9 + AgentAction::DELIVERY));
    fresh.updated_at = at(9);
    assert_eq!(action, fresh);
}

#[test]
fn a_step_has_one_key_for_all_its_attempts() {
    let mut action = queued();
    assert_eq!(action.idempotency_key(0), "wd-1-7-s7-p1-a1-1");
    assert_eq!(action.idempotency_key(1), "wd-1-7-s7-p1-a1-2");
    action.approve_again(None, at(5));
    assert_eq!(action.idempotency_key(0), "wd-1-7-s7-p1-a1-1");
}
