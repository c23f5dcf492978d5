//! `/api/managed-services/request` and `/api/service-requests`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::{
    model::{Id, Priority, ServiceRequest, ServiceRequestId, ServiceStatus, Thread, Timestamp},
    store::{History, NewComment, NewServiceRequest},
};

use crate::{
    budgets::{WRITE, within},
    support::{Api, Caller, Fault, Faults, Settings},
};

const REQUEST: &str = "/api/managed-services/request";

/// Ids that name no record of organization 1 or 2.
const NO_ID: [&str; 6] = ["99", "0", "-1", "abc", "9007199254740993", "01"];

fn comments(request: i64) -> String {
    format!("/api/service-requests/{request}/comments")
}

async fn raises(caller: &Caller) -> i64 {
    let body = caller.post(REQUEST, json!({"title": "Help"})).await;
    body.expect(200)["id"].as_i64().unwrap()
}

async fn says(caller: &Caller, request: i64, content: &str) -> i64 {
    let answer = caller
        .post(&comments(request), json!({"content": content}))
        .await;
    answer.expect(200)["id"].as_i64().unwrap()
}

/// A request of organization 1 by a user, in a state that no operation of the API leads to yet.
async fn exists(api: &Api, creator: &Caller, status: ServiceStatus) -> ServiceRequest {
    let new = NewServiceRequest {
        title: "Help".into(),
        description: None,
        priority: Priority::Medium,
        category: None,
        creator_id: creator.user.unwrap(),
        reference: None,
    };
    let history = History {
        status,
        created_at: Some(at("2026-01-10T12:00:00Z")),
        resolved_at: Some(at("2026-01-12T12:00:00Z")),
        ..History::default()
    };
    let requests = api.store.service_requests();
    let request = requests.create_with(api.home.id, new, history).await;
    api.counter.take();
    request.unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn stored(api: &Api, id: i64) -> ServiceRequest {
    let id = ServiceRequestId::new(id).unwrap();
    let requests = api.store.service_requests();
    requests.get(api.home.id, id).await.unwrap()
}

/// How many resolutions of the 12th are counted, and their milliseconds together.
async fn resolutions(api: &Api) -> (i64, i64) {
    let day = api
        .client
        .get_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S("ORG#1#RESOLUTIONS".into()))
        .key("sk", AttributeValue::S("2026-01-12".into()))
        .consistent_read(true);
    let item = day.send().await.unwrap().item.unwrap_or_default();
    let number = |name: &str| {
        let value = item.get(name).map(|value| value.as_n().unwrap());
        value.map_or(0, |number| number.parse().unwrap())
    };
    (number("count"), number("millis"))
}

/// The table without the ids given out, which a refused create may use up.
async fn records(api: &Api) -> Vec<String> {
    let mut items = api.table_dump().await;
    items.retain(|item| !item.contains("COUNTER"));
    items
}

#[tokio::test]
async fn a_new_request_is_open_and_of_medium_priority() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let body = mia.post(REQUEST, json!({"title": "Help"})).await;
    assert_eq!(
        body.expect(200),
        json!({
            "id": 1, "title": "Help", "description": null, "status": "open",
            "priority": "medium", "category": null, "creatorId": mia.id(), "assigneeId": null,
            "referenceType": null, "referenceId": null, "metadata": null,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
    assert_eq!(stored(&api, 1).await.resolved_at, None);
}

#[tokio::test]
async fn a_request_keeps_every_field_and_decides_the_rest_itself() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sent = json!({
        "title": "x".repeat(255), "description": "ü".repeat(50_000), "priority": "urgent",
        "category": "billing", "referenceType": "project", "referenceId": 2,
        "status": "closed", "creatorId": 99, "assigneeId": 1, "id": 77, "metadata": {"a": 1},
    });
    let body = mia.post(REQUEST, sent.clone()).await.expect(200);
    for field in [
        "title",
        "description",
        "priority",
        "category",
        "referenceType",
        "referenceId",
    ] {
        assert_eq!(body[field], sent[field]);
    }
    assert_eq!(
        (&body["id"], &body["status"], &body["creatorId"]),
        (&json!(1), &json!("open"), &json!(mia.id()))
    );
    assert_eq!(
        (&body["assigneeId"], &body["metadata"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn a_request_may_be_about_the_organization_itself() {
    let api = Api::start().await;
    let zac = api.sign_in("zac").await;
    let sent = json!({"title": "x", "referenceType": "organization", "referenceId": 2});
    let body = zac.post(REQUEST, sent).await.expect(200);
    assert_eq!(body["referenceType"], "organization");
    assert_eq!(body["referenceId"], 2);
    let sent = json!({"title": "x", "referenceType": null, "referenceId": null});
    zac.post(REQUEST, sent).await.expect(200);
}

#[tokio::test]
async fn every_fault_of_a_new_request_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let before = records(&api).await;
    for (body, faults) in [
        (json!({}), vec![("/title", "required")]),
        (
            json!({"title": null, "description": 5, "priority": "asap", "category": 7, "referenceType": "task", "referenceId": "1"}),
            vec![
                ("/title", "null"),
                ("/description", "type"),
                ("/priority", "value"),
                ("/category", "type"),
                ("/referenceType", "value"),
                ("/referenceId", "type"),
            ],
        ),
        (
            json!({"title": " ", "priority": null, "category": "x".repeat(101), "description": "x".repeat(50_001)}),
            vec![
                ("/title", "blank"),
                ("/priority", "null"),
                ("/category", "length"),
                ("/description", "length"),
            ],
        ),
        (
            json!({"title": "x".repeat(256), "referenceType": "project", "referenceId": 0}),
            vec![("/title", "length"), ("/referenceId", "range")],
        ),
        (
            json!({"title": "x", "referenceType": "project"}),
            vec![("/referenceId", "required")],
        ),
        (
            json!({"title": "x", "referenceType": null, "referenceId": 1}),
            vec![("/referenceType", "required")],
        ),
        (
            json!({"title": "x", "referenceType": "nothing"}),
            vec![("/referenceType", "value"), ("/referenceId", "required")],
        ),
        (
            json!({"title": "x", "referenceType": "project", "referenceId": 99}),
            vec![("/referenceId", "unknown")],
        ),
        (
            json!({"title": "x", "referenceType": "project", "referenceId": 3}),
            vec![("/referenceId", "unknown")],
        ),
        (
            json!({"title": "x", "referenceType": "organization", "referenceId": 2}),
            vec![("/referenceId", "unknown")],
        ),
    ] {
        mia.post(REQUEST, body).await.expect_faults(&faults);
    }
    assert_eq!(before, records(&api).await);
}

#[tokio::test]
async fn a_viewer_reads_comments_and_writes_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    let request = raises(&mia).await;
    let comment = says(&mia, request, "Please").await;
    let before = api.table_dump().await;
    for (path, method) in [
        (REQUEST.to_owned(), "POST"),
        (comments(request), "POST"),
        (format!("/api/service-requests/{request}"), "DELETE"),
    ] {
        let body = (method == "POST").then(|| "{".to_owned());
        vic.send(method, &path, body)
            .await
            .expect_problem(403, "permission_denied");
    }
    assert_eq!(vic.get(&comments(request)).await.ids(), [comment]);
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn creators_delete_their_own_and_managers_any() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let max = api.sign_in("max").await;
    let sue = api.sign_in("sue").await;
    for (creator, others, one_who_may) in [(&mia, [&sue], &mia), (&sue, [&mia], &max)] {
        let request = raises(creator).await;
        let path = format!("/api/service-requests/{request}");
        let before = api.table_dump().await;
        for other in others {
            other
                .delete(&path)
                .await
                .expect_problem(403, "permission_denied");
        }
        assert_eq!(before, api.table_dump().await);
        assert_eq!(one_who_may.delete(&path).await.expect(204), Value::Null);
    }
}

#[tokio::test]
async fn a_deleted_request_is_gone_at_once_with_its_comments() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = raises(&mia).await;
    let other = raises(&mia).await;
    let kept = says(&mia, other, "Stays").await;
    for _ in 0..101 {
        let new = NewComment {
            thread: Thread::ServiceRequest(ServiceRequestId::new(request).unwrap()),
            author: mia.user.unwrap(),
            content: "Goes".into(),
            parent_id: None,
        };
        let comments = api.store.comments();
        comments.create(api.home.id, new).await.unwrap();
    }
    let path = format!("/api/service-requests/{request}");
    mia.delete(&path).await.expect(204);
    mia.delete(&path).await.expect_problem(404, "not_found");
    mia.get(&comments(request))
        .await
        .expect_problem(404, "not_found");
    mia.post(&comments(request), json!({"content": "x"}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(api.store.cleanups().run_due(10).await.unwrap(), 1);
    let left = api.table_dump().await;
    assert!(!left.iter().any(|item| item.contains("Goes")));
    assert!(!left.iter().any(|item| item.contains("CLEANUP")));
    assert_eq!(mia.get(&comments(other)).await.ids(), [kept]);
}

#[tokio::test]
async fn deleting_a_resolved_request_leaves_its_resolution_counted() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await;
    assert_eq!(resolutions(&api).await, (1, 2 * 24 * 3_600_000));
    let path = format!("/api/service-requests/{}", request.id);
    mia.delete(&path).await.expect(204);
    assert_eq!(resolutions(&api).await, (1, 2 * 24 * 3_600_000));
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    let request = raises(&mia).await;
    says(&mia, request, "Secret").await;
    let before = api.table_dump().await;
    let own = request.to_string();
    for id in NO_ID.into_iter().chain([own.as_str()]) {
        let path = format!("/api/service-requests/{id}");
        zoe.delete(&path).await.expect_problem(404, "not_found");
        let path = format!("{path}/comments");
        zoe.get(&path).await.expect_problem(404, "not_found");
        // The body's faults come before a missing record.
        zoe.post(&path, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
    }
    assert_eq!(before, api.table_dump().await);
    for id in NO_ID.into_iter().chain([own.as_str()]) {
        let path = format!("/api/service-requests/{id}/comments");
        zoe.post(&path, json!({"content": "x"}))
            .await
            .expect_problem(404, "not_found");
    }
    assert_eq!(mia.get(&comments(request)).await.ids(), [1]);
}

#[tokio::test]
async fn a_comment_comes_back_with_its_author() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let request = raises(&mia).await;
    let answer = sue
        .post(&comments(request), json!({"content": " Which one?\n"}))
        .await;
    let comment = json!({
        "id": 1, "content": " Which one?\n", "serviceRequestId": request, "userId": sue.id(),
        "parentId": null, "createdAt": "2026-01-15T12:00:00.000Z",
        "updatedAt": "2026-01-15T12:00:00.000Z",
        "user": {"id": sue.id(), "username": "sue", "fullName": "Sue Tester"},
    });
    assert_eq!(answer.expect(200), comment);
    let reply = json!({"content": "The blue one", "parentId": 1});
    let reply = mia.post(&comments(request), reply).await.expect(200);
    assert_eq!(
        (&reply["parentId"], &reply["user"]["username"]),
        (&json!(1), &json!("mia"))
    );
    let list = mia.get(&comments(request)).await.expect(200);
    assert_eq!(list, json!([comment, reply]));
}

#[tokio::test]
async fn comments_are_a_flat_list_oldest_first() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = raises(&mia).await;
    assert_eq!(mia.get(&comments(request)).await.ids(), [0; 0]);
    says(&mia, request, "First").await;
    says(&mia, request, "At the same time").await;
    api.clock.advance(-1_000);
    let reply = json!({"content": "By a clock that is behind", "parentId": 1});
    mia.post(&comments(request), reply).await.expect(200);
    api.clock.advance(2_000);
    let reply = json!({"content": "To a reply", "parentId": 3});
    mia.post(&comments(request), reply).await.expect(200);
    assert_eq!(mia.get(&comments(request)).await.ids(), [3, 1, 2, 4]);
}

#[tokio::test]
async fn every_fault_of_a_comment_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = raises(&mia).await;
    let other = raises(&mia).await;
    let elsewhere = says(&mia, other, "Elsewhere").await;
    let before = records(&api).await;
    for (body, faults) in [
        (json!({}), vec![("/content", "required")]),
        (
            json!({"content": null, "parentId": "1"}),
            vec![("/content", "null"), ("/parentId", "type")],
        ),
        (
            json!({"content": " \n", "parentId": 0}),
            vec![("/content", "blank"), ("/parentId", "range")],
        ),
        (
            json!({"content": "x".repeat(50_001)}),
            vec![("/content", "length")],
        ),
        (
            json!({"content": "x", "parentId": 999}),
            vec![("/parentId", "unknown")],
        ),
        (
            json!({"content": "x", "parentId": elsewhere}),
            vec![("/parentId", "unknown")],
        ),
    ] {
        mia.post(&comments(request), body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, records(&api).await);
}

#[tokio::test]
async fn a_comment_cannot_be_its_own_parent() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = raises(&mia).await;
    let last = says(&mia, request, "The next id is easy to guess").await;
    let reply = json!({"content": "x", "parentId": last + 1});
    mia.post(&comments(request), reply)
        .await
        .expect_faults(&[("/parentId", "unknown")]);
}

#[tokio::test]
async fn the_creators_comment_reopens_a_pending_or_resolved_request() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for status in [ServiceStatus::Pending, ServiceStatus::Resolved] {
        let request = exists(&api, &mia, status).await;
        assert_eq!(
            request.resolved_at.is_some(),
            status == ServiceStatus::Resolved
        );
        says(&mia, request.id.get(), "Still broken").await;
        let after = stored(&api, request.id.get()).await;
        assert_eq!(after.status, ServiceStatus::Open);
        assert_eq!(after.resolved_at, None);
        assert_eq!(after.updated_at, api.clock.now());
        assert_eq!(after.created_at, request.created_at);
        assert_eq!(resolutions(&api).await, (0, 0));
    }
}

#[tokio::test]
async fn reopening_costs_no_more_than_another_write() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    let body = json!({"content": "Still broken"});
    let answer = mia.post(&comments(request), body).await;
    within(&api, WRITE, 200, &answer);
}

#[tokio::test]
async fn other_comments_leave_a_request_as_it_is() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    for (author, status) in [
        (&sue, ServiceStatus::Pending),
        (&sue, ServiceStatus::Resolved),
        (&mia, ServiceStatus::Open),
        (&mia, ServiceStatus::InProgress),
        (&mia, ServiceStatus::Closed),
    ] {
        let request = exists(&api, &mia, status).await;
        let counted = resolutions(&api).await;
        says(author, request.id.get(), "Thank you").await;
        let after = stored(&api, request.id.get()).await;
        assert_eq!(after.status, status);
        assert_eq!(after.resolved_at, request.resolved_at);
        assert_eq!(after.updated_at, request.updated_at);
        assert_eq!(resolutions(&api).await, counted);
    }
}

#[tokio::test]
async fn a_refused_comment_does_not_reopen() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await;
    let before = records(&api).await;
    let reply = json!({"content": "x", "parentId": 999});
    mia.post(&comments(request.id.get()), reply)
        .await
        .expect_faults(&[("/parentId", "unknown")]);
    assert_eq!(before, records(&api).await);
}

#[tokio::test]
async fn comments_at_the_same_time_reopen_once_and_are_all_kept() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    tokio::join!(
        says(&mia, request, "Still broken"),
        says(&mia, request, "And another thing"),
        says(&mia, request, "Hello?"),
    );
    assert_eq!(stored(&api, request).await.status, ServiceStatus::Open);
    assert_eq!(resolutions(&api).await, (0, 0));
    assert_eq!(mia.get(&comments(request)).await.ids(), [1, 2, 3]);
}

#[tokio::test]
async fn a_comment_whose_answer_was_lost_is_written_once_and_reopens_once() {
    let faults = Faults::start().await;
    let settings = Settings {
        faults: Some(faults.clone()),
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let mia = api.sign_in("mia").await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    faults.next("TransactWriteItems", Fault::LostAnswer);
    says(&mia, request, "Still broken").await;
    assert!(faults.are_over());
    assert_eq!(resolutions(&api).await, (0, 0));
    assert_eq!(mia.get(&comments(request)).await.ids(), [1]);
}

#[tokio::test]
async fn no_operation_takes_query_parameters() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = raises(&mia).await;
    for (method, path) in [
        ("POST", REQUEST.to_owned()),
        ("DELETE", format!("/api/service-requests/{request}")),
        ("POST", comments(request)),
    ] {
        let body = (method == "POST").then(|| json!({"title": "x", "content": "x"}).to_string());
        mia.send(method, &format!("{path}?dry=1"), body)
            .await
            .expect_faults(&[("?dry", "unknown_parameter")]);
    }
}
