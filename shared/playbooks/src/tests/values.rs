//! Values of alerts and target systems are data everywhere.

use super::*;

#[test]
fn what_an_alert_says_cannot_leave_its_place() {
    for (id, read) in [
        ("a b/../c?d#e%2f", None),
        ("a b?d#e%2f", Some("GET /usage-batches/a%20b%3Fd%23e%252f")),
        ("a\\b", None),
        ("ub_1\u{7f}", None),
        // The id would be displayed as another record's.
        ("ub_\u{202e}1001", None),
        ("ub_\u{2066}1001", None),
        ("ü", Some("GET /usage-batches/%C3%BC")),
        ("..", None),
        ("", None),
    ] {
        let entities = json!([{"type": "usage_batch", "id": id}]);
        let mut answers = stuck();
        answers.0[0].1["id"] = json!(id);
        let proposal = propose(&answers, &json!({ "entities": entities }));
        // A read that the worker would reject is not sent.
        let sent = read.filter(|_| id == "ü");
        assert_eq!(proposal.reads[0].request.as_deref(), sent, "{id}");
        assert_eq!(proposal.actions[0].is_automated, sent.is_some(), "{id}");
    }
}

#[test]
fn what_a_target_system_says_cannot_leave_its_place() {
    for (id, call) in [
        ("a/../b", None),
        ("a?b", Some("POST /usage-batches/a%3Fb/reprocess")),
        ("ü", Some("POST /usage-batches/%C3%BC/reprocess")),
        ("..", None),
        ("", None),
    ] {
        let mut answers = stuck();
        answers.0[0].1["id"] = json!(id);
        let asked = call.map_or("ub_1001", |_| id);
        let entities = json!([{"type": "usage_batch", "id": asked}]);
        let action = propose(&answers, &json!({ "entities": entities }))
            .actions
            .remove(0);
        let call_of = action.content.steps[0].call.as_ref();
        let shown = call_of.map(agent::connection::ApiCall::summary);
        assert_eq!(shown.as_deref(), call, "{id}");
        // A call that the worker would reject is not proposed as automated.
        assert_eq!(action.is_automated, call.is_some(), "{id}");
    }
}

#[test]
fn bodies_keep_the_types_of_their_values() {
    let paid = invoice(&json!({"id": "inv_\"1\"", "state": "paid", "amountPaid": 701_550}));
    let actions = propose(&paid, &duplicated(1)).actions;
    let body = &actions[0].content.steps[0]
        .call
        .as_ref()
        .unwrap()
        .body;
    let expected = json!({"amount": 701_550, "reason": "Invoice inv_\"1\" was a duplicate"});
    assert_eq!(json!(body.as_ref().unwrap().0), expected);
}

#[test]
fn what_a_target_system_says_is_a_value_and_no_more() {
    let long = format!("{{title}}\u{7}{}", "x".repeat(500));
    let proposal = propose(&invoice(&json!({"duplicateOf": long})), &duplicated(1));
    let cause = proposal.analysis.root_cause;
    assert!(cause.contains("{title}x") && cause.len() < 300, "{cause}");
    let more = json!({
        "title": "inv_\u{202e}1", "signalType": "moon_in_the_way",
        "entities": [{"type": "invoice\u{2067}", "id": "inv\u{200f}_1\u{7}"}],
        "lifecycle": [{"at": "2026-01-15T09:30:00Z", "state": "op\u{202b}en"}],
    });
    let proposal = propose(&Answers::default(), &with(duplicated(1), &more));
    let texts = format!("{:?}{:?}", proposal.analysis, proposal.actions);
    for unseen in ["202e", "2067", "200f", "202b", "u{7}"] {
        assert!(!texts.contains(unseen), "{unseen} in {texts}");
    }
    assert!(
        proposal
            .analysis
            .root_cause
            .contains("inv_1")
    );
}
