//! Effects that actions claim.

use ActionState::{Failed, Queued, Running, Skipped, Succeeded, Unknown};
use Hold::{DoneRecently, EffectInProgress, EffectUnknown};

use super::{actions::context, *};

/// An action that ended at 0, after a step of this method.
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

/// The last claim of a record, by an action.
fn claimed_by(owner: Option<&AgentAction>) -> OtherClaim {
    OtherClaim {
        record: "usage_batch/ub_1001".into(),
        by: queued().key,
        at: at(0),
        is_last: true,
        owner: owner.cloned(),
    }
}

fn held_by(owner: Option<&AgentAction>, content: &ActionContent) -> Option<Hold> {
    let held = claimed_by(owner).held(content, false, at(5));
    held.map(|held| held.hold)
}

#[test]
fn a_record_that_another_holds_keeps_an_action_back() {
    for (owner, code) in [
        (ended(Running, 0, "POST"), "effect_in_progress"),
        (ended(Unknown, 0, "POST"), "effect_unknown"),
        (ended(Succeeded, 2, "POST"), "done_recently"),
    ] {
        let mut action = queued();
        let held = claimed_by(Some(&owner)).held(&action.content, false, at(5));
        let context = ClaimContext {
            held: held.into_iter().collect(),
            ..context(Idempotency::Keyed)
        };
        let claim = transition::claim(&mut action, &context, 1_000, at(5));
        assert_eq!(claim, Claim::Ended(Skipped), "{code}");
        let says = action.end.error.unwrap();
        assert!(says.starts_with(&format!("{code}: ")), "{says}");
        assert!(says.contains("session 7"), "{says}");
        let effect = "reprocess_usage_batch of `usage_batch/ub_1001`";
        assert!(says.contains(effect), "{says}");
    }
}

/// Its claim would be refused at that moment. Whether it is refused is decided at its turn.
#[test]
fn an_action_waits_while_the_one_that_comes_first_holds_its_record() {
    let first = ended(Running, 0, "POST");
    let mut action = queued();
    let held = claimed_by(Some(&first)).held(&action.content, true, at(5));
    assert_eq!(held.as_ref().unwrap().hold, EffectInProgress);
    for (before, unless) in [(vec![Some(Running)], vec![]), (vec![], vec![Some(Running)])] {
        let context = ClaimContext {
            before,
            unless,
            held: held.clone().into_iter().collect(),
            ..context(Idempotency::Keyed)
        };
        assert_eq!(
            transition::claim(&mut action, &context, 1_000, at(5)),
            Claim::Busy
        );
        assert_eq!(action.state, Queued);
    }
}

/// Actions of another type wait for the end, and read again. The same effect is not repeated.
#[test]
fn only_the_same_effect_is_kept_back_after_its_end() {
    let pays = |action_type, target_system: &str| {
        let mut content = queued().content;
        content.action_type = action_type;
        content.target_system = target_system.into();
        content.money = Some(MoneyMoved {
            direction: MoneyDirection::CustomerPays,
            amount: None,
        });
        content
    };
    let mut retry = ended(Succeeded, 2, "POST");
    retry.content = pays(ActionType::RetryPayment, "payments");
    let mut void = pays(ActionType::VoidInvoice, "billing");
    void.money.as_mut().unwrap().direction = MoneyDirection::CustomerOwesLess;
    // Another system collects the same debt.
    let again = pays(ActionType::RetryInvoice, "stripe");
    for (state, of_void, of_again) in [
        (Queued, Some(EffectInProgress), Some(EffectInProgress)),
        (Running, Some(EffectInProgress), Some(EffectInProgress)),
        (Unknown, Some(EffectUnknown), Some(EffectUnknown)),
        (Succeeded, None, Some(DoneRecently)),
        (Failed, None, None),
        (Skipped, None, None),
    ] {
        retry.state = state;
        retry.progress.steps_done = if state == Succeeded { 2 } else { 0 };
        assert_eq!(held_by(Some(&retry), &void), of_void, "{state:?}");
        assert_eq!(held_by(Some(&retry), &again), of_again, "{state:?}");
    }
    assert_eq!(held_by(None, &void), Some(EffectUnknown));
}

/// Until its effect was read, the systems may not agree on the record.
#[test]
fn a_record_is_held_until_the_effect_was_checked() {
    let mut owner = ended(Succeeded, 2, "POST");
    let other = ActionContent {
        action_type: ActionType::VoidInvoice,
        ..queued().content
    };
    owner.content.verify = Some(Verification {
        effective: vec![preconditions::is("batch.state", "processed")],
        fails_if: Vec::new(),
        amount: None,
        within: span::HOUR,
    });
    owner.checks.effect = Some(CheckRecord::first(Some(at(0))));
    assert_eq!(held_by(Some(&owner), &other), Some(EffectInProgress));
    // An action that comes after it does not wait for its checks.
    assert_eq!(claimed_by(Some(&owner)).held(&other, true, at(5)), None);
    owner
        .checks
        .effect
        .as_mut()
        .unwrap()
        .status = CheckStatus::Done;
    assert_eq!(held_by(Some(&owner), &other), None);
}

/// Another action claimed the record since, which it did when this one held nothing.
#[test]
fn an_earlier_claim_counts_only_for_what_was_done() {
    for (state, hold) in [
        (Queued, None),
        (Unknown, None),
        (Succeeded, Some(DoneRecently)),
    ] {
        let earlier = OtherClaim {
            is_last: false,
            ..claimed_by(Some(&ended(state, 2, "POST")))
        };
        let held = earlier.held(&queued().content, false, at(5));
        assert_eq!(held.map(|held| held.hold), hold, "{state:?}");
    }
}

#[test]
fn a_guard_names_each_action_once_and_the_last_one_last() {
    let keys = [FIRST, SECOND, FIRST]
        .map(|id| ActionKey::new(queued().key.organization_id, queued().key.session_id, id));
    let mut guard: Option<RecordGuard> = None;
    for (at_millis, key) in (0..).zip(&keys) {
        let record = "usage_batch/ub_1001";
        let now = at(at_millis);
        guard = Some(RecordGuard::claimed(
            guard.as_ref(),
            record,
            (key, &queued().content),
            now,
        ));
    }
    let guard = guard.unwrap();
    let named = guard
        .claims
        .iter()
        .map(|claim| (&*claim.action_id, claim.at));
    assert!(named.eq([(SECOND, at(1)), (FIRST, at(2))]));
    let others = |key: &ActionKey, now| guard.others("x", key, &queued().content, at(now));
    let [other] = others(&keys[0], 5).try_into().unwrap();
    assert!(!other.is_last && other.by == keys[1]);
    let later = COOLDOWN + AgentAction::PATIENCE + 1;
    assert!(others(&keys[0], later).is_empty());
    // The last one may be unknown for ever.
    assert!(others(&keys[1], later)[0].is_last);
    // A guard of an earlier release reads as well.
    let stored = json!({
        "effect": {"lock": "invoice/inv_1"}, "organizationId": 1, "sessionId": 7, "actionId": FIRST,
        "claimedAt": at(0), "tries": [{"sessionId": 7, "actionId": FIRST, "round": 1, "at": at(0)}],
    });
    let old: RecordGuard = serde_json::from_value(stored).unwrap();
    assert!(old.others("invoice/inv_1", &keys[1], &queued().content, at(5))[0].is_last);
}

/// A connection at a host, which reaches an account.
fn system(kind: &str, host: &str, account: Option<&str>) -> RecordSystem {
    let mut system = json!({"kind": kind, "origin": format!("https://{host}")});
    if let Some(account) = account {
        system["account"] = account.into();
    }
    serde_json::from_value(system).unwrap()
}

#[test]
fn records_of_two_systems_are_two_records() {
    let record = "invoice/inv_1";
    let of = |system: Option<RecordSystem>| {
        let mut content = queued().content;
        content.records = vec![record.to_owned()];
        content.systems = system
            .map(|system| (record.to_owned(), system))
            .into_iter()
            .collect();
        content
    };
    let [first, second] = [FIRST, SECOND]
        .map(|id| ActionKey::new(queued().key.organization_id, queued().key.session_id, id));
    for (claimed, other, is_one_record) in [
        (("billing", "us", None), ("billing", "eu", None), false),
        // One system, through two connections.
        (("billing", "us", None), ("billing", "us", None), true),
        (
            ("billing", "us", Some("a")),
            ("billing", "us", Some("b")),
            false,
        ),
        (
            ("billing", "us", Some("a")),
            ("billing", "eu", Some("a")),
            true,
        ),
        // One account is not known.
        (("billing", "us", Some("a")), ("billing", "us", None), true),
        (("billing", "us", Some("a")), ("billing", "eu", None), false),
        // Both may know the record.
        (("billing", "us", None), ("payments", "eu", None), true),
    ] {
        let system = |(kind, host, account)| Some(system(kind, host, account));
        let claimed = of(system(claimed));
        let other = of(system(other));
        let guard = RecordGuard::claimed(None, record, (&first, &claimed), at(0));
        let others = guard.others(record, &second, &other, at(5));
        assert_eq!(
            others.len(),
            usize::from(is_one_record),
            "{claimed:?} {other:?}"
        );
    }
    // A system that is not known, and a claim of an earlier release, may be any.
    let of_billing = of(Some(system("billing", "us", None)));
    for (claimed, other) in [
        (of(None), of_billing.clone()),
        (of_billing.clone(), of(None)),
    ] {
        let guard = RecordGuard::claimed(None, record, (&first, &claimed), at(0));
        assert_eq!(
            guard
                .others(record, &second, &other, at(5))
                .len(),
            1
        );
    }
}

/// Otherwise a claim in one system would hide what is under way in the other.
#[test]
fn the_last_claim_is_that_of_the_same_system() {
    let record = "invoice/inv_1";
    let of = |host: &str| {
        let mut content = queued().content;
        content.systems = [(record.to_owned(), system("billing", host, None))].into();
        content
    };
    let key = |id| ActionKey::new(queued().key.organization_id, queued().key.session_id, id);
    let us = RecordGuard::claimed(None, record, (&key("us"), &of("us")), at(0));
    let both = RecordGuard::claimed(Some(&us), record, (&key("eu"), &of("eu")), at(1));
    let [other] = both
        .others(record, &key("next"), &of("us"), at(5))
        .try_into()
        .unwrap();
    assert!(other.is_last && other.by == key("us"));
    let stored = json!(both);
    assert_eq!(serde_json::from_value::<RecordGuard>(stored).unwrap(), both);
}

/// Its call may have been sent, so `skipped` would be wrong.
#[test]
fn an_action_that_may_have_had_its_effect_is_not_skipped() {
    let mut action = queued();
    action.progress.call.ambiguous = true;
    let held = claimed_by(None).held(&action.content, false, at(5));
    let context = ClaimContext {
        held: held.into_iter().collect(),
        ..context(Idempotency::Keyed)
    };
    assert_eq!(
        transition::claim(&mut action, &context, 1_000, at(5)),
        Claim::Ended(Unknown)
    );
}

/// A proposal of an earlier release names no records, so that nothing would keep others away.
#[test]
fn an_action_without_records_is_not_run() {
    let mut action = queued();
    action.content.records.clear();
    let claim = transition::claim(&mut action, &context(Idempotency::Keyed), 1_000, at(5));
    assert_eq!(claim, Claim::Ended(Skipped));
    assert!(
        action
            .end
            .error
            .unwrap()
            .starts_with("content_changed: ")
    );
}

/// A card is charged at most so often, however many sessions and rounds try it.
#[test]
fn an_effect_is_tried_only_so_often() {
    let limit = Attempts {
        most: 2,
        within: 30 * span::DAY,
        apart: span::DAY,
    };
    let mut tries = Vec::new();
    for (at_millis, allowed) in [
        (0, true),
        // Another round within two seconds, within a day, and after it.
        (2_000, false),
        (span::DAY - 1, false),
        (span::DAY, true),
        (3 * span::DAY, false),
        (30 * span::DAY - 1, false),
        (30 * span::DAY, true),
    ] {
        let refused = limit.refuse(&tries, at(at_millis));
        assert_eq!(refused.is_none(), allowed, "{at_millis}: {refused:?}");
        if allowed {
            tries.push(at(at_millis));
        }
    }
    // Tries of others count, and those of its own earlier rounds.
    for is_own in [true, false] {
        let mut action = queued();
        action.content.attempts = Some(limit);
        action.round.approvals[0].digest = Some(action.digest());
        let mut context = context(Idempotency::Keyed);
        let round = 0;
        let at_0 = at(0);
        context.tries = vec![Vec::new()];
        if is_own {
            action.progress.tries = vec![Try { round, at: at_0 }];
        } else {
            context.tries.push(vec![at_0]);
        }
        let claim = transition::claim(&mut action, &context, span::MINUTE, at(5));
        assert_eq!(claim, Claim::Ended(Skipped));
        assert!(
            action
                .end
                .error
                .unwrap()
                .starts_with("attempts_reached: ")
        );
    }
}

type Step = fn(&mut AgentAction);

/// A try counts when something was asked of the other side.
#[test]
fn what_asked_nothing_of_the_other_side_is_no_try() {
    let transfer = Some(MoneyMoved {
        direction: MoneyDirection::CustomerPays,
        amount: None,
    });
    let claimed = |money: Option<MoneyMoved>| {
        let mut action = queued();
        action.content.money = money;
        action.round.approvals[0].digest = Some(action.digest());
        let context = context(Idempotency::Keyed);
        assert_eq!(
            transition::claim(&mut action, &context, span::MINUTE, at(5)),
            Claim::Held(())
        );
        assert_eq!(action.progress.tries.len(), 1);
        action
    };
    let cases: [(Step, bool, bool); 9] = [
        // Its precondition does not hold, its session was cancelled, or no time was left.
        (transition::not_sent, false, false),
        // 429, or a refused connection.
        (
            |action| _ = transition::answered(action, Effect::NotNow, Idempotency::Keyed),
            false,
            false,
        ),
        (|action| refused(action, Some(401)), false, false),
        (|action| refused(action, Some(404)), false, false),
        (|action| refused(action, None), false, false),
        // A bank may have declined it. For what moves no money, the refusal proves that nothing was
        // done.
        (|action| refused(action, Some(402)), true, false),
        (|action| refused(action, Some(422)), true, false),
        (
            |action| _ = transition::answered(action, Effect::Unclear, Idempotency::Keyed),
            true,
            true,
        ),
        (
            |action| _ = transition::answered(action, Effect::Done, Idempotency::Keyed),
            true,
            true,
        ),
    ];
    for (place, (step, of_money, of_others)) in cases.into_iter().enumerate() {
        for (money, counts) in [(transfer.clone(), of_money), (None, of_others)] {
            let mut action = claimed(money);
            step(&mut action);
            assert_eq!(!action.progress.tries.is_empty(), counts, "{place}");
            // A repeat of an unclear call that is refused for now takes nothing back.
            if action.progress.call.ambiguous {
                transition::answered(&mut action, Effect::NotNow, Idempotency::Keyed);
                assert!(!action.progress.tries.is_empty(), "{place}");
            }
        }
    }
}

fn refused(action: &mut AgentAction, status: Option<u16>) {
    transition::answered(action, Effect::Refused, Idempotency::Keyed);
    transition::refused(action, status);
}
