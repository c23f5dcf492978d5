//! `/api/tasks` and `/api/projects/{projectId}/tasks`

use serde_json::{Value, json};
use shared::model::{Id, PhaseId};

use crate::{
    budgets::{LIST, WRITE, within},
    support::{Api, Caller, Fault, Faults, Settings},
};

/// Ids in paths that name no record of organization 1.
const NO_IDS: [&str; 6] = ["0", "-1", "abc", "9007199254740993", "01", "%FF"];

async fn creates_task(caller: &Caller, more: Value) -> Value {
    let mut body = json!({"title": "Move the invoices", "projectId": 1});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    caller.post("/api/tasks", body).await.expect(200)
}

async fn creates_milestone(caller: &Caller, project: i64) -> i64 {
    let body = json!({"title": "Cut-over", "projectId": project});
    let milestone = caller.post("/api/milestones", body).await.expect(200);
    milestone["id"].as_i64().unwrap()
}

/// Phases of projects 1, 2 and 3.
async fn has_phases(api: &Api) -> [i64; 3] {
    let mut phases = Vec::new();
    for project in &api.projects {
        let tenant = project.organization_id;
        let directory = api.store.directory();
        let phase = directory.create_phase(tenant, project.id, "Build".into(), 1);
        phases.push(PhaseId::get(phase.await.unwrap().id));
    }
    phases.try_into().unwrap()
}

/// The table but for the ids given out, of which a refused create takes one.
async fn records(api: &Api) -> Vec<String> {
    let mut dump = api.table_dump().await;
    dump.retain(|item| !item.contains("COUNTER"));
    dump
}

async fn task(caller: &Caller, id: i64) -> Value {
    let tasks = caller.get("/api/tasks").await.expect(200);
    let mut tasks = tasks.as_array().unwrap().iter();
    tasks.find(|task| task["id"] == id).unwrap().clone()
}

#[tokio::test]
async fn a_new_task_is_to_do() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    assert_eq!(
        creates_task(&mia, json!({"unknown": "is ignored"})).await,
        json!({
            "id": 1, "title": "Move the invoices", "description": null, "projectId": 1,
            "organizationId": 1, "milestoneId": null, "phaseId": null, "order": 1024,
            "assigneeId": null, "status": "todo", "priority": "medium", "dueDate": null,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}

#[tokio::test]
async fn a_task_keeps_every_field_and_lists_join_what_it_names() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let [phase, ..] = has_phases(&api).await;
    let milestone = creates_milestone(&max, 1).await;
    let sent = json!({
        "title": "Move the invoices", "description": "", "projectId": 1, "organizationId": 1,
        "milestoneId": milestone, "phaseId": phase, "assigneeId": max.id(),
        "status": "in_review", "priority": "urgent", "dueDate": "2026-02-28T12:00:00+02:00",
    });
    let created = max.post("/api/tasks", sent).await.expect(200);
    let mut listed = json!({
        "id": 1, "title": "Move the invoices", "description": "", "projectId": 1,
        "organizationId": 1, "milestoneId": milestone, "phaseId": phase, "order": 1024,
        "assigneeId": max.id(), "status": "in_review", "priority": "urgent",
        "dueDate": "2026-02-28T10:00:00.000Z",
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(created, listed);
    listed["assignee"] = json!({"id": max.id(), "username": "max", "fullName": "Max Tester"});
    listed["project"] = json!({"id": 1, "title": "Billing migration"});
    listed["milestone"] = json!({"id": milestone, "title": "Cut-over"});
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        assert_eq!(max.get(path).await.expect(200), json!([listed]), "{path}");
    }
}

#[tokio::test]
async fn a_task_of_the_organization_has_no_project() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let body = json!({"title": "Buy stamps", "organizationId": 1, "projectId": null});
    for (id, order) in [(1, 1024), (2, 2048)] {
        let task = mia.post("/api/tasks", body.clone()).await.expect(200);
        assert_eq!(
            (&task["id"], &task["projectId"], &task["order"]),
            (&json!(id), &Value::Null, &json!(order))
        );
    }
    let listed = task(&mia, 1).await;
    for object in ["project", "assignee", "milestone"] {
        assert_eq!(listed.get(object), Some(&Value::Null), "{object}");
    }
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), [0; 0]);
}

#[tokio::test]
async fn every_fault_of_a_new_task_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let before = records(&api).await;
    for (body, faults) in [
        (
            json!({}),
            vec![("/title", "required"), ("/projectId", "required")],
        ),
        (
            json!({"title": "x", "projectId": null, "organizationId": null}),
            vec![("/projectId", "required")],
        ),
        (
            json!({
                "title": "", "description": 1, "projectId": "1", "organizationId": 0,
                "milestoneId": 1.5, "phaseId": -1, "assigneeId": 9_007_199_254_740_993_i64,
                "status": "open", "priority": null, "dueDate": "tomorrow",
            }),
            vec![
                ("/title", "blank"),
                ("/description", "type"),
                ("/projectId", "type"),
                ("/organizationId", "range"),
                ("/milestoneId", "type"),
                ("/phaseId", "range"),
                ("/assigneeId", "range"),
                ("/status", "value"),
                ("/priority", "null"),
                ("/dueDate", "date_time"),
            ],
        ),
        (
            json!({"title": "x".repeat(256), "description": "x".repeat(50_001), "projectId": 1, "status": null}),
            vec![
                ("/title", "length"),
                ("/description", "length"),
                ("/status", "null"),
            ],
        ),
    ] {
        mia.post("/api/tasks", body).await.expect_faults(&faults);
    }
    assert_eq!(before, records(&api).await);
}

#[tokio::test]
async fn every_reference_of_a_new_task_must_fit() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let zoe = api.sign_in("zoe").await;
    let [_, phase_of_2, phase_of_3] = has_phases(&api).await;
    let milestone_of_2 = creates_milestone(&max, 2).await;
    let milestone_of_3 = creates_milestone(&zoe, 3).await;
    let before = records(&api).await;
    let all_unknown = vec![
        ("/projectId", "unknown"),
        ("/organizationId", "unknown"),
        ("/milestoneId", "unknown"),
        ("/phaseId", "unknown"),
        ("/assigneeId", "unknown"),
    ];
    let of_other_project = vec![("/milestoneId", "project"), ("/phaseId", "project")];
    for (references, faults) in [
        (
            json!({"projectId": 99, "organizationId": 99, "milestoneId": 99, "phaseId": 99, "assigneeId": 99}),
            &all_unknown,
        ),
        (
            json!({"projectId": 3, "organizationId": 2, "milestoneId": milestone_of_3, "phaseId": phase_of_3, "assigneeId": zoe.id()}),
            &all_unknown,
        ),
        (
            json!({"projectId": 1, "milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            &of_other_project,
        ),
        (
            json!({"projectId": null, "organizationId": 1, "milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            &of_other_project,
        ),
    ] {
        let mut body = references;
        body["title"] = json!("x");
        max.post("/api/tasks", body).await.expect_faults(faults);
    }
    assert_eq!(before, records(&api).await);
}

#[tokio::test]
async fn a_new_task_goes_to_the_end_of_its_project() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    creates_task(&mia, json!({})).await;
    let last = json!({"tasks": [{"id": 1, "order": 5000}]});
    mia.patch("/api/tasks/reorder", last).await.expect(204);
    assert_eq!(creates_task(&mia, json!({})).await["order"], 6024);
    assert_eq!(
        creates_task(&mia, json!({"projectId": 2})).await["order"],
        1024
    );
    // There is nothing after the largest number that a JSON client holds.
    let last = json!({"tasks": [{"id": 2, "order": 9_007_199_254_740_991_i64}]});
    mia.patch("/api/tasks/reorder", last).await.expect(204);
    let after = creates_task(&mia, json!({})).await;
    assert_eq!(after["order"], 9_007_199_254_740_991_i64);
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), [1, 2, 4]);
}

#[tokio::test]
async fn a_task_keeps_its_place_after_a_reorder() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for _ in 0..3 {
        creates_task(&mia, json!({})).await;
    }
    api.clock.advance(1_000);
    let places =
        json!({"tasks": [{"id": 3, "order": 0}, {"id": 1, "order": 7}, {"id": 2, "order": 7}]});
    mia.patch("/api/tasks/reorder", places).await.expect(204);
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), [3, 1, 2]);
    assert_eq!(mia.get("/api/tasks").await.ids(), [1, 2, 3]);
    let moved = task(&mia, 2).await;
    assert_eq!(
        (&moved["order"], &moved["updatedAt"]),
        (&json!(7), &json!("2026-01-15T12:00:01.000Z"))
    );
    // A change that says nothing of the order leaves the place alone.
    let changed = mia.patch("/api/tasks/1", json!({"title": "x"})).await;
    assert_eq!(changed.expect(200)["order"], 7);
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), [3, 1, 2]);
    // One that does moves it.
    let changed = mia.patch("/api/tasks/1", json!({"order": 8})).await;
    assert_eq!(changed.expect(200)["order"], 8);
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), [3, 2, 1]);
}

#[tokio::test]
async fn tasks_of_no_project_can_be_reordered() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let body = json!({"title": "Buy stamps", "organizationId": 1});
    mia.post("/api/tasks", body).await.expect(200);
    let places = json!({"tasks": [{"id": 1, "order": 3}]});
    mia.patch("/api/tasks/reorder", places).await.expect(204);
    assert_eq!(task(&mia, 1).await["order"], 3);
}

#[tokio::test]
async fn a_hundred_tasks_are_reordered_at_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for _ in 0..100 {
        creates_task(&mia, json!({})).await;
    }
    let places: Vec<Value> = (1..=100)
        .map(|id| json!({"id": id, "order": 1000 - id}))
        .collect();
    mia.patch("/api/tasks/reorder", json!({"tasks": places}))
        .await
        .expect(204);
    let reversed: Vec<i64> = (1..=100).rev().collect();
    assert_eq!(mia.get("/api/projects/1/tasks").await.ids(), reversed);
}

#[tokio::test]
async fn a_reorder_is_all_or_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zac = api.sign_in("zac").await;
    creates_task(&mia, json!({})).await;
    creates_task(&zac, json!({"projectId": 3})).await;
    let before = api.table_dump().await;
    for stranger in [2, 99] {
        let places = json!({"tasks": [{"id": 1, "order": 9}, {"id": stranger, "order": 1}]});
        mia.patch("/api/tasks/reorder", places)
            .await
            .expect_problem(404, "not_found");
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn every_fault_of_a_reorder_is_answered() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    creates_task(&mia, json!({})).await;
    let before = api.table_dump().await;
    let many: Vec<Value> = (1..=101).map(|id| json!({"id": id, "order": 1})).collect();
    for (tasks, faults) in [
        (json!(null), vec![("/tasks", "null")]),
        (json!({}), vec![("/tasks", "type")]),
        (json!([]), vec![("/tasks", "length")]),
        (json!(many), vec![("/tasks", "length")]),
        (
            json!([1, {}, {"id": 0, "order": -1}, {"id": 1, "order": 9_007_199_254_740_992_i64}]),
            vec![
                ("/tasks/0", "type"),
                ("/tasks/1/id", "required"),
                ("/tasks/1/order", "required"),
                ("/tasks/2/id", "range"),
                ("/tasks/2/order", "range"),
                ("/tasks/3/order", "range"),
            ],
        ),
        (
            json!([{"id": 1, "order": 1}, {"id": 2, "order": 1}, {"id": 1, "order": 2}]),
            vec![("/tasks/2/id", "repeated")],
        ),
    ] {
        mia.patch("/api/tasks/reorder", json!({"tasks": tasks}))
            .await
            .expect_faults(&faults);
    }
    mia.patch("/api/tasks/reorder", json!({}))
        .await
        .expect_faults(&[("/tasks", "required")]);
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_change_keeps_what_is_absent_and_clears_what_is_null() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let [phase, ..] = has_phases(&api).await;
    let milestone = creates_milestone(&max, 1).await;
    let sent = json!({
        "description": "D", "milestoneId": milestone, "phaseId": phase, "assigneeId": max.id(),
        "dueDate": "2026-02-01T00:00:00Z", "priority": "low",
    });
    let created = creates_task(&max, sent).await;
    api.clock.advance(1_000);
    let changed = max
        .patch("/api/tasks/1", json!({"status": "done", "title": "Moved"}))
        .await
        .expect(200);
    let mut expected = created;
    expected["status"] = json!("done");
    expected["title"] = json!("Moved");
    expected["updatedAt"] = json!("2026-01-15T12:00:01.000Z");
    assert_eq!(changed, expected);
    let nothing = json!({
        "description": null, "milestoneId": null, "phaseId": null, "assigneeId": null,
        "dueDate": null,
    });
    let cleared = max.patch("/api/tasks/1", nothing.clone()).await.expect(200);
    for (field, null) in nothing.as_object().unwrap() {
        assert_eq!(&cleared[field], null, "{field}");
        expected[field] = Value::Null;
    }
    assert_eq!(cleared, expected);
    let milestone = max.get(&format!("/api/milestones/{milestone}")).await;
    assert_eq!(milestone.expect(200)["tasks"], json!([]));
}

#[tokio::test]
async fn a_task_is_linked_to_another_milestone_of_its_project() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let [phase, ..] = has_phases(&api).await;
    let (one, other) = (
        creates_milestone(&max, 1).await,
        creates_milestone(&max, 1).await,
    );
    creates_task(&max, json!({"milestoneId": one})).await;
    let body = json!({"milestoneId": other, "phaseId": phase, "assigneeId": max.id()});
    let changed = max.patch("/api/tasks/1", body).await.expect(200);
    assert_eq!(
        (
            &changed["milestoneId"],
            &changed["phaseId"],
            &changed["assigneeId"]
        ),
        (&json!(other), &json!(phase), &json!(max.id()))
    );
    for (milestone, tasks) in [(one, 0), (other, 1)] {
        let milestone = max.get(&format!("/api/milestones/{milestone}")).await;
        assert_eq!(
            milestone.expect(200)["tasks"].as_array().unwrap().len(),
            tasks
        );
    }
}

#[tokio::test]
async fn every_fault_of_a_change_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let zoe = api.sign_in("zoe").await;
    let [phase_of_1, phase_of_2, phase_of_3] = has_phases(&api).await;
    let milestone_of_1 = creates_milestone(&max, 1).await;
    let milestone_of_2 = creates_milestone(&max, 2).await;
    let milestone_of_3 = creates_milestone(&zoe, 3).await;
    creates_task(&max, json!({})).await;
    let body = json!({"title": "Buy stamps", "organizationId": 1});
    max.post("/api/tasks", body).await.expect(200);
    let before = api.table_dump().await;
    let of_project = vec![("/milestoneId", "project"), ("/phaseId", "project")];
    for (task, body, faults) in [
        (1, json!({}), vec![("", "required")]),
        (1, json!({"projectId": 2, "id": 7}), vec![("", "required")]),
        (
            1,
            json!({"title": null, "status": null, "priority": null, "order": null}),
            vec![
                ("/title", "null"),
                ("/status", "null"),
                ("/priority", "null"),
                ("/order", "null"),
            ],
        ),
        (
            1,
            json!({
                "title": " ", "description": [], "milestoneId": "1", "phaseId": 0,
                "assigneeId": true, "status": "pending", "priority": 1, "dueDate": "2026-02-30T00:00:00Z",
                "order": -1,
            }),
            vec![
                ("/title", "blank"),
                ("/description", "type"),
                ("/milestoneId", "type"),
                ("/phaseId", "range"),
                ("/assigneeId", "type"),
                ("/status", "value"),
                ("/priority", "type"),
                ("/dueDate", "date_time"),
                ("/order", "range"),
            ],
        ),
        (
            1,
            json!({"milestoneId": milestone_of_3, "phaseId": phase_of_3, "assigneeId": zoe.id()}),
            vec![
                ("/milestoneId", "unknown"),
                ("/phaseId", "unknown"),
                ("/assigneeId", "unknown"),
            ],
        ),
        (
            1,
            json!({"milestoneId": milestone_of_2, "phaseId": phase_of_2}),
            of_project.clone(),
        ),
        (
            2,
            json!({"milestoneId": milestone_of_1, "phaseId": phase_of_1}),
            of_project,
        ),
    ] {
        max.patch(&format!("/api/tasks/{task}"), body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_task_moves_between_the_phases_of_its_project() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let [phase, phase_of_2, phase_of_3] = has_phases(&api).await;
    creates_task(&mia, json!({})).await;
    let path = "/api/tasks/1/phase";
    mia.patch(path, json!({"phaseId": phase})).await.expect(204);
    assert_eq!(task(&mia, 1).await["phaseId"], phase);
    let before = api.table_dump().await;
    for (body, fault) in [
        (json!({}), "required"),
        (json!({"phaseId": "1"}), "type"),
        (json!({"phaseId": 0}), "range"),
        (json!({"phaseId": 99}), "unknown"),
        (json!({"phaseId": phase_of_3}), "unknown"),
        (json!({"phaseId": phase_of_2}), "project"),
    ] {
        let faults = [("/phaseId", fault)];
        mia.patch(path, body).await.expect_faults(&faults);
    }
    assert_eq!(before, api.table_dump().await);
    mia.patch(path, json!({"phaseId": null})).await.expect(204);
    assert_eq!(task(&mia, 1).await["phaseId"], Value::Null);
}

#[tokio::test]
async fn a_milestone_that_is_gone_is_seen_on_no_task() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let milestone = creates_milestone(&max, 1).await;
    creates_task(&max, json!({"milestoneId": milestone})).await;
    max.delete(&format!("/api/milestones/{milestone}"))
        .await
        .expect(204);
    // The link is still in the table: nothing has swept yet.
    let dump = records(&api).await;
    assert!(dump.iter().any(|item| item.contains("milestoneId")));
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        let tasks = max.get(path).await.expect(200);
        assert_eq!(tasks[0]["milestoneId"], Value::Null, "{path}");
        assert_eq!(tasks[0]["milestone"], Value::Null, "{path}");
    }
    let changed = max.patch("/api/tasks/1", json!({"title": "x"})).await;
    assert_eq!(changed.expect(200)["milestoneId"], Value::Null);
    let link = json!({"milestoneId": milestone});
    max.patch("/api/tasks/1", link)
        .await
        .expect_faults(&[("/milestoneId", "unknown")]);
    assert_eq!(api.store.cleanups().run_due(10).await.unwrap(), 1);
    let dump = records(&api).await;
    assert!(!dump.iter().any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_link_made_while_the_milestone_is_deleted_is_refused_or_unlinked() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    creates_task(&max, json!({})).await;
    for _ in 0..5 {
        let milestone = creates_milestone(&max, 1).await;
        let path = format!("/api/milestones/{milestone}");
        let link = json!({"title": "x", "projectId": 1, "milestoneId": milestone});
        let (changed, created, deleted) = tokio::join!(
            max.patch("/api/tasks/1", link.clone()),
            max.post("/api/tasks", link),
            max.delete(&path),
        );
        deleted.expect(204);
        for answer in [changed, created] {
            assert!([200, 400].contains(&answer.status), "{}", answer.text);
        }
        let tasks = max.get("/api/tasks").await.expect(200);
        for task in tasks.as_array().unwrap() {
            assert_eq!(task["milestoneId"], Value::Null);
        }
    }
    api.store.cleanups().run_due(10).await.unwrap();
    let dump = records(&api).await;
    assert!(!dump.iter().any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_milestone_deleted_between_check_and_write_is_not_linked() {
    let faults = Faults::start().await;
    let settings = Settings {
        faults: Some(faults.clone()),
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let max = api.sign_in("max").await;
    creates_task(&max, json!({})).await;
    for milestone in ["0000000000000001", "0000000000000002"] {
        let id = creates_milestone(&max, 1).await;
        faults.next(
            "TransactWriteItems",
            Fault::After("ORG#1#MILESTONE", milestone),
        );
        let link = json!({"title": "x", "projectId": 1, "milestoneId": id});
        let answer = if id == 1 {
            max.patch("/api/tasks/1", link).await
        } else {
            max.post("/api/tasks", link).await
        };
        answer.expect_faults(&[("/milestoneId", "unknown")]);
        assert!(faults.are_over());
    }
    let dump = records(&api).await;
    assert!(!dump.iter().any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_task_deleted_while_it_is_changed_stays_deleted() {
    let faults = Faults::start().await;
    let settings = Settings {
        faults: Some(faults.clone()),
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let max = api.sign_in("max").await;
    let milestone = creates_milestone(&max, 1).await;
    creates_task(&max, json!({})).await;
    faults.next(
        "TransactWriteItems",
        Fault::After("ORG#1#TASK", "0000000000000001"),
    );
    max.patch("/api/tasks/1", json!({"milestoneId": milestone}))
        .await
        .expect_problem(404, "not_found");
    assert!(faults.are_over());
    assert_eq!(max.get("/api/tasks").await.ids(), [0; 0]);
}

#[tokio::test]
async fn changes_at_the_same_time_lose_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    creates_task(&mia, json!({})).await;
    let places = json!({"tasks": [{"id": 1, "order": 5}]});
    let (one, other, place) = tokio::join!(
        mia.patch("/api/tasks/1", json!({"title": "Renamed"})),
        mia.patch("/api/tasks/1", json!({"status": "blocked"})),
        mia.patch("/api/tasks/reorder", places),
    );
    one.expect(200);
    other.expect(200);
    place.expect(204);
    let listed = mia.get("/api/projects/1/tasks").await.expect(200);
    assert_eq!(
        (
            &listed[0]["title"],
            &listed[0]["status"],
            &listed[0]["order"]
        ),
        (&json!("Renamed"), &json!("blocked"), &json!(5))
    );
}

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    creates_task(&max, json!({})).await;
    max.delete("/api/tasks/1").await.expect(204);
    max.delete("/api/tasks/1")
        .await
        .expect_problem(404, "not_found");
    max.patch("/api/tasks/1", json!({"title": "x"}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(max.get("/api/tasks").await.ids(), [0; 0]);
    assert_eq!(max.get("/api/projects/1/tasks").await.ids(), [0; 0]);
}

#[tokio::test]
async fn viewers_read_members_write_and_managers_delete() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    let places = json!({"tasks": [{"id": 1, "order": 1}]});
    creates_task(&mia, json!({})).await;
    let before = api.table_dump().await;
    for answer in [
        // Not even a body that is no good comes before the permission.
        vic.post("/api/tasks", json!([])).await,
        vic.patch("/api/tasks/1", json!({})).await,
        vic.patch("/api/tasks/abc", json!({})).await,
        vic.patch("/api/tasks/reorder", places).await,
        vic.patch("/api/tasks/1/phase", json!({})).await,
        vic.delete("/api/tasks/1").await,
        mia.delete("/api/tasks/1").await,
        api.sign_in("sue").await.delete("/api/tasks/1").await,
    ] {
        answer.expect_problem(403, "permission_denied");
    }
    let mut after = api.table_dump().await;
    after.retain(|item| before.contains(item));
    assert_eq!(before, after);
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        assert_eq!(vic.get(path).await.ids(), [1]);
        let unknown = vic.get(&format!("{path}?foo=1")).await;
        unknown.expect_faults(&[("?foo", "unknown_parameter")]);
    }
    let max = api.sign_in("max").await;
    max.delete("/api/tasks/1").await.expect(204);
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    creates_task(&mia, json!({})).await;
    let before = api.table_dump().await;
    for id in ["1", "2"].into_iter().chain(NO_IDS) {
        let path = format!("/api/tasks/{id}");
        for answer in [
            zoe.patch(&path, json!({"title": "Mine"})).await,
            zoe.patch(&format!("{path}/phase"), json!({"phaseId": null}))
                .await,
            zoe.delete(&path).await,
            zoe.get(&format!("/api/projects/{id}/tasks")).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
        if id == "%FF" {
            continue;
        }
        // What is wrong with the body is said first.
        zoe.patch(&path, json!({"title": 1}))
            .await
            .expect_faults(&[("/title", "type")]);
    }
    assert_eq!(zoe.get("/api/tasks").await.ids(), [0; 0]);
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn the_budgets_hold() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let [phase, ..] = has_phases(&api).await;
    let milestone = creates_milestone(&max, 1).await;
    api.counter.take();
    let full = json!({
        "title": "x", "projectId": 1, "milestoneId": milestone, "phaseId": phase,
        "assigneeId": max.id(),
    });
    for _ in 0..2 {
        let created = max.post("/api/tasks", full.clone()).await;
        within(&api, WRITE, 200, &created);
    }
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        within(&api, LIST, 200, &max.get(path).await);
    }
    let link = json!({"milestoneId": milestone, "phaseId": phase});
    for body in [json!({"title": "y"}), link] {
        within(&api, WRITE, 200, &max.patch("/api/tasks/1", body).await);
    }
    let phase = json!({"phaseId": null});
    within(
        &api,
        WRITE,
        204,
        &max.patch("/api/tasks/1/phase", phase).await,
    );
    let places = json!({"tasks": [{"id": 1, "order": 1}, {"id": 2, "order": 0}]});
    within(
        &api,
        WRITE,
        204,
        &max.patch("/api/tasks/reorder", places).await,
    );
    within(&api, WRITE, 204, &max.delete("/api/tasks/1").await);
}

#[tokio::test]
async fn a_long_list_reads_its_objects_side_by_side() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for _ in 0..120 {
        let milestone = creates_milestone(&max, 1).await;
        creates_task(&max, json!({"milestoneId": milestone})).await;
    }
    api.counter.take();
    let tasks = max.get("/api/tasks").await.expect(200);
    let used = api.counter.take();
    // Authentication, the tasks, and two batches at once.
    assert_eq!((used.in_sequence, used.total), (3, 4));
    for task in tasks.as_array().unwrap() {
        assert_eq!(task["milestone"]["id"], task["milestoneId"]);
        assert_eq!(task["milestone"]["title"], "Cut-over");
    }
}
