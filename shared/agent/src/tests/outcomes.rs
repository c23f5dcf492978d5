//! Outcomes of approved actions: answers, retries and savings.

use ActionState::{Failed, Running, Skipped, Succeeded, Unknown};
use Idempotency::{Keyed, Unkeyed};

use super::{
    actions::{LEASE, context, error, held, unclaimed},
    *,
};

#[test]
fn a_holder_that_is_stopped_between_two_calls_knows_what_it_sent() {
    let mut halfway = held(Keyed);
    transition::answered(&mut halfway, Effect::Done, Keyed);
    let mut unclear = held(Keyed);
    transition::answered(&mut unclear, Effect::Unclear, Keyed);
    let mut refused = held(Unkeyed);
    transition::answered(&mut refused, Effect::NotNow, Unkeyed);
    transition::sends(&mut refused, Unkeyed, at(0));
    transition::not_sent(&mut refused);
    for (action, outcome) in [
        // The claim alone proves no call.
        (held(Keyed), Skipped),
        (refused, Skipped),
        (halfway, Failed),
        (unclear, Unknown),
    ] {
        assert_eq!(
            transition::stopped(&action, None).state,
            outcome,
            "{action:?}"
        );
        assert_eq!(action.state, Running);
    }
}

#[test]
fn an_answer_says_how_it_goes_on() {
    for (effect, target, ends) in [
        (Effect::Done, Keyed, None),
        (Effect::Done, Unkeyed, None),
        (Effect::DoneBefore, Keyed, None),
        (Effect::Refused, Keyed, Some(Failed)),
        (Effect::Refused, Unkeyed, Some(Failed)),
        (Effect::NotNow, Keyed, None),
        (Effect::NotNow, Unkeyed, None),
        (Effect::Unclear, Keyed, None),
        (Effect::Unclear, Unkeyed, Some(Unknown)),
        (Effect::Undecided, Keyed, Some(Unknown)),
        (Effect::UnderWay, Unkeyed, Some(Unknown)),
    ] {
        let mut action = held(target);
        assert_eq!(
            transition::answered(&mut action, effect, target),
            ends,
            "{effect:?}"
        );
        let before = effect == Effect::DoneBefore;
        assert_eq!(action.progress.already_done, i64::from(before));
        let is_done = before || effect == Effect::Done;
        assert_eq!(action.progress.steps_done, i64::from(is_done));
        let is_open = action.progress.call.sending || action.progress.call.ambiguous;
        let is_unclear = StepStatus::from(effect) == StepStatus::Unclear;
        assert_eq!(is_open, is_unclear, "{effect:?} {target:?}");
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
        transition::answered(&mut action, Effect::Unclear, Keyed);
        transition::answered(&mut action, effect, Keyed);
        assert_eq!(!action.progress.call.ambiguous, is_clear, "{effect:?}");
    }
}

#[test]
fn a_holder_that_tries_no_more_says_what_is_known() {
    let clear = transition::exhausted(&held(Keyed), None, "503.");
    let not_done = Outcome::failed(None, "503. Given up. It was not done.");
    assert_eq!(clear, not_done);
    let mut halfway = held(Keyed);
    transition::answered(&mut halfway, Effect::Done, Keyed);
    let halfway = transition::exhausted(&halfway, None, "429.");
    assert_eq!(halfway.state, Failed);
    assert!(
        halfway
            .error
            .unwrap()
            .contains("steps before it are done")
    );
    let mut unclear = held(Keyed);
    transition::answered(&mut unclear, Effect::Unclear, Keyed);
    let unclear = transition::exhausted(&unclear, None, "500.");
    assert_eq!(unclear.state, Unknown);
    let says = unclear.error.unwrap();
    let given_up = "500. Given up. The call may have been done";
    assert!(says.starts_with(given_up), "{says}");
}

#[test]
fn pauses_grow_up_to_half_an_hour_or_as_long_as_is_asked_for() {
    let mut action = queued();
    let mut pauses = Vec::new();
    for attempt in 1..=8 {
        action.progress.attempts = attempt;
        pauses.push(
            transition::next_attempt(&action, None, at(5))
                .unwrap()
                .since(at(5))
                / span::MINUTE,
        );
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
    action.progress.attempts = 1;
    for (requested, pause) in [(span::SECOND, span::MINUTE), (span::HOUR, span::HOUR)] {
        let next = transition::next_attempt(&action, Some(requested), at(5));
        assert_eq!(next, Some(at(5 + pause)));
    }
    let too_late = AgentAction::PATIENCE - span::MINUTE;
    assert_eq!(transition::next_attempt(&action, None, at(too_late)), None);
    assert!(transition::next_attempt(&action, None, at(too_late - 1)).is_some());
    assert_eq!(
        transition::next_attempt(&action, Some(i64::MAX), at(5)),
        None
    );
}

#[test]
fn what_had_been_done_before_saves_nothing_and_puts_nothing_right() {
    for (effect, saved) in [(Effect::Done, 25), (Effect::DoneBefore, 0)] {
        let mut action = held(Keyed);
        transition::answered(&mut action, effect, Keyed);
        transition::record(&mut action, &Outcome::succeeded(None), at(40));
        assert_eq!((action.saved(), action.fixes_records()), (saved, saved > 0));
        let minutes = Saving::of(&action).map_or(0, |saving| saving.minutes);
        assert_eq!(minutes, saved);
        // A message fixes nothing.
        action.content.action_type = ActionType::NotifyCustomer;
        assert!(!action.fixes_records());
    }
}

#[test]
fn an_outcome_ends_it_with_its_answer() {
    let response = Some(excerpt(200, json!({"ok": true})));
    for (outcome, saved) in [
        (Outcome::succeeded(response), 25),
        (Outcome::failed(None, "No."), 0),
        (Outcome::unknown(None, "Who knows."), 0),
    ] {
        let mut action = held(Keyed);
        transition::record(&mut action, &outcome, at(40));
        assert_eq!(action.state, outcome.state);
        let schedule = action.schedule;
        assert_eq!((schedule.lease_until, schedule.due_at), (None, None));
        assert_eq!(action.saved(), saved);
        let result = action.result().unwrap();
        assert_eq!(result.success, outcome.state == Succeeded);
        let hash = outcome
            .response
            .as_ref()
            .map(Excerpt::hash);
        assert_eq!(result.excerpt_hash, hash);
        assert_eq!(result.error, outcome.error);
        assert_eq!((result.executed_at, result.duration), (at(40), 40));
    }
    assert_eq!(held(Keyed).result(), None);
}

#[test]
fn given_up_it_is_failed_unless_a_call_may_have_taken_effect() {
    for (mut action, outcome) in unclaimed() {
        let outcome = if outcome == Skipped { Failed } else { outcome };
        assert_eq!(
            transition::give_up(&mut action, "Why.", at(5)),
            Some(outcome)
        );
        assert_eq!(error(&action), "Why.");
    }
    let mut dead = held(Keyed);
    assert_eq!(
        transition::give_up(&mut dead, "Why.", at(LEASE)),
        Some(Unknown)
    );
}

#[test]
fn minutes_that_cannot_be_counted_at_once_are_due() {
    for (outcome, later) in [
        (Outcome::succeeded(None), true),
        (Outcome::failed(None, "No."), false),
    ] {
        let mut action = held(Keyed);
        transition::record(&mut action, &outcome, at(40));
        transition::count_later(&mut action, at(40));
        let due = later.then(|| at(40 + span::MINUTE));
        assert_eq!(action.schedule.uncounted, later);
        assert_eq!(action.schedule.due_at, due);
        transition::counted(&mut action);
        assert!(!action.schedule.uncounted);
        assert_eq!(action.schedule.due_at, None);
    }
}

#[test]
fn an_action_whose_alert_was_resolved_is_not_claimed() {
    let resolved = ClaimContext {
        is_resolved: true,
        ..context(Keyed)
    };
    let mut waits = queued();
    assert_eq!(
        transition::claim(&mut waits, &resolved, LEASE, at(5)),
        Claim::Ended(Skipped)
    );
    assert!(error(&waits).starts_with("alert_resolved: "));
    // A 429 proves that nothing was done.
    let mut deferred = held(Keyed);
    transition::answered(&mut deferred, Effect::NotNow, Keyed);
    transition::release(&mut deferred, at(6), at(5));
    assert!(deferred.depends_on_alert());
    assert_eq!(
        transition::stopped_by_resolution(&deferred, None).state,
        Skipped
    );
    assert_eq!(claim_in(&mut deferred, &resolved, 6), Claim::Ended(Skipped));
    // A call that may have taken effect is followed to its end.
    let mut unclear = held(Keyed);
    transition::answered(&mut unclear, Effect::Unclear, Keyed);
    assert!(!unclear.depends_on_alert());
    transition::release(&mut unclear, at(6), at(5));
    assert_eq!(
        transition::claim(&mut unclear, &resolved, LEASE, at(6)),
        Claim::Held(())
    );
}
