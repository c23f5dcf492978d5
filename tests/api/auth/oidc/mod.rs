//! `/api/auth/oidc`, before a small provider of the tests

mod begin;
mod faults;
mod people;
mod roles;

use serde_json::{Value, json};

use tests::support::{Answer, Api, Caller, merges};

/// The user of an answer's session.
async fn user_of(api: &Api, answer: &Answer) -> Value {
    answer.expect(302);
    assert_eq!(answer.header("location"), Some("/#/tasks"));
    let session = session_of(api, answer);
    let session = session.get("/api/auth/session").await.expect(200);
    session["user"].clone()
}

fn session_of(api: &Api, answer: &Answer) -> Caller {
    let cookie = answer.cookie().split(';').next().unwrap();
    assert!(cookie.starts_with("connect.sid="), "{cookie}");
    api.anonymous().with_cookie(cookie)
}

/// Asserts that a sign-in ended with a fault, and forgets its state.
#[track_caller]
fn failed(answer: &Answer, fault: &str) {
    answer.expect(302);
    let page = format!("/#sign-in={fault}");
    assert_eq!(answer.header("location"), Some(&*page));
    let forgotten = "connect.oidc=; Path=/api/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
    assert_eq!(answer.cookie(), forgotten);
}

/// Usernames of organization 1, in order.
async fn users_of(api: &Api) -> Vec<String> {
    let users = api.sign_in("ada").await.walk("/api/users").await;
    let names = users.iter().map(|user| user["username"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

/// Claims of a user whose address the provider verified.
fn person(name: &str, more: &Value) -> Value {
    let mut person = json!({
        "sub": format!("sub-{name}"), "email": format!("{name}@example.com"), "email_verified": true,
        "name": format!("{name} of the provider"), "preferred_username": format!("{name}@example.com"),
    });
    merges(&mut person, more);
    person
}
