//! Ids given out twice, as by a counter that was set back: the service answers 500 and overwrites
//! nothing.

use serde_json::{Value, json};
use tests::{
    records,
    support::{Api, PASSWORD, number, set, text_of},
};

/// The creates of each kind of record, the `n`th time.
fn creates(n: usize) -> [(&'static str, Value); 12] {
    let titled = || json!({"title": format!("Number {n}")});
    let says = || json!({"content": format!("Number {n}")});
    let of_project = || json!({"title": format!("Number {n}"), "projectId": 1});
    let note = json!({"type": "note", "description": "Called back", "organizationId": 1});
    let user = json!({
        "username": format!("user-{n}"), "fullName": "Some Body", "role": "viewer",
        "password": format!("{PASSWORD} {n}"),
    });
    [
        ("/api/tasks", of_project()),
        ("/api/milestones", of_project()),
        ("/api/activities", note),
        ("/api/managed-services/request", titled()),
        ("/api/tasks/1/comments", says()),
        ("/api/activities/1/comments", says()),
        ("/api/service-requests/1/comments", says()),
        ("/api/managed-services/ticket/1/reply", says()),
        ("/api/projects", titled()),
        ("/api/projects/1/phases", titled()),
        ("/api/tags", json!({"name": format!("number {n}")})),
        ("/api/users", user),
    ]
}

/// Sets every counter back to where it began.
async fn forget_what_was_given_out(api: &Api) {
    let mut counters = api.items().await;
    counters.retain(|item| text_of(item, "pk").starts_with("COUNTER#"));
    for counter in &mut counters {
        set(counter, [("last", number(0))]);
    }
    assert!(counters.len() >= 9, "{counters:?}");
    api.puts(counters).await;
}

#[tokio::test]
async fn a_second_record_of_an_id_is_an_error_and_changes_nothing() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    api.has_ticket(records::ticket()).await;
    for (path, body) in creates(0) {
        ada.posts(path, body).await;
    }
    forget_what_was_given_out(&api).await;
    let kinds = creates(0).len();
    for kind in 0..kinds {
        // Ids that were reserved before are used first.
        let mut given_out = 0;
        loop {
            let before = api.records().await;
            let (path, body) = creates(kinds + given_out)[kind].clone();
            let answer = ada.post(path, body).await;
            if answer.status == 200 {
                given_out += 1;
                assert!(given_out < 20, "{path}");
                continue;
            }
            answer.expect_problem(500, "internal_error");
            assert_eq!(api.records().await, before, "{path}");
            break;
        }
    }
}
