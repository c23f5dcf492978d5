//! Approvals under a policy, and the content that they cover.

use std::collections::BTreeMap;

use model::base::{FaultCode, JsonText};

use super::{actions::context, *};

const LEASE: i64 = 60_000;

/// Approves a list. Returns whether it is queued.
fn approve(
    session: &mut AgentSession,
    policy: &AgentPolicy,
    user: i64,
    list: &[&str],
    now: i64,
) -> Result<bool, Error> {
    let list = ids(list);
    let approving = Approving::of(&list, Id::new(user).unwrap());
    let approver = Approver {
        user: &super::user(user),
        policy,
        others: &everybody(),
        provider_set_by: None,
    };
    let mut no_actions = Actions::none();
    let came_of_it = transition::approve(session, &mut no_actions, &approving, &approver, at(now))?;
    Ok(match came_of_it {
        Approved::Queued { new, .. } => {
            let mut approvals = new[0].round.approvals.iter();
            assert!(approvals.all(|approval| approval.round == 1));
            true
        }
        Approved::Pending => false,
        Approved::Standing => panic!("nothing stands"),
    })
}

fn forbidden(error: &Error) -> (Code, String) {
    match error {
        Error::Forbidden { code, detail } => (*code, detail.clone()),
        other => panic!("{other:?}"),
    }
}

/// Approvals that the policy no longer counts are not shown as valid.
#[test]
fn approvals_that_a_stricter_policy_does_not_admit_are_dropped() {
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    let mut session = awaiting();
    // User 3 opened the session.
    assert!(!approve(&mut session, &two, 3, &[FIRST], 5).unwrap());
    let others = policy(&json!({"rules": [{"approvers": 2, "notOpener": true}]}));
    assert!(!approve(&mut session, &others, 5, &[FIRST], 6).unwrap());
    let approvals = &session.plan.proposed_actions[0].approvals;
    assert_eq!(approvals.len(), 1);
    assert_eq!(approvals[0].user_id.get(), 5);
    assert!(approve(&mut session, &others, 6, &[FIRST], 7).unwrap());
}

#[test]
fn the_second_of_two_approvers_has_it_run() {
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    let mut session = awaiting();
    assert!(!approve(&mut session, &two, 4, &[FIRST], 5).unwrap());
    assert_eq!(session.status, AgentSessionStatus::AwaitingConfirmation);
    assert_eq!(
        session.plan.proposed_actions[0]
            .approvals
            .len(),
        1
    );
    assert_eq!(session.plan.proposed_actions[0].approvers, 2);
    // A second approval by the same user renews the first.
    assert!(!approve(&mut session, &two, 4, &[FIRST], 9).unwrap());
    assert_eq!(
        session.plan.proposed_actions[0]
            .approvals
            .len(),
        1
    );
    assert_eq!(session.plan.proposed_actions[0].approvals[0].at, at(9));
    assert!(approve(&mut session, &two, 6, &[FIRST], 9).unwrap());
    assert_eq!(session.status, AgentSessionStatus::Executing);
    assert!(
        session.plan.proposed_actions[0]
            .approvals
            .is_empty()
    );
}

#[test]
fn an_approval_of_an_hour_ago_does_not_count() {
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    let mut session = awaiting();
    approve(&mut session, &two, 4, &[FIRST], 0).unwrap();
    assert!(!approve(&mut session, &two, 6, &[FIRST], ActionApproval::VALID).unwrap());
    assert_eq!(
        session.plan.proposed_actions[0]
            .approvals
            .len(),
        1
    );
}

#[test]
fn a_list_runs_when_each_of_it_has_enough() {
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    let mut session = awaiting();
    approve(&mut session, &two, 4, &[FIRST], 0).unwrap();
    assert!(!approve(&mut session, &two, 6, &[FIRST, SECOND], 1).unwrap());
    assert!(approve(&mut session, &two, 4, &[SECOND], 2).unwrap());
    assert_eq!(session.plan.approved, [ids(&[SECOND])]);
}

#[test]
fn who_the_policy_does_not_want_is_told_what_it_asks_for() {
    let mut session = awaiting();
    session.people.proposed_by = Id::new(5);
    let another = policy(&json!({"rules": [{"notOpener": true}]}));
    for user in [3, 5] {
        let error = approve(&mut session, &another, user, &[FIRST], 5).unwrap_err();
        let (code, detail) = forbidden(&error);
        assert_eq!(code, Code::ApproverNotAllowed);
        assert!(detail.contains("neither opened"), "{detail}");
    }
    let admins = policy(&json!({"rules": [{"roles": ["admin"]}]}));
    let error = approve(&mut session, &admins, 4, &[FIRST], 5).unwrap_err();
    assert!(
        forbidden(&error)
            .1
            .contains("role admin")
    );
    let denied = policy(&json!({"rules": [{"deny": true}]}));
    let error = approve(&mut session, &denied, 4, &[FIRST], 5).unwrap_err();
    assert_eq!(code(&error), Code::PolicyDenied);
    let capped = policy(&json!({"caps": {"actions": 0}}));
    let error = approve(&mut session, &capped, 4, &[FIRST], 5).unwrap_err();
    assert_eq!(code(&error), Code::CapReached);
    // No approval is left.
    let mut proposed = session.plan.proposed_actions.iter();
    assert!(proposed.all(|action| action.approvals.is_empty()));
}

#[test]
fn a_digest_is_of_all_that_is_approved() {
    let session = awaiting();
    let action = &session.plan.proposed_actions[0];
    let digest = action.digest(&session);
    assert_eq!(digest.len(), 64);
    assert_eq!(queued().digest(), digest);
    let changes: [fn(&mut ProposedAction); 9] = [
        |action| action.id = SECOND.into(),
        |action| action.content.action_type = ActionType::SyncCustomer,
        |action| action.content.risk = Risk::Medium,
        |action| action.content.target_system = "payments".into(),
        |action| action.content.records = vec!["usage_batch/ub_1002".into()],
        |action| {
            action.content.steps[0]
                .call
                .as_mut()
                .unwrap()
                .expect = vec![204];
        },
        |action| {
            let body = [("a".to_owned(), json!(1))]
                .into_iter()
                .collect();
            action.content.steps[0]
                .call
                .as_mut()
                .unwrap()
                .body = Some(JsonText(body));
        },
        |action| {
            action.content.connection = Some(ConnectionRevision {
                name: "billing".into(),
                revision: 2,
                account: None,
            });
        },
        |action| {
            action.content.playbook = Some(PlaybookVersion {
                name: "usage-batch-stuck".into(),
                version: 2,
                hash: String::new(),
            });
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut other = action.clone();
        change(&mut other);
        assert_ne!(other.digest(&session), digest, "{at}");
    }
    let mut approved = action.clone();
    approved.approvals = vec![approval(4, action)];
    assert_eq!(approved.digest(&session), digest);
}

#[test]
fn what_changed_since_it_was_looked_at_is_not_approved() {
    let mut session = awaiting();
    let list = ids(&[FIRST]);
    let digest = session.plan.proposed_actions[0].digest(&session);
    let mut send = |digests: &[(&str, &str)]| {
        let digests = digests.iter().map(|(id, digest)| {
            let digest = Digest((*digest).to_owned());
            ((*id).to_owned(), digest)
        });
        let digests = Digests(digests.collect::<BTreeMap<_, _>>());
        let approving = Approving {
            digests: Some(&digests),
            ..of(&list)
        };
        let mut no_actions = Actions::none();
        let approved =
            transition::approve(&mut session, &mut no_actions, &approving, &anybody(), at(5));
        approved.map(|_| ())
    };
    let changed = send(&[(FIRST, "0")]).unwrap_err();
    assert_eq!(code(&changed), Code::ContentChanged);
    let faults = faults(send(&[(SECOND, &digest)]).unwrap_err());
    assert_eq!(
        (&*faults[0].pointer, faults[0].code),
        ("/digests", FaultCode::Unknown)
    );
    send(&[(FIRST, &digest)]).unwrap();
}

fn claim(action: &mut AgentAction, policy: &AgentPolicy, now: i64) -> Claim {
    let context = ClaimContext {
        policy: policy.clone(),
        ..context(Idempotency::Keyed)
    };
    transition::claim(action, &context, LEASE, at(now))
}

#[track_caller]
fn is_skipped(mut action: AgentAction, policy: &AgentPolicy, now: i64, code: &str) {
    let claimed = claim(&mut action, policy, now);
    assert_eq!(claimed, Claim::Ended(ActionState::Skipped));
    let error = action.end.error.unwrap_or_default();
    assert!(error.starts_with(code), "{error}");
}

#[test]
fn what_is_not_what_was_approved_is_not_sent() {
    let no_rules = policy(&json!({}));
    let mut action = queued();
    action.content.steps[0]
        .call
        .as_mut()
        .unwrap()
        .path = "/usage-batches/ub_9/reprocess".into();
    is_skipped(action.clone(), &no_rules, 5, "content_changed");
    // A finished step does not matter.
    action.progress.steps_done = 1;
    action.progress.attempts = 1;
    let claimed = claim(&mut action, &no_rules, 5);
    assert_eq!(claimed, Claim::Ended(ActionState::Failed));
    // An approval from before digests existed covers any content.
    let mut old = queued();
    old.round.approvals[0].digest = None;
    old.content.steps.clear();
    assert_eq!(claim(&mut old, &no_rules, 5), Claim::Held(()));
}

#[test]
fn an_approval_holds_for_an_hour_until_a_call_may_have_taken_effect() {
    let no_rules = policy(&json!({}));
    is_skipped(
        queued(),
        &no_rules,
        ActionApproval::VALID,
        "approval_expired",
    );
    let mut action = queued();
    let claimed = claim(&mut action, &no_rules, ActionApproval::VALID - 1);
    assert_eq!(claimed, Claim::Held(()));
    action.progress.call.ambiguous = true;
    transition::release(&mut action, at(2 * span::HOUR), at(2 * span::HOUR));
    assert_eq!(
        claim(&mut action, &no_rules, 2 * span::HOUR),
        Claim::Held(())
    );
}

#[test]
fn a_policy_that_became_stricter_holds_back_what_certainly_was_not_done() {
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    for (stricter, code) in [
        (two.clone(), "approval_missing"),
        (policy(&json!({"rules": [{"deny": true}]})), "policy_denied"),
        (policy(&json!({"caps": {"actions": 0}})), "cap_reached"),
    ] {
        is_skipped(queued(), &stricter, 5, code);
    }
    let mut unapproved = queued();
    unapproved.round.approvals.clear();
    is_skipped(unapproved, &policy(&json!({})), 5, "approval_missing");
    let mut action = queued();
    assert_eq!(claim(&mut action, &policy(&json!({})), 5), Claim::Held(()));
    action.progress.call.ambiguous = true;
    transition::release(&mut action, at(9), at(9));
    assert_eq!(claim(&mut action, &two, 9), Claim::Held(()));
}

#[test]
fn approvals_of_another_round_do_not_count() {
    let no_rules = policy(&json!({}));
    let mut action = queued();
    transition::record(&mut action, &Outcome::failed(None, "No."), at(5));
    transition::queue_again(&mut action, &awaiting(), Vec::new(), None, at(6));
    is_skipped(action, &no_rules, 7, "approval_missing");
}

#[test]
fn an_action_takes_of_its_day_once_in_a_round() {
    let caps = policy(&json!({"caps": {"actions": 2}}));
    let mut action = queued();
    assert!(transition::charge(&action, &caps).is_some());
    assert_eq!(transition::charge(&action, &policy(&json!({}))), None);
    claim(&mut action, &caps, 5);
    assert_eq!(transition::charge(&action, &caps), None);
    let mut late = queued();
    transition::beyond_the_day(&mut late, at(5));
    assert_eq!(late.state, ActionState::Skipped);
    assert!(
        late.end
            .error
            .unwrap()
            .starts_with("cap_reached")
    );
}

#[test]
fn a_rejected_proposal_is_cancelled_and_says_by_whom() {
    let mut session = awaiting();
    let two = policy(&json!({"rules": [{"approvers": 2}]}));
    approve(&mut session, &two, 4, &[FIRST], 5).unwrap();
    let by = Id::new(6).unwrap();
    let other = Id::new(4).unwrap();
    assert!(transition::reject(&mut session, by, "It was paid.", at(9)).unwrap());
    assert_eq!(session.status, AgentSessionStatus::Cancelled);
    assert_eq!(session.times.due_at, None);
    let rejection = session
        .people
        .rejection
        .clone()
        .unwrap();
    assert_eq!(rejection.user_id, by);
    assert_eq!(rejection.at, at(9));
    assert_eq!(&*rejection.reason, "It was paid.");
    assert!(
        session.plan.proposed_actions[0]
            .approvals
            .is_empty()
    );
    assert!(!transition::reject(&mut session, by, "Again.", at(10)).unwrap());
    assert_eq!(session.people.rejection, Some(rejection));
    let error = transition::reject(&mut session, other, "No.", at(10)).unwrap_err();
    assert_eq!(code(&error), Code::InvalidTransition);
    let error = approve(&mut session, &two, 4, &[FIRST], 11).unwrap_err();
    assert_eq!(code(&error), Code::InvalidTransition);
}

#[test]
fn only_a_proposal_can_be_rejected() {
    for status in STATUSES.iter().copied() {
        let mut session = awaiting();
        (session.status, session.times.due_at) = (status, None);
        let rejected = transition::reject(&mut session, Id::new(6).unwrap(), "No.", at(9));
        let is_proposal = status == AgentSessionStatus::AwaitingConfirmation;
        assert_eq!(rejected.is_ok(), is_proposal, "{status:?}");
    }
    let late = at(AgentSession::CONFIRMATION);
    let rejected = transition::reject(&mut awaiting(), Id::new(6).unwrap(), "No.", late);
    rejected.unwrap_err();
}

/// Whoever may no longer approve did not approve.
#[test]
fn an_approval_counts_only_while_its_approver_may_give_it() {
    let two = policy(&json!({"rules": [{"approvers": 2, "roles": ["manager", "admin"]}]}));
    let changes: [fn(&mut User); 3] = [
        |user| user.role = Role::Viewer.into(),
        |user| user.role = Role::Support.into(),
        |user| user.disabled = true,
    ];
    for (at_all, change) in changes.into_iter().enumerate() {
        let mut session = awaiting();
        assert!(!approve(&mut session, &two, 4, &[FIRST], 1).unwrap());
        let mut former = user(4);
        change(&mut former);
        let others = Approvers::of([&former]);
        let list = ids(&[FIRST]);
        let approving = Approving::of(&list, Id::new(5).unwrap());
        let approver = Approver {
            user: &user(5),
            policy: &two,
            others: &others,
            provider_set_by: None,
        };
        let mut no_actions = Actions::none();
        let came_of_it =
            transition::approve(&mut session, &mut no_actions, &approving, &approver, at(2));
        assert!(matches!(came_of_it, Ok(Approved::Pending)), "{at_all}");
        // Nor does the worker count it, even if it was enough once.
        let mut action = queued();
        let context = ClaimContext {
            approvers: others,
            ..context(Idempotency::Keyed)
        };
        let claimed = transition::claim(&mut action, &context, LEASE, at(5));
        assert_eq!(claimed, Claim::Ended(ActionState::Skipped));
        let error = action.end.error.unwrap();
        assert!(error.starts_with("approval_missing: "), "{error}");
    }
}

/// The policy of the proposal stays, whatever the policy becomes meanwhile.
#[test]
fn the_stricter_of_two_policies_counts() {
    let strict = policy(&json!({"rules": [{"approvers": 2, "notOpener": true}]}));
    let lax = policy(&json!({}));
    for (at_proposal, at_approval) in [(&strict, &lax), (&lax, &strict)] {
        let mut session = awaiting();
        transition::begin_analysis(&mut session, None, at(0)).unwrap();
        let proposed = proposal().under(at_proposal);
        transition::finish_analysis(&mut session, proposed, at(0)).unwrap();
        let first = session.plan.proposed_actions[0]
            .id
            .clone();
        assert!(!approve(&mut session, at_approval, 4, &[&first], 1).unwrap());
        let by_opener = approve(&mut session, at_approval, 3, &[&first], 2).unwrap_err();
        assert_eq!(forbidden(&by_opener).0, Code::ApproverNotAllowed);
        assert!(approve(&mut session, at_approval, 5, &[&first], 3).unwrap());
    }
}
