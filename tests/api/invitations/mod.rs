//! `/api/invitations`, and what its operations have in common

mod create;
mod delete;
mod list;
mod send;

use serde_json::{Value, json};
use tests::support::{Api, posts};

/// An invitation's body.
pub fn grace() -> Value {
    json!({"email": "grace@example.com", "role": "member", "fullName": "Grace Okafor"})
}

/// The body that accepts an invitation.
pub fn accepting(token: &str) -> Value {
    json!({
        "token": token, "username": "grace", "fullName": "Grace Okafor",
        "password": "a horse of another colour",
    })
}

/// The token of an invitation that ada sends.
pub async fn invited(api: &Api, email: &str, role: &str) -> String {
    let mut mailbox = api.mailbox().await;
    let ada = api.sign_in("ada").await;
    posts!(ada, "/api/invitations", {"email": email, "role": role});
    mailbox.token().await
}
