//! `/api/activities`, and those of `/api/projects/{projectId}` and
//! `/api/organizations/{organizationId}`

use serde_json::{Value, json};
use shared::model::{Id, Tag};

use crate::support::{Api, Caller};

/// Ids that name no record of organization 1 or 2.
const NO_ID: [&str; 6] = ["99", "0", "-1", "abc", "9007199254740993", "01"];

async fn records(caller: &Caller, more: Value) -> i64 {
    let tenant = caller.organization.unwrap().get();
    let mut body = json!({"type": "note", "description": "Called back", "organizationId": tenant});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let answer = caller.post("/api/activities", body).await;
    answer.expect(200)["id"].as_i64().unwrap()
}

async fn tag(api: &Api, name: &str) -> Tag {
    let directory = api.store.directory();
    let tag = directory.create_tag(api.home.id, name.into()).await;
    tag.unwrap()
}

/// The table without the ids given out, which a refused create may use up.
async fn rows(api: &Api) -> Vec<String> {
    let mut items = api.table_dump().await;
    items.retain(|item| !item.contains("COUNTER"));
    items
}

#[tokio::test]
async fn a_new_activity_happened_now() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sent = json!({"type": "note", "description": "Called back", "organizationId": 1});
    let body = mia.post("/api/activities", sent).await.expect(200);
    let now = "2026-01-15T12:00:00.000Z";
    assert_eq!(
        body,
        json!({
            "id": 1, "timestamp": now, "type": "note", "subtype": null,
            "description": "Called back", "projectId": null, "organizationId": 1,
            "creatorId": mia.id(), "metadata": null, "evidence": null,
            "createdAt": now, "updatedAt": now,
        })
    );
}

#[tokio::test]
async fn an_activity_keeps_every_field_and_reads_with_creator_and_project() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sent = json!({
        "timestamp": "2026-01-14T09:00:00.1239+01:00", "type": "status_change",
        "subtype": "go_live_2", "description": "Switched over", "projectId": 1,
        "metadata": {"ratio": 1e300, "n": 9_007_199_254_740_993_i64, "": null, "deep": {"a": {"b": {"c": []}}}},
        "evidence": {"links": ["https://example.org"]}, "creatorId": 99, "id": 7,
    });
    let created = mia.post("/api/activities", sent.clone()).await.expect(200);
    let mut expected = json!({
        "id": 1, "timestamp": "2026-01-14T08:00:00.123Z", "type": "status_change",
        "subtype": "go_live_2", "description": "Switched over", "projectId": 1,
        "organizationId": 1, "creatorId": mia.id(), "metadata": sent["metadata"],
        "evidence": sent["evidence"],
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(created, expected);
    expected["creator"] = json!({"id": mia.id(), "username": "mia", "fullName": "Mia Tester"});
    expected["project"] = json!({"id": 1, "title": "Billing migration"});
    let vic = api.sign_in("vic").await;
    let read = vic.get("/api/activities/1").await.expect(200);
    assert_eq!(read, expected);
    for path in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(vic.get(path).await.expect(200), json!([expected]));
    }
}

#[tokio::test]
async fn an_activity_of_the_organization_at_large_reads_without_a_project() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let id = records(&mia, json!({"projectId": null, "subtype": null})).await;
    let read = mia.get(&format!("/api/activities/{id}")).await.expect(200);
    assert_eq!(
        (&read["project"], &read["projectId"]),
        (&Value::Null, &Value::Null)
    );
    assert!(read.as_object().unwrap().contains_key("project"));
}

#[tokio::test]
async fn every_fault_of_a_new_activity_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let before = rows(&api).await;
    let six_levels = json!({"1": {"2": {"3": {"4": {"5": {}}}}}});
    for (body, faults) in [
        (
            json!({}),
            vec![
                ("/type", "required"),
                ("/description", "required"),
                ("/projectId", "required"),
            ],
        ),
        (
            json!({"timestamp": "soon", "type": "party", "subtype": "Not this", "description": 1, "projectId": "1", "organizationId": 1.5, "metadata": [], "evidence": "x"}),
            vec![
                ("/timestamp", "date_time"),
                ("/type", "value"),
                ("/subtype", "pattern"),
                ("/description", "type"),
                ("/projectId", "type"),
                ("/organizationId", "type"),
                ("/metadata", "type"),
                ("/evidence", "type"),
            ],
        ),
        (
            json!({"timestamp": null, "type": null, "description": null, "projectId": 0, "metadata": six_levels}),
            vec![
                ("/timestamp", "null"),
                ("/type", "null"),
                ("/description", "null"),
                ("/projectId", "range"),
                ("/metadata", "depth"),
            ],
        ),
        (
            json!({"type": "note", "description": "\t", "organizationId": 1, "subtype": "x".repeat(65), "evidence": {"a": "x".repeat(16 * 1024)}}),
            vec![
                ("/description", "blank"),
                ("/subtype", "pattern"),
                ("/evidence", "length"),
            ],
        ),
        (
            json!({"type": "note", "description": "x".repeat(50_001), "projectId": null, "organizationId": null}),
            vec![("/description", "length"), ("/projectId", "required")],
        ),
    ] {
        mia.post("/api/activities", body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, rows(&api).await);
}

#[tokio::test]
async fn an_activity_of_an_unknown_or_foreign_project_or_organization_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let before = rows(&api).await;
    for about in [
        json!({"projectId": 99}),
        json!({"projectId": 3}),
        json!({"projectId": 3, "organizationId": 1}),
        json!({"projectId": 1, "organizationId": 2}),
        json!({"organizationId": 2}),
        json!({"organizationId": 99}),
    ] {
        let mut body = json!({"type": "note", "description": "x"});
        for (name, value) in about.as_object().unwrap() {
            body[name] = value.clone();
        }
        mia.post("/api/activities", body)
            .await
            .expect_problem(404, "not_found");
    }
    assert_eq!(before, rows(&api).await);
}

#[tokio::test]
async fn a_viewer_reads_and_writes_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    records(&mia, json!({"projectId": 1})).await;
    let before = api.table_dump().await;
    for (method, path) in [
        ("POST", "/api/activities"),
        ("POST", "/api/activities/1/comments"),
        ("POST", "/api/activities/1/tags"),
        ("DELETE", "/api/activities/1/tags/1"),
    ] {
        let body = (method == "POST").then(|| "{".to_owned());
        vic.send(method, path, body)
            .await
            .expect_problem(403, "permission_denied");
    }
    for path in [
        "/api/activities",
        "/api/activities/1",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
        "/api/activities/1/comments",
    ] {
        vic.get(path).await.expect(200);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn lists_come_newest_first_with_the_larger_id_before_the_smaller() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zac = api.sign_in("zac").await;
    for (timestamp, project) in [
        ("2026-01-10T00:00:00Z", json!(1)),
        ("2026-01-12T00:00:00Z", json!(2)),
        ("2026-01-12T01:00:00+01:00", json!(1)),
        ("2026-01-11T00:00:00Z", json!(null)),
    ] {
        let more = json!({"timestamp": timestamp, "projectId": project});
        records(&mia, more).await;
    }
    records(&zac, json!({"projectId": 3})).await;
    assert_eq!(mia.get("/api/activities").await.ids(), [3, 2, 4, 1]);
    let organization = "/api/organizations/1/activities";
    assert_eq!(mia.get(organization).await.ids(), [3, 2, 4, 1]);
    assert_eq!(mia.get("/api/projects/1/activities").await.ids(), [3, 1]);
    assert_eq!(mia.get("/api/projects/2/activities").await.ids(), [2]);
    assert_eq!(zac.get("/api/activities").await.ids(), [5]);
}

#[tokio::test]
async fn the_activities_of_what_is_not_the_callers_are_denied() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for id in NO_ID.into_iter().chain(["3"]) {
        mia.get(&format!("/api/projects/{id}/activities"))
            .await
            .expect_problem(403, "access_denied");
    }
    for id in NO_ID.into_iter().chain(["2"]) {
        mia.get(&format!("/api/organizations/{id}/activities"))
            .await
            .expect_problem(403, "access_denied");
    }
    assert_eq!(mia.get("/api/projects/2/activities").await.ids(), [0; 0]);
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    records(&mia, json!({})).await;
    let body = json!({"content": "Secret"});
    mia.post("/api/activities/1/comments", body.clone())
        .await
        .expect(200);
    let foreign = tag(&api, "urgent").await.id;
    let before = rows(&api).await;
    for id in NO_ID.into_iter().chain(["1"]) {
        let path = format!("/api/activities/{id}");
        let tags = format!("{path}/tags");
        let comments = format!("{path}/comments");
        for answer in [
            zoe.get(&path).await,
            zoe.get(&comments).await,
            zoe.post(&comments, body.clone()).await,
            zoe.post(&tags, json!({"tagId": foreign})).await,
            zoe.delete(&format!("{tags}/{foreign}")).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
        // The body's faults come before a missing record.
        zoe.post(&comments, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
        zoe.post(&tags, json!({}))
            .await
            .expect_faults(&[("/tagId", "required")]);
    }
    assert_eq!(before, rows(&api).await);
}

#[tokio::test]
async fn a_comment_on_an_activity_comes_back_with_its_author() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let path = "/api/activities/1/comments";
    records(&mia, json!({})).await;
    assert_eq!(mia.get(path).await.ids(), [0; 0]);
    let comment = sue.post(path, json!({"content": "Well done"})).await;
    let comment = comment.expect(200);
    assert_eq!(
        comment,
        json!({
            "id": 1, "content": "Well done", "activityId": 1, "userId": sue.id(),
            "parentId": null, "createdAt": "2026-01-15T12:00:00.000Z",
            "updatedAt": "2026-01-15T12:00:00.000Z",
            "user": {"id": sue.id(), "username": "sue", "fullName": "Sue Tester"},
        })
    );
    api.clock.advance(1);
    let reply = json!({"content": "Thanks", "parentId": 1});
    let reply = mia.post(path, reply).await.expect(200);
    assert_eq!(reply["parentId"], 1);
    let list = mia.get(path).await.expect(200);
    assert_eq!(list, json!([comment, reply]));
}

#[tokio::test]
async fn a_reply_stays_within_its_thread() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    records(&mia, json!({})).await;
    records(&mia, json!({})).await;
    let request = json!({"title": "Help"});
    let request = mia.post("/api/managed-services/request", request).await;
    // Threads of both kinds under the same number.
    assert_eq!(request.expect(200)["id"], 1);
    let content = json!({"content": "x"});
    for path in [
        "/api/activities/2/comments",
        "/api/service-requests/1/comments",
    ] {
        mia.post(path, content.clone()).await.expect(200);
    }
    let before = rows(&api).await;
    // 3 is the id that the first of these comments is about to get.
    for parent in [1, 2, 3, 999] {
        let reply = json!({"content": "x", "parentId": parent});
        mia.post("/api/activities/1/comments", reply)
            .await
            .expect_faults(&[("/parentId", "unknown")]);
    }
    for (body, faults) in [
        (
            json!({"parentId": -1}),
            vec![("/content", "required"), ("/parentId", "range")],
        ),
        (json!({"content": ""}), vec![("/content", "blank")]),
        (
            json!({"content": "x".repeat(50_001)}),
            vec![("/content", "length")],
        ),
    ] {
        mia.post("/api/activities/1/comments", body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, rows(&api).await);
}

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    records(&mia, json!({})).await;
    let bare = rows(&api).await.len();
    let tags = [tag(&api, "urgent").await.id, tag(&api, "legal").await.id];
    for times in 1..=2 {
        for tag in tags {
            let answer = mia
                .post("/api/activities/1/tags", json!({"tagId": tag}))
                .await;
            assert_eq!(answer.expect(204), Value::Null);
        }
        assert_eq!(rows(&api).await.len(), bare + 4, "attached {times} times");
    }
    for times in 1..=2 {
        let path = format!("/api/activities/1/tags/{}", tags[0]);
        assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
        assert_eq!(rows(&api).await.len(), bare + 3, "detached {times} times");
    }
}

#[tokio::test]
async fn an_unknown_tag_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    records(&mia, json!({})).await;
    let abroad = api.store.directory();
    let abroad = abroad.create_tag(api.abroad.id, "theirs".into());
    let abroad = abroad.await.unwrap().id.to_string();
    let before = api.table_dump().await;
    for id in ["99", &abroad] {
        let body = json!({"tagId": id.parse::<i64>().unwrap()});
        mia.post("/api/activities/1/tags", body)
            .await
            .expect_problem(404, "not_found");
    }
    for id in NO_ID.into_iter().chain([abroad.as_str()]) {
        mia.delete(&format!("/api/activities/1/tags/{id}"))
            .await
            .expect_problem(404, "not_found");
    }
    for (body, fault) in [
        (json!({}), "required"),
        (json!({"tagId": null}), "null"),
        (json!({"tagId": "1"}), "type"),
        (json!({"tagId": 0}), "range"),
    ] {
        mia.post("/api/activities/1/tags", body)
            .await
            .expect_faults(&[("/tagId", fault)]);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn no_operation_takes_query_parameters() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    records(&mia, json!({})).await;
    for (method, path) in [
        ("POST", "/api/activities"),
        ("GET", "/api/activities/1"),
        ("POST", "/api/activities/1/comments"),
        ("POST", "/api/activities/1/tags"),
        ("DELETE", "/api/activities/1/tags/1"),
    ] {
        let body = (method == "POST").then(|| "{}".to_owned());
        mia.send(method, &format!("{path}?dry=1"), body)
            .await
            .expect_faults(&[("?dry", "unknown_parameter")]);
    }
}
