//! The amount that was found after a call.

use crate::alert::{Currency, Money};

use super::*;

/// 482.10 USD was approved, and the draft was computed again with its finalization.
fn finalized(amount: &serde_json::Value, state: &str, now: i64) -> (AgentSession, AgentAction) {
    let mut session = awaiting();
    let mut action = queued();
    let is = |fact: &str, value: serde_json::Value| FactCondition::is(fact, value);
    action.content.money = Some(MoneyMoved {
        direction: MoneyDirection::CustomerOwesMore,
        amount: Some(Money {
            minor_units: 48_210,
            currency: Currency::new("USD").unwrap(),
        }),
    });
    action.content.verify = Some(Verification {
        effective: vec![is("invoice.state", json!("open"))],
        fails_if: Vec::new(),
        amount: Some(is("invoice.amount", json!(48_210))),
        within: span::MINUTE,
    });
    transition::record(&mut action, &Outcome::succeeded(None), at(0));
    let mut observation = Observation::default();
    let facts = [
        ("invoice.state", json!(state)),
        ("invoice.amount", amount.clone()),
    ];
    observation.facts = facts
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    transition::apply_check(&mut action, &observation, SETTLES, at(now)).unwrap();
    transition::note_other_effect(&mut session, &action, SystemKind::Billing);
    (session, action)
}

/// The first check tells it: the record has its new state, and another amount.
#[test]
fn another_amount_is_not_effective_and_is_left_to_a_person() {
    let (session, action) = finalized(&json!(999_999_900), "open", span::SECOND);
    let record = action.checks.effect.as_ref().unwrap();
    assert_eq!(record.status, CheckStatus::NotDone);
    let problem = "expected that invoice.amount is 48210; found that invoice.amount is 999999900.";
    assert_eq!(record.problem.as_deref(), Some(problem));
    assert!(!action.is_effective());
    let manual = session
        .plan
        .proposed_actions
        .last()
        .unwrap();
    assert_eq!((&*manual.id, manual.is_automated), ("s7-p1-a4", false));
    let description = "Check the amount: 482.10 USD was approved, and 9,999,999.00 USD was found. The \
        action was: Have it processed again.";
    assert_eq!(manual.content.description, description);
    let mut open = session.open_actions(false, at(5));
    assert!(open.any(|(action, work)| action.id == "s7-p1-a4" && work == OpenWork::ByHand));
}

#[test]
fn the_approved_amount_leaves_nothing_to_check() {
    for (amount, state, status) in [
        (json!(48_210), "open", CheckStatus::Done),
        // Nothing took effect, so that no amount is to be corrected.
        (json!(5), "draft", CheckStatus::NotDone),
        (json!("48210"), "open", CheckStatus::NotDone),
    ] {
        let (session, action) = finalized(&amount, state, span::HOUR);
        let record = action.checks.effect.unwrap();
        assert_eq!(record.status, status, "{amount}");
        assert_eq!(session.plan.proposed_actions.len(), 3, "{amount}");
    }
}

/// Money was taken for an invoice that a user voided meanwhile.
#[test]
fn an_effect_of_another_kind_is_told_at_once() {
    for (state, status) in [
        ("open", CheckStatus::Pending),
        ("paid", CheckStatus::Done),
        ("void", CheckStatus::NotDone),
    ] {
        let mut action = queued();
        action.content.verify = Some(Verification {
            effective: vec![
                FactCondition::is("payment.state", "succeeded"),
                FactCondition::is("invoice.state", "paid"),
            ],
            fails_if: vec![FactCondition::is("invoice.state", "void")],
            amount: None,
            within: span::HOUR,
        });
        transition::record(&mut action, &Outcome::succeeded(None), at(0));
        let mut observation = Observation::default();
        let facts = [
            ("payment.state", json!("succeeded")),
            ("invoice.state", json!(state)),
        ];
        observation.facts = facts
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        transition::apply_check(&mut action, &observation, SETTLES, at(span::SECOND)).unwrap();
        assert_eq!(
            action
                .checks
                .effect
                .as_ref()
                .unwrap()
                .status,
            status,
            "{state}"
        );
        let mut session = awaiting();
        transition::note_other_effect(&mut session, &action, SystemKind::Billing);
        let added = session.plan.proposed_actions.get(3);
        let says = added.map(|manual| &*manual.content.description);
        let expected = "Check the effect: invoice.state is `void`, which was not approved. The action was: Have it \
                        processed again.";
        assert_eq!(says, (state == "void").then_some(expected));
    }
}
