//! The circuit breaker and the call limits.

use std::collections::BTreeMap;

use model::base::span;

use super::*;

const LEASE: i64 = 60_000;

fn at(millis: i64) -> Timestamp {
    now().plus(millis)
}

fn limited(limits: &Value) -> Connection {
    connection(&json!({ "limits": limits }))
}

fn request(action: &str, millis: i64) -> AdmissionRequest<'_> {
    AdmissionRequest {
        action,
        lease: LEASE,
        calls: 1,
        slot: None,
        now: at(millis),
    }
}

/// The state after five unclear answers at noon.
fn opened(connection: &Connection) -> ConnectionTraffic {
    let mut traffic = ConnectionTraffic::none(connection);
    for _ in 0..5 {
        assert!(traffic.answered(connection, false, at(0)));
    }
    traffic
}

fn deferred(traffic: &ConnectionTraffic, of: &Connection, millis: i64) -> Option<Timestamp> {
    match traffic
        .clone()
        .admit(of, request("other", millis))
    {
        Admission::From(_) => None,
        Admission::Slot(until) | Admission::Deferred(until) => Some(until),
    }
}

#[test]
fn of_a_connection_without_trouble_and_limits_nothing_is_known() {
    let connection = limited(&json!({}));
    let mut traffic = ConnectionTraffic::none(&connection);
    assert_eq!(
        traffic.admit(&connection, request("a", 7)),
        Admission::From(at(7))
    );
    assert!(!traffic.answered(&connection, true, at(8)));
    assert_eq!(traffic.slot(&connection, at(9)), Ok(at(9)));
    assert!(!traffic.ends("a"));
    assert_eq!(traffic, ConnectionTraffic::none(&connection));
}

#[test]
fn a_breaker_opens_after_five_unclear_answers_in_a_row() {
    let connection = limited(&json!({}));
    let mut traffic = ConnectionTraffic::none(&connection);
    for number in 1..5 {
        assert!(traffic.answered(&connection, false, at(number)));
        assert_eq!(deferred(&traffic, &connection, number), None);
    }
    assert!(traffic.is_troubled(&connection));
    assert!(traffic.answered(&connection, true, at(5)));
    assert!(!traffic.answered(&connection, true, at(6)));
    for number in 11..=15 {
        assert_eq!(deferred(&traffic, &connection, number), None);
        assert_eq!(traffic.breaker.state(at(number)), BreakerState::Closed);
        assert!(traffic.answered(&connection, false, at(number)));
    }
    assert_eq!(deferred(&traffic, &connection, 15), Some(at(30_015)));
    assert_eq!(deferred(&traffic, &connection, 30_014), Some(at(30_015)));
    assert_eq!(traffic.breaker.state(at(30_014)), BreakerState::Open);
    // An unclear answer to an earlier call changes nothing.
    assert!(!traffic.answered(&connection, false, at(20)));
    assert_eq!(deferred(&traffic, &connection, 20), Some(at(30_015)));
    assert!(traffic.answered(&connection, true, at(21)));
    assert_eq!(deferred(&traffic, &connection, 21), None);
}

#[test]
fn an_open_breaker_lets_one_probe_through_and_doubles_its_pause() {
    let connection = limited(&json!({}));
    let mut traffic = opened(&connection);
    let mut since = 0;
    for pause in [30, 60, 120, 240, 480, 900, 900].map(|seconds| seconds * span::SECOND) {
        let open = since + pause;
        let until = deferred(&traffic, &connection, open - 1);
        assert_eq!(until, Some(at(open)), "{pause}");
        assert_eq!(traffic.breaker.state(at(open)), BreakerState::Probing);
        let probe = traffic.admit(&connection, request("probe", open));
        assert_eq!(probe, Admission::From(at(open)));
        // Others wait for the probe, but only for a time.
        let next = open + 1;
        assert_eq!(
            deferred(&traffic, &connection, next),
            Some(at(next + 30_000))
        );
        let late = open + LEASE - 1_000;
        assert_eq!(
            deferred(&traffic, &connection, late),
            Some(at(open + LEASE))
        );
        assert_eq!(deferred(&traffic, &connection, open + LEASE), None);
        since = open + 10;
        assert!(traffic.answered(&connection, false, at(since)));
    }
    let open = since + 900_000;
    traffic.admit(&connection, request("probe", open));
    assert!(traffic.answered(&connection, true, at(open + 5)));
    let mut closed = ConnectionTraffic::none(&connection);
    closed.breaker.revision = connection.revision;
    assert_eq!(traffic, closed);
}

#[test]
fn another_revision_has_another_breaker() {
    let connection = limited(&json!({}));
    let mut traffic = opened(&connection);
    let mut other = connection.clone();
    let elsewhere = json!({"baseUrl": "https://other.example.com"});
    other.replace(again(&connection, &elsewhere, Patch::Keep));
    assert_eq!(deferred(&traffic, &other, 1), None);
    assert!(!traffic.is_troubled(&other));
    // A new revision needs five answers. An older revision's answers do not count.
    for _ in 0..4 {
        assert!(traffic.answered(&other, false, at(2)));
    }
    assert!(
        !traffic.answered(&connection, false, at(3)) && !traffic.answered(&connection, true, at(3))
    );
    assert_eq!(deferred(&traffic, &other, 4), None);
    assert!(traffic.answered(&other, false, at(4)));
    assert_eq!(deferred(&traffic, &other, 4), Some(at(30_004)));
}

#[test]
fn calls_begin_as_far_apart_as_their_limit_asks() {
    let connection = limited(&json!({"perSecond": 3}));
    let mut traffic = ConnectionTraffic::none(&connection);
    let first = traffic.admit(&connection, request("a", 0));
    assert_eq!(first, Admission::From(at(0)));
    // Rounded up: three calls take more than a second rather than less.
    assert_eq!(traffic.slot(&connection, at(0)), Ok(at(334)));
    let third = traffic.admit(&connection, request("b", 100));
    assert_eq!(third, Admission::From(at(668)));
    // Unused slots do not accumulate.
    assert_eq!(traffic.slot(&connection, at(60_000)), Ok(at(60_000)));
    assert_eq!(traffic.slot(&connection, at(60_000)), Ok(at(60_334)));
    // No action waits beyond a bound, or reserves a slot there.
    let mut slots = 2;
    let later = loop {
        match traffic.slot(&connection, at(60_000)) {
            Ok(_) => slots += 1,
            Err(later) => break later,
        }
    };
    assert_eq!((slots, later), (60, at(60_000 + 60 * 334)));
    assert_eq!(traffic.slot(&connection, at(60_000)), Err(later));
    let other = traffic
        .clone()
        .admit(&connection, request("c", 60_000));
    assert_eq!(other, Admission::Slot(later));
    // A clock two minutes ahead defers others by at most that bound at a time.
    traffic.next_call = Some(at(180_000));
    assert_eq!(traffic.slot(&connection, at(60_000)), Err(at(80_334)));
}

#[test]
fn an_action_that_has_to_wait_longer_than_a_second_gets_a_turn() {
    let connection = limited(&json!({"perSecond": 1}));
    let mut traffic = ConnectionTraffic::none(&connection);
    let from = |millis| Admission::From(at(millis));
    assert_eq!(traffic.admit(&connection, request("a", 0)), from(0));
    assert_eq!(traffic.admit(&connection, request("b", 0)), from(1_000));
    // A turn leaves room for the calls of the turn before.
    let three = AdmissionRequest {
        calls: 3,
        ..request("c", 0)
    };
    assert_eq!(
        traffic.admit(&connection, three),
        Admission::Slot(at(2_000))
    );
    let next = traffic.admit(&connection, request("d", 0));
    assert_eq!(next, Admission::Slot(at(5_000)));
    // Its turn has come. A newcomer gets none of its slots.
    let third = AdmissionRequest {
        slot: Some(at(2_000)),
        ..request("c", 2_100)
    };
    let newcomer = traffic.admit(&connection, request("e", 2_100));
    assert_eq!(newcomer, Admission::Slot(at(6_000)));
    assert_eq!(traffic.admit(&connection, third), from(2_100));
    // It comes late, and others have the next slots: it gets another turn.
    for _ in 0..9 {
        assert!(
            traffic
                .slot(&connection, at(5_000))
                .is_ok()
        );
    }
    let fourth = AdmissionRequest {
        slot: Some(at(5_000)),
        ..request("d", 5_000)
    };
    assert_eq!(
        traffic.admit(&connection, fourth),
        Admission::Slot(at(14_000))
    );
    // No turn is farther than ten minutes.
    traffic.next_slot = Some(at(700_000));
    let late = traffic.admit(&connection, request("f", 6_000));
    assert_eq!(late, Admission::Deferred(at(606_000)));
}

#[test]
fn each_of_many_waiting_actions_runs_after_one_or_two_turns() {
    let connection = limited(&json!({"perSecond": 2}));
    let mut traffic = ConnectionTraffic::none(&connection);
    // Messages by the instant of their delivery: each begins a claim with two calls.
    let mut messages: BTreeMap<(i64, usize), Option<Timestamp>> = BTreeMap::new();
    for action in 0..200 {
        messages.insert((0, action), None);
    }
    let mut begins = Vec::new();
    let mut claims = 0;
    while let Some(((millis, action), slot)) = messages.pop_first() {
        claims += 1;
        let name = action.to_string();
        let request = AdmissionRequest {
            calls: 2,
            slot,
            ..request(&name, millis)
        };
        match traffic.admit(&connection, request) {
            Admission::From(begin) => {
                assert!(begin <= at(millis + 1_000));
                let second = traffic
                    .slot(&connection, at(millis))
                    .unwrap();
                assert!(second <= at(millis + 3_000));
                begins.extend([begin, second]);
            }
            Admission::Slot(slot) => {
                // The queue counts whole seconds.
                let delay = (slot.millis() - at(millis).millis() + 999) / 1_000;
                messages.insert((millis + delay * 1_000, action), Some(slot));
            }
            Admission::Deferred(_) => unreachable!("a turn is nearer than ten minutes"),
        }
    }
    begins.sort();
    assert_eq!(begins.len(), 400);
    assert!(
        begins
            .windows(2)
            .all(|two| two[0].plus(500) <= two[1])
    );
    // Calls fill the limit, but for what the delays of messages round up.
    assert!(begins[399] <= at(220_000), "{}", begins[399]);
    assert!(claims <= 600, "{claims}");
}

#[test]
fn so_many_actions_are_at_work_and_no_more() {
    let connection = limited(&json!({"concurrent": 2}));
    let mut traffic = ConnectionTraffic::none(&connection);
    let admitted = |traffic: &mut ConnectionTraffic, action: &str, millis: i64| {
        let before = traffic.clone();
        let admission = traffic.admit(&connection, request(action, millis));
        if admission == Admission::Deferred(at(millis + 10_000)) {
            assert_eq!(*traffic, before);
            return false;
        }
        assert_eq!(admission, Admission::From(at(millis)));
        true
    };
    assert!(admitted(&mut traffic, "a", 0));
    assert!(admitted(&mut traffic, "b", 100));
    assert!(!admitted(&mut traffic, "c", LEASE - 1));
    // Its next holder takes over its place. The place of a lost holder expires.
    assert!(admitted(&mut traffic, "b", LEASE - 1));
    assert!(admitted(&mut traffic, "c", LEASE));
    assert!(!admitted(&mut traffic, "d", LEASE));
    assert!(traffic.ends("b") && !traffic.ends("b"));
    assert!(admitted(&mut traffic, "d", LEASE));
    assert_eq!(traffic.at_work.len(), 2);
}

#[test]
fn who_finds_no_place_or_an_open_breaker_takes_no_turn() {
    let connection = limited(&json!({"concurrent": 1, "perSecond": 1}));
    let mut traffic = ConnectionTraffic::none(&connection);
    traffic.admit(&connection, request("a", 0));
    let before = traffic.clone();
    let full = traffic.admit(&connection, request("b", 1));
    assert_eq!(full, Admission::Deferred(at(10_001)));
    assert_eq!(traffic, before);
    let mut traffic = opened(&connection);
    let before = traffic.clone();
    traffic.admit(&connection, request("b", 1));
    assert_eq!(traffic, before);
}

#[test]
fn limits_have_bounds_and_change_no_revision() {
    let wrong = json!({"limits": {"perSecond": 0, "concurrent": 51}});
    let expected = ["/limits/perSecond", "/limits/concurrent"];
    let expected = expected.map(|at| (at.to_owned(), FaultCode::Range));
    assert_eq!(faults(&wrong), expected);
    let mut connection = limited(&json!({"perSecond": 100, "concurrent": 50}));
    let revision = connection.revision;
    let limited = json!({"limits": {"perSecond": 1}});
    connection.replace(again(&connection, &limited, Patch::Keep));
    let limits = CallLimits {
        per_second: Some(1),
        concurrent: None,
    };
    assert_eq!((connection.limits, connection.revision), (limits, revision));
    // A connection written before limits existed.
    let mut stored = serde_json::to_value(&connection).unwrap();
    stored
        .as_object_mut()
        .unwrap()
        .remove("limits");
    let old: Connection = serde_json::from_value(stored).unwrap();
    assert_eq!(old.limits, CallLimits::default());
}
