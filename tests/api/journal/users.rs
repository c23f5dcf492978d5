//! Changes of users, passwords, tokens and the organization.

use futures::future::join_all;
use serde_json::{Value, json};
use shared::{
    model::{base::quota::UnitsPerSecond, people::Role},
    store::{base::WriteContext, people::PlanChange},
};
use tests::support::{Api, Caller, PASSWORD, creates, patches, puts, shows, snapshot};

use super::{Reader, by_session, entry};

const NEW: &str = "another horse battery staple";

#[tokio::test]
async fn every_change_of_a_user_leaves_one_entry() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut reader = Reader::of(&api).await;
    let id = creates!(ada, "/api/users", {
        "username": "ingrid", "fullName": "Ingrid Solberg", "role": "member",
        "password": PASSWORD, "permissions": ["manage_tickets"],
    });
    let subject = json!([format!("user:{id}")]);
    let by_ada = |event: &str, values| by_session(&ada, event, subject.clone(), values);
    let after = json!({
        "username": "ingrid", "fullName": "Ingrid Solberg", "role": "member",
        "permissions": ["manage_tickets"], "disabled": false,
    });
    let created = by_ada("user_created", [Value::Null, after]);
    assert_eq!(reader.news().await, [created]);
    let path = format!("/api/users/{id}");
    let update = json!({"fullName": "Ingrid Dahl", "permissions": [], "disabled": true});
    ada.patches(&path, update.clone()).await;
    let before = json!({
        "fullName": "Ingrid Solberg", "permissions": ["manage_tickets"], "disabled": false,
    });
    let changed = by_ada("user_changed", [before, update.clone()]);
    assert_eq!(reader.news().await, [changed]);
    // Nothing changes.
    ada.patches(&path, update).await;
    assert_eq!(reader.news().await, [Value::Null; 0]);
    for (before, after) in [("member", "manager"), ("manager", "member")] {
        patches!(ada, &path, {"role": after});
        let values = [json!({"role": before}), json!({"role": after})];
        assert_eq!(reader.news().await, [by_ada("user_changed", values)]);
    }
    puts!(ada, "{path}/password", {"password": NEW});
    let set = by_ada("password_set", [Value::Null, Value::Null]);
    assert_eq!(reader.news().await, [set]);
    let of_user = ada
        .walk(&format!("/api/journal?subject=user:{id}"))
        .await;
    assert_eq!(of_user.len(), 5);
    let mut entries = api.table_dump().await;
    entries.retain(|item| item.contains("organization_entry"));
    for entry in entries {
        for secret in ["$argon2", NEW, PASSWORD, "passwordHash"] {
            assert!(!entry.contains(secret), "{entry}");
        }
    }
}

#[tokio::test]
async fn ones_own_password_and_ended_sessions_are_in_the_journal() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let mut reader = Reader::of(&api).await;
    let wrong = json!({"currentPassword": "wrong", "newPassword": NEW});
    assert_eq!(
        mia.put("/api/auth/password", wrong)
            .await
            .status,
        400
    );
    assert_eq!(reader.news().await, [Value::Null; 0]);
    let subjects = json!([format!("user:{}", mia.id())]);
    let ended = |by: &Caller, after: Value| {
        by_session(by, "sessions_ended", subjects.clone(), [Value::Null, after])
    };
    let user = api.user("mia").await;
    for _ in 0..2 {
        api.session_of(&user).await;
    }
    let rows = mia.walk("/api/auth/sessions").await;
    let id_of = |current: bool| {
        let row = rows
            .iter()
            .find(|row| row["current"] == current);
        row.unwrap()["id"].clone()
    };
    let kept = id_of(true);
    let other = id_of(false);
    let session_path = format!("/api/auth/sessions/{}", other.as_str().unwrap());
    mia.deletes(&session_path).await;
    mia.deletes("/api/auth/sessions").await;
    let expected = [
        ended(&mia, json!({"sessionId": other})),
        ended(&mia, json!({"keptSessionId": kept})),
    ];
    assert_eq!(reader.news().await, expected);
    puts!(mia, "/api/auth/password", {"currentPassword": PASSWORD, "newPassword": NEW});
    let nothing = [Value::Null, Value::Null];
    let set = by_session(&mia, "password_set", subjects.clone(), nothing);
    assert_eq!(reader.news().await, [set]);
    let ada = api.sign_in("ada").await;
    let all_sessions = format!("/api/users/{}/sessions", mia.id());
    ada.deletes(&all_sessions).await;
    assert_eq!(reader.news().await, [ended(&ada, Value::Null)]);
}

#[tokio::test]
async fn tokens_leave_an_entry_when_they_are_created_and_deleted() {
    let (api, [ada, mia]) = Api::signed_in(["ada", "mia"]).await;
    let mut reader = Reader::of(&api).await;
    let new = json!({"name": "export", "permissions": ["view_work"]});
    let [first, second] = [
        mia.creates("/api/tokens", new.clone())
            .await,
        mia.creates("/api/tokens", new).await,
    ];
    mia.deletes(&format!("/api/tokens/{first}"))
        .await;
    let path = format!("/api/users/{}/tokens/{second}", mia.id());
    ada.deletes(&path).await;
    let noted = json!({
        "name": "export", "permissions": ["view_work"], "expiresAt": "2027-01-15T12:00:00.000Z",
    });
    let subjects = |id| json!([format!("token:{id}"), format!("user:{}", mia.id())]);
    let created = |id| {
        let values = [Value::Null, noted.clone()];
        by_session(&mia, "token_created", subjects(id), values)
    };
    let deleted = |caller, id| {
        let values = [noted.clone(), Value::Null];
        by_session(caller, "token_deleted", subjects(id), values)
    };
    let expected = [
        created(first),
        created(second),
        deleted(&mia, first),
        deleted(&ada, second),
    ];
    assert_eq!(reader.news().await, expected);
}

#[tokio::test]
async fn an_entry_names_the_token_that_made_the_change() {
    let api = Api::start().await;
    let (script, id) = api
        .token_and_id_of(&api.user("ada").await, json!({}))
        .await;
    let mut reader = Reader::of(&api).await;
    let path = format!("/api/organizations/{}", api.home.id);
    patches!(script, &path, {"name": "Renamed"});
    let credential = json!({"type": "token", "tokenId": id, "tokenName": "export"});
    let values = [
        json!({"name": "Halden Services"}),
        json!({"name": "Renamed"}),
    ];
    let event = "organization_changed";
    let subjects = json!([format!("organization:{}", api.home.id)]);
    let changed = entry(Some(script.id()), credential, event, subjects, values);
    assert_eq!(reader.news().await, [changed]);
}

#[tokio::test]
async fn the_operator_is_named_and_so_is_the_service() {
    let api = Api::start().await;
    let mut reader = Reader::of(&api).await;
    let directory = api.store.directory();
    let operator = || WriteContext::of_operator(api.home.id);
    let plan = PlanChange {
        features: Some(Vec::new()),
        units_per_second: UnitsPerSecond::new(9_000),
        ..PlanChange::default()
    };
    directory
        .change_plan(operator(), plan)
        .await
        .unwrap();
    let mia = api.user("mia").await;
    let change = directory.change_password(operator(), &mia, "".into());
    change.await.unwrap();
    let news = reader.news().await;
    let events = news.iter().map(|entry| {
        assert_eq!(entry["credential"], Value::Null);
        [&entry["event"], &entry["actor"]["type"]]
    });
    snapshot!(events.collect::<Vec<_>>(), @r#"
    [
      ["organization_changed", "operator"],
      ["user_created", "service"],
      ["password_set", "operator"]
    ]
    "#);
    shows!(news[0], {"before": {"planFeatures": ["agentAI"], "unitsPerSecond": 1_000_000}});
    shows!(news[0], {"after": {"planFeatures": [], "unitsPerSecond": 9_000}});
}

#[tokio::test]
async fn an_organization_is_founded_with_two_entries() {
    let api = Api::start().await;
    let admin = tests::records::user("first", Role::Admin, "");
    let directory = api.store.directory();
    let founded = directory.found_organization("New".into(), vec![], admin);
    let (organization, admin) = founded.await.unwrap();
    let entries = api
        .session_of(&admin)
        .await
        .walk("/api/journal")
        .await;
    shows!(entries[0], {"event": "organization_created", "/actor/type": "operator"});
    shows!(entries[0], {"subjects": [format!("organization:{}", organization.id)]});
    shows!(entries[1], {"event": "user_created", "/after/role": "admin"});
    assert_eq!(entries.len(), 2);
}

#[tokio::test]
async fn a_refused_change_leaves_no_entry() {
    let (api, [ada, max, mia]) = Api::signed_in(["ada", "max", "mia"]).await;
    let (_, token) = api
        .token_and_id_of(&api.user("ada").await, json!({}))
        .await;
    let mut reader = Reader::of(&api).await;
    let itself = format!("/api/users/{}", ada.id());
    let of_ada = format!("{itself}/tokens/{token}");
    let disabled = json!({"disabled": true});
    let stale = ada
        .clone()
        .with_header("if-match", "\"99\"");
    let organization = format!("/api/organizations/{}", api.home.id);
    let renamed = json!({"name": "Renamed"});
    let same_name = json!({
        "username": "MIA", "fullName": "Another", "role": "member", "password": PASSWORD,
    });
    for (refused, code) in [
        (
            ada.patch(&itself, disabled.clone())
                .await,
            "last_admin",
        ),
        (max.patch(&itself, disabled).await, "permission_denied"),
        (
            stale
                .patch(&organization, renamed)
                .await,
            "precondition_failed",
        ),
        (ada.post("/api/users", same_name).await, "username_taken"),
        (mia.delete(&of_ada).await, "permission_denied"),
        (ada.delete("/api/tokens/999").await, "not_found"),
    ] {
        assert_eq!(refused.expect(refused.status)["code"], code);
    }
    assert_eq!(reader.news().await, [Value::Null; 0]);
}

#[tokio::test]
async fn changes_at_once_leave_consecutive_entries() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut paths = Vec::new();
    for name in ["max", "mia", "sue", "vic"] {
        paths.push(format!("/api/users/{}", api.user(name).await.id));
    }
    let mut reader = Reader::of(&api).await;
    for role in ["support", "viewer"] {
        let changes = paths
            .iter()
            .map(|path| ada.patch(path, json!({"role": role})));
        for answer in join_all(changes).await {
            answer.expect(200);
        }
    }
    // Sue is support already, and all others change twice.
    assert_eq!(reader.news().await.len(), 7);
    // Two changes of one user.
    let roles = ["member", "manager"].map(|role| ada.patch(&paths[0], json!({"role": role})));
    for answer in join_all(roles).await {
        answer.expect(200);
    }
    let [first, second] = &reader.news().await[..] else {
        panic!("two entries");
    };
    shows!(first, {"before": {"role": "viewer"}, "after": second["before"]});
}
