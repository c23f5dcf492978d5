//! `/api/managed-services`, but for raising service requests

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::model::{
    ActivityType, Id, OrganizationId, Priority, ProjectStatus, ReferenceType, ServiceStatus,
    Ticket, Timestamp,
};
use shared::store::{History, NewActivity, NewMessage, NewProject, NewServiceRequest, NewTicket};

use crate::{
    budgets::{LIST, READ, WRITE, within},
    support::{Api, Caller, Used},
};

const DASHBOARD: &str = "/api/managed-services/dashboard";
const SEARCH: &str = "/api/managed-services/search-references";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn new_ticket() -> NewTicket {
    NewTicket {
        title: "No invoices".into(),
        status: ServiceStatus::Open,
        priority: Priority::High,
        assignee_id: None,
        created_at: None,
        resolved_at: None,
        messages: Vec::new(),
    }
}

async fn has_ticket(api: &Api, status: ServiceStatus) -> Ticket {
    let new = NewTicket {
        status,
        ..new_ticket()
    };
    api.store.tickets().create(api.home.id, new).await.unwrap()
}

async fn has_request(api: &Api, title: &str, created: &str, resolved: Option<&str>) {
    let creator_id = api.user("mia").await.id;
    let status = match resolved {
        Some(_) => ServiceStatus::Resolved,
        None => ServiceStatus::Open,
    };
    let new = NewServiceRequest {
        title: title.into(),
        description: None,
        priority: Priority::Low,
        category: None,
        creator_id,
        reference: Some((ReferenceType::Project, 1)),
    };
    let history = History {
        status,
        created_at: Some(at(created)),
        resolved_at: resolved.map(at),
        ..History::default()
    };
    let requests = api.store.service_requests();
    requests
        .create_with(api.home.id, new, history)
        .await
        .unwrap();
}

async fn has_activity(api: &Api, description: &str, timestamp: &str) {
    let new = NewActivity {
        timestamp: Some(at(timestamp)),
        kind: ActivityType::Call,
        subtype: Some("kick_off".into()),
        description: description.into(),
        project_id: Some(api.projects[0].id),
        creator_id: api.user("mia").await.id,
        metadata: None,
        evidence: None,
    };
    api.store
        .activities()
        .create(api.home.id, new)
        .await
        .unwrap();
}

async fn has_project(api: &Api, tenant: OrganizationId, title: &str) -> i64 {
    let new = NewProject {
        title: title.into(),
        description: Some(format!("About {title}")),
        status: ProjectStatus::Planned,
    };
    let project = api.store.directory().create_project(tenant, new).await;
    project.unwrap().id.get()
}

async fn metrics(caller: &Caller) -> Value {
    caller.get(DASHBOARD).await.expect(200)["metrics"].clone()
}

/// Titles of what a search finds.
async fn found(caller: &Caller, query: &str) -> Vec<String> {
    let rows = caller.get(&format!("{SEARCH}{query}")).await.expect(200);
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["title"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_dashboard_of_a_new_organization_is_empty() {
    let api = Api::start().await;
    let zoe = api.sign_in("zoe").await;
    assert_eq!(
        zoe.get(DASHBOARD).await.expect(200),
        json!({
            "serviceRequests": [], "tickets": [], "activityFeed": [],
            "metrics": {"activeEngagements": 1, "avgResolutionTime": 0.0, "hoursSaved": 0.0},
        })
    );
}

#[tokio::test]
async fn the_dashboard_shows_what_is_newest() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    let mia = api.user("mia").await;
    has_request(&api, "Older", "2026-01-01T00:00:00Z", None).await;
    has_request(&api, "Newer", "2026-01-02T00:00:00Z", None).await;
    has_activity(&api, "Later", "2026-01-04T00:00:00Z").await;
    has_activity(&api, "Sooner", "2026-01-03T00:00:00Z").await;
    let new = NewTicket {
        assignee_id: Some(mia.id),
        created_at: Some(at("2026-01-05T00:00:00Z")),
        messages: vec![NewMessage {
            user_id: mia.id,
            content: "Where are they?".into(),
            created_at: Some(at("2026-01-06T00:00:00Z")),
        }],
        ..new_ticket()
    };
    api.store.tickets().create(api.home.id, new).await.unwrap();
    let activity = |id: i64, description: &str, timestamp: &str| {
        json!({
            "id": id, "type": "call", "subtype": "kick_off", "description": description,
            "timestamp": timestamp, "projectId": 1, "organizationId": 1,
            "creator": {"id": mia.id, "username": "mia", "fullName": "Mia Tester"},
        })
    };
    let body = vic.get(DASHBOARD).await.expect(200);
    assert_eq!(
        body["activityFeed"],
        json!([
            activity(1, "Later", "2026-01-04T00:00:00.000Z"),
            activity(2, "Sooner", "2026-01-03T00:00:00.000Z"),
        ])
    );
    assert_eq!(
        body["tickets"],
        json!([{
            "id": 1, "title": "No invoices", "status": "open", "priority": "high",
            "createdAt": "2026-01-05T00:00:00.000Z", "updatedAt": "2026-01-06T00:00:00.000Z",
            "assigneeId": mia.id, "lastMessageAt": "2026-01-06T00:00:00.000Z",
        }])
    );
    let requests = &body["serviceRequests"];
    assert_eq!(
        (&requests[0]["id"], &requests[1]["id"]),
        (&json!(2), &json!(1))
    );
    let mut fields: Vec<_> = requests[0].as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "assigneeId",
            "category",
            "createdAt",
            "creatorId",
            "description",
            "id",
            "metadata",
            "priority",
            "referenceId",
            "referenceType",
            "status",
            "title",
            "updatedAt",
        ]
    );
}

#[tokio::test]
async fn the_dashboard_shows_twenty_of_each() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    for _ in 0..21 {
        has_request(&api, "x", "2026-01-01T00:00:00Z", None).await;
        has_activity(&api, "x", "2026-01-01T00:00:00Z").await;
        has_ticket(&api, ServiceStatus::Open).await;
    }
    let body = vic.get(DASHBOARD).await.expect(200);
    for list in ["serviceRequests", "tickets", "activityFeed"] {
        let ids: Vec<i64> = body[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_i64().unwrap())
            .collect();
        // Created in one instant, so that the ids decide: the oldest is left out.
        assert_eq!(ids, (2..=21).rev().collect::<Vec<_>>(), "{list}");
    }
}

#[tokio::test]
async fn the_resolution_time_is_the_mean_of_ninety_days() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    // The clock stands at 2026-01-15: the 90th day back is 2025-10-18.
    has_request(
        &api,
        "too old",
        "2025-10-01T00:00:00Z",
        Some("2025-10-17T23:59:59Z"),
    )
    .await;
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 0.0);
    has_request(
        &api,
        "just in",
        "2025-10-17T22:00:00Z",
        Some("2025-10-18T00:00:00Z"),
    )
    .await;
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 2.0);
    let new = NewTicket {
        status: ServiceStatus::Closed,
        created_at: Some(at("2026-01-15T02:00:00Z")),
        ..new_ticket()
    };
    // Closed now, after ten hours.
    api.store.tickets().create(api.home.id, new).await.unwrap();
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 6.0);
    has_request(&api, "open", "2026-01-01T00:00:00Z", None).await;
    has_request(
        &api,
        "x",
        "2026-01-14T00:00:00Z",
        Some("2026-01-14T00:10:00Z"),
    )
    .await;
    // (2 h + 10 h + 1/6 h) / 3, to two decimals.
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 4.06);
}

#[tokio::test]
async fn engagements_and_hours_saved_come_from_the_totals() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    has_project(&api, api.home.id, "Planned").await;
    let totals = api
        .client
        .update_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S("ORG#1".into()))
        .key("sk", AttributeValue::S("TOTALS".into()))
        .update_expression("ADD minutesSaved :minutes")
        .expression_attribute_values(":minutes", AttributeValue::N("100".into()));
    totals.send().await.unwrap();
    assert_eq!(
        metrics(&vic).await,
        json!({"activeEngagements": 2, "avgResolutionTime": 0.0, "hoursSaved": 1.67})
    );
}

#[tokio::test]
async fn the_dashboard_shows_nothing_foreign() {
    let api = Api::start().await;
    let zoe = api.sign_in("zoe").await;
    has_request(
        &api,
        "x",
        "2026-01-14T00:00:00Z",
        Some("2026-01-15T00:00:00Z"),
    )
    .await;
    has_activity(&api, "x", "2026-01-04T00:00:00Z").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    let body = zoe.get(DASHBOARD).await.expect(200);
    for list in ["serviceRequests", "tickets", "activityFeed"] {
        assert_eq!(body[list], json!([]), "{list}");
    }
    assert_eq!(body["metrics"]["avgResolutionTime"], 0.0);
}

#[tokio::test]
async fn a_ticket_shows_its_messages_by_time() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    let message = |user_id, content: &str, created| NewMessage {
        user_id,
        content: content.into(),
        created_at: Some(at(created)),
    };
    let (mia, sue) = (api.user("mia").await.id, api.user("sue").await.id);
    let new = NewTicket {
        messages: vec![
            message(sue, "On their way", "2026-01-06T00:00:00Z"),
            message(mia, "Where are they?", "2026-01-05T00:00:00Z"),
        ],
        ..new_ticket()
    };
    api.store.tickets().create(api.home.id, new).await.unwrap();
    assert_eq!(
        vic.get("/api/managed-services/ticket/1").await.expect(200),
        json!({
            "ticket": {
                "id": 1, "title": "No invoices", "status": "open", "priority": "high",
                "createdAt": "2026-01-15T12:00:00.000Z",
            },
            "messages": [
                {
                    "id": 2, "content": "Where are they?", "createdAt": "2026-01-05T00:00:00.000Z",
                    "sender": {"name": "Mia Tester", "isSupport": false},
                },
                {
                    "id": 1, "content": "On their way", "createdAt": "2026-01-06T00:00:00.000Z",
                    "sender": {"name": "Sue Tester", "isSupport": true},
                },
            ],
        })
    );
}

#[tokio::test]
async fn a_reply_is_the_newest_message_and_has_no_body() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::InProgress).await;
    api.clock.advance(1_000);
    let path = "/api/managed-services/ticket/1";
    let replied = sue
        .post(&format!("{path}/reply"), json!({"content": "On it"}))
        .await;
    assert_eq!(replied.expect(200), Value::Null);
    let read = sue.get(path).await.expect(200);
    assert_eq!(read["ticket"]["status"], "in_progress");
    assert_eq!(
        read["messages"],
        json!([{
            "id": 1, "content": "On it", "createdAt": "2026-01-15T12:00:01.000Z",
            "sender": {"name": "Sue Tester", "isSupport": true},
        }])
    );
    let ticket = &sue.get(DASHBOARD).await.expect(200)["tickets"][0];
    for field in ["updatedAt", "lastMessageAt"] {
        assert_eq!(ticket[field], "2026-01-15T12:00:01.000Z", "{field}");
    }
}

#[tokio::test]
async fn a_reply_opens_a_ticket_that_is_pending_or_resolved() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    has_ticket(&api, ServiceStatus::Pending).await;
    let new = NewTicket {
        status: ServiceStatus::Resolved,
        created_at: Some(at("2026-01-10T00:00:00Z")),
        resolved_at: Some(at("2026-01-10T05:00:00Z")),
        ..new_ticket()
    };
    api.store.tickets().create(api.home.id, new).await.unwrap();
    assert_eq!(metrics(&mia).await["avgResolutionTime"], 5.0);
    for id in [1, 2] {
        let path = format!("/api/managed-services/ticket/{id}");
        for content in ["It is back", "Really"] {
            mia.post(&format!("{path}/reply"), json!({"content": content}))
                .await
                .expect(200);
        }
        let read = mia.get(&path).await.expect(200);
        assert_eq!(read["ticket"]["status"], "open");
        assert_eq!(read["messages"].as_array().unwrap().len(), 2);
    }
    // Taken out once, not twice.
    assert_eq!(metrics(&mia).await["avgResolutionTime"], 0.0);
    let dump = api.table_dump().await;
    let day = dump.iter().find(|item| item.contains("ORG#1#RESOLUTIONS"));
    assert!(day.unwrap().contains(r#""count": N("0")"#), "{day:?}");
}

#[tokio::test]
async fn replies_at_the_same_time_are_all_kept_and_reopen_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    let reply = || {
        mia.post(
            "/api/managed-services/ticket/1/reply",
            json!({"content": "Me too"}),
        )
    };
    let (one, two, three) = tokio::join!(reply(), reply(), reply());
    for answer in [one, two, three] {
        answer.expect(200);
    }
    let read = mia.get("/api/managed-services/ticket/1").await.expect(200);
    assert_eq!(read["messages"].as_array().unwrap().len(), 3);
    let dump = api.table_dump().await;
    let day = dump.iter().find(|item| item.contains("ORG#1#RESOLUTIONS"));
    assert!(day.unwrap().contains(r#""count": N("0")"#), "{day:?}");
}

#[tokio::test]
async fn a_closed_ticket_takes_no_reply() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    has_ticket(&api, ServiceStatus::Closed).await;
    let records = async || {
        let mut dump = api.table_dump().await;
        dump.retain(|item| !item.contains("COUNTER"));
        dump
    };
    let before = records().await;
    ada.post(
        "/api/managed-services/ticket/1/reply",
        json!({"content": "Hello?"}),
    )
    .await
    .expect_problem(409, "ticket_closed");
    assert_eq!(before, records().await);
}

#[tokio::test]
async fn a_reply_has_some_text() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let before = api.table_dump().await;
    for (body, fault) in [
        (json!({}), "required"),
        (json!({"content": null}), "null"),
        (json!({"content": 1}), "type"),
        (json!({"content": " \n"}), "blank"),
        (json!({"content": "x".repeat(50_001)}), "length"),
    ] {
        mia.post("/api/managed-services/ticket/1/reply", body)
            .await
            .expect_faults(&[("/content", fault)]);
    }
    assert_eq!(before, api.table_dump().await);
    let longest = json!({"content": "ü".repeat(50_000)});
    mia.post("/api/managed-services/ticket/1/reply", longest)
        .await
        .expect(200);
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let zoe = api.sign_in("zoe").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let hello = json!({"content": "Hello"});
    for id in ["1", "2", "0", "-1", "abc", "9007199254740993", "01"] {
        let path = format!("/api/managed-services/ticket/{id}");
        let reply = format!("{path}/reply");
        zoe.get(&path).await.expect_problem(404, "not_found");
        zoe.post(&reply, hello.clone())
            .await
            .expect_problem(404, "not_found");
        zoe.post(&reply, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
    }
    let mia = api.sign_in("mia").await;
    let read = mia.get("/api/managed-services/ticket/1").await.expect(200);
    assert_eq!(read["messages"], json!([]));
}

#[tokio::test]
async fn viewers_read_and_do_not_reply() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let path = "/api/managed-services/ticket/1";
    for path in [DASHBOARD, path] {
        vic.get(path).await.expect(200);
        vic.get(&format!("{path}?page=1"))
            .await
            .expect_faults(&[("?page", "unknown_parameter")]);
    }
    vic.post(&format!("{path}/reply"), json!({}))
        .await
        .expect_problem(403, "permission_denied");
}

#[tokio::test]
async fn a_search_without_text_lists_the_twenty_most_recent() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    // Created in one instant: a project comes before the organization, a newer one before both.
    assert_eq!(
        vic.get(SEARCH).await.expect(200),
        json!([
            {"id": 2, "type": "project", "title": "Office move", "description": null},
            {"id": 1, "type": "project", "title": "Billing migration", "description": null},
            {"id": 1, "type": "organization", "title": "Halden Services", "description": null},
        ])
    );
    for number in 1..=25 {
        api.clock.advance(1_000);
        has_project(&api, api.home.id, &format!("Project {number}")).await;
    }
    let recent: Vec<String> = (6..=25).rev().map(|n| format!("Project {n}")).collect();
    for query in ["", "?", "?query=", "?query=%20-%20", "?type=project"] {
        assert_eq!(found(&vic, query).await, recent, "{query}");
    }
    assert_eq!(found(&vic, "?type=organization").await, ["Halden Services"]);
}

#[tokio::test]
async fn each_word_of_a_search_begins_a_word_of_the_title() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    has_project(&api, api.home.id, "Straße: Neubau (West)").await;
    for (query, titles) in [
        ("?query=BILL", vec!["Billing migration"]),
        ("?query=mig+bil", vec!["Billing migration"]),
        ("?query=move,%20office!", vec!["Office move"]),
        ("?query=illing", vec![]),
        ("?query=billing%20move", vec![]),
        ("?query=STRASSE%20west", vec!["Straße: Neubau (West)"]),
        ("?query=hald", vec!["Halden Services"]),
        ("?query=hald&type=organization", vec!["Halden Services"]),
        ("?query=hald&type=project", vec![]),
        ("?query=foreign", vec![]),
        ("?query=outland", vec![]),
    ] {
        assert_eq!(found(&vic, query).await, titles, "{query}");
    }
    let longest = format!("?query={}", "o%20".repeat(127) + "o");
    assert_eq!(found(&vic, &longest).await, ["Office move"]);
    let words: Vec<String> = (0..64).map(|n| format!("{n:03}")).collect();
    assert_eq!(
        found(&vic, &format!("?query={}", words.join("+"))).await,
        [""; 0]
    );
}

#[tokio::test]
async fn a_search_finds_at_most_fifty_of_many() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    has_project(&api, api.home.id, "Needle one").await;
    for number in 1..=60 {
        api.clock.advance(1_000);
        has_project(&api, api.home.id, &format!("Hay {number}")).await;
    }
    let hay: Vec<String> = (11..=60).rev().map(|n| format!("Hay {n}")).collect();
    assert_eq!(found(&vic, "?query=hay").await, hay);
    assert_eq!(found(&vic, "?query=needle").await, ["Needle one"]);
}

#[tokio::test]
async fn a_search_reads_on_past_what_does_not_match() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    // The organization is the oldest, behind more rows than one page of the search reads.
    for _ in 0..210 {
        has_project(&api, api.home.id, "x").await;
    }
    api.counter.take();
    assert_eq!(found(&vic, "?type=organization").await, ["Halden Services"]);
    // Authentication, two pages, and what was found.
    assert_eq!(api.counter.take().total, 4);
}

#[tokio::test]
async fn every_fault_of_a_search_is_answered() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    let long = format!("{SEARCH}?query={}&type=task&page=1", "x".repeat(256));
    vic.get(&long).await.expect_faults(&[
        ("?query", "length"),
        ("?type", "value"),
        ("?page", "unknown_parameter"),
    ]);
    vic.get(&format!("{SEARCH}?type="))
        .await
        .expect_faults(&[("?type", "value")]);
    vic.get(&format!("{SEARCH}?query=a&query=b"))
        .await
        .expect_faults(&[("?query", "repeated")]);
}

#[tokio::test]
async fn the_budgets_hold() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    has_request(&api, "x", "2026-01-14T00:00:00Z", None).await;
    has_activity(&api, "x", "2026-01-04T00:00:00Z").await;
    let hello = json!({"content": "Hello"});
    api.counter.take();
    // Three one after another and seven in all, authentication among them.
    let dashboard = Used {
        in_sequence: 2,
        total: 6,
    };
    within(&api, dashboard, 200, &sue.get(DASHBOARD).await);
    let ticket = "/api/managed-services/ticket/1";
    for _ in 0..2 {
        let replied = sue.post(&format!("{ticket}/reply"), hello.clone()).await;
        within(&api, WRITE, 200, &replied);
    }
    within(&api, READ, 200, &sue.get(ticket).await);
    let search = format!("{SEARCH}?query=billing&type=project");
    within(&api, LIST, 200, &sue.get(&search).await);
}
