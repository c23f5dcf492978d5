//! Tags of activities, tasks, service requests and tickets

use serde_json::{Value, json};
use tests::support::{Answer, Api, Caller, Fault, posts};

/// The folder of a subject, and what it is called.
const SUBJECTS: [(&str, &str); 2] = [("activities", "activity"), ("tasks", "task")];

/// Record 1 of each subject, by mia.
async fn with_subjects(api: &Api) -> Caller {
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({"projectId": 1}))
        .await;
    mia.creates_task(json!({})).await;
    mia
}

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let api = Api::start().await;
    let mia = with_subjects(&api).await;
    for name in ["urgent", "legal"] {
        api.has_tag(api.home.id, name).await;
    }
    for (subject, _) in SUBJECTS {
        let path = format!("/api/{subject}/1");
        let lists = ["", "projects/1/", "organizations/1/"];
        let lists = &lists[..if subject == "tasks" { 2 } else { 3 }];
        let carries = async |tags: Value| {
            let read = mia.reads(&path).await;
            assert_eq!(read["tags"], tags);
            for list in lists {
                let list = format!("/api/{list}{subject}");
                assert_eq!(mia.reads(&list).await[0]["tags"], tags, "{list}");
            }
            read["updatedAt"].clone()
        };
        let urgent = json!({"id": 1, "name": "urgent"});
        let legal = json!({"id": 2, "name": "legal"});
        for again in [false, true] {
            let before = api.records().await;
            api.clock.advance(1);
            for tag in [2, 1] {
                posts!(mia, "{path}/tags", {"tagId": tag});
            }
            let changed = carries(json!([urgent, legal])).await;
            assert_eq!(changed == json!(api.clock.now()), !again);
            assert_eq!(api.records().await == before, again);
        }
        // What else is written to the record leaves them alone.
        mia.patches(&path, json!({"description": "Renamed"}))
            .await;
        for again in [false, true] {
            let before = api.records().await;
            mia.deletes(&format!("{path}/tags/1"))
                .await;
            carries(json!([legal])).await;
            assert_eq!(api.records().await == before, again);
        }
    }
    for (path, body) in [
        ("/api/tasks/1/phase", json!({"phaseId": null})),
        (
            "/api/tasks/reorder",
            json!({"tasks": [{"id": 1, "order": 7}]}),
        ),
    ] {
        mia.patches(path, body).await;
    }
    assert_eq!(mia.reads("/api/tasks/1").await["tags"][0]["id"], 2);
}

/// The paths of records whose tags are attached by `PUT`: of their tags, the record, its list, and
/// its name.
const BY_PATH: [[&str; 4]; 2] = [
    [
        "/api/service-requests/1/tags",
        "/api/service-requests/1",
        "/api/service-requests",
        "service request",
    ],
    [
        "/api/managed-services/tickets/1/tags",
        "/api/managed-services/ticket/1",
        "/api/managed-services/tickets",
        "ticket",
    ],
];

/// Service request 1 and ticket 1, and tags of these names.
async fn with_requests(api: &Api, tags: &[&str]) -> Caller {
    let max = api.sign_in("max").await;
    for path in [
        "/api/managed-services/request",
        "/api/managed-services/tickets",
    ] {
        let created = posts!(max, path, {"title": "Invoice 17 is wrong"});
        assert_eq!(created["tags"], json!([]));
    }
    for name in tags {
        api.has_tag(api.home.id, name).await;
    }
    max
}

/// The answer to the attaching of a tag by its path.
async fn attaches(caller: &Caller, path: &str, tag: i64) -> Answer {
    let path = format!("{path}/{tag}");
    caller.send("PUT", &path, None).await
}

/// The record of a read. A ticket is answered with its messages.
fn record_of(read: Value) -> Value {
    match read.get("ticket") {
        Some(ticket) => ticket.clone(),
        None => read,
    }
}

#[tokio::test]
async fn a_request_and_a_ticket_take_and_lose_a_tag_by_its_path() {
    let api = Api::start().await;
    let max = with_requests(&api, &["urgent", "legal"]).await;
    let urgent = json!({"id": 1, "name": "urgent"});
    let legal = json!({"id": 2, "name": "legal"});
    for [path, record, list, _] in BY_PATH {
        for again in [false, true] {
            let before = api.records().await;
            api.clock.advance(1);
            for tag in [2, 1] {
                attaches(&max, path, tag)
                    .await
                    .expect(204);
            }
            let read = record_of(max.reads(record).await);
            assert_eq!(read["tags"], json!([urgent, legal]), "{record}");
            assert_eq!(read["updatedAt"] == json!(api.clock.now()), !again);
            assert_eq!(max.reads(list).await[0]["tags"], read["tags"], "{list}");
            assert_eq!(api.records().await == before, again);
        }
        let changed = max
            .patches(record, json!({"priority": "high"}))
            .await;
        assert_eq!(changed["tags"], json!([urgent, legal]), "{record}");
        max.deletes(&format!("{path}/1")).await;
        let before = api.records().await;
        max.deletes(&format!("{path}/1")).await;
        assert_eq!(api.records().await, before);
        let history = max
            .reads(&format!("{record}/history"))
            .await;
        let change = json!({"field": "tagIds", "from": [1, 2], "to": [2]});
        assert_eq!(history[0]["changes"], json!([change]), "{record}");
    }
    let dashboard = max
        .reads("/api/managed-services/dashboard")
        .await;
    for list in ["serviceRequests", "tickets"] {
        assert_eq!(dashboard[list][0]["tags"], json!([legal]), "{list}");
    }
}

#[tokio::test]
async fn requests_and_tickets_are_listed_by_their_tags() {
    let api = Api::start().await;
    let max = with_requests(&api, &["urgent", "legal"]).await;
    for path in [
        "/api/managed-services/request",
        "/api/managed-services/tickets",
    ] {
        posts!(max, path, {"title": "Another"});
    }
    for [path, _, list, _] in BY_PATH {
        attaches(&max, path, 1)
            .await
            .expect(204);
        let ids = max.get(list).await.ids();
        let [untagged] = ids
            .iter()
            .copied()
            .filter(|id| *id != 1)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        for (filter, expected) in [
            ("1", vec![1]),
            ("2", vec![]),
            ("2,1", vec![1]),
            ("none", vec![untagged]),
            ("none,1", ids.clone()),
        ] {
            let path = format!("{list}?tagId={filter}");
            assert_eq!(max.get(&path).await.ids(), expected, "{path}");
            let path = format!("{path}&id=1,{untagged}");
            assert_eq!(max.get(&path).await.ids(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn a_deleted_tag_is_gone_from_requests_and_tickets() {
    let api = Api::start().await;
    let max = with_requests(&api, &["urgent", "legal"]).await;
    for [path, ..] in BY_PATH {
        for tag in [1, 2] {
            attaches(&max, path, tag)
                .await
                .expect(204);
        }
    }
    max.deletes("/api/tags/1").await;
    for round in 0..2 {
        for [path, record, list, _] in BY_PATH {
            let legal = json!([{"id": 2, "name": "legal"}]);
            let read = record_of(max.reads(record).await);
            assert_eq!(read["tags"], legal, "{record}");
            let rows = max
                .get(&format!("{list}?tagId=1"))
                .await;
            assert_eq!(rows.ids(), [0; 0], "{list}");
            attaches(&max, path, 1)
                .await
                .expect_not_found();
            let history = max
                .reads(&format!("{record}/history"))
                .await;
            let by_service = history[0]["actor"].is_null();
            assert_eq!(by_service, round == 1, "{record}");
        }
        if round == 0 {
            assert_eq!(api.cleans_up().await, 1);
        }
    }
    let left = api.table_dump().await;
    assert!(
        !left
            .iter()
            .any(|item| item.contains(r#""tagIds": Ns(["1""#))
    );
}

#[tokio::test]
async fn a_request_and_a_ticket_carry_fifty_tags_and_no_more() {
    let api = Api::start().await;
    let max = with_requests(&api, &[]).await;
    for number in 1..=51 {
        api.has_tag(api.home.id, &format!("Tag {number}"))
            .await;
    }
    for [path, _, _, noun] in BY_PATH {
        for number in 1..=50 {
            attaches(&max, path, number)
                .await
                .expect(204);
        }
        let answer = attaches(&max, path, 51).await;
        let problem = answer.expect_problem(409, "too_many_tags");
        let expected = format!("The {noun} has 50");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(&expected), "{detail}");
    }
}

#[tokio::test]
async fn a_record_carries_fifty_tags_and_no_more() {
    let api = Api::start().await;
    let mia = with_subjects(&api).await;
    for number in 1..=51 {
        api.has_tag(api.home.id, &format!("Tag {number}"))
            .await;
    }
    for (subject, noun) in SUBJECTS {
        let path = format!("/api/{subject}/1/tags");
        for number in 1..=50 {
            posts!(mia, &path, {"tagId": number});
        }
        let answer = mia
            .post(&path, json!({"tagId": 51}))
            .await;
        let problem = answer.expect_problem(409, "too_many_tags");
        let detail = problem["detail"].as_str().unwrap();
        let expected = format!("The {noun} has 50");
        assert!(detail.starts_with(&expected), "{detail}");
        // What it carries may be attached again, and what it does not carry detached.
        mia.posts(&path, json!({"tagId": 7}))
            .await;
        mia.deletes(&format!("{path}/51")).await;
        mia.deletes(&format!("{path}/50")).await;
        posts!(mia, &path, {"tagId": 51});
    }
    // A change of the activity leaves them alone.
    let changed = mia.patch("/api/activities/1", json!({"type": "call"}));
    let read = mia.get("/api/activities/1");
    for activity in [changed.await.expect(200), read.await.expect(200)] {
        assert_eq!(
            activity["tags"]
                .as_array()
                .unwrap()
                .len(),
            50
        );
    }
}

#[tokio::test]
async fn a_tag_of_another_organization_is_as_absent_as_none() {
    let api = Api::start().await;
    let mia = with_subjects(&api).await;
    let abroad = api
        .has_tag(api.abroad.id, "theirs")
        .await
        .id
        .to_string();
    let before = api.table_dump().await;
    for (subject, _) in SUBJECTS {
        let path = format!("/api/{subject}/1/tags");
        for id in ["99", &abroad] {
            let body = json!({"tagId": id.parse::<i64>().unwrap()});
            mia.post(&path, body)
                .await
                .expect_not_found();
        }
        for id in ["99", "0", "-1", "abc", "9007199254740993", "01", &abroad] {
            mia.delete(&format!("{path}/{id}"))
                .await
                .expect_not_found();
        }
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_tag_that_is_deleted_at_the_last_moment_is_not_attached() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let mia = with_subjects(&api).await;
    for (tag, (subject, _)) in (1..).zip(SUBJECTS) {
        api.has_tag(api.home.id, &format!("Tag {tag}"))
            .await;
        let place = ["0000000000000001", "0000000000000002"][tag - 1];
        faults.next("TransactWriteItems", Fault::After("ORG#1#TAG", place));
        let path = format!("/api/{subject}/1/tags");
        let answer = mia
            .post(&path, json!({"tagId": tag}))
            .await;
        answer.expect_not_found();
        assert!(faults.are_over());
    }
}
