//! Checks of target systems.

use ActionState::{Failed, Skipped, Succeeded, Unknown};
use Idempotency::{Keyed, Unkeyed};

use super::{actions::context, *};

pub(super) const LEASE: i64 = span::MINUTE;
pub(super) const WITHIN: i64 = 10 * span::MINUTE;

pub(super) fn is(fact: &str, value: &str) -> FactCondition {
    serde_json::from_value(json!({"fact": fact, "is": [value]})).unwrap()
}

pub(super) fn reading() -> ReadingOf {
    ReadingOf {
        at: Timestamp::from_millis(0),
        kind: SystemKind::Billing,
        amounts: None,
    }
}

pub(super) fn read(name: &str, path: &str) -> TargetRead {
    let facts = json!({"state": "/state"});
    let read = json!({"name": name, "connection": "billing", "path": path, "facts": facts});
    serde_json::from_value(read).unwrap()
}

/// The observation of a record in that state.
pub(super) fn seen(state: &str) -> Observation {
    let mut observation = Observation::default();
    let facts = [("batch.state", json!(state)), ("batch.http", json!(200))];
    observation.facts = facts
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    observation
}

pub(super) fn unread(is_for_good: bool) -> Observation {
    let mut observation = Observation::default();
    let read_error = ReadError {
        is_for_good,
        ..ReadError::for_now("No answer.")
    };
    observation.lacks("batch", read_error);
    observation
}

/// An action approved at 0. Its precondition is a stuck batch; verification and reconciliation
/// look for a processed one.
fn unchecked() -> AgentAction {
    let mut action = queued();
    action.content.reads = vec![
        read("batch", "/usage-batches/ub_1001"),
        read("other", "/other"),
    ];
    action.content.require = vec![is("batch.state", "stuck")];
    action.content.verify = Some(Verification {
        effective: vec![is("batch.state", "processed")],
        fails_if: Vec::new(),
        amount: None,
        within: WITHIN,
    });
    action.content.steps[0].reconcile = Some(Reconciliation {
        not_done: Some(is("batch.state", "stuck")),
        ..Reconciliation::by(is("batch.state", "processed"))
    });
    action.round.approvals[0].digest = Some(action.digest());
    action
}

pub(super) fn held(target: Idempotency) -> AgentAction {
    let mut action = unchecked();
    let claimed = transition::claim(&mut action, &context(target), LEASE, at(0));
    assert_eq!(claimed, Claim::Held(()));
    action
}

fn ended(outcome: &Outcome) -> AgentAction {
    let mut action = held(Unkeyed);
    assert_eq!(
        transition::permits(&mut action, &seen("stuck"), at(0)),
        Precondition::Holds
    );
    transition::sends(&mut action, Unkeyed, at(0));
    if outcome.state == Succeeded {
        transition::keep(&mut action, 1, StepStatus::Done, None, at(0));
        transition::answered(&mut action, Effect::Done, Unkeyed);
    } else {
        transition::keep(&mut action, 1, StepStatus::Unclear, None, at(0));
        transition::answered(&mut action, Effect::Unclear, Unkeyed);
    }
    transition::record(&mut action, outcome, at(0));
    action
}

pub(super) fn unknown() -> AgentAction {
    ended(&Outcome::unknown(None, "Who knows."))
}

pub(super) fn succeeded() -> AgentAction {
    ended(&Outcome::succeeded(None))
}

#[test]
fn what_does_not_hold_counts_before_what_is_not_known() {
    let holds = is("batch.state", "stuck");
    let fails = is("batch.state", "void");
    let unread = is("other.state", "x");
    let absent = is("batch.size", "x");
    let mut observation = seen("stuck");
    for is_for_good in [true, false] {
        let read_error = ReadError {
            is_for_good,
            ..ReadError::for_now(is_for_good.to_string())
        };
        observation.lacks(if is_for_good { "third" } else { "other" }, read_error);
    }
    assert_eq!(observation.judge([&holds]), Judgement::Holds);
    assert_eq!(observation.judge([]), Judgement::Holds);
    let reason = "expected that batch.state is `void`; found that batch.state is `stuck`.";
    let failed = observation.judge([&unread, &holds, &fails]);
    assert_eq!(failed, Judgement::Fails(reason.into()));
    // The read was answered without this value.
    let reason = "expected that batch.size is `x`; found that batch.size is not there.";
    assert_eq!(
        observation.judge([&absent]),
        Judgement::Fails(reason.into())
    );
    let problem = |judgement| match judgement {
        Judgement::NotKnown(read_error) => read_error.problem,
        other => panic!("{other:?}"),
    };
    assert_eq!(problem(observation.judge([&holds, &unread])), "false");
    // A permanent error is reported first.
    for both in [
        ["other.state", "third.state"],
        ["third.state", "other.state"],
    ] {
        let both = both.map(|fact| is(fact, "x"));
        assert_eq!(problem(observation.judge(&both)), "true");
    }
}

#[test]
fn a_fact_is_compared_with_another_as_far_as_both_are_known() {
    let same: FactCondition =
        serde_json::from_value(json!({"fact": "batch.state", "same_as": "other.state"})).unwrap();
    let mut observation = seen("stuck");
    observation.lacks("other", ReadError::for_now("No answer."));
    assert!(matches!(observation.judge([&same]), Judgement::NotKnown(_)));
    let mut observation = seen("stuck");
    observation
        .facts
        .insert("other.state".to_owned(), json!("void"));
    let Judgement::Fails(reason) = observation.judge([&same]) else {
        panic!("{observation:?}");
    };
    assert!(reason.ends_with("found that batch.state is `stuck` and other.state is `void`."));
}

#[test]
fn long_facts_are_kept_in_part() {
    let facts = [("a.b", json!("x".repeat(500))), ("a.c", json!(5))];
    let facts: Facts = facts
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    let kept = crate::check::observation::kept(&facts);
    assert_eq!(kept.0["a.b"].as_str().unwrap().len(), 200);
    assert_eq!(kept.0["a.c"], 5);
}

#[test]
fn a_claim_is_followed_by_a_look_while_nothing_was_sent() {
    for target in [Keyed, Unkeyed] {
        let mut action = held(target);
        assert!(action.progress.call.unchecked && !action.progress.call.sending);
        assert_eq!(action.required_reads(), [action.content.reads[0].clone()]);
        // A holder that dies during the check has sent nothing.
        let again = transition::claim(&mut action, &context(target), LEASE, at(LEASE));
        assert_eq!(again, Claim::Held(()));
        assert!(action.progress.call.unchecked && !action.progress.call.ambiguous);
        let permitted = transition::permits(&mut action, &seen("stuck"), at(LEASE));
        assert_eq!(permitted, Precondition::Holds);
        assert!(!action.progress.call.unchecked);
        // A holder that dies later may have sent a call.
        let claimed = transition::claim(&mut action, &context(target), LEASE, at(2 * LEASE));
        if target == Unkeyed {
            assert_eq!(claimed, Claim::Ended(Unknown));
        } else {
            // The check might find the action's own effect.
            assert_eq!(claimed, Claim::Held(()));
            assert!(action.progress.call.ambiguous && !action.progress.call.unchecked);
        }
    }
    let mut halfway = unchecked();
    halfway.content.steps.push(step("POST"));
    halfway.round.approvals[0].digest = Some(halfway.digest());
    halfway.progress.steps_done = 1;
    let claimed = transition::claim(&mut halfway, &context(Unkeyed), LEASE, at(0));
    assert_eq!(claimed, Claim::Held(()));
    assert!(!halfway.progress.call.unchecked && halfway.progress.call.sending);
    let mut without = queued();
    let claimed = transition::claim(&mut without, &context(Unkeyed), LEASE, at(0));
    assert_eq!(claimed, Claim::Held(()));
    assert!(!without.progress.call.unchecked && without.progress.call.sending);
}

#[test]
fn what_it_requires_and_is_not_so_ends_it_before_anything_is_sent() {
    for (observation, code) in [
        (
            seen("processed"),
            "precondition_changed: expected that batch.state is `stuck`; found that batch.state is `processed`.",
        ),
        (unread(true), "precondition_unknown: No answer."),
    ] {
        let mut action = held(Unkeyed);
        let Precondition::Changed(outcome) = transition::permits(&mut action, &observation, at(5))
        else {
            panic!("{action:?}");
        };
        assert_eq!(outcome.state, Skipped);
        assert_eq!(outcome.error, Some(format!("{code} Nothing was sent.")));
        transition::record(&mut action, &outcome, at(5));
        assert_eq!((action.schedule.due_at, action.holds(at(5))), (None, None));
        assert_eq!(action.results_of_steps()[0].status, StepStatus::NotSent);
        let noted = transition::action_entries(&mut action, None, at(5));
        assert_eq!(noted.len(), 1);
        assert_eq!(noted[0].what, JournalEvent::Checked);
    }
    // After a step that only read.
    let mut action = held(Unkeyed);
    action.progress.steps_done = 1;
    let Precondition::Changed(outcome) =
        transition::permits(&mut action, &seen("processed"), at(5))
    else {
        panic!("{action:?}");
    };
    assert_eq!(outcome.state, Failed);
    assert!(
        outcome
            .error
            .unwrap()
            .ends_with("Nothing more was sent.")
    );
}

#[test]
fn what_is_not_known_for_now_is_looked_at_again_later() {
    let mut action = held(Unkeyed);
    let later = transition::permits(&mut action, &unread(false), at(5));
    assert_eq!(later, Precondition::NotKnown("No answer.".into()));
    transition::release(&mut action, at(6), at(5));
    assert_eq!(claim_in(&mut action, &context(Unkeyed), 6), Claim::Held(()));
    assert!(action.progress.call.unchecked && !action.progress.call.ambiguous);
}

#[test]
fn steps_are_told_one_by_one() {
    let mut action = unchecked();
    action.content.steps = vec![step("GET"), step("POST"), step("POST")];
    for (order, step) in (1..).zip(&mut action.content.steps) {
        step.order = order;
    }
    let hash = |status| Some(excerpt(status, json!({})).hash());
    transition::keep(&mut action, 1, StepStatus::Done, hash(200), at(1));
    action.progress.steps_done = 1;
    transition::keep(&mut action, 2, StepStatus::Unclear, None, at(2));
    // A deferral says nothing about the first call.
    transition::keep(&mut action, 2, StepStatus::NotNow, hash(429), at(3));
    let statuses = |action: &AgentAction| -> Vec<StepStatus> {
        let steps = action.results_of_steps();
        steps
            .iter()
            .map(|step| step.status)
            .collect()
    };
    let unclear = [StepStatus::Done, StepStatus::Unclear, StepStatus::NotSent];
    assert_eq!(statuses(&action), unclear);
    let steps = action.results_of_steps();
    assert_eq!((steps[1].at, steps[2].at), (Some(at(3)), None));
    let hashes: Vec<_> = steps
        .into_iter()
        .map(|step| step.excerpt_hash)
        .collect();
    assert_eq!(hashes, [hash(200), hash(429), None]);
    // A refusal replaces it, as does every answer after a clear one.
    transition::keep(&mut action, 2, StepStatus::Refused, None, at(4));
    transition::keep(&mut action, 2, StepStatus::NotNow, None, at(5));
    assert_eq!(action.results_of_steps()[1].status, StepStatus::NotNow);
    // A holder that died stored no result, but the action ended as unknown.
    action.progress.results.clear();
    action.state = Unknown;
    assert_eq!(statuses(&action), unclear);
}

#[test]
fn a_number_that_the_table_cannot_hold_is_no_fact() {
    let read = TargetRead {
        facts: [("due".to_owned(), "/due".to_owned())].into(),
        ..read("invoice", "/invoices/1")
    };
    for (due, is_known) in [
        ("0", true),
        ("-5000.5", true),
        ("9007199254740993", true),
        ("5e3", true),
        // It was rounded, and may stand for another number.
        ("1e100", false),
        ("90071992547409931234567", false),
        ("1e200", false),
        ("-1e200", false),
        ("1e-200", false),
    ] {
        let answer: serde_json::Value =
            serde_json::from_str(&format!("{{\"due\": {due}}}")).unwrap();
        assert_eq!(read.facts(&answer, reading()).len() == 1, is_known, "{due}");
    }
}
