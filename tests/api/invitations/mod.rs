//! `/api/invitations`, and what its operations have in common

mod create;
mod delete;
mod list;
mod send;

use serde_json::{Value, json};

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
