//! During a deployment, a later version may write a status, a priority or a type that this version
//! does not know. It is shown and kept.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::{
    model::base::{quota::UnitsPerSecond, span},
    store::{base::WriteContext, people::PlanChange},
};
use tests::support::{
    Api, Caller, Concierge, World, described::LATER, key_of, patches, posts, refused, roles, set,
    shows, text, text_of,
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
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "milestone",
        names: &[("status", Some("completed"))],
        path: ("/api/milestones", ""),
        list: "/api/projects/1/milestones",
        method: "PUT",
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "project",
        names: &[("status", Some("on_hold"))],
        path: ("/api/projects", ""),
        list: "/api/projects",
        method: "PATCH",
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
        has_history: true,
        has_delete: true,
    },
    Record {
        kind: "ticket",
        names: &[("status", Some("closed")), ("priority", Some("low"))],
        path: ("/api/managed-services/ticket", "/ticket"),
        list: "/api/managed-services/tickets",
        method: "PATCH",
        has_history: true,
        has_delete: false,
    },
    Record {
        kind: "activity",
        names: &[("type", Some("call"))],
        path: ("/api/activities", ""),
        list: "/api/activities",
        method: "PATCH",
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
        let single = caller.reads(&self.path(1)).await;
        let mut rows = caller.walk(self.list).await.into_iter();
        let row = rows.find(|row| row["id"] == 1).unwrap();
        [
            single
                .pointer(self.path.1)
                .unwrap()
                .clone(),
            row,
        ]
    }

    /// Changes a field of record 1.
    async fn change(&self, caller: &Caller, name: &str, value: &str) {
        let body = json!({ name: value }).to_string();
        let answer = caller
            .send(self.method, &self.path(1), Some(body))
            .await;
        assert_eq!(answer.expect(200)[name], value);
    }

    /// The changes of a field of record 1, as old and new value, newest first.
    async fn history(&self, caller: &Caller, name: &str) -> Vec<[Value; 2]> {
        let entries = caller
            .walk(&format!("{}/history", self.path(1)))
            .await;
        let changes = entries.iter().flat_map(|entry| {
            let changes = entry["changes"]
                .as_array()
                .unwrap()
                .iter();
            changes.filter(|change| change["field"] == name)
        });
        changes
            .map(|change| [change["from"].clone(), change["to"].clone()])
            .collect()
    }
}

/// Gives every record names of a later version.
async fn extends_all(api: &Api) {
    for record in &RECORDS {
        for (name, _) in record.names {
            let extended = api
                .sets_all(record.kind, [(name, text(LATER))])
                .await;
            assert!(extended > 0, "{}", record.kind);
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
        let is_activity = record.kind == "activity";
        let renamed = if is_activity { "description" } else { "title" };
        record
            .change(&caller, renamed, "Renamed")
            .await;
        keeps(record.names).await;
        for (at, (name, known_value)) in record.names.iter().enumerate() {
            let Some(known_value) = *known_value else {
                continue;
            };
            record
                .change(&caller, name, known_value)
                .await;
            for shown in record.shown(&caller).await {
                assert_eq!(shown[name], known_value, "{} {name}", record.kind);
            }
            keeps(&record.names[at + 1..]).await;
            if record.has_history {
                let history = record.history(&caller, name).await;
                assert_eq!(
                    history,
                    [[json!(LATER), json!(known_value)]],
                    "{}",
                    record.kind
                );
            }
        }
        if record.has_delete {
            caller.deletes(&record.path(2)).await;
            caller
                .get(&record.path(2))
                .await
                .expect(404);
        }
    }
}

/// Every operation is answered, and only a request with another name replaces one.
#[tokio::test]
async fn no_request_changes_an_unknown_name_beside_others() {
    let world = World::start().await;
    let api = world.api();
    extends_all(api).await;
    let extended: BTreeSet<_> = api
        .items()
        .await
        .iter()
        .map(key_of)
        .collect();
    let requests = world.sends_all().await;
    api.cleans_up().await;
    let mut all_replaced = 0;
    for record in &RECORDS {
        let kind = record.kind;
        let path = record.path(1);
        let mut items = api.items_of(kind).await;
        items.retain(|item| extended.contains(&key_of(item)));
        for (name, _) in record.names {
            let mut sent = requests
                .iter()
                .filter(|request| request.path == path);
            let is_sent =
                sent.any(|request| matches!(&request.body, Some(body) if body.get(name).is_some()));
            let others = items
                .iter()
                .filter(|item| text_of(item, name) != LATER);
            let replaced = others.count();
            assert_eq!(replaced, usize::from(is_sent), "{kind} {name}");
            all_replaced += replaced;
        }
    }
    assert!(all_replaced >= 3, "{all_replaced}");
}

/// Records that show others, and counts of them.
#[tokio::test]
async fn an_unknown_name_is_shown_and_counted_beside_others() {
    let world = World::start().await;
    let caller = world.caller().await;
    extends_all(world.api()).await;
    let milestone = caller.reads("/api/milestones/1").await;
    let milestones = caller
        .reads("/api/projects/1/milestones")
        .await;
    for milestone in [&milestone, &milestones[0]] {
        let task = &milestone["tasks"][0];
        assert_eq!([&task["status"], &task["priority"]], [LATER, LATER]);
    }
    let dashboard = caller
        .get("/api/managed-services/dashboard")
        .await;
    let dashboard = dashboard.expect(200);
    for (list, name) in [
        ("serviceRequests", "status"),
        ("tickets", "status"),
        ("activityFeed", "type"),
    ] {
        assert_eq!(dashboard[list][0][name], LATER, "{list}");
    }
    let counts = caller
        .reads("/api/projects/1/task-counts")
        .await;
    let of = |status: &str| {
        counts["byStatus"][status]
            .as_i64()
            .unwrap()
    };
    assert!(of(LATER) >= 3, "{counts}");
    let counted = (of(LATER), of("todo"));
    assert_eq!(counted, (counts["total"].as_i64().unwrap(), 0));
}

/// A project of an unknown status is not active.
#[tokio::test]
async fn active_projects_are_counted_across_an_unknown_status() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let sets = async |project: &str, body: Value| {
        max.patches(&format!("/api/projects/{project}"), body)
            .await;
        let dashboard = max
            .get("/api/managed-services/dashboard")
            .await;
        dashboard.expect(200)["metrics"]["activeEngagements"].clone()
    };
    for project in ["1", "2"] {
        sets(project, json!({"status": "on_hold"})).await;
    }
    api.sets_all("project", [("status", text(LATER))])
        .await;
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
    let resolutions = async || {
        world
            .api()
            .items_of("resolutions")
            .await
    };
    let before = resolutions().await;
    posts!(caller, "/api/managed-services/ticket/1/reply", {"content": "Soon."});
    caller
        .comments_on_request(1, "Any news?")
        .await;
    for (path, pointer) in [
        ("/api/managed-services/ticket/1", "/ticket/status"),
        ("/api/service-requests/1", "/status"),
    ] {
        let record = caller.reads(path).await;
        assert_eq!(record.pointer(pointer), Some(&json!(LATER)), "{path}");
        caller
            .patches(path, json!({"status": "resolved"}))
            .await;
    }
    assert_eq!(resolutions().await, before);
}

#[tokio::test]
async fn a_task_of_an_unknown_status_has_its_reminder() {
    let world = Concierge::start().await;
    let api = &world.api;
    let sweeper = world.sweeper();
    let mia = api.sign_in("mia").await;
    let due = json!({"assigneeId": mia.id(), "dueDate": "2026-01-17T12:00:00Z"});
    mia.creates_task(due).await;
    api.sets_all("task", [("status", text(LATER))])
        .await;
    api.publishes().await;
    api.clock.advance(span::DAY);
    let swept = roles::acting_as("sweeper", sweeper.sweep()).await;
    assert_eq!(swept.reminded, 1);
}

/// An unknown role has no permission, and an unknown permission or feature grants nothing.
#[tokio::test]
async fn an_unknown_name_that_grants_something_shuts_nobody_out() {
    let (api, [ada, max, vic, mia]) = Api::signed_in(["ada", "max", "vic", "mia"]).await;
    let limits = json!({"permissions": ["view_work"]});
    let token = api
        .token_of(&api.user("max").await, limits)
        .await;
    let extends_user = async |username: &str, name: &str, value: AttributeValue| {
        let mut items = api.items_of("user").await;
        items.retain(|item| text_of(item, "username") == username);
        assert!(!items.is_empty(), "{username}");
        for item in &mut items {
            set(item, [(name, value.clone())]);
        }
        api.puts(items).await;
    };
    let list = |names: [&str; 2]| AttributeValue::L(names.map(text).into());
    let features = [("planFeatures", list(["agentAI", LATER]))];
    assert!(
        api.sets_all("organization", features)
            .await
            > 0
    );
    extends_user("vic", "role", text(LATER)).await;
    let permissions = list([LATER, "manage_tickets"]);
    extends_user("mia", "extraPermissions", permissions).await;
    let permissions = [("permissions", list([LATER, "view_work"]))];
    assert!(api.sets_all("token", permissions).await > 0);

    // Of all users, with open sessions and new ones.
    for name in ["ada", "max", "mia", "vic", "zoe"] {
        let session = api
            .session_of(&api.user(name).await)
            .await;
        let session = session.reads("/api/auth/session").await;
        assert_eq!(session["planFeatures"], json!(["agentAI", LATER]), "{name}");
    }
    max.reads("/api/concierge/alerts").await;
    token.reads("/api/tasks").await;
    refused!(token.get("/api/managed-services/tickets").await => 403, "permission_denied");
    mia.reads("/api/tasks").await;
    shows!(vic.reads("/api/auth/session").await, {"/user/role": LATER, "permissions": []});
    for list in ["tasks", "projects", "users", "managed-services/tickets"] {
        refused!(vic.get(&format!("/api/{list}")).await => 403, "permission_denied");
    }

    // Shown, kept by a write, and changed by an admin alone.
    let path = |user: &Caller| format!("/api/users/{}", user.id());
    for (user, name, expected) in [
        (&mia, "permissions", json!([LATER, "manage_tickets"])),
        (&vic, "role", json!(LATER)),
    ] {
        let shown = ada.reads(&path(user)).await;
        let renamed = ada
            .patch(&path(user), json!({"fullName": "Name"}))
            .await;
        assert_eq!([&shown[name], &renamed.expect(200)[name]], [&expected; 2]);
    }
    patches!(ada, "/api/organizations/1", {"name": "Renamed"});
    let organization = ada.reads("/api/organizations/1").await;
    assert_eq!(organization["planFeatures"], json!(["agentAI", LATER]));
    patches!(ada, &path(&max), {"permissions": ["manage_users"]});
    refused!(max.patch(&path(&vic), json!({"role": "viewer"})).await => 403, "permission_denied");
    ada.patches(&path(&vic), json!({"role": "viewer"}))
        .await;
    vic.reads("/api/tasks").await;

    // The operator's program sets another plan.
    let directory = api.store.directory();
    let change = async |change: PlanChange| {
        let operator = WriteContext::of_operator(api.home.id);
        directory
            .change_plan(operator, change)
            .await
            .unwrap()
    };
    // A change of something else keeps it.
    let units = PlanChange {
        units_per_second: UnitsPerSecond::new(9_000),
        ..PlanChange::default()
    };
    assert!(
        !change(units)
            .await
            .plan_features
            .is_empty()
    );
    let features = PlanChange {
        features: Some(Vec::new()),
        ..PlanChange::default()
    };
    assert!(
        change(features)
            .await
            .plan_features
            .is_empty()
    );
}

/// The operator's program goes on after an organization that does not read.
#[tokio::test]
async fn an_organization_that_does_not_read_is_listed_with_the_others() {
    let api = Api::start().await;
    let mut items = api.items_of("organization").await;
    items.retain(|item| text_of(item, "pk") == "ORG#1");
    set(&mut items[0], [("planFeatures", text("all"))]);
    api.puts(items).await;
    let organizations = api
        .store
        .directory()
        .organizations()
        .await
        .unwrap();
    let read: Vec<_> = organizations
        .iter()
        .map(|(id, organization)| (*id, organization.is_ok()))
        .collect();
    assert_eq!(read, [(api.home.id, false), (api.abroad.id, true)]);
}

/// A name that decides over effects does not read.
#[tokio::test]
async fn an_unknown_state_harms_only_its_record() {
    let world = World::start().await;
    let api = world.api();
    let caller = world.caller().await;
    for (kind, name, list) in [
        ("alert", "severity", "alerts"),
        ("alert", "status", "alerts"),
        ("agent_session", "status", "agent-sessions"),
    ] {
        let path = format!("/api/concierge/{list}/1");
        let before = api.items_of(kind).await;
        api.sets_all(kind, [(name, text(LATER))])
            .await;
        refused!(caller.get(&path).await => 500, "internal_error");
        api.puts(before).await;
        caller.reads(&path).await;
    }
}
