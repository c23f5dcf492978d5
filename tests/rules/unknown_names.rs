//! During a deployment, a later version may write a status, a priority or a type that this version does
//! not know. It is shown and kept.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::{
    model::{quota::UnitsPerSecond, span},
    store::WriteContext,
};

use tests::support::{
    Api, Caller, Concierge, World, described::LATER, key_of, roles, shows, text_of,
};

/// A type of record with names that another version may extend.
struct Record {
    kind: &'static str,
    /// Its names, each with one of this version; none for a name that never changes.
    names: &'static [(&'static str, Option<&'static str>)],
    /// The path of a record, without its id, and the pointer to the record in the answer.
    path: (&'static str, &'static str),
    /// A list that shows record 1.
    list: &'static str,
    method: &'static str,
    /// A text that may change.
    text: &'static str,
    has_history: bool,
    has_delete: bool,
}

const RECORDS: [Record; 6] = [
    Record {
        kind: "task",
        names: &[("status", Some("done")), ("priority", Some("high"))],
        path: ("/api/tasks", ""),
        list: "/api/tasks",
        method: "PATCH",
        text: "title",
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "milestone",
        names: &[("status", Some("completed"))],
        path: ("/api/milestones", ""),
        list: "/api/projects/1/milestones",
        method: "PUT",
        text: "title",
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "project",
        names: &[("status", Some("on_hold"))],
        path: ("/api/projects", ""),
        list: "/api/projects",
        method: "PATCH",
        text: "title",
        has_history: true,
        has_delete: false,
    },
    Record {
        kind: "service_request",
        names: &[
            ("status", Some("closed")),
            ("priority", Some("high")),
            ("referenceType", None),
        ],
        path: ("/api/service-requests", ""),
        list: "/api/service-requests",
        method: "PATCH",
        text: "title",
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "ticket",
        names: &[("status", Some("closed")), ("priority", Some("low"))],
        path: ("/api/managed-services/ticket", "/ticket"),
        list: "/api/managed-services/tickets",
        method: "PATCH",
        text: "title",
        has_history: true,
        has_delete: false,
    },
    Record {
        kind: "activity",
        names: &[("type", Some("call"))],
        path: ("/api/activities", ""),
        list: "/api/activities",
        method: "PATCH",
        text: "description",
        has_history: false,
        has_delete: true,
    },
];

impl Record {
    fn path(&self, id: i64) -> String {
        format!("{}/{id}", self.path.0)
    }

    /// Record 1 by its id, and in the list.
    async fn shown(&self, caller: &Caller) -> [Value; 2] {
        let single = caller.get(&self.path(1)).await.expect(200);
        let mut rows = caller.walk(self.list).await.into_iter();
        let row = rows.find(|row| row["id"] == 1).unwrap();
        [single.pointer(self.path.1).unwrap().clone(), row]
    }

    /// Changes a field of record 1.
    async fn change(&self, caller: &Caller, name: &str, value: &str) {
        let body = json!({ name: value }).to_string();
        let answer = caller.send(self.method, &self.path(1), Some(body)).await;
        assert_eq!(answer.expect(200)[name], value);
    }

    /// The changes of a field of record 1, as old and new value, newest first.
    async fn history(&self, caller: &Caller, name: &str) -> Vec<[Value; 2]> {
        let entries = caller.walk(&format!("{}/history", self.path(1))).await;
        let changes = entries.iter().flat_map(|entry| {
            let changes = entry["changes"].as_array().unwrap().iter();
            changes.filter(|change| change["field"] == name)
        });
        changes
            .map(|change| [change["from"].clone(), change["to"].clone()])
            .collect()
    }
}

/// Gives each record of a kind a name of a later version. Returns the number of records.
async fn extends(api: &Api, kind: &str, name: &str) -> usize {
    let mut items = api.items_of(kind).await;
    for item in &mut items {
        item.insert(name.to_owned(), AttributeValue::S(LATER.to_owned()));
    }
    let count = items.len();
    api.puts(items).await;
    count
}

/// Gives every record names of a later version.
async fn extends_all(api: &Api) {
    for record in &RECORDS {
        for (name, _) in record.names {
            assert!(extends(api, record.kind, name).await > 0, "{}", record.kind);
        }
    }
}

#[tokio::test]
async fn an_unknown_name_is_shown_and_kept_until_it_is_changed() {
    let world = World::start().await;
    let caller = world.caller().await;
    extends_all(world.api()).await;
    for record in &RECORDS {
        let keeps = async |names: &[(&str, _)]| {
            for shown in record.shown(&caller).await {
                for (name, _) in names {
                    assert_eq!(shown[name], LATER, "{} {name}", record.kind);
                }
            }
        };
        keeps(record.names).await;
        record.change(&caller, record.text, "Renamed").await;
        keeps(record.names).await;
        for (at, (name, known)) in record.names.iter().enumerate() {
            let Some(known) = *known else { continue };
            record.change(&caller, name, known).await;
            for shown in record.shown(&caller).await {
                assert_eq!(shown[name], known, "{} {name}", record.kind);
            }
            keeps(&record.names[at + 1..]).await;
            if record.has_history {
                let history = record.history(&caller, name).await;
                assert_eq!(history, [[json!(LATER), json!(known)]], "{}", record.kind);
            }
        }
        if record.has_delete {
            caller.delete(&record.path(2)).await.expect(204);
            caller.get(&record.path(2)).await.expect(404);
        }
    }
}

/// Every operation is answered, and only a request with another name replaces one.
#[tokio::test]
async fn no_request_changes_an_unknown_name_beside_others() {
    let world = World::start().await;
    let api = world.api();
    extends_all(api).await;
    let extended: BTreeSet<_> = api.items().await.iter().map(key_of).collect();
    let (deletes, others): (Vec<_>, Vec<_>) = world
        .requests()
        .into_iter()
        .partition(|request| request.method == "DELETE");
    let mut replaced = Vec::new();
    for request in others.iter().chain(&deletes) {
        let caller = world.caller_of(request).await;
        let answer = request.by(&caller).await;
        let name = request.operation();
        assert!(answer.status < 400, "{name}: {}", answer.text);
        for record in &RECORDS {
            let body = request.body.iter();
            let sent = body.filter(|_| request.path == record.path(1));
            replaced.extend(sent.flat_map(|body| {
                let names = record.names.iter().map(|(name, _)| *name);
                let names = names.filter(|name| body.get(name).is_some());
                names.map(|name| (record.kind, name))
            }));
        }
    }
    api.cleans_up().await;
    assert!(replaced.len() >= 3, "{replaced:?}");
    for record in &RECORDS {
        let mut items = api.items_of(record.kind).await;
        items.retain(|item| extended.contains(&key_of(item)));
        for (name, _) in record.names {
            let others = items.iter().filter(|item| text_of(item, name) != LATER);
            let expected = replaced.contains(&(record.kind, name));
            assert_eq!(
                others.count(),
                usize::from(expected),
                "{} {name}",
                record.kind
            );
        }
    }
}

/// Records that show others, and counts of them.
#[tokio::test]
async fn an_unknown_name_is_shown_and_counted_beside_others() {
    let world = World::start().await;
    let caller = world.caller().await;
    extends_all(world.api()).await;
    let milestone = caller.get("/api/milestones/1").await.expect(200);
    let milestones = caller.get("/api/projects/1/milestones").await.expect(200);
    for milestone in [&milestone, &milestones[0]] {
        let task = &milestone["tasks"][0];
        assert_eq!([&task["status"], &task["priority"]], [LATER, LATER]);
    }
    let dashboard = caller.get("/api/managed-services/dashboard").await;
    let dashboard = dashboard.expect(200);
    for (list, name) in [
        ("serviceRequests", "status"),
        ("tickets", "status"),
        ("activityFeed", "type"),
    ] {
        assert_eq!(dashboard[list][0][name], LATER, "{list}");
    }
    let counts = caller.get("/api/projects/1/task-counts").await.expect(200);
    let of = |status: &str| counts["byStatus"][status].as_i64().unwrap();
    assert!(of(LATER) >= 3, "{counts}");
    assert_eq!(
        (of(LATER), of("todo")),
        (counts["total"].as_i64().unwrap(), 0)
    );
}

/// A project of an unknown status is not active.
#[tokio::test]
async fn active_projects_are_counted_across_an_unknown_status() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let sets = async |project: &str, body: Value| {
        let path = format!("/api/projects/{project}");
        max.patch(&path, body).await.expect(200);
        let dashboard = max.get("/api/managed-services/dashboard").await;
        dashboard.expect(200)["metrics"]["activeEngagements"].clone()
    };
    for project in ["1", "2"] {
        sets(project, json!({"status": "on_hold"})).await;
    }
    extends(&api, "project", "status").await;
    assert_eq!(sets("1", json!({"title": "Renamed"})).await, 0);
    assert_eq!(sets("1", json!({"status": "active"})).await, 1);
    assert_eq!(sets("2", json!({"status": "completed"})).await, 1);
    assert_eq!(sets("1", json!({"status": "completed"})).await, 0);
}

/// A reply or a comment reopens only what is known to wait for it.
#[tokio::test]
async fn an_answer_keeps_an_unknown_status_and_its_resolution() {
    let world = World::start().await;
    let caller = world.caller().await;
    extends_all(world.api()).await;
    let resolutions = async || world.api().items_of("resolutions").await;
    let before = resolutions().await;
    let reply = "/api/managed-services/ticket/1/reply";
    caller
        .post(reply, json!({"content": "Soon."}))
        .await
        .expect(200);
    caller.comments_on_request(1, "Any news?").await;
    for (path, pointer) in [
        ("/api/managed-services/ticket/1", "/ticket/status"),
        ("/api/service-requests/1", "/status"),
    ] {
        let record = caller.get(path).await.expect(200);
        assert_eq!(record.pointer(pointer), Some(&json!(LATER)), "{path}");
        caller
            .patch(path, json!({"status": "resolved"}))
            .await
            .expect(200);
    }
    assert_eq!(resolutions().await, before);
}

#[tokio::test]
async fn a_task_of_an_unknown_status_has_its_reminder() {
    let world = Concierge::start().await;
    let (api, sweeper) = (&world.api, world.sweeper());
    let mia = api.sign_in("mia").await;
    let mut stream = api.stream().await;
    let due = json!({"assigneeId": mia.id(), "dueDate": "2026-01-17T12:00:00Z"});
    mia.creates_task(due).await;
    extends(api, "task", "status").await;
    api.publishes(&mut stream).await;
    api.clock.advance(span::DAY);
    let swept = roles::acting_as("sweeper", sweeper.sweep()).await;
    assert_eq!(swept.reminded, 1);
}

/// An unknown role has no permission, and an unknown permission or feature grants nothing.
#[tokio::test]
async fn an_unknown_name_that_grants_something_shuts_nobody_out() {
    let (api, [ada, max, vic, mia]) = Api::signed_in(["ada", "max", "vic", "mia"]).await;
    let token = api
        .token_of(
            &api.user("max").await,
            json!({"permissions": ["view_work"]}),
        )
        .await;
    let later = || AttributeValue::S(LATER.to_owned());
    let extends = async |kind: &str, name: &str, key: (&str, &str), value: AttributeValue| {
        let mut items = api.items_of(kind).await;
        items.retain(|item| key.0.is_empty() || text_of(item, key.0) == key.1);
        assert!(!items.is_empty(), "{kind}");
        for item in &mut items {
            item.insert(name.to_owned(), value.clone());
        }
        api.puts(items).await;
    };
    let list = |names: &[&str]| {
        let names = names
            .iter()
            .map(|name| AttributeValue::S((*name).to_owned()));
        AttributeValue::L(names.collect())
    };
    let features = list(&["agentAI", LATER]);
    extends("organization", "planFeatures", ("", ""), features).await;
    extends("user", "role", ("username", "vic"), later()).await;
    let permissions = list(&[LATER, "manage_tickets"]);
    extends("user", "extraPermissions", ("username", "mia"), permissions).await;
    extends(
        "token",
        "permissions",
        ("", ""),
        list(&[LATER, "view_work"]),
    )
    .await;

    // Of all users, with open sessions and new ones.
    for name in ["ada", "max", "mia", "vic", "zoe"] {
        let session = api.session_of(&api.user(name).await).await;
        let session = session.get("/api/auth/session").await.expect(200);
        assert_eq!(session["planFeatures"], json!(["agentAI", LATER]), "{name}");
    }
    max.get("/api/concierge/alerts").await.expect(200);
    token.get("/api/tasks").await.expect(200);
    token
        .get("/api/managed-services/tickets")
        .await
        .expect_problem(403, "permission_denied");
    mia.get("/api/tasks").await.expect(200);
    let session = vic.get("/api/auth/session").await.expect(200);
    shows!(session, {"/user/role": LATER, "permissions": []});
    for path in [
        "/api/tasks",
        "/api/projects",
        "/api/users",
        "/api/managed-services/tickets",
    ] {
        vic.get(path).await.expect_problem(403, "permission_denied");
    }

    // Shown, kept by a write, and changed by an admin alone.
    let path = |user: &Caller| format!("/api/users/{}", user.id());
    let shown = ada.get(&path(&mia)).await.expect(200);
    assert_eq!(shown["permissions"], json!([LATER, "manage_tickets"]));
    let renamed = ada
        .patch(&path(&mia), json!({"fullName": "Mia"}))
        .await
        .expect(200);
    assert_eq!(renamed["permissions"], json!([LATER, "manage_tickets"]));
    ada.patch("/api/organizations/1", json!({"name": "Renamed"}))
        .await
        .expect(200);
    let organization = ada.get("/api/organizations/1").await.expect(200);
    assert_eq!(organization["planFeatures"], json!(["agentAI", LATER]));
    let shown = ada.get(&path(&vic)).await.expect(200);
    assert_eq!(shown["role"], LATER);
    let renamed = ada
        .patch(&path(&vic), json!({"fullName": "Vic"}))
        .await
        .expect(200);
    assert_eq!(renamed["role"], LATER);
    ada.patch(&path(&max), json!({"permissions": ["manage_users"]}))
        .await
        .expect(200);
    max.patch(&path(&vic), json!({"role": "viewer"}))
        .await
        .expect_problem(403, "permission_denied");
    ada.patch(&path(&vic), json!({"role": "viewer"}))
        .await
        .expect(200);
    vic.get("/api/tasks").await.expect(200);

    // The operator's program sets another plan.
    let directory = api.store.directory();
    let (features, units) = (Vec::new(), UnitsPerSecond::default());
    let operator = WriteContext::of_operator(api.home.id);
    let plan = directory.set_plan(operator, features, units).await.unwrap();
    assert!(plan.plan_features.is_empty());
}

/// The operator's program goes on after an organization that does not read.
#[tokio::test]
async fn an_organization_that_does_not_read_is_listed_with_the_others() {
    let api = Api::start().await;
    let mut items = api.items_of("organization").await;
    items.retain(|item| text_of(item, "pk") == "ORG#1");
    items[0].insert(
        "planFeatures".to_owned(),
        AttributeValue::S("all".to_owned()),
    );
    api.puts(items).await;
    let all = api.store.directory().organizations().await.unwrap();
    let read: Vec<_> = all.iter().map(|(id, found)| (*id, found.is_ok())).collect();
    assert_eq!(read, [(api.home.id, false), (api.abroad.id, true)]);
}

/// A name that decides over effects does not read.
#[tokio::test]
async fn an_unknown_state_harms_only_its_record() {
    let world = World::start().await;
    let api = world.api();
    let caller = world.caller().await;
    for (kind, name, path) in [
        ("alert", "severity", "/api/concierge/alerts/1".to_owned()),
        ("alert", "status", "/api/concierge/alerts/1".to_owned()),
        (
            "agent_session",
            "status",
            "/api/concierge/agent-sessions/1".to_owned(),
        ),
    ] {
        let mut items = api.items_of(kind).await;
        let before = items.clone();
        for item in &mut items {
            item.insert(name.to_owned(), AttributeValue::S(LATER.to_owned()));
        }
        api.puts(items).await;
        caller
            .get(&path)
            .await
            .expect_problem(500, "internal_error");
        api.puts(before).await;
        caller.get(&path).await.expect(200);
    }
}
