//! An organization keeps an admin who is not disabled, whoever changes whom at the same time.

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::base::Id;
use tests::support::{Api, Caller, creates, patches};

/// Changes after which a user is no admin, or a disabled one.
fn ends() -> [Value; 3] {
    [
        json!({"role": "manager"}),
        json!({"disabled": true}),
        json!({"role": "viewer", "disabled": true, "permissions": []}),
    ]
}

/// Returns the number of admins who are not disabled, by the list of users.
async fn enabled_admins(api: &Api, ids: &[i64]) -> usize {
    let mut admins = 0;
    for id in ids {
        let id = Id::new(*id).unwrap();
        let user = api
            .store
            .directory()
            .user(api.home.id, id)
            .await
            .unwrap();
        admins += usize::from(user.is_enabled_admin());
    }
    admins
}

/// More admins of organization 1, signed in.
async fn admins(api: &Api, names: &[&str]) -> Vec<Caller> {
    let ada = api.sign_in("ada").await;
    let mut callers = Vec::new();
    for name in names {
        let caller = api.sign_in(name).await;
        let path = format!("/api/users/{}", caller.id());
        patches!(ada, &path, {"role": "admin"});
        callers.push(caller);
    }
    callers.push(ada);
    callers
}

#[tokio::test]
async fn the_last_admin_is_neither_disabled_nor_demoted() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let own = format!("/api/users/{}", ada.id());
    // Who holds an admin's permissions is none.
    let max = api.user("max").await.id;
    patches!(ada, "/api/users/{max}", {"permissions": ["manage_users", "manage_organization"]});
    let before = api.records().await;
    for end in ends() {
        ada.patch(&own, end)
            .await
            .expect_problem(409, "last_admin");
    }
    assert_eq!(before, api.records().await);
    patches!(ada, &own, {"fullName": "Ada", "role": "admin", "disabled": false});
}

#[tokio::test]
async fn another_admin_counts_as_long_as_it_is_one() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let own = format!("/api/users/{}", ada.id());
    let eve_id = creates!(ada, "/api/users", {
        "username": "eve", "fullName": "Eve", "role": "admin", "password": "a horse of another colour",
    });
    let eve = format!("/api/users/{eve_id}");
    let refused = async |end| {
        ada.patch(&own, end)
            .await
            .expect_problem(409, "last_admin");
    };
    for [away, back] in [
        [json!({"disabled": true}), json!({"disabled": false})],
        [json!({"role": "manager"}), json!({"role": "admin"})],
    ] {
        ada.patches(&eve, away.clone()).await;
        // A second time changes nothing of the count.
        ada.patches(&eve, away).await;
        for end in ends() {
            refused(end).await;
        }
        ada.patches(&eve, back.clone()).await;
        ada.patches(&eve, back).await;
    }
    // A disabled admin's role is no loss, nor is the disabling of somebody who is none.
    for change in [
        json!({"disabled": true}),
        json!({"role": "member"}),
        json!({"role": "admin"}),
        json!({"disabled": false}),
    ] {
        ada.patches(&eve, change).await;
    }
    patches!(ada, &own, {"role": "viewer"});
    ada.reads("/api/tasks").await;
    ada.patch(&eve, json!({"fullName": "x"}))
        .await
        .expect(403);
}

#[tokio::test]
async fn one_of_several_admins_who_demote_each_other_at_once_stays() {
    for names in [&["max"][..], &["max", "mia", "sue", "vic"]].repeat(3) {
        let api = Api::start().await;
        let callers = admins(&api, names).await;
        let ids: Vec<i64> = callers.iter().map(Caller::id).collect();
        let mut changes = Vec::new();
        for (at, caller) in callers.iter().enumerate() {
            let caller = caller
                .clone()
                .before(api.other_instances().await);
            for (target, id) in ids.iter().enumerate() {
                let end = ends()[(at + target) % 3].clone();
                let caller = caller.clone();
                let path = format!("/api/users/{id}");
                changes.push(tokio::spawn(async move { caller.patch(&path, end).await }));
            }
        }
        let mut done = 0;
        for answer in join_all(changes).await {
            let answer = answer.unwrap();
            done += usize::from(answer.status == 200);
            // Others were too late, or were signed out or no admins any more when asked.
            let statuses = [200, 401, 403, 409];
            assert!(statuses.contains(&answer.status), "{}", answer.text);
        }
        assert!(done >= names.len(), "{done}");
        assert_eq!(enabled_admins(&api, &ids).await, 1);
    }
}
