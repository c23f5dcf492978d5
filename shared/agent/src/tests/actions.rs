//! Claims of approved actions, cancellation and approval again.

use ActionState::{Failed, Queued, Running, Skipped, Succeeded, Unknown};
use AgentSessionStatus::{Cancelled, Cancelling, Executing};
use Idempotency::{Keyed, Unkeyed};

use super::*;

pub(super) const LEASE: i64 = 60_000;

/// An action approved and claimed at 0.
pub(super) fn held(target: Idempotency) -> AgentAction {
    let mut action = queued();
    assert_eq!(claim(&mut action, target, 0), Claim::Held(()));
    action
}

fn claim(action: &mut AgentAction, target: Idempotency, now: i64) -> Claim {
    transition::claim(action, &context(target), LEASE, at(now))
}

pub(super) fn called(idempotency: Idempotency, revision: i64) -> Called {
    Called {
        idempotency,
        revision,
        kept_for: span::DAY,
    }
}

/// A claim context without obstacles.
pub(super) fn context(target: Idempotency) -> ClaimContext {
    ClaimContext {
        session: Executing,
        connection: Some(called(target, 1)),
        deferred_until: None,
        stack: "stack".into(),
        before: Vec::new(),
        unless: Vec::new(),
        tries: Vec::new(),
        held: Vec::new(),
        policy: AgentPolicy::none(Id::new(1).unwrap()),
        approvers: everybody(),
        proposers: Vec::new(),
        is_resolved: false,
        restored: None,
    }
}

/// A claim of an action that is sent through this connection.
fn through(called: Called) -> ClaimContext {
    ClaimContext {
        connection: Some(called),
        ..context(called.idempotency)
    }
}

pub(super) fn in_session(session: AgentSessionStatus, target: Idempotency) -> ClaimContext {
    ClaimContext {
        session,
        ..context(target)
    }
}

pub(super) fn error(action: &AgentAction) -> &str {
    action
        .end
        .error
        .as_deref()
        .unwrap_or_default()
}

#[test]
fn a_claim_takes_a_lease_and_raises_the_token() {
    let mut action = queued();
    action.schedule.resends = 3;
    assert_eq!(claim(&mut action, Keyed, 5), Claim::Held(()));
    assert_eq!(action.state, Running);
    assert_eq!(action.fence.token, 1);
    assert_eq!(action.progress.attempts, 1);
    assert_eq!(action.schedule.resends, 0);
    assert_eq!(action.schedule.lease_until, Some(at(5 + LEASE)));
    assert_eq!(action.schedule.due_at, Some(at(5 + AgentAction::DELIVERY)));
    assert_eq!(action.progress.started_at, Some(at(5)));
    assert!(!action.progress.call.sending && !action.progress.call.ambiguous);
    // The call to a system without keys is noted before it is sent.
    assert!(held(Unkeyed).progress.call.sending);
}

#[test]
fn nobody_takes_what_somebody_holds() {
    let mut action = held(Keyed);
    let before = action.clone();
    assert!(action.is_held(at(LEASE - 1)));
    assert_eq!(claim(&mut action, Keyed, LEASE - 1), Claim::Busy);
    let cancelled = transition::claim(
        &mut action,
        &in_session(Cancelling, Keyed),
        LEASE,
        at(LEASE - 1),
    );
    assert_eq!(cancelled, Claim::Busy);
    assert_eq!(
        transition::give_up(&mut action, "Why.", at(LEASE - 1)),
        None
    );
    assert_eq!(action, before);
    assert!(!action.is_held(at(LEASE)));
}

#[test]
fn after_the_lease_a_keyed_call_may_have_been_sent_and_is_sent_again() {
    let mut action = held(Keyed);
    assert_eq!(claim(&mut action, Keyed, LEASE), Claim::Held(()));
    assert!(action.progress.call.ambiguous);
    assert_eq!((action.fence.token, action.progress.attempts), (2, 2));
    assert_eq!(action.progress.started_at, Some(at(0)));
}

#[test]
fn after_the_lease_an_unkeyed_call_is_never_sent_again() {
    let mut action = held(Unkeyed);
    assert_eq!(claim(&mut action, Unkeyed, LEASE), Claim::Ended(Unknown));
    assert!(error(&action).contains("not sent again"), "{action:?}");
    assert_eq!((action.state, action.schedule.due_at), (Unknown, None));
    assert!(!action.progress.call.sending);
    // A released action had no call under way.
    let mut action = held(Unkeyed);
    transition::not_sent(&mut action);
    transition::release(&mut action, at(6), at(5));
    assert_eq!(claim(&mut action, Unkeyed, 6), Claim::Held(()));
    assert!(!action.progress.call.ambiguous && action.progress.call.sending);
}

#[test]
fn an_interrupted_call_is_judged_by_how_it_was_sent() {
    // The system lost the key header since the call, or got one since. Either way, a repeat would
    // take effect again.
    for (then, now) in [(Keyed, Unkeyed), (Unkeyed, Keyed), (Unkeyed, Unkeyed)] {
        let mut dead = held(then);
        assert_eq!(claim(&mut dead, now, LEASE), Claim::Ended(Unknown));
        let mut unclear = held(then);
        transition::answered(&mut unclear, Effect::Unclear, then);
        transition::release(&mut unclear, at(6), at(5));
        assert_eq!(claim(&mut unclear, now, 6), Claim::Ended(Unknown));
    }
    let mut clear = held(Keyed);
    transition::answered(&mut clear, Effect::NotNow, Keyed);
    transition::release(&mut clear, at(6), at(5));
    assert_eq!(claim(&mut clear, Unkeyed, 6), Claim::Held(()));
}

#[test]
fn a_call_that_changes_nothing_is_sent_again_whoever_died() {
    for target in [Keyed, Unkeyed] {
        let mut action = queued();
        action.content.steps = vec![step("GET"), step("POST")];
        action.round.approvals[0].digest = Some(action.digest());
        assert_eq!(claim(&mut action, target, 0), Claim::Held(()));
        assert!(!action.progress.call.sending);
        assert_eq!(claim(&mut action, target, LEASE), Claim::Held(()));
        assert!(!action.progress.call.is_open(), "{target:?}");
        // The next call is independent.
        transition::answered(&mut action, Effect::Done, target);
        transition::sends(&mut action, target, at(0));
        assert_eq!(action.progress.call.sending, target == Unkeyed);
    }
}

#[test]
fn what_has_ended_is_over() {
    for state in STATES
        .iter()
        .copied()
        .filter(|state| state.has_ended())
    {
        let mut action = queued();
        action.state = state;
        let before = action.clone();
        assert_eq!(claim(&mut action, Keyed, 5), Claim::Over);
        assert!(!transition::cancel_queued(&mut action, at(5)));
        assert_eq!(transition::give_up(&mut action, "Why.", at(5)), None);
        assert_eq!(action, before);
    }
}

#[test]
fn a_day_after_its_approval_it_is_given_up() {
    let mut unclear = queued();
    unclear.progress.call.ambiguous = true;
    let day = AgentAction::PATIENCE;
    for (mut action, outcome) in [(queued(), Failed), (unclear, Unknown)] {
        let mut later = action.clone();
        // The number of attempts does not matter, nor does the age of the approval of a call that
        // may have taken effect.
        later.progress.attempts = 1_000;
        later.progress.call.ambiguous = true;
        assert_eq!(claim(&mut later, Keyed, day - 1), Claim::Held(()));
        assert_eq!(claim(&mut action, Keyed, day), Claim::Ended(outcome));
        assert!(error(&action).contains("24 hours"), "{action:?}");
        assert_eq!(action.end.at, Some(at(day)));
    }
}

#[test]
fn what_comes_first_is_waited_for_and_must_succeed() {
    for (before, claimed) in [
        (vec![Some(Succeeded)], Claim::Held(())),
        (vec![Some(Succeeded), Some(Queued)], Claim::Busy),
        (vec![Some(Running)], Claim::Busy),
        (vec![Some(Failed), Some(Queued)], Claim::Ended(Skipped)),
        (vec![Some(Unknown)], Claim::Ended(Skipped)),
        (vec![Some(Skipped)], Claim::Ended(Skipped)),
        (vec![None], Claim::Ended(Skipped)),
    ] {
        let mut action = queued();
        let context = ClaimContext {
            before: before.clone(),
            ..context(Keyed)
        };
        assert_eq!(
            transition::claim(&mut action, &context, LEASE, at(5)),
            claimed,
            "{before:?}"
        );
        let why = "predecessor_not_done";
        assert_eq!(error(&action).contains(why), action.state == Skipped);
    }
}

/// Actions as a cancellation may find them, with their outcomes.
pub(super) fn unclaimed() -> [(AgentAction, ActionState); 4] {
    let mut halfway = queued();
    halfway.progress.steps_done = 1;
    let mut ambiguous = queued();
    ambiguous.progress.call.ambiguous = true;
    let mut sending = queued();
    sending.progress.call.sending = true;
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
        for session in STATUSES
            .iter()
            .copied()
            .filter(|status| *status != Executing)
        {
            let mut action = action.clone();
            let claim = transition::claim(&mut action, &in_session(session, Keyed), LEASE, at(5));
            assert_eq!(claim, Claim::Ended(outcome), "{session:?}");
            assert!(error(&action).starts_with("Cancelled"), "{action:?}");
        }
    }
    // Its holder is gone and may have sent the call.
    let claim = transition::claim(
        &mut held(Keyed),
        &in_session(Cancelled, Keyed),
        LEASE,
        at(LEASE),
    );
    assert_eq!(claim, Claim::Ended(Unknown));
    // The session's status may be stale; the action's flag is not.
    let mut stopping = held(Keyed);
    stopping.fence.stopping = true;
    let claimed = self::claim(&mut stopping, Keyed, LEASE);
    assert_eq!(claimed, Claim::Ended(Unknown));
}

#[test]
fn cancelling_ends_what_is_queued_and_nothing_else() {
    for (mut action, outcome) in unclaimed() {
        assert!(transition::cancel_queued(&mut action, at(5)));
        assert_eq!((action.state, action.end.at), (outcome, Some(at(5))));
    }
    let mut running = held(Keyed);
    assert!(!transition::cancel_queued(&mut running, at(5)));
    // A cancellation also spares an action whose holder is gone. The next claim ends it.
    assert!(!transition::cancel_queued(&mut running, at(LEASE)));
    assert_eq!(running.state, Running);
}

#[test]
fn a_released_action_is_not_claimed_before_its_time() {
    let mut action = held(Keyed);
    transition::release(&mut action, at(70), at(5));
    assert_eq!((action.state, action.schedule.lease_until), (Queued, None));
    assert_eq!(action.schedule.due_at, Some(at(70)));
    assert_eq!((action.fence.token, action.progress.attempts), (1, 1));
    // An earlier message does not claim it.
    assert_eq!(claim(&mut action, Keyed, 69), Claim::Busy);
    assert_eq!(claim(&mut action, Keyed, 70), Claim::Held(()));
    assert_eq!(action.schedule.not_before, None);
}

#[test]
fn the_sweeper_waits_twice_as_long_each_time_up_to_an_hour_and_a_day_in_all() {
    let mut action = queued();
    let mut now = at(0);
    let mut pauses = Vec::new();
    while action.may_be_resent(now) {
        transition::resent(&mut action, now);
        let due = action.schedule.due_at.unwrap();
        pauses.push(due.since(now) / span::MINUTE);
        assert!(pauses.len() < 50, "{pauses:?}");
        now = due;
    }
    assert_eq!(pauses[..6], [2, 4, 8, 16, 32, 60]);
    assert_eq!(now, at(AgentAction::PATIENCE));
    assert_eq!(action.state, Queued);
}

#[test]
fn the_sweeper_looks_for_a_dead_holder_after_the_delivery_and_the_lease() {
    let minute = span::MINUTE;
    let margin = AgentAction::LEASE_MARGIN;
    for (lease, visit) in [
        (minute, AgentAction::DELIVERY),
        (3 * minute, 3 * minute + margin),
    ] {
        let mut action = queued();
        transition::claim(&mut action, &context(Keyed), lease, at(0));
        assert_eq!(action.schedule.due_at, Some(at(visit)), "{lease}");
    }
}

#[test]
fn approved_again_it_begins_anew_after_its_done_steps() {
    let mut action = held(Unkeyed);
    transition::answered(&mut action, Effect::Done, Unkeyed);
    transition::record(&mut action, &Outcome::failed(None, "No."), at(5));
    (action.progress.call.ambiguous, action.progress.call.sending) = (true, true);
    action.fence.stopping = true;
    let mut approvals = queued().round.approvals;
    approvals[0].at = at(9);
    let mut session = awaiting();
    session.plan.approved = vec![ids(&[FIRST, SECOND])];
    session.plan.proposed_actions[0].after = vec!["second".into()];
    transition::queue_again(&mut action, &session, approvals, Some("second"), at(9));
    let mut fresh = queued();
    fresh.round.trace_id = Some("second".into());
    fresh
        .round
        .approvals
        .extend(fresh.round.approvals.clone());
    (fresh.round.approvals[1].at, fresh.round.approvals[1].round) = (at(9), 2);
    fresh.round.after = vec![SECOND.into()];
    fresh.progress.stack = Some("stack".into());
    fresh.round.number = 2;
    fresh.round.approved_at = at(9);
    fresh.progress.steps_done = 1;
    fresh.fence.token = 1;
    fresh.progress.tries = action.progress.tries.clone();
    fresh.schedule.due_at = Some(at(9 + AgentAction::DELIVERY));
    fresh.updated_at = at(9);
    assert_eq!(action, fresh);
    assert_eq!(action.round.deadline(), at(9 + AgentAction::PATIENCE));
}

#[test]
fn a_step_has_one_key_for_all_its_attempts_and_another_in_each_round() {
    let mut action = held(Keyed);
    assert_eq!(action.idempotency_key(0), "wd-stack-1-7-s7-p1-a1-1-1");
    assert_eq!(action.idempotency_key(1), "wd-stack-1-7-s7-p1-a1-2-1");
    // A worker of another stack continues: its repeat is the same call.
    let other = ClaimContext {
        stack: "other".into(),
        ..context(Keyed)
    };
    assert_eq!(
        transition::claim(&mut action, &other, LEASE, at(LEASE)),
        Claim::Held(())
    );
    assert_eq!(action.idempotency_key(0), "wd-stack-1-7-s7-p1-a1-1-1");
    transition::queue_again(&mut action, &awaiting(), Vec::new(), None, at(5));
    assert_eq!(action.idempotency_key(0), "wd-stack-1-7-s7-p1-a1-1-2");
}

#[test]
fn what_is_put_off_stays_as_it_is_and_is_due_again() {
    let deferred = |until| ClaimContext {
        deferred_until: Some(at(until)),
        ..context(Keyed)
    };
    let mut action = queued();
    assert_eq!(
        transition::claim(&mut action, &deferred(70), LEASE, at(10)),
        Claim::Deferred
    );
    let mut expected = queued();
    expected.schedule.due_at = Some(at(70));
    expected.schedule.deferred = true;
    expected.updated_at = at(10);
    assert_eq!(action, expected);
    assert_eq!(claim(&mut action, Keyed, 11), Claim::Held(()));
    // A lost holder may have sent a call.
    let later = LEASE + 20;
    let claimed = transition::claim(&mut action, &deferred(later + 60), LEASE, at(later));
    assert_eq!(claimed, Claim::Deferred);
    assert_eq!((action.state, action.progress.attempts), (Running, 1));
    assert_eq!(claim(&mut action, Keyed, later + 1), Claim::Held(()));
    assert!(action.progress.call.ambiguous);
    // The deadline does not wait.
    let late = AgentAction::PATIENCE;
    let mut action = queued();
    action.progress.call.ambiguous = true;
    let until = deferred(late + 50);
    assert_eq!(
        transition::claim(&mut action, &until, LEASE, at(late - 10)),
        Claim::Deferred
    );
    assert_eq!(action.schedule.due_at, Some(at(late)));
    assert_eq!(
        transition::claim(&mut action, &until, LEASE, at(late)),
        Claim::Ended(Unknown)
    );
}

#[test]
fn an_action_without_its_connection_ends_and_sends_nothing() {
    let gone = ClaimContext {
        connection: None,
        ..context(Keyed)
    };
    let mut action = queued();
    assert_eq!(
        transition::claim(&mut action, &gone, LEASE, at(5)),
        Claim::Ended(Failed)
    );
    assert!(error(&action).contains("no_connection"), "{action:?}");
    let mut action = held(Keyed);
    assert_eq!(
        transition::claim(&mut action, &gone, LEASE, at(LEASE)),
        Claim::Ended(Unknown)
    );
}

/// Under another revision, a repeat would be another call. The first call's key would not prevent
/// its effect.
#[test]
fn a_call_is_repeated_through_the_revision_that_it_was_sent_through() {
    let revised = through(called(Keyed, 2));
    let mut action = held(Keyed);
    let claimed = transition::claim(&mut action, &revised, LEASE, at(LEASE));
    assert_eq!(claimed, Claim::Ended(Unknown));
    // An unsent or refused call may use any revision.
    let mut action = held(Keyed);
    assert_eq!(
        transition::answered(&mut action, Effect::NotNow, Keyed),
        None
    );
    transition::release(&mut action, at(10), at(10));
    let mut approved = action.clone();
    assert_eq!(
        transition::claim(&mut action, &revised, LEASE, at(10)),
        Claim::Held(())
    );
    assert_eq!(action.progress.connection_revision, Some(2));
    // An approval for another revision does not count.
    approved.content.connection = Some(ConnectionRevision {
        name: "billing".into(),
        revision: 1,
        account: None,
    });
    approved.round.approvals[0].digest = Some(approved.digest());
    assert_eq!(claim_in(&mut approved, &revised, 10), Claim::Ended(Skipped));
    let error = error(&approved);
    assert!(error.starts_with("content_changed"), "{error}");
}

/// The policy, the approvals and the caps count again for a call that was certainly not made.
#[test]
fn what_was_put_off_by_the_system_is_asked_for_again() {
    let denying = ClaimContext {
        policy: policy(&json!({"rules": [{"deny": true}]})),
        ..context(Keyed)
    };
    let usual = context(Keyed);
    let late = ActionApproval::VALID;
    let skipped = Claim::Ended(Skipped);
    for (effect, context, now, claimed, code) in [
        (Effect::NotNow, &denying, 20, skipped, "policy_denied: "),
        (Effect::Unclear, &denying, 20, Claim::Held(()), ""),
        // An approval is valid for an hour before each call that is certainly the first.
        (Effect::NotNow, &usual, late, skipped, "approval_expired: "),
    ] {
        let mut action = held(Keyed);
        transition::answered(&mut action, effect, Keyed);
        transition::release(&mut action, at(10), at(5));
        assert_eq!(claim_in(&mut action, context, now), claimed, "{effect:?}");
        assert!(error(&action).starts_with(code), "{action:?}");
    }
}

#[test]
fn an_action_that_replaces_another_runs_if_that_did_not_succeed() {
    for (before, claimed) in [
        (Some(Queued), Claim::Busy),
        (Some(Running), Claim::Busy),
        (Some(Failed), Claim::Held(())),
        (Some(Skipped), Claim::Held(())),
        (Some(Succeeded), Claim::Ended(Skipped)),
        (Some(Unknown), Claim::Ended(Skipped)),
        (None, Claim::Ended(Skipped)),
    ] {
        let context = ClaimContext {
            unless: vec![before],
            ..context(Keyed)
        };
        let mut action = queued();
        assert_eq!(
            transition::claim(&mut action, &context, LEASE, at(5)),
            claimed,
            "{before:?}"
        );
        let is_needless = action
            .result()
            .is_some_and(|result| result.is_needless());
        assert_eq!(is_needless, before == Some(Succeeded), "{before:?}");
    }
}

/// A key is kept for so long. After that, the same call would be another one.
#[test]
fn a_call_in_doubt_is_repeated_only_while_its_key_is_kept() {
    let half_an_hour = 30 * span::MINUTE;
    let kept = through(Called {
        kept_for: half_an_hour,
        ..called(Keyed, 1)
    });
    for (after, claimed) in [
        (half_an_hour - 1, Claim::Held(())),
        (half_an_hour, Claim::Ended(Unknown)),
    ] {
        let mut action = held(Keyed);
        transition::answered(&mut action, Effect::Unclear, Keyed);
        transition::release(&mut action, at(10), at(5));
        // A claim in between does not make the key younger.
        assert_eq!(claim_in(&mut action, &kept, 20), Claim::Held(()));
        transition::answered(&mut action, Effect::Unclear, Keyed);
        transition::release(&mut action, at(30), at(25));
        assert_eq!(claim_in(&mut action, &kept, after), claimed, "{after}");
    }
    // What was certainly not done begins anew.
    let mut action = held(Keyed);
    transition::answered(&mut action, Effect::NotNow, Keyed);
    assert_eq!(action.progress.call.since, None);
}

#[test]
fn a_call_in_doubt_that_a_read_finds_done_is_done() {
    let mut action = held(Keyed);
    let done = preconditions::is("batch.state", "processed");
    action.content.steps[0].reconcile = Some(Reconciliation::by(done));
    transition::answered(&mut action, Effect::Unclear, Keyed);
    action.content.reads = vec![preconditions::read("batch", "/usage-batches/ub_1001")];
    assert_eq!(action.doubt_reads().len(), 1);
    assert!(!action.was_done(&Observation::default()));
    // However old its key is, a worker claims it for that read.
    let connection = Called {
        kept_for: 10 * span::MINUTE,
        ..called(Keyed, 1)
    };
    let late = through(connection);
    action.round.approvals[0].digest = Some(action.digest());
    transition::release(&mut action, at(10), at(5));
    let later = at(30 * span::MINUTE);
    assert_eq!(
        transition::claim(&mut action, &late, LEASE, later),
        Claim::Held(())
    );
    assert!(
        !action
            .progress
            .keeps_key(connection.kept_for, later)
    );
    transition::found_done(&mut action, at(9));
    assert_eq!(action.progress.steps_done, 1);
    assert_eq!(action.progress.call, OpenCall::default());
    assert_eq!(action.results_of_steps()[0].status, StepStatus::Done);
    assert_eq!(action.progress.unwritten[0].1.effect, Effect::Done);
}

/// The table was put back to `at(1)`, by a command at `at(2)`.
fn after_a_restore(target: Idempotency, kept_for: i64) -> ClaimContext {
    let to = at(1);
    let at = at(2);
    ClaimContext {
        restored: Some(Restored { to, at }),
        ..through(Called {
            kept_for,
            ..called(target, 1)
        })
    }
}

#[test]
fn a_call_of_a_lost_time_is_sent_only_while_its_key_is_kept() {
    for (target, kept_for, claimed) in [
        (Keyed, 10, Claim::Held(())),
        (Keyed, 4, Claim::Ended(Unknown)),
        (Unkeyed, 10, Claim::Ended(Unknown)),
    ] {
        let mut action = queued();
        let context = after_a_restore(target, kept_for);
        assert_eq!(
            transition::claim(&mut action, &context, LEASE, at(5)),
            claimed,
            "{kept_for}"
        );
        if claimed != Claim::Held(()) {
            assert!(error(&action).starts_with("restored: "));
        }
    }
}

#[test]
fn the_effect_of_a_lost_call_is_read_also_by_its_verification() {
    let mut action = queued();
    action.content.verify = Some(Verification {
        effective: vec![preconditions::is("batch.state", "processed")],
        fails_if: Vec::new(),
        amount: None,
        within: 1,
    });
    action.content.reads = vec![preconditions::read("batch", "/b")];
    action.round.approvals[0].digest = Some(action.digest());
    assert_eq!(action.doubt_reads().len(), 0);
    // However old its key is, a worker claims it for that read.
    let context = after_a_restore(Keyed, 1);
    assert_eq!(
        transition::claim(&mut action, &context, LEASE, at(5)),
        Claim::Held(())
    );
    assert_eq!(action.doubt_reads().len(), 1);
    assert!(!action.progress.keeps_key(1, at(5)));
    // A user or a check that finds it not done ends the doubt.
    transition::settle_step(&mut action, StepStatus::NotDone, at(6));
    assert_eq!(action.doubt_reads().len(), 0);
    assert!(!action.progress.is_in_doubt());
}
