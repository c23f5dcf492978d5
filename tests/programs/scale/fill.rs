//! Fills an organization.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use futures::{StreamExt, TryStreamExt, stream};
use local::engines::Engines;
use serde_json::json;
use shared::{
    App,
    model::{Id, OrganizationId, ProjectId, Role, SearchedType, TaskCreate, TaskId, UserId},
    store::key::{self, AnyKey},
};
use tests::{Member, records, support::text};

/// The size of an organization.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub tasks: i64,
    pub projects: i64,
    pub users: i64,
}

impl Size {
    pub const SMALL: Self = Self {
        tasks: 100,
        projects: 10,
        users: 10,
    };
    pub const MEDIUM: Self = Self {
        tasks: 5_000,
        projects: 100,
        users: 20,
    };
    pub const LARGE: Self = Self {
        tasks: 100_000,
        projects: 2_000,
        users: 200,
    };
}

/// Items of a request.
const BATCH: i64 = 25;

type Item = HashMap<String, AttributeValue>;

/// Creates users, projects, milestones, a phase, a tag and tasks. Returns the cookie of user 1. The
/// service creates the first task; the others are copies of its item, of all projects and users in
/// turn.
pub async fn fill(engines: &Engines, app: &App, size: Size) -> String {
    let directory = app.store.directory();
    let tenant = tests::organization(&app.store).await;
    let ada = ("ada", Role::Admin);
    let ada = Member::sign_in(&app.store, tenant, ada, app.clock.now()).await;
    for number in 2..=size.users {
        let user = records::user(&format!("colleague{number}"), Role::Member, "none");
        directory.create_user(tenant, user).await.unwrap();
    }
    for number in 1..=size.projects {
        let project = records::project(&format!("Billing of customer {number}"));
        directory.create_project(tenant, project).await.unwrap();
        show_progress("projects", number, 1, size.projects);
    }
    let project = ProjectId::new(1).unwrap();
    let phase = directory.create_phase(tenant, project, records::phase("Build", 1));
    phase.await.unwrap();
    directory
        .create_tag(tenant, records::tag("urgent"))
        .await
        .unwrap();
    for number in 1..=10 {
        let milestone = json!({"title": format!("Milestone {number}"), "projectId": 1});
        let milestones = app.store.milestones();
        milestones
            .create(tenant, records::sent(&milestone))
            .await
            .unwrap();
    }
    let task = TaskCreate {
        description: Some(records::text(&"A sentence about it. ".repeat(15))),
        assignee_id: UserId::new(2),
        due_date: Some("2026-02-01T00:00:00Z".parse().unwrap()),
        ..records::task(project)
    };
    app.store.tasks().create(tenant, task).await.unwrap();
    copy(engines, tenant, size).await;
    let search = app.store.search();
    let tell = |kind: SearchedType, records| eprintln!("{records} of {} are indexed", kind.name());
    search.index_all(tenant, tell).await.unwrap();
    ada.cookie
}

async fn copy(engines: &Engines, tenant: OrganizationId, size: Size) {
    let client = &engines.dynamodb();
    let table = engines.table_name();
    let key = AnyKey::from(key::task(tenant, TaskId::new(1).unwrap()));
    let get = client.get_item().table_name(table);
    let get = get.key("pk", text(key.pk())).key("sk", text(key.sk()));
    let first = get.send().await.unwrap().item.unwrap();
    let ids: Vec<i64> = (2..=size.tasks).collect();
    let batches = stream::iter(ids.chunks(25).map(|ids| {
        let puts = ids
            .iter()
            .map(|id| put(copied(&first, *id, size)))
            .collect();
        let write = client.batch_write_item().request_items(table, puts);
        let last = ids[ids.len() - 1];
        async move {
            let written = write.send().await;
            show_progress("tasks", last, BATCH, size.tasks);
            written
        }
    }));
    batches
        .buffer_unordered(4)
        .try_collect::<Vec<_>>()
        .await
        .unwrap();
    // Ids that are given out from now on are others.
    let counter = client.update_item().table_name(table);
    let counter = counter
        .key("pk", text("COUNTER#task"))
        .key("sk", text("COUNTER"));
    let counter = counter.update_expression("SET #last = :last");
    let counter = counter.expression_attribute_names("#last", "last");
    let counter = counter.expression_attribute_values(":last", number(size.tasks));
    counter.send().await.unwrap();
}

/// The first task under another id, in another place.
fn copied(first: &Item, id: i64, size: Size) -> Item {
    let (project, assignee) = (1 + id % size.projects, 1 + id % size.users);
    let day = 1 + id % 28;
    let due = format!("2026-02-{day:02}T00:00:00.000Z");
    let mut item = first.clone();
    let mut set = |name: &str, value| item.insert(name.to_owned(), value);
    set("id", number(id));
    set("sk", text(&format!("{id:016}")));
    set(
        "gsi4sk",
        text(&format!("2026-01-15T12:00:00.000Z#{id:016}")),
    );
    set("order", number(id * 1_024));
    set("projectId", number(project));
    set("gsi1pk", text(&format!("ORG#1#PROJECT#{project}#TASK")));
    set("gsi1sk", text(&format!("{:016}#{id:016}", id * 1_024)));
    set("assigneeId", number(assignee));
    set("gsi3pk", text(&format!("ORG#1#ASSIGNEE#{assignee}#TASK")));
    set("gsi3sk", text(&format!("{due}#{id:016}")));
    set("dueDate", text(&due));
    set(
        "status",
        text(if id % 50 == 0 { "blocked" } else { "todo" }),
    );
    set(
        "priority",
        text(if id % 40 == 0 { "urgent" } else { "medium" }),
    );
    if project == 1 {
        let milestone = 1 + id % 10;
        set("milestoneId", number(milestone));
        set("gsi2pk", text(&format!("ORG#1#MILESTONE#{milestone}#TASK")));
        set("gsi2sk", text(&format!("{id:016}")));
        set("phaseId", number(1));
    }
    if id % 30 == 0 {
        item.insert(
            "tagIds".to_owned(),
            AttributeValue::Ns(vec!["1".to_owned()]),
        );
    }
    item
}

fn put(item: Item) -> WriteRequest {
    let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
    WriteRequest::builder().put_request(put).build()
}

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Draws a bar of forty places when a step makes it longer.
fn show_progress(what: &str, done: i64, step: i64, all: i64) {
    let places = |done: i64| usize::try_from(done * 40 / all).unwrap();
    let is_longer = places(done) > places((done - step).max(0));
    if !is_longer && done < all {
        return;
    }
    let (full, end) = (places(done), if done == all { "\n" } else { "" });
    eprint!(
        "\r{what:>10} [{}{}] {done} of {all}{end}",
        "#".repeat(full),
        ".".repeat(40 - full)
    );
}
