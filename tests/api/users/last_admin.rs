//! An organization keeps an admin who is not disabled, whoever changes whom at the same time.

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::Id;

use tests::support::{Api, Caller};

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
        let user = api.store.directory().user(api.home.id, id).await.unwrap();
        admins += usize::from(user.is_enabled_admin());
    }
    admins
}

/// More admins of organization 1, signed in.
async fn admins<const N: usize>(api: &Api, names: [&str; N]) -> Vec<Caller> {
    let ada = api.sign_in("ada").await;
    let mut all = Vec::new();
    for name in names {
        let caller = api.sign_in(name).await;
        let path = format!("/api/users/{}", caller.id());
        ada.patch(&path, json!({"role": "admin"})).await.expect(200);
        all.push(caller);
    }
    all.push(ada);
    all
}

#[tokio::test]
async fn the_last_admin_is_neither_disabled_nor_demoted() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let own = format!("/api/users/{}", ada.id());
    // Who holds an admin's permissions is none.
    let max = api.user("max").await.id;
    let more = json!({"permissions": ["manage_users", "manage_organization"]});
    ada.patch(&format!("/api/users/{max}"), more)
        .await
        .expect(200);
    let before = api.records().await;
    for end in ends() {
        ada.patch(&own, end).await.expect_problem(409, "last_admin");
    }
    assert_eq!(before, api.records().await);
    ada.patch(
        &own,
        json!({"fullName": "Ada", "role": "admin", "disabled": false}),
    )
    .await
    .expect(200);
}

#[tokio::test]
async fn another_admin_counts_as_long_as_it_is_one() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    let own = format!("/api/users/{}", ada.id());
    let body = json!({
        "username": "eve", "fullName": "Eve", "role": "admin", "password": "a horse of another colour",
    });
    let eve = ada.creates("/api/users", body).await;
    let eve = format!("/api/users/{eve}");
    let refused = async |end| {
        ada.patch(&own, end).await.expect_problem(409, "last_admin");
    };
    for [away, back] in [
        [json!({"disabled": true}), json!({"disabled": false})],
        [json!({"role": "manager"}), json!({"role": "admin"})],
    ] {
        ada.patch(&eve, away.clone()).await.expect(200);
        // A second time changes nothing of the count.
        ada.patch(&eve, away).await.expect(200);
        for end in ends() {
            refused(end).await;
        }
        ada.patch(&eve, back.clone()).await.expect(200);
        ada.patch(&eve, back).await.expect(200);
    }
    // A disabled admin's role is no loss, nor is the disabling of somebody who is none.
    for change in [
        json!({"disabled": true}),
        json!({"role": "member"}),
        json!({"role": "admin"}),
        json!({"disabled": false}),
    ] {
        ada.patch(&eve, change).await.expect(200);
    }
    ada.patch(&own, json!({"role": "viewer"})).await.expect(200);
    ada.get("/api/tasks").await.expect(200);
    ada.patch(&eve, json!({"fullName": "x"})).await.expect(403);
}

#[tokio::test]
async fn one_of_two_admins_who_demote_each_other_stays() {
    for round in 0..10 {
        let api = Api::start().await;
        let [max, ada] = <[Caller; 2]>::try_from(admins(&api, ["max"]).await)
            .ok()
            .unwrap();
        let [of_max, of_ada] = [&max, &ada].map(|one| format!("/api/users/{}", one.id()));
        let end = &ends()[round % 3];
        let other = max.clone().before(api.other_instances().await);
        let (one, two) = tokio::join!(
            ada.patch(&of_max, end.clone()),
            other.patch(&of_ada, end.clone())
        );
        let ids = [ada.id(), max.id()];
        assert_eq!(
            enabled_admins(&api, &ids).await,
            1,
            "{} {}",
            one.text,
            two.text
        );
        let done = [&one, &two].iter().filter(|one| one.status == 200).count();
        assert_eq!(done, 1, "{} {}", one.text, two.text);
        // The other one was too late, or was signed out or no admin any more when asked.
        for answer in [&one, &two].into_iter().filter(|one| one.status != 200) {
            assert!([401, 403, 409].contains(&answer.status), "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn one_of_many_admins_who_demote_each_other_at_once_stays() {
    for _ in 0..3 {
        let api = Api::start().await;
        let callers = admins(&api, ["max", "mia", "sue", "vic"]).await;
        let ids: Vec<i64> = callers.iter().map(Caller::id).collect();
        let mut changes = Vec::new();
        for (at, caller) in callers.iter().enumerate() {
            for (target, id) in ids.iter().enumerate() {
                let end = ends()[(at + target) % 3].clone();
                let caller = caller.clone();
                let path = format!("/api/users/{id}");
                changes.push(tokio::spawn(async move { caller.patch(&path, end).await }));
            }
        }
        let answers = join_all(changes).await;
        let mut done = 0;
        for answer in answers {
            let answer = answer.unwrap();
            done += usize::from(answer.status == 200);
            assert!(
                [200, 401, 403, 409].contains(&answer.status),
                "{}",
                answer.text
            );
        }
        assert!(done >= 4, "{done}");
        assert_eq!(enabled_admins(&api, &ids).await, 1);
    }
}
