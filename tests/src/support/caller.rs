//! Callers send requests.

use serde_json::{Value, json};
use shared::{
    model::base::{OrganizationId, UserId},
    store::metered,
};

use super::{
    Answer, MOST_PAGES, comes,
    gateway::{Gateway, Sent},
};

/// A signed-in user, or an anonymous caller.
#[derive(Clone)]
pub struct Caller {
    pub(super) gateway: Gateway,
    /// The `Cookie` header, if any.
    pub cookie: Option<String>,
    /// The user's id; none for an anonymous caller.
    pub user: Option<UserId>,
    /// The user's organization.
    pub organization: Option<OrganizationId>,
    headers: Vec<(String, String)>,
    address: String,
}

impl Caller {
    /// An anonymous caller before these functions.
    pub fn of(gateway: Gateway) -> Self {
        Self::new(gateway, None)
    }

    pub(super) fn new(
        gateway: Gateway,
        signed_in: Option<(UserId, OrganizationId, String)>,
    ) -> Self {
        let (user, organization, cookie) = match signed_in {
            Some((user, organization, cookie)) => (Some(user), Some(organization), Some(cookie)),
            None => (None, None, None),
        };
        Self {
            gateway,
            cookie,
            user,
            organization,
            headers: Vec::new(),
            address: "203.0.113.7".to_owned(),
        }
    }

    /// The user's id as JSON has it.
    pub fn id(&self) -> i64 {
        shared::model::base::Id::get(self.user.unwrap())
    }

    /// Adds a header to every request.
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_owned(), value.to_owned()));
        self
    }

    /// Moves the caller before these functions.
    pub fn before(mut self, gateway: Gateway) -> Self {
        self.gateway = gateway;
        self
    }

    /// Replaces the `Cookie` header.
    pub fn with_cookie(mut self, cookie: impl Into<String>) -> Self {
        self.cookie = Some(cookie.into());
        self
    }

    /// Replaces the cookie with a token.
    pub fn with_token(mut self, token: &str) -> Self {
        self.cookie = None;
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// Moves the caller to another address.
    pub fn at(mut self, address: &str) -> Self {
        address.clone_into(&mut self.address);
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// A page, and the table units that it took.
    pub async fn costs(&self, path: &str) -> (Answer, f64) {
        let (answer, used) = metered(self.get(path)).await;
        (answer, used.units())
    }

    /// All rows of a list, page by page.
    pub async fn walk(&self, path: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut page = self.get(path).await;
        for _ in 0..MOST_PAGES {
            let Value::Array(more) = page.expect(200) else {
                panic!("no list: {}", page.text);
            };
            rows.extend(more);
            match page.next() {
                Some(next) => page = self.get(next).await,
                None => return rows,
            }
        }
        panic!("{path} does not end");
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body.to_string()))
            .await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some(body.to_string()))
            .await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send("PATCH", path, Some(body.to_string()))
            .await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None).await
    }

    /// A POST without a body.
    pub async fn trigger(&self, path: &str) -> Answer {
        self.send("POST", path, None).await
    }

    /// Returns the body of a read that succeeds. So do the calls below of their requests; the
    /// document names the one status of each operation's success.
    pub async fn reads(&self, path: &str) -> Value {
        self.get(path).await.expect(200)
    }

    pub async fn posts(&self, path: &str, body: Value) -> Value {
        self.post(path, body).await.succeeds()
    }

    pub async fn puts(&self, path: &str, body: Value) -> Value {
        self.put(path, body).await.succeeds()
    }

    pub async fn patches(&self, path: &str, body: Value) -> Value {
        self.patch(path, body).await.succeeds()
    }

    pub async fn deletes(&self, path: &str) -> Value {
        self.delete(path).await.succeeds()
    }

    pub async fn triggers(&self, path: &str) -> Value {
        self.trigger(path).await.succeeds()
    }

    /// Signs in with a password.
    pub async fn logs_in(&self, username: &str, password: &str) -> Answer {
        let body = json!({"username": username, "password": password});
        self.post("/api/auth/login", body).await
    }

    /// Asserts that the caller's session or token holds.
    pub async fn is_signed_in(&self) {
        self.reads("/api/auth/session").await;
    }

    /// Asserts that the caller's session or token has ended.
    pub async fn is_signed_out(&self) {
        let answer = self.get("/api/auth/session").await;
        answer.expect_problem(401, "unauthenticated");
    }

    /// Any request; a body is declared as JSON unless the caller has a content type of its own.
    pub async fn send(&self, method: &str, path: &str, body: Option<String>) -> Answer {
        let mut headers = self.headers.clone();
        let declared = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
        if body.is_some() && !headers.iter().any(declared) {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let sent = Sent {
            method,
            path,
            headers,
            cookie: self.cookie.clone(),
            body,
            address: &self.address,
        };
        comes(&format!("{method} {path}"), self.gateway.send(sent)).await
    }
}

/// Sends a request that succeeds, with a path as `format!` takes it and a body as `json!` does.
/// Returns the answer's body.
#[macro_export]
macro_rules! sends {
    ($method:ident, $caller:expr, $path:literal, $body:tt) => {
        $crate::sends!($method, $caller, &format!($path), $body)
    };
    ($method:ident, $caller:expr, $path:expr, $body:tt) => {
        $caller
            .$method($path, ::serde_json::json!($body))
            .await
    };
}

/// A `POST` that [`sends!`](crate::sends) describes.
#[macro_export]
macro_rules! posts {
    ($($request:tt)*) => { $crate::sends!(posts, $($request)*) };
}

/// A `POST` that [`sends!`](crate::sends) describes. Returns the id of the record that it creates.
#[macro_export]
macro_rules! creates {
    ($($request:tt)*) => { $crate::sends!(creates, $($request)*) };
}

/// A `PUT` that [`sends!`](crate::sends) describes.
#[macro_export]
macro_rules! puts {
    ($($request:tt)*) => { $crate::sends!(puts, $($request)*) };
}

/// A `PATCH` that [`sends!`](crate::sends) describes.
#[macro_export]
macro_rules! patches {
    ($($request:tt)*) => { $crate::sends!(patches, $($request)*) };
}
