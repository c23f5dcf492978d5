//! Policies.

use super::*;
use crate::alert::{Currency, Money};

fn money(minor_units: i64, currency: &str) -> Money {
    Money {
        minor_units,
        currency: Currency::new(currency).unwrap(),
    }
}

/// Money that a customer pays; none for an unknown amount.
fn paid(amount: Option<Money>) -> MoneyMoved {
    MoneyMoved {
        direction: MoneyDirection::CustomerPays,
        amount,
    }
}

const UNKNOWN: MoneyMoved = MoneyMoved {
    direction: MoneyDirection::CustomerPays,
    amount: None,
};

/// A retry of a payment: it moves money, and a customer notices.
fn subject(money: &MoneyMoved) -> PolicySubject<'_> {
    PolicySubject {
        action_type: ActionType::RetryPayment,
        risk: Risk::High,
        money: Some(money),
        connection: "payments",
        customer: None,
    }
}

fn by(user: i64, role: Role) -> ActionApproval {
    ActionApproval {
        role: Some(role),
        ..approval(user, &awaiting().plan.proposed_actions[0])
    }
}

const NOBODY: &Proposers = &Proposers {
    recorder: None,
    opener: None,
    proposer: None,
    deniers: Vec::new(),
};

#[test]
fn without_a_rule_one_person_approves_whoever_it_is() {
    let none = policy(&json!({}));
    let requirement = none.requires(subject(&UNKNOWN));
    assert_eq!(requirement.approvers(), 1);
    assert!(!requirement.denies());
    let proposers = &awaiting().proposers(FIRST);
    assert!(requirement.admits(&by(3, Role::Manager), proposers));
    assert_eq!(requirement.says(), "one approver");
}

#[test]
fn a_rule_is_about_what_fits_all_that_it_gives() {
    let usd = paid(Some(money(500, "USD")));
    let other = PolicySubject {
        action_type: ActionType::SyncCustomer,
        risk: Risk::Low,
        money: None,
        connection: "billing",
        customer: None,
    };
    #[rustfmt::skip] // A line each.
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
        (json!({"amountAtLeast": {"minorUnits": 500, "currency": "USD"}}), true, false),
        (json!({"amountAtLeast": {"minorUnits": 501, "currency": "USD"}}), false, false),
        // An amount in another currency exceeds the limit.
        (json!({"amountAtLeast": {"minorUnits": 501, "currency": "EUR"}}), true, false),
        (json!({"riskAtLeast": "high", "connection": "billing"}), false, false),
    ];
    for (when, fits_subject, fits_other) in cases {
        let policy = policy(&json!({"rules": [{"when": when, "approvers": 2}]}));
        let requested = |subject| policy.requires(subject).approvers() == 2;
        assert_eq!(requested(subject(&usd)), fits_subject, "{when}");
        assert_eq!(requested(other), fits_other, "{when}");
    }
}

#[test]
fn what_is_not_known_is_above_every_limit() {
    let limit = json!({"amountAtLeast": {"minorUnits": 1_000_000, "currency": "USD"}});
    let policy = policy(&json!({"rules": [
        {"when": limit, "approvers": 2},
    ]}));
    assert_eq!(policy.requires(subject(&UNKNOWN)).approvers(), 2);
    // A repaid amount counts as an amount too.
    let credit = paid(Some(money(-2_000_000, "USD")));
    assert_eq!(policy.requires(subject(&credit)).approvers(), 2);
}

#[test]
fn the_strictest_of_the_rules_wins() {
    let policy = policy(&json!({"rules": [
        {"approvers": 2},
        {"approvers": 1, "roles": ["manager", "admin"]},
        {"roles": ["admin", "support"], "notOpener": true},
    ]}));
    let requirement = policy.requires(subject(&UNKNOWN));
    assert_eq!(requirement.approvers(), 2);
    let proposers = &Proposers {
        opener: Id::new(3),
        proposer: Id::new(5),
        ..Proposers::default()
    };
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
    let requirement = policy.requires(subject(&UNKNOWN));
    let twice = [by(4, Role::Manager), by(4, Role::Manager)];
    assert_eq!(requirement.given(&twice, NOBODY, at(1)), 1);
    let two = [by(4, Role::Manager), by(6, Role::Manager)];
    let given = |now| requirement.given(&two, NOBODY, at(now));
    assert_eq!(given(ActionApproval::VALID - 1), 2);
    assert_eq!(given(ActionApproval::VALID), 0);
}

#[test]
fn the_preset_asks_for_somebody_else_and_for_two_where_nothing_can_be_undone() {
    let policy = policy(&json!({"preset": "billing"}));
    let of = |money: Option<&MoneyMoved>, risk| {
        let requirement = policy.requires(PolicySubject {
            risk,
            money,
            ..subject(&UNKNOWN)
        });
        let opener = &Proposers {
            opener: Id::new(4),
            ..Proposers::default()
        };
        let by_opener = requirement.admits(&by(4, Role::Admin), opener);
        (requirement.approvers(), by_opener)
    };
    assert_eq!(of(None, Risk::Low), (1, true));
    assert_eq!(of(None, Risk::Medium), (1, true));
    assert_eq!(of(None, Risk::High), (1, false));
    assert_eq!(of(None, Risk::Critical), (2, false));
    assert_eq!(of(Some(&UNKNOWN), Risk::Low), (1, false));
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
    let moved = |minor_units, currency| paid(Some(money(minor_units, currency)));
    let (usd, eur, too_much) = (moved(400, "USD"), moved(400, "EUR"), moved(1001, "USD"));
    let charge =
        |caps: &serde_json::Value, subject| policy(&json!({"caps": caps})).caps.charge(subject);
    assert_eq!(charge(&json!(null), subject(&UNKNOWN)), Ok(None));
    let actions = charge(&json!({"actions": 3}), subject(&UNKNOWN)).unwrap();
    let two_others = Charge {
        others: Some(2),
        ..Charge::default()
    };
    assert_eq!(actions, Some(two_others));
    let caps = json!({"money": [{"minorUnits": 1000, "currency": "USD"}]});
    let taken = Charge {
        money: Some((money(400, "USD"), 600)),
        ..Charge::default()
    };
    assert_eq!(charge(&caps, subject(&usd)), Ok(Some(taken)));
    charge(&caps, subject(&eur)).unwrap_err();
    charge(&caps, subject(&too_much)).unwrap_err();
    charge(&caps, subject(&UNKNOWN)).unwrap_err();
    charge(&json!({"actions": 0}), subject(&usd)).unwrap_err();
    // An action that moves no money counts only as an action.
    let sync = PolicySubject {
        money: None,
        ..subject(&UNKNOWN)
    };
    assert_eq!(charge(&caps, sync), Ok(Some(Charge::default())));
    // Usage has no amount before its invoice.
    let usage = MoneyMoved {
        direction: MoneyDirection::CustomerIsBilledLater,
        amount: None,
    };
    let free = charge(&caps, subject(&usage));
    assert_eq!(free, Ok(Some(Charge::default())));
}

/// The policy says the number of messages to a customer.
#[test]
fn messages_to_a_customer_are_capped_in_words() {
    let caps = |most: i64| {
        let caps = json!({"caps": {"messagesPerCustomer": most}});
        policy(&caps).caps
    };
    let message = |customer| PolicySubject {
        action_type: ActionType::NotifyCustomer,
        money: None,
        customer,
        ..subject(&UNKNOWN)
    };
    let charge = caps(2).charge(message(Some("cus_1"))).unwrap().unwrap();
    assert_eq!(charge.message, Some(("cus_1".to_owned(), 1)));
    let other = caps(2).charge(subject(&UNKNOWN)).unwrap().unwrap();
    assert_eq!(other.message, None);
    let unknown = caps(2).charge(message(None)).unwrap_err();
    assert!(unknown.contains("customer is not known"), "{unknown}");
    let none = caps(0).charge(message(Some("cus_1"))).unwrap_err();
    assert_eq!(none, "the policy allows no messages to customers");
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
        let requirement = policy.requires(subject(&UNKNOWN));
        assert_eq!(requirement.admits(&fresh(1), NOBODY), admits, "{rules}");
        assert!(requirement.admits(&fresh(0), NOBODY), "{rules}");
    }
}

#[test]
fn who_recorded_the_alert_counts_as_the_opener() {
    let mut alert = alert();
    alert.created_by = Id::new(5);
    let session = AgentSession::open(Id::new(7).unwrap(), &alert, Id::new(3).unwrap(), at(0));
    let policy = policy(&json!({"rules": [{"notOpener": true}]}));
    let requirement = policy.requires(subject(&UNKNOWN));
    for (user, admits) in [(3, false), (5, false), (4, true)] {
        let found = requirement.admits(&by(user, Role::Manager), &session.proposers(FIRST));
        assert_eq!(found, admits, "{user}");
    }
    // An alert of a machine is no user's word.
    alert.recorded_by_machine = true;
    let session = AgentSession::open(Id::new(7).unwrap(), &alert, Id::new(3).unwrap(), at(0));
    for (user, admits) in [(3, false), (5, true)] {
        let found = requirement.admits(&by(user, Role::Manager), &session.proposers(FIRST));
        assert_eq!(found, admits, "{user}");
    }
}

/// Approvals by support, a manager and an admin, each in another user's session and in their own: `1`
/// runs, `2` needs a second approver, `-` is refused.
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
    let [below, limit] = [99_999, 100_000].map(|amount| paid(Some(money(amount, "USD"))));
    let (free, below, limit, unknown) = (None, Some(&below), Some(&limit), Some(&UNKNOWN));
    for (risk, expected) in [
        (Risk::Low, ["11 11 11", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::Medium, ["11 11 11", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::High, ["1- 1- 1-", "1- 1- 1-", "-- 1- 1-"]),
        (Risk::Critical, ["2- 2- 2-", "2- 2- 2-", "-- 2- 2-"]),
    ] {
        for (money, expected) in [
            (free, expected[0]),
            (below, expected[1]),
            (limit, expected[2]),
            (unknown, expected[2]),
        ] {
            let requirement = policy.requires(PolicySubject {
                risk,
                money,
                ..subject(&UNKNOWN)
            });
            let becomes = |role, opener| {
                let opened = Proposers {
                    opener: Id::new(opener),
                    ..Proposers::default()
                };
                match requirement.admits(&by(4, role), &opened) {
                    true if requirement.approvers() == 1 => '1',
                    true => '2',
                    false => '-',
                }
            };
            let found = [Role::Support, Role::Manager, Role::Admin]
                .map(|role| [3, 4].map(|opener| becomes(role, opener)).iter().collect());
            let found: [String; 3] = found;
            assert_eq!(found.join(" "), expected, "{risk:?} {money:?}");
        }
    }
}
