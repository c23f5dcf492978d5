//! The status of an alert by reports, users and the agent.

use model::base::{input, span};

use crate::alert::{AlertStatus, AlertUpdate, Firing, StatusSource};

use super::*;

fn firing(alert: &mut Alert, now: i64) -> bool {
    alert.report_again(AlertStatus::Open, at(0), at(now))
}

#[test]
fn a_report_opens_the_alert_whoever_resolved_it() {
    let resolved = input::from_value::<AlertUpdate>(&json!({"status": "resolved"})).unwrap();
    let by_user = |alert: &mut Alert| {
        alert
            .change(&resolved, false, at(1))
            .unwrap();
    };
    let by_report = |alert: &mut Alert| {
        alert.report_again(AlertStatus::Resolved, at(0), at(1));
    };
    // Older items do not say who resolved them.
    let by_nobody = |alert: &mut Alert| {
        alert
            .change(&resolved, false, at(1))
            .unwrap();
        alert.status_by = None;
    };
    for resolve in [&by_user as &dyn Fn(&mut Alert), &by_report, &by_nobody] {
        let mut alert = alert();
        resolve(&mut alert);
        assert_eq!(alert.status, AlertStatus::Resolved);
        assert_eq!(alert.resolved_at, Some(at(1)));
        // The occurrence began before the resolution.
        assert!(firing(&mut alert, 2));
        assert_eq!(alert.status, AlertStatus::Open);
        assert_eq!(alert.status_by, Some(StatusSource::Report));
        assert_eq!(alert.resolved_at, None);
        assert!(!firing(&mut alert, 3));
    }
}

#[test]
fn five_minutes_after_the_agent_a_report_is_counted_only() {
    let mut alert = alert();
    assert!(alert.resolve(StatusSource::Agent, at(1)));
    let count = alert.count;
    assert!(!firing(&mut alert, Alert::SETTLING));
    assert_eq!(alert.status, AlertStatus::Resolved);
    assert_eq!(alert.count, count + 1);
    assert_eq!(alert.status_by, Some(StatusSource::Agent));
    assert!(firing(&mut alert, Alert::SETTLING + 1));
    assert_eq!(alert.status_by, Some(StatusSource::Report));
    // A monitor that saw the fix is not late.
    alert.resolve(StatusSource::Agent, at(span::HOUR));
    alert.report_again(AlertStatus::Resolved, at(0), at(span::HOUR + 1));
    assert_eq!(alert.resolved_at, Some(at(span::HOUR)));
    assert!(firing(&mut alert, span::HOUR + 2));
}

#[test]
fn an_acknowledged_alert_stays_acknowledged() {
    let mut alert = alert();
    let acknowledged = input::from_value(&json!({"status": "acknowledged"})).unwrap();
    alert
        .change(&acknowledged, false, at(1))
        .unwrap();
    assert!(!firing(&mut alert, 2));
    assert_eq!(alert.status, AlertStatus::Acknowledged);
    assert_eq!(alert.status_by, Some(StatusSource::User));
}

#[test]
fn a_machine_reports_and_does_not_change_what_a_user_set() {
    let update =
        |status: &str| input::from_value::<AlertUpdate>(&json!({ "status": status })).unwrap();
    let mut alert = alert();
    alert
        .change(&update("resolved"), true, at(1))
        .unwrap();
    assert_eq!(alert.status_by, Some(StatusSource::Report));
    // Approved actions run all the same.
    assert!(!alert.stops_actions());
    alert
        .change(&update("open"), false, at(2))
        .unwrap();
    for status in ["resolved", "acknowledged"] {
        let refused = alert.change(&update(status), true, at(3));
        assert_eq!(code(&refused.unwrap_err()), Code::InvalidTransition);
    }
    alert
        .change(&update("open"), true, at(3))
        .unwrap();
    assert_eq!(
        (alert.status, alert.status_by),
        (AlertStatus::Open, Some(StatusSource::User))
    );
    for by in [StatusSource::User, StatusSource::Agent] {
        let mut alert = super::alert();
        alert.resolve(by, at(1));
        assert!(alert.stops_actions());
    }
}

#[test]
fn a_firing_ends_those_before_it_and_an_end_those_that_began_before_it() {
    use AlertStatus::{Open, Resolved};
    let firing = |ends_at: Option<i64>| Firing {
        series: "c0ffee".try_into().unwrap(),
        starts_at: at(10),
        ends_at: ends_at.map(at),
    };
    for (ends_at, status, expected) in [
        (None, Open, [true, false, false]),
        (None, Resolved, [true, false, false]),
        // Alertmanager moves a start back when senders disagree.
        (Some(30), Resolved, [true, true, true]),
        (Some(15), Resolved, [true, true, false]),
        // A firing alert has no end.
        (Some(30), Open, [true, false, false]),
    ] {
        let firing = firing(ends_at);
        let ends = |start| firing.ends(at(start), status);
        assert_eq!([5, 10, 20].map(ends), expected, "{firing:?} {status:?}");
    }
}

#[test]
fn an_approval_request_names_records_amounts_and_the_deadline() {
    let now = "2026-01-15T14:05:30Z".parse().unwrap();
    let mut session = opened();
    transition::begin_analysis(&mut session, None, now).unwrap();
    transition::finish_analysis(&mut session, proposal(), now).unwrap();
    let descriptions = [
        "Retry payment `pay_3002` (482.10 USD). Attempts so far: 3.",
        "Tell customer `cus_1` that payment `pay_3002` failed.",
    ];
    for (action, text) in session
        .plan
        .proposed_actions
        .iter_mut()
        .zip(descriptions)
    {
        action.content.description = text.to_owned();
    }
    let says = |session: &AgentSession, most| session.approval_request(most, now);
    let whole = "Retry payment `pay_3002` (482.10 USD); Tell customer `cus_1` that payment \
                 `pay_3002` failed, until 2026-01-16 14:05 UTC";
    assert_eq!(says(&session, 200).as_deref(), Some(whole));
    let short = "Retry payment `pay_3002` (482.10 USD) and 1 more, until 2026-01-16 14:05 UTC";
    assert_eq!(says(&session, 100).as_deref(), Some(short));
    session.plan.proposed_actions[0]
        .content
        .description = format!("Retry {}.", "x".repeat(300));
    let cut = says(&session, 100).unwrap();
    assert_eq!(cut.chars().count(), 100);
    let end = "… and 1 more, until 2026-01-16 14:05 UTC";
    assert!(cut.ends_with(end), "{cut}");
    let proposed = &mut session.plan.proposed_actions;
    proposed.retain(|action| !action.is_automated);
    assert_eq!(says(&session, 200), None);
}
