//! `/api/users`, and what its operations have in common

mod create;
mod get;
mod last_admin;
mod list;
mod password;
mod update;

use serde_json::{Value, json};

use crate::support::{Api, Caller};

/// A user's body.
pub fn ingrid() -> Value {
    json!({
        "username": "ingrid", "fullName": "Ingrid Solberg", "role": "member",
        "password": "a horse of another colour",
    })
}

/// A manager who may also manage users, and so holds less than an admin.
pub async fn head_of_staff(api: &Api) -> Caller {
    let ada = api.sign_in("ada").await;
    let max = api.sign_in("max").await;
    let path = format!("/api/users/{}", max.id());
    let more = json!({"permissions": ["manage_users"]});
    ada.patch(&path, more).await.expect(200);
    max
}

#[tokio::test]
async fn only_who_manages_users_writes_them_and_everybody_reads_them() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let path = format!("/api/users/{}", ada.id());
    for name in ["vic", "mia", "sue", "max"] {
        let caller = api.sign_in(name).await;
        for answer in [
            caller.post("/api/users", ingrid()).await,
            caller.patch(&path, json!({"fullName": "x"})).await,
            caller.put(&format!("{path}/password"), ingrid()).await,
        ] {
            answer.expect_problem(403, "permission_denied");
        }
        caller.get(&path).await.expect(200);
    }
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let mia = api.user("mia").await;
    let zoe = api.sign_in("zoe").await;
    let before = api.table_dump().await;
    for id in [&mia.id.to_string(), "99", "0", "-1", "abc", "01"] {
        let path = format!("/api/users/{id}");
        for answer in [
            zoe.get(&path).await,
            zoe.patch(&path, json!({"disabled": true})).await,
            zoe.put(&format!("{path}/password"), ingrid()).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
    }
    assert_eq!(before, api.table_dump().await);
}
