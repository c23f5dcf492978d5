//! Policies.

use crate::alert::{Currency, Money};

use super::*;

fn money(minor_units: i64, currency: &str) -> Money {
    Money {
        minor_units,
        currency: Currency::new(currency).unwrap(),
    }
}

/// A retry of a payment, which a customer notices.
fn subject(money: Option<MoneyMoved>) -> ActionContent {
    ActionContent {
        action_type: ActionType::RetryPayment,
        risk: Risk::High,
        money,
        target_system: "payments".into(),
        ..proposed(true).content
    }
}

/// One that takes this amount; none if it is unknown.
fn paying(amount: Option<Money>) -> ActionContent {
    let direction = MoneyDirection::CustomerPays;
    subject(Some(MoneyMoved { direction, amount }))
}

fn unknown() -> ActionContent {
    paying(None)
}

fn by(user: i64, role: Role) -> ActionApproval {
    ActionApproval {
        role: Some(role),
        ..approval(user, &awaiting().plan.proposed_actions[0])
    }
}

#[test]
fn without_a_rule_one_person_approves_whoever_it_is() {
    let no_rules = policy(&json!({}));
    let requirement = no_rules.requires(&unknown());
    assert_eq!(requirement.approvers(), 1);
    assert!(!requirement.denies());
    let proposers = &awaiting().proposers(FIRST);
    assert!(requirement.admits(&by(3, Role::Manager), proposers));
    assert_eq!(requirement.says(), "one approver");
}

#[test]
fn a_rule_is_about_what_fits_all_that_it_gives() {
    let usd = paying(Some(money(500, "USD")));
    let other = ActionContent {
        action_type: ActionType::SyncCustomer,
        ..proposed(true).content
    };
    let cases = [
        (json!({}), true, true),
        (json!({"actionType": "retry_payment"}), true, false),
        (json!({"actionType": "sync_customer"}), false, true),
        (json!({"riskAtLeast": "low"}), true, true),
        (json!({"riskAtLeast": "high"}), true, false),
        (json!({"riskAtLeast": "critical"}), false, false),
        (json!({"connection": "payments"}), true, false),
        (json!({"movesMoney": true}), true, false),
        (json!({"movesMoney": false}), false, true),
        (
            json!({"amountAtLeast": {"minorUnits": 500, "currency": "USD"}}),
            true,
            false,
        ),
        (
            json!({"amountAtLeast": {"minorUnits": 501, "currency": "USD"}}),
            false,
            false,
        ),
        // An amount in another currency exceeds the limit.
        (
            json!({"amountAtLeast": {"minorUnits": 501, "currency": "EUR"}}),
            true,
            false,
        ),
        (
            json!({"riskAtLeast": "high", "connection": "billing"}),
            false,
            false,
        ),
    ];
    for (when, fits_subject, fits_other) in cases {
        let policy = policy(&json!({"rules": [{"when": when, "approvers": 2}]}));
        let requested = |content| policy.requires(content).approvers() == 2;
        let results = (requested(&usd), requested(&other));
        assert_eq!(results, (fits_subject, fits_other), "{when}");
    }
}

#[test]
fn what_is_not_known_is_above_every_limit() {
    let limit = json!({"amountAtLeast": {"minorUnits": 1_000_000, "currency": "USD"}});
    let policy = policy(&json!({"rules": [{"when": limit, "approvers": 2}]}));
    assert_eq!(policy.requires(&unknown()).approvers(), 2);
    // A repaid amount counts as an amount too.
    let credit = paying(Some(money(-2_000_000, "USD")));
    assert_eq!(policy.requires(&credit).approvers(), 2);
}

#[test]
fn a_rule_may_be_about_the_number_of_records() {
    let policy = policy(&json!({"rules": [{"when": {"recordsAtLeast": 1_000}, "approvers": 2}]}));
    let sized = |size| ActionContent {
        size,
        ..proposed(true).content
    };
    let of = |records| sized(Some(ActionSize { records }));
    for (content, approvers) in [
        (of(Some(999)), 1),
        (of(Some(1_000)), 2),
        (of(Some(4_000_000)), 2),
        // A number that is stated, and not known, exceeds every limit.
        (of(None), 2),
        (sized(None), 1),
    ] {
        let needed = policy.requires(&content).approvers();
        assert_eq!(needed, approvers, "{:?}", content.size);
    }
}

#[test]
fn a_size_is_approved_and_older_contents_keep_their_digests() {
    let session = awaiting();
    let digest = |size: Option<i64>| {
        let mut action = proposed(true);
        action.content.size = size.map(|records| ActionSize {
            records: Some(records),
        });
        action.digest(&session)
    };
    assert_ne!(digest(Some(40)), digest(Some(4_000_000)));
    let stored = json!(proposed(true).content);
    for new in ["size", "systems"] {
        assert!(stored.get(new).is_none(), "{new}");
    }
}

#[test]
fn the_strictest_of_the_rules_wins() {
    let policy = policy(&json!({"rules": [
        {"approvers": 2},
        {"approvers": 1, "roles": ["manager", "admin"]},
        {"roles": ["admin", "support"], "notOpener": true},
    ]}));
    let requirement = policy.requires(&unknown());
    assert_eq!(requirement.approvers(), 2);
    let proposers = &[3, 5].map(|user| Id::new(user).unwrap());
    assert!(requirement.admits(&by(4, Role::Admin), proposers));
    for (user, role) in [
        (4, Role::Manager),
        (4, Role::Support),
        (3, Role::Admin),
        (5, Role::Admin),
    ] {
        assert!(!requirement.admits(&by(user, role), proposers), "{user}");
    }
    let says = requirement.says();
    assert!(says.contains("2 different approvers"), "{says}");
    assert!(says.contains("admin or support"), "{says}");
    assert!(says.contains("neither opened"), "{says}");
}

#[test]
fn a_person_counts_once_and_for_an_hour() {
    let policy = policy(&json!({"rules": [{"approvers": 2}]}));
    let requirement = policy.requires(&unknown());
    let twice = [by(4, Role::Manager), by(4, Role::Manager)];
    assert_eq!(requirement.given(&twice, &[], at(1)), 1);
    let two = [by(4, Role::Manager), by(6, Role::Manager)];
    let count_at = |now| requirement.given(&two, &[], at(now));
    assert_eq!(count_at(ActionApproval::VALID - 1), 2);
    assert_eq!(count_at(ActionApproval::VALID), 0);
}

#[test]
fn the_preset_asks_for_somebody_else_and_for_two_where_nothing_can_be_undone() {
    let policy = policy(&json!({"preset": "billing"}));
    for (mut content, risk, expected) in [
        (subject(None), Risk::Low, (1, true)),
        (subject(None), Risk::Medium, (1, true)),
        (subject(None), Risk::High, (1, false)),
        (subject(None), Risk::Critical, (2, false)),
        (unknown(), Risk::Low, (1, false)),
    ] {
        content.risk = risk;
        let requirement = policy.requires(&content);
        let by_opener = requirement.admits(&by(4, Role::Admin), &[Id::new(4).unwrap()]);
        assert_eq!(
            (requirement.approvers(), by_opener),
            expected,
            "{content:?}"
        );
    }
}

#[test]
fn what_is_not_sent_stays_and_null_clears() {
    let caps = json!({"caps": {"actions": 5, "money": [{"minorUnits": 9, "currency": "EUR"}]}});
    let mut policy = policy(&caps);
    set(&mut policy, &json!({"preset": "billing"}));
    assert_eq!((policy.rules.len(), policy.caps.actions), (3, Some(5)));
    set(&mut policy, &json!({"rules": []}));
    assert_eq!((policy.rules.len(), policy.caps.money.len()), (0, 1));
    set(&mut policy, &json!({"caps": null}));
    assert_eq!(policy, AgentPolicy::none(Id::new(1).unwrap()));
}

#[test]
fn an_action_takes_of_its_day_what_the_caps_count() {
    let moved = |minor_units, currency| paying(Some(money(minor_units, currency)));
    let usage = Some(MoneyMoved {
        direction: MoneyDirection::CustomerIsBilledLater,
        amount: None,
    });
    let usd = json!({"money": [{"minorUnits": 1000, "currency": "USD"}]});
    let taken = Charge {
        money: Some((money(400, "USD"), 600)),
        ..Charge::default()
    };
    let two_others = Charge {
        others: Some(2),
        ..Charge::default()
    };
    for (caps, content, expected) in [
        (json!(null), unknown(), Some(None)),
        (json!({"actions": 3}), unknown(), Some(Some(two_others))),
        (usd.clone(), moved(400, "USD"), Some(Some(taken))),
        (usd.clone(), moved(400, "EUR"), None),
        (usd.clone(), moved(1001, "USD"), None),
        (usd.clone(), unknown(), None),
        (json!({"actions": 0}), moved(400, "USD"), None),
        // An action that moves no money counts only as an action.
        (usd.clone(), subject(None), Some(Some(Charge::default()))),
        // Usage has no amount before its invoice.
        (usd, subject(usage), Some(Some(Charge::default()))),
    ] {
        let charge = policy(&json!({ "caps": caps }))
            .caps
            .charge(&content);
        assert_eq!(charge.ok(), expected, "{caps} {content:?}");
    }
}

/// The policy says the number of messages to a customer.
#[test]
fn messages_to_a_customer_are_capped_in_words() {
    let caps = |most: i64| {
        let caps = json!({"caps": {"messagesPerCustomer": most}});
        policy(&caps).caps
    };
    let message = |customer: Option<&str>| ActionContent {
        action_type: ActionType::NotifyCustomer,
        customer: customer.map(str::to_owned),
        ..subject(None)
    };
    let charge = caps(2)
        .charge(&message(Some("cus_1")))
        .unwrap()
        .unwrap();
    assert_eq!(charge.message, Some(("cus_1".to_owned(), 1)));
    let other = caps(2)
        .charge(&unknown())
        .unwrap()
        .unwrap();
    assert_eq!(other.message, None);
    let unknown = caps(2)
        .charge(&message(None))
        .unwrap_err();
    assert!(unknown.contains("customer is not known"), "{unknown}");
    let refusal = caps(0)
        .charge(&message(Some("cus_1")))
        .unwrap_err();
    assert_eq!(refusal, "the policy allows no messages to customers");
}

/// A fresh approver counts where any one user may approve, and nowhere else.
#[test]
fn a_fresh_approver_is_no_other_person() {
    let fresh = |until| ActionApproval {
        fresh_until: Some(at(until)),
        ..by(5, Role::Manager)
    };
    for (rules, admits) in [
        (json!([]), true),
        (json!([{"roles": ["manager"]}]), true),
        (json!([{"approvers": 2}]), false),
        (json!([{"notOpener": true}]), false),
    ] {
        let policy = policy(&json!({"rules": rules}));
        let requirement = policy.requires(&unknown());
        assert_eq!(requirement.admits(&fresh(1), &[]), admits, "{rules}");
        assert!(requirement.admits(&fresh(0), &[]), "{rules}");
    }
}

#[test]
fn who_recorded_the_alert_counts_as_the_opener() {
    let policy = policy(&json!({"rules": [{"notOpener": true}]}));
    let content = unknown();
    let requirement = policy.requires(&content);
    let mut alert = alert();
    alert.created_by = Id::new(5);
    // An alert of a machine is no user's word.
    for (is_by_machine, admitted) in [(false, [4].as_slice()), (true, &[4, 5])] {
        alert.recorded_by_machine = is_by_machine;
        let session = transition::opened(Id::new(7).unwrap(), &alert, Id::new(3).unwrap(), at(0));
        let proposers = session.proposers(FIRST);
        let admits = |user: &i64| requirement.admits(&by(*user, Role::Manager), &proposers);
        assert!(
            (3..6)
                .filter(admits)
                .eq(admitted.iter().copied())
        );
    }
}

/// Approvals by support, a manager and an admin, each in another user's session and in their own:
/// `1` runs, `2` needs a second approver, `-` is refused.
#[test]
fn risk_amount_role_and_opener_decide_together() {
    let policy = policy(&json!({"rules": [
        {"when": {"movesMoney": true}, "notOpener": true},
        {"when": {"riskAtLeast": "high"}, "notOpener": true},
        {"when": {"riskAtLeast": "critical"}, "approvers": 2},
        {
            "when": {"amountAtLeast": {"minorUnits": 100_000, "currency": "USD"}},
            "roles": ["manager", "admin"],
        },
    ]}));
    let [below, limit] = [99_999, 100_000].map(|amount| paying(Some(money(amount, "USD"))));
    for (risk, expected) in [
        (Risk::Low, ["11 11 11", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::Medium, ["11 11 11", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::High, ["1- 1- 1-", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::Critical, ["2- 2- 2-", "2- 2- 2-", "-- 2- 2-"]),
    ] {
        for (mut content, expected) in [
            (subject(None), expected[0]),
            (below.clone(), expected[1]),
            (limit.clone(), expected[2]),
            (unknown(), expected[2]),
        ] {
            content.risk = risk;
            let requirement = policy.requires(&content);
            let becomes = |role, opener| match requirement.approvers() {
                _ if !requirement.admits(&by(4, role), &[Id::new(opener).unwrap()]) => '-',
                1 => '1',
                _ => '2',
            };
            let demands = [Role::Support, Role::Manager, Role::Admin].map(|role| {
                [3, 4]
                    .map(|opener| becomes(role, opener))
                    .iter()
                    .collect()
            });
            let demands: [String; 3] = demands;
            assert_eq!(demands.join(" "), expected, "{risk:?} {content:?}");
        }
    }
}
