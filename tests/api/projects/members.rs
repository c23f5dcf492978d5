//! `/api/projects/{projectId}/members`, and projects that their members alone see

use futures::future::join_all;
use serde_json::{Value, json};
use tests::support::{Answer, Api, Caller, creates, patches, refused};

fn members(project: i64) -> String {
    format!("/api/projects/{project}/members")
}

async fn adds(manager: &Caller, project: i64, user: i64) -> Answer {
    let path = format!("{}/{user}", members(project));
    manager.send("PUT", &path, None).await
}

async fn removes(manager: &Caller, project: i64, user: i64) -> Answer {
    let path = format!("{}/{user}", members(project));
    manager.delete(&path).await
}

async fn usernames(reader: &Caller, project: i64) -> Vec<String> {
    let rows = reader.walk(&members(project)).await;
    rows.iter()
        .map(|row| {
            row["user"]["username"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// Max is a manager, mia and vic have lesser roles, ada manages the organization. Returns a
/// restricted project of max.
async fn restricted(max: &Caller) -> i64 {
    creates!(max, "/api/projects", {"title": "Layoffs", "visibility": "members"})
}

#[tokio::test]
async fn who_restricts_a_project_is_its_first_member() {
    let (api, [max, mia, ada]) = Api::signed_in(["max", "mia", "ada"]).await;
    let project = restricted(&max).await;
    assert_eq!(usernames(&max, project).await, ["max"]);
    // An admin sees it without a membership.
    assert_eq!(usernames(&ada, project).await, ["max"]);
    let path = format!("/api/projects/{project}");
    mia.get(&path).await.expect_not_found();
    mia.get(&members(project))
        .await
        .expect_not_found();
    let shown = max.reads(&path).await;
    assert_eq!(shown["visibility"], "members");
    assert!(shown.get("members").is_none(), "{shown}");
    let rows = max.walk(&members(project)).await;
    let user = api.user("max").await;
    let by = json!({"id": user.id, "username": "max", "fullName": user.full_name});
    let first = json!({"user": by, "addedAt": api.clock.now(), "addedBy": by});
    assert_eq!(rows, [first]);
    // A project that is restricted later gets its writer, too; members stay when it is opened.
    let open = creates!(max, "/api/projects", {"title": "Open"});
    let path = format!("/api/projects/{open}");
    mia.reads(&path).await;
    patches!(max, &path, {"visibility": "members"});
    mia.get(&path).await.expect_not_found();
    patches!(max, &path, {"visibility": "organization"});
    mia.reads(&path).await;
    assert_eq!(usernames(&mia, open).await, ["max"]);
}

#[tokio::test]
async fn members_come_and_go() {
    let (api, [max, mia, vic]) = Api::signed_in(["max", "mia", "vic"]).await;
    let project = restricted(&max).await;
    let path = format!("/api/projects/{project}");
    for _ in 0..2 {
        adds(&max, project, mia.id())
            .await
            .expect(204);
    }
    assert_eq!(usernames(&mia, project).await, ["max", "mia"]);
    let before = mia.reads(&path).await;
    assert_eq!(before["version"], 2);
    // The history names ids, and the feed an update of the project.
    let history = mia
        .reads(&format!("{path}/history"))
        .await;
    let ids = |callers: &[&Caller]| -> Value {
        let mut ids: Vec<i64> = callers
            .iter()
            .map(|caller| caller.id())
            .collect();
        ids.sort_unstable();
        json!(ids)
    };
    let change = json!({"field": "members", "from": ids(&[&max]), "to": ids(&[&max, &mia])});
    assert_eq!(history[0]["changes"], json!([change]));
    refused!(removes(&max, project, vic.id()).await => 404, "not_found");
    refused!(adds(&max, project, 999).await => 404, "not_found");
    refused!(adds(&mia, project, vic.id()).await => 403, "permission_denied");
    removes(&max, project, mia.id())
        .await
        .expect(204);
    mia.get(&path).await.expect_not_found();
    // The last member may leave. Admins see the project.
    removes(&max, project, max.id())
        .await
        .expect(204);
    max.get(&path).await.expect_not_found();
    let [ada] = api.sign_ins(["ada"]).await;
    assert_eq!(usernames(&ada, project).await, <[&str; 0]>::default());
    let journal = ada.walk("/api/journal").await;
    let noted: Vec<_> = journal
        .iter()
        .filter(|entry| entry["event"] == "project_access_changed")
        .collect();
    assert_eq!(noted.len(), 4, "{journal:?}");
    for entry in noted {
        assert_eq!(entry["subjects"], json!([format!("project:{project}")]));
    }
}

#[tokio::test]
async fn others_see_nothing_of_a_restricted_project() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let project = restricted(&max).await;
    let milestone = creates!(max, "/api/milestones", {"title": "Notice", "projectId": project});
    let links = json!({"title": "Letters", "projectId": project, "milestoneId": milestone});
    let task = max.creates("/api/tasks", links).await;
    let phases = format!("/api/projects/{project}/phases");
    creates!(max, &phases, {"title": "Prepare"});
    let note = json!({"type": "note", "description": "Layoffs agreed", "projectId": project});
    let activity = max
        .creates("/api/activities", note)
        .await;
    for on in [
        format!("/api/tasks/{task}/comments"),
        format!("/api/activities/{activity}/comments"),
    ] {
        creates!(max, &on, {"content": "Layoffs by name: @mia"});
    }
    for hidden in [
        format!("/api/projects/{project}"),
        format!("/api/projects/{project}/history"),
        format!("/api/projects/{project}/tasks"),
        format!("/api/projects/{project}/task-counts"),
        format!("/api/projects/{project}/milestones"),
        phases,
        format!("/api/milestones/{milestone}"),
        format!("/api/milestones/{milestone}/history"),
        format!("/api/tasks/{task}"),
        format!("/api/tasks/{task}/history"),
        format!("/api/tasks/{task}/comments"),
        format!("/api/activities/{activity}"),
        format!("/api/activities/{activity}/comments"),
    ] {
        mia.get(&hidden)
            .await
            .expect_not_found();
        max.reads(&hidden).await;
    }
    let activities = format!("/api/projects/{project}/activities");
    refused!(mia.get(&activities).await => 403, "access_denied");
    for list in [
        "/api/projects",
        "/api/tasks",
        "/api/activities",
        "/api/organizations/1/activities",
        "/api/managed-services/search-references?query=layoffs",
        "/api/changes?cursor=first",
    ] {
        let rows = mia.reads(list).await.to_string();
        assert!(
            !rows.contains("Layoffs") && !rows.contains("Letters"),
            "{list}: {rows}"
        );
    }
    let dashboard = mia
        .reads("/api/managed-services/dashboard")
        .await;
    assert!(
        !dashboard
            .to_string()
            .contains("Layoffs")
    );
    // Nobody writes where they see nothing.
    let unknown = [
        ("/api/tasks", json!({"title": "Mine", "projectId": project})),
        (
            "/api/managed-services/request",
            json!({"title": "Mine", "referenceType": "project", "referenceId": project}),
        ),
    ];
    for (path, body) in unknown {
        let refusal = mia.post(path, body).await;
        refused!(refusal => 400, "validation_error");
    }
    mia.patch(&format!("/api/tasks/{task}"), json!({"title": "Mine"}))
        .await
        .expect_not_found();
    let comments = format!("/api/tasks/{task}/comments");
    mia.post(&comments, json!({"content": "Mine"}))
        .await
        .expect_not_found();
    mia.post(&format!("/api/tasks/{task}/tags"), json!({"tagId": 1}))
        .await
        .expect_not_found();
    // A member sees all of it with the next request.
    adds(&max, project, mia.id())
        .await
        .expect(204);
    mia.reads(&format!("/api/tasks/{task}"))
        .await;
    let tasks = mia.walk("/api/tasks").await;
    assert!(
        tasks
            .iter()
            .any(|row| row["id"] == task)
    );
    drop(api);
}

#[tokio::test]
async fn an_assignee_must_see_the_project() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let project = restricted(&max).await;
    let body = json!({"title": "Letters", "projectId": project, "assigneeId": mia.id()});
    let refusal = max.post("/api/tasks", body).await;
    refused!(refusal => 400, "validation_error");
    let task = creates!(max, "/api/tasks", {"title": "Letters", "projectId": project});
    let path = format!("/api/tasks/{task}");
    let refusal = max
        .patch(&path, json!({"assigneeId": mia.id()}))
        .await;
    let fault = &refusal.expect(400)["errors"][0];
    assert_eq!(fault["code"], "project");
    adds(&max, project, mia.id())
        .await
        .expect(204);
    patches!(max, &path, {"assigneeId": mia.id()});
    // Who loses sight stays assigned until somebody changes it.
    removes(&max, project, mia.id())
        .await
        .expect(204);
    patches!(max, &path, {"title": "Other letters"});
    assert_eq!(max.reads(&path).await["assigneeId"], json!(mia.id()));
}

/// Item, user and project never disagree.
#[tokio::test]
async fn many_that_add_and_remove_a_member_leave_one_truth() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let project = restricted(&max).await;
    let user = mia.id();
    let writers = (0..20).map(|number| {
        let max = max.clone();
        tokio::spawn(async move {
            if number % 2 == 0 {
                adds(&max, project, user).await.status
            } else {
                removes(&max, project, user)
                    .await
                    .status
            }
        })
    });
    for status in join_all(writers).await {
        assert!([204, 404, 409].contains(&status.unwrap()));
    }
    let is_listed = usernames(&max, project)
        .await
        .contains(&"mia".to_owned());
    let path = format!("/api/projects/{project}");
    let sees = mia.get(&path).await.status == 200;
    assert_eq!(is_listed, sees);
}
