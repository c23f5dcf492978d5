//! `/api/users`, and what its operations have in common

mod create;
mod email;
mod get;
mod last_admin;
mod list;
mod password;
mod sessions;
mod tokens;
mod update;

use serde_json::{Value, json};
use tests::support::{Api, Caller, patches};

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
    patches!(ada, &format!("/api/users/{}", max.id()), {"permissions": ["manage_users"]});
    max
}
