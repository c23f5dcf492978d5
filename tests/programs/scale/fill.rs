//! Fills an organization.

use aws_sdk_dynamodb::types::AttributeValue;
use futures::{StreamExt, stream};
use local::engines::Engines;
use serde_json::json;
use shared::{
    App,
    model::{
        base::{Id, OrganizationId, ProjectId, SearchedType, TaskId, UserId},
        people::Role,
        work::TaskCreate,
    },
    store::key::{AnyKey, Keyed},
};
use tests::{
    Member, records,
    support::{Item, number, puts, set, sets, text},
};

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

/// Creates users, projects, milestones, a phase, a tag and tasks. Returns the cookie of user 1. The
/// service creates the first task; the others are copies of its item, of all projects and users in
/// turn.
pub async fn fill(engines: &Engines, app: &App, size: Size) -> String {
    let directory = app.store.directory();
    let tenant = tests::organization(&app.store).await;
    let ada = Member::sign_in(&app.store, tenant, ("ada", Role::Admin), app.clock.now()).await;
    for number in 2..=size.users {
        let user = records::user(&format!("colleague{number}"), Role::Member, "none");
        directory
            .create_user(tenant, user)
            .await
            .unwrap();
    }
    for number in 1..=size.projects {
        let project = records::project(&format!("Billing of customer {number}"));
        directory
            .create_project(tenant, project)
            .await
            .unwrap();
        show_progress("projects", number, 1, size.projects);
    }
    let project = ProjectId::new(1).unwrap();
    let phase = directory.create_phase(tenant, project, records::phase("Build", 1));
    phase.await.unwrap();
    let tag = directory.create_tag(tenant, records::tag("urgent"));
    tag.await.unwrap();
    for number in 1..=10 {
        let milestone = json!({"title": format!("Milestone {number}"), "projectId": 1});
        let milestones = app.store.milestones();
        let created = milestones.create(tenant, records::sent(&milestone));
        created.await.unwrap();
    }
    let task = TaskCreate {
        description: Some(records::text(&"A sentence about it. ".repeat(15))),
        assignee_id: UserId::new(2),
        due_date: Some("2026-02-01T00:00:00Z".parse().unwrap()),
        ..records::task(project)
    };
    app.store
        .tasks()
        .create(tenant, task)
        .await
        .unwrap();
    copy(engines, tenant, size).await;
    let search = app.store.search();
    let tell = |kind: SearchedType, records| eprintln!("{records} of {} are indexed", kind.name());
    search
        .index_all(tenant, tell)
        .await
        .unwrap();
    ada.cookie
}

async fn copy(engines: &Engines, tenant: OrganizationId, size: Size) {
    let client = &engines.dynamodb();
    let table = engines.table_name();
    let key = AnyKey::from(TaskId::new(1).unwrap().key(tenant));
    let get = client.get_item().table_name(table);
    let get = get
        .key("pk", text(key.pk()))
        .key("sk", text(key.sk()));
    let first = get.send().await.unwrap().item.unwrap();
    let ids: Vec<i64> = (2..=size.tasks).collect();
    let first = &first;
    let batches = stream::iter(ids.chunks(25).map(|ids| async move {
        let copies = ids
            .iter()
            .map(|id| copied(first, *id, size));
        puts(client, table, copies).await;
        show_progress("tasks", ids[ids.len() - 1], BATCH, size.tasks);
    }));
    batches
        .buffer_unordered(4)
        .collect::<Vec<_>>()
        .await;
    // Ids that are given out from now on are others.
    let last = [("last", number(size.tasks))];
    sets((client, table), ["COUNTER#task", "COUNTER"], last).await;
}

/// The first task under another id, in another place.
fn copied(first: &Item, id: i64, size: Size) -> Item {
    let project = 1 + id % size.projects;
    let assignee = 1 + id % size.users;
    let day = 1 + id % 28;
    let due = format!("2026-02-{day:02}T00:00:00.000Z");
    let mut item = first.clone();
    let status = if id % 50 == 0 { "blocked" } else { "todo" };
    let priority = if id % 40 == 0 { "urgent" } else { "medium" };
    let of = |kind: &str, id: i64| text(&format!("ORG#1#{kind}#{id}#TASK"));
    let by_id = |before: &str| text(&format!("{before}{id:016}"));
    let attributes = [
        ("id", number(id)),
        ("sk", by_id("")),
        ("gsi4sk", by_id("2026-01-15T12:00:00.000Z#")),
        ("order", number(id * 1_024)),
        ("projectId", number(project)),
        ("gsi1pk", of("PROJECT", project)),
        ("gsi1sk", by_id(&format!("{:016}#", id * 1_024))),
        ("assigneeId", number(assignee)),
        ("gsi3pk", of("ASSIGNEE", assignee)),
        ("gsi3sk", by_id(&format!("{due}#"))),
        ("dueDate", text(&due)),
        ("status", text(status)),
        ("priority", text(priority)),
    ];
    set(&mut item, attributes);
    if project == 1 {
        let milestone = 1 + id % 10;
        let attributes = [
            ("milestoneId", number(milestone)),
            ("gsi2pk", of("MILESTONE", milestone)),
            ("gsi2sk", by_id("")),
            ("phaseId", number(1)),
        ];
        set(&mut item, attributes);
    }
    if id % 30 == 0 {
        let tags = AttributeValue::Ns(vec!["1".to_owned()]);
        set(&mut item, [("tagIds", tags)]);
    }
    item
}

/// Draws a bar of forty places when a step makes it longer.
fn show_progress(label: &str, done: i64, step: i64, total: i64) {
    let places = |done: i64| usize::try_from(done * 40 / total).unwrap();
    let is_longer = places(done) > places((done - step).max(0));
    if !is_longer && done < total {
        return;
    }
    let full = places(done);
    let end = if done == total { "\n" } else { "" };
    eprint!(
        "\r{label:>10} [{}{}] {done} of {total}{end}",
        "#".repeat(full),
        ".".repeat(40 - full)
    );
}
