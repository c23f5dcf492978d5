//! Effects that actions claim.

use ActionState::{Failed, Queued, Running, Skipped, Succeeded, Unknown};
use Hold::{DoneRecently, EffectInProgress, EffectUnknown};

use super::{actions::around, *};

/// An action that ended at 0, after a step with that method.
fn ended(state: ActionState, steps_done: i64, method: &str) -> AgentAction {
    let mut action = queued();
    action.content.steps = vec![step(method), step("POST")];
    action.progress.steps_done = steps_done;
    action.state = state;
    action.end.at = Some(at(0));
    action
}

#[test]
fn an_action_holds_its_effects_for_as_long_as_it_may_have_them() {
    for (state, steps_done, method, hold) in [
        (Queued, 0, "POST", Some(EffectInProgress)),
        (Running, 0, "POST", Some(EffectInProgress)),
        (Unknown, 0, "POST", Some(EffectUnknown)),
        (Succeeded, 2, "POST", Some(DoneRecently)),
        (Failed, 0, "POST", None),
        (Skipped, 0, "POST", None),
        // A read changes nothing.
        (Failed, 1, "GET", None),
        (Failed, 1, "POST", Some(DoneRecently)),
    ] {
        let action = ended(state, steps_done, method);
        let is_over = hold == Some(DoneRecently);
        assert_eq!(action.holds(at(COOLDOWN - 1)), hold, "{action:?}");
        let later = hold.filter(|_| !is_over);
        assert_eq!(action.holds(at(COOLDOWN)), later, "{action:?}");
    }
}

fn guard() -> EffectGuard {
    let owner = ended(Succeeded, 2, "POST");
    EffectGuard {
        effect: owner.content.effects().next().unwrap(),
        by: owner.key,
        claimed_at: at(0),
        tries: Vec::new(),
    }
}

#[test]
fn an_effect_that_another_holds_keeps_an_action_back() {
    for (owner, code) in [
        (ended(Running, 0, "POST"), "effect_in_progress"),
        (ended(Unknown, 0, "POST"), "effect_unknown"),
        (ended(Succeeded, 2, "POST"), "done_recently"),
    ] {
        let held = HeldEffect::of(&guard(), Some(&owner), at(5)).unwrap();
        let mut action = queued();
        let around = Surroundings {
            held: vec![held],
            ..around(Idempotency::Keyed)
        };
        let claim = action.claim(&around, 1_000, at(5));
        assert_eq!(claim, Claim::Ended(Skipped), "{code}");
        let says = action.end.error.unwrap();
        assert!(says.starts_with(&format!("{code}: ")), "{says}");
        assert!(says.contains("session 7"), "{says}");
        assert!(
            says.contains("reprocess_usage_batch of `ub_1001` in billing"),
            "{says}"
        );
    }
}

#[test]
fn of_an_owner_that_does_not_read_nothing_is_known() {
    let held = HeldEffect::of(&guard(), None, at(5)).unwrap();
    assert_eq!(held.hold, EffectUnknown);
    let failed = ended(Failed, 0, "POST");
    assert_eq!(HeldEffect::of(&guard(), Some(&failed), at(5)), None);
}

#[test]
fn a_guard_is_of_one_action_of_one_session() {
    let mut action = queued();
    assert!(guard().is_of(&action));
    action.key.action_id = SECOND.into();
    assert!(!guard().is_of(&action));
    action = queued();
    action.key.session_id = Id::new(8).unwrap();
    assert!(!guard().is_of(&action));
}

/// Its call may have been sent, so `skipped` would be wrong.
#[test]
fn an_action_that_may_have_had_its_effect_is_not_skipped() {
    let mut action = queued();
    action.progress.call.ambiguous = true;
    let held = HeldEffect::of(&guard(), None, at(5)).unwrap();
    let around = Surroundings {
        held: vec![held],
        ..around(Idempotency::Keyed)
    };
    assert_eq!(action.claim(&around, 1_000, at(5)), Claim::Ended(Unknown));
}

/// A card is charged at most so often, however many sessions and rounds try it.
#[test]
fn an_effect_is_tried_only_so_often() {
    let limit = Attempts {
        most: 2,
        within: 30 * span::DAY,
        apart: span::DAY,
    };
    let mut action = queued();
    action.content.attempts = Some(limit);
    action.round.approvals[0].digest = Some(action.digest());
    let effect = || action.content.effects().next().unwrap();
    let mut guard: Option<EffectGuard> = None;
    for (at_millis, claimed) in [
        (0, true),
        // Another round within two seconds, within a day, and after it.
        (2_000, false),
        (span::DAY - 1, false),
        (span::DAY, true),
        (3 * span::DAY, false),
        (30 * span::DAY - 1, false),
        (30 * span::DAY, true),
    ] {
        let mut round = action.clone();
        round.round.number = at_millis;
        let tries = guard.as_ref().map(|guard| guard.tries_before(&round));
        let refused = limit.refuse(&tries.unwrap_or_default(), at(at_millis));
        assert_eq!(refused.is_none(), claimed, "{at_millis}: {refused:?}");
        if claimed {
            let claimed = EffectGuard::claimed(guard.as_ref(), effect(), &round, at(at_millis));
            // A repeated claim of the same round is no other try.
            let again = EffectGuard::claimed(Some(&claimed), effect(), &round, at(at_millis + 1));
            assert_eq!(again.tries, claimed.tries);
            guard = Some(claimed);
        }
    }
    let around = Surroundings {
        tries: vec![vec![at(0)]],
        ..around(Idempotency::Keyed)
    };
    assert_eq!(
        action.claim(&around, span::MINUTE, at(5)),
        Claim::Ended(ActionState::Skipped)
    );
    assert!(action.end.error.unwrap().starts_with("attempts_reached: "));
}
