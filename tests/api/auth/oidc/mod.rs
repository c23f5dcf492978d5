//! `/api/auth/oidc`, before a small provider of the tests

mod begin;
mod claims;
mod connect;
mod discovery;
mod faults;
mod flows;
mod people;
mod providers;
mod redirects;
mod roles;

use serde_json::{Value, json};
use tests::support::{Answer, Api, Caller, OidcProvider, column, merges};

/// A path that leads to the provider and, after it, to a page of the desk.
const BEGIN: &str = "/api/auth/oidc?organization=1&return=/%23/tasks";

/// A provider of organization 1.
struct World {
    api: Api,
    provider: OidcProvider,
}

impl World {
    /// `more` are further members of the provider's setting.
    async fn start(more: Value) -> Self {
        let api = Api::start().await;
        let provider = api.has_provider(more).await;
        Self { api, provider }
    }

    /// A sign-in of a person with a verified address, or with these claims.
    async fn signs_in(&self, name: &str, more: Value) -> Answer {
        let nobody = self.api.anonymous();
        self.provider
            .signs_in(&nobody, person(name, &more))
            .await
    }

    /// The user of a sign-in that succeeds.
    async fn user(&self, name: &str, more: Value) -> Value {
        self.user_of(&self.signs_in(name, more).await)
            .await
    }

    /// Asserts that a sign-in ends with a fault.
    async fn refuses(&self, name: &str, more: Value, fault: &str) {
        failed(&self.signs_in(name, more).await, fault);
    }

    /// A browser with the state of a sign-in of grace, and the path by which the provider sends it
    /// back.
    async fn begins(&self) -> (Caller, String) {
        self.provider
            .begins(&self.api.anonymous(), BEGIN, person("grace", &json!({})))
            .await
    }

    /// Binds a user's account to a person, from a session of that user. Returns the session that
    /// follows.
    async fn connects(&self, name: &str, more: Value) -> Caller {
        let caller = self.api.sign_in(name).await;
        self.provider
            .connects(&caller, person(name, &more))
            .await
    }

    /// Makes the organization one that was set up before it had a redirect URI of its own.
    async fn was_set_up_before(&self) {
        let key = ["ORG#1", "SIGN_IN"];
        let mut item = self.api.item(key).await.unwrap();
        item.remove("ownRedirectUri");
        item.remove("discovery");
        self.api.puts([item]).await;
        let mut listed = self
            .api
            .items_of("listed_provider")
            .await
            .remove(0);
        listed.remove("discoveredAt");
        listed.remove("discoveryTriedAt");
        self.api.puts([listed]).await;
    }

    /// The user of an answer's session.
    async fn user_of(&self, answer: &Answer) -> Value {
        answer.expect(302);
        assert_eq!(answer.header("location"), Some("/#/tasks"));
        self.session_of(answer)
            .reads("/api/auth/session")
            .await["user"]
            .clone()
    }

    fn session_of(&self, answer: &Answer) -> Caller {
        self.api
            .anonymous()
            .with_cookie(answer.session())
    }

    /// Usernames of organization 1, in order.
    async fn names(&self) -> Vec<Value> {
        let users = self
            .api
            .sign_in("ada")
            .await
            .walk("/api/users")
            .await;
        column(&users, "username")
            .into_iter()
            .cloned()
            .collect()
    }

    /// The entries of an event in the journal.
    async fn entries(&self, event: &str) -> Vec<Value> {
        let mut entries = self
            .api
            .sign_in("ada")
            .await
            .walk("/api/journal")
            .await;
        entries.retain(|entry| entry["event"] == event);
        entries
    }

    /// Has an admin change a user.
    async fn changes(&self, user: &Value, change: Value) {
        let path = format!("/api/users/{user}");
        self.api
            .sign_in("ada")
            .await
            .patches(&path, change)
            .await;
    }
}

/// Asserts that a sign-in ended with a fault. The browser forgets it, and no other one.
#[track_caller]
fn failed(answer: &Answer, fault: &str) {
    is_sent_to(answer, fault);
    let (name, attributes) = answer.cookie().split_once('=').unwrap();
    assert!(name.starts_with("connect.oidc."), "{name}");
    let forgotten = "; Path=/api/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax; Secure";
    assert_eq!(attributes, forgotten);
}

/// Asserts that no sign-in of this browser ended: the answer has a fault, and no cookie.
#[track_caller]
fn unknown(answer: &Answer, fault: &str) {
    is_sent_to(answer, fault);
    assert_eq!(answer.cookies(), [""; 0]);
}

#[track_caller]
fn is_sent_to(answer: &Answer, fault: &str) {
    answer.expect(302);
    let page = format!("/#sign-in={fault}");
    assert_eq!(answer.header("location"), Some(&*page));
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
