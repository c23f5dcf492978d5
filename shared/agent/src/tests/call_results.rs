//! Effects derived from responses.

use Effect::{Done, DoneBefore, NotNow, Refused, Unclear, Undecided, UnderWay};

use super::*;

fn response(status: u16) -> Response {
    Response {
        status,
        ..Response::default()
    }
}

/// Returns the effects that a response tells: for a first call, for a repeat, and for the repeat as
/// a replay.
fn with_body(status: u16, body: &serde_json::Value) -> Response {
    Response {
        body: body.clone(),
        ..response(status)
    }
}

fn replay(response: Response) -> Response {
    Response {
        is_replay: true,
        ..response
    }
}

fn garbage() -> Response {
    Response {
        form: BodyForm::Text,
        ..response(200)
    }
}

fn requires(success: serde_json::Value) -> ApiCall {
    ApiCall {
        success: serde_json::from_value(success).unwrap(),
        ..call("POST")
    }
}

fn of_response(call: &ApiCall, first: &Response) -> [Effect; 3] {
    let again = call.effect(&replay(first.clone()), true);
    [call.effect(first, false), call.effect(first, true), again]
}

/// Returns the effects of a response with that status and no body.
fn effects(call: &ApiCall, status: u16) -> [Effect; 3] {
    of_response(call, &response(status))
}

#[test]
fn a_refusal_of_a_repeat_says_nothing_of_the_first_call() {
    for (status, expected) in [
        (200, [Done, Done, Done]),
        (202, [Done, Done, Done]),
        (201, [Unclear, Unclear, Undecided]),
        (302, [Unclear, Unclear, Undecided]),
        (400, [Refused, Unclear, Refused]),
        (401, [Refused, Unclear, Refused]),
        (404, [Refused, Unclear, Refused]),
        (408, [Unclear, Unclear, Undecided]),
        (409, [Refused, Unclear, Refused]),
        (422, [Refused, Unclear, Refused]),
        (425, [Unclear, Unclear, Undecided]),
        (429, [NotNow, NotNow, Refused]),
        (500, [Unclear, Unclear, Undecided]),
        (503, [Unclear, Unclear, Undecided]),
    ] {
        assert_eq!(effects(&call("POST"), status), expected, "{status}");
    }
}

#[test]
fn where_repeats_are_refused_a_refused_repeat_is_the_last() {
    let call = call("POST");
    let of_none = |status| Response {
        refuses_repeats: true,
        ..response(status)
    };
    for (status, first, repeated) in [
        (409, Refused, Undecided),
        (422, Refused, Undecided),
        // These statuses are temporary and unrelated to the key.
        (401, Refused, Unclear),
        (403, Refused, Unclear),
        (429, NotNow, NotNow),
        (500, Unclear, Unclear),
        (200, Done, Done),
    ] {
        assert_eq!(call.effect(&of_none(status), false), first, "{status}");
        assert_eq!(call.effect(&of_none(status), true), repeated, "{status}");
    }
}

#[test]
fn a_system_that_tells_what_became_of_a_call_works() {
    let call = call("POST");
    for status in [200, 201, 302, 400, 401, 404, 409, 422, 429] {
        assert!(call.is_clear(&response(status)), "{status}");
    }
    for status in [408, 425, 500, 502, 503, 504] {
        assert!(!call.is_clear(&response(status)), "{status}");
        assert!(
            call.is_clear(&replay(response(status))),
            "{status} as it was given before"
        );
    }
    assert!(!call.is_clear(&garbage()));
}

#[test]
fn a_call_that_changes_nothing_is_never_unclear() {
    let call = call("GET");
    assert!(!call.changes());
    for status in [201, 302, 408, 425, 429, 500, 503] {
        assert_eq!(call.effect(&response(status), false), NotNow, "{status}");
    }
    assert_eq!(call.effect(&response(404), false), Refused);
    assert_eq!(call.unclear(), NotNow);
    assert_eq!(call.effect(&garbage(), false), NotNow);
}

#[test]
fn what_was_done_before_counts_as_done() {
    let call = call("POST");
    for (code, first, repeated) in [
        (Some("already_done"), DoneBefore, DoneBefore),
        (Some("busy"), Refused, Unclear),
        (None, Refused, Unclear),
    ] {
        let response = Response {
            code: code.map(str::to_owned),
            ..response(409)
        };
        assert_eq!(call.effect(&response, false), first, "{code:?}");
        assert_eq!(call.effect(&response, true), repeated, "{code:?}");
    }
}

#[test]
fn success_is_what_the_body_says() {
    let call = requires(json!([{"at": "/state", "is": ["void"]}, {"at": "/due", "is": [0]}]));
    let says = |status, body: &serde_json::Value| {
        let first = with_body(status, body);
        (of_response(&call, &first), call.unsuccessful(&first))
    };
    let void = json!({"state": "void", "due": 0});
    assert_eq!(says(200, &void), ([Done; 3], None));
    let (effects, problem) = says(200, &json!({"state": "open", "due": 0}));
    assert_eq!(effects, [Refused, Unclear, Refused]);
    let expected = "not_successful: the target system answered 200, but /state is open, not void.";
    assert_eq!(problem.unwrap(), expected);
    // Other missing values do not matter.
    assert_eq!(says(200, &json!({"due": 5})).0, [Refused, Unclear, Refused]);
    // A missing value leaves the effect open, and a repeat of the call would not tell.
    let without_due = json!({"state": "void"});
    for unread in [without_due, json!({}), json!(null), json!("void")] {
        let (effects, problem) = says(200, &unread);
        assert_eq!(effects, [Undecided; 3], "{unread}");
        let nothing = "The target system answered 200, and nothing at ";
        assert!(problem.unwrap().starts_with(nothing));
    }
    // A refusal stays a refusal for any body.
    assert_eq!(says(422, &void).0, [Refused, Unclear, Refused]);
}

#[test]
fn a_call_that_a_system_is_at_work_on_is_neither_done_nor_refused() {
    let call = requires(json!([{"at": "/state", "is": ["paid"]}]));
    let is = |state: &str, expected: [Effect; 3]| {
        let first = with_body(202, &json!({ "state": state }));
        assert_eq!(of_response(&call, &first), expected, "{state}");
        call.unsuccessful(&first)
    };
    assert_eq!(is("paid", [Done; 3]), None);
    let problem = "The target system has taken the call and is at work on it (202): /state is processing \
        so far, where paid means success.";
    let unsuccessful = is("processing", [Unclear, Unclear, Undecided]);
    assert_eq!(unsuccessful.as_deref(), Some(problem));
    // A missing value is no success either.
    assert_eq!(call.effect(&response(202), false), Unclear);
}

#[test]
fn what_was_done_before_may_say_otherwise_too() {
    let mut call = requires(json!([{"at": "/state", "is": ["void"]}]));
    let code = Some("already_done".to_owned());
    for (body, first, repeated) in [
        (json!({}), DoneBefore, DoneBefore),
        (json!({"state": "void"}), DoneBefore, DoneBefore),
        (json!({"state": "paid"}), Refused, Unclear),
    ] {
        let response = Response {
            code: code.clone(),
            ..with_body(409, &body)
        };
        assert_eq!(call.effect(&response, false), first, "{body}");
        assert_eq!(call.effect(&response, true), repeated, "{body}");
    }
    // A read with another value is refused; a read without the value is repeated.
    call.method = "GET".into();
    let paid = with_body(200, &json!({"state": "paid"}));
    assert_eq!(call.effect(&paid, false), Refused);
    assert_eq!(call.effect(&response(200), false), NotNow);
}

#[test]
fn a_call_that_cannot_be_sent_says_nothing_of_one_that_was() {
    assert_eq!(ApiCall::unsendable(false), Refused);
    assert_eq!(ApiCall::unsendable(true), Unclear);
}

#[test]
fn a_target_system_says_when_to_come_back() {
    let now = at(784_111_777_000);
    for (header, wait) in [
        ("120", Some(120_000)),
        (" 7 ", Some(7_000)),
        ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60_000)),
        ("Sun, 06 Nov 1994 08:48:37 GMT", None),
        ("0", None),
        ("-5", None),
        ("soon", None),
        ("", None),
    ] {
        assert_eq!(retry_after(header, now), wait, "{header:?}");
    }
}

/// A bank takes days for some payments. The call is no failure then, and is not repeated.
#[test]
fn a_call_that_is_under_way_is_read_later() {
    let call = requires(json!([{"at": "/status", "is": ["paid"], "pending": ["open"]}]));
    for (status, effect) in [("paid", Done), ("open", UnderWay), ("void", Refused)] {
        let response = with_body(200, &json!({ "status": status }));
        assert_eq!(call.effect(&response, false), effect, "{status}");
        let said = call.unsuccessful(&response);
        let is_under_way = said.is_some_and(|said| said.contains("under way: /status is open"));
        assert_eq!(is_under_way, status == "open");
    }
}
