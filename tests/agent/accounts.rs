//! The account behind a connection: approved with an action, and read again before its calls.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use serde_json::{Value, json};
use shared::{
    agent::{action::ActionType, connection::ConnectionRevision, session::ProposedAction},
    model::base::span,
};
use tests::support::{AgentSettings, Concierge, posting, proposing, refused, serve};

const BILLING: &str = "/api/concierge/connections/billing";
/// The revision of a connection that was created at the beginning of the test.
const FIRST: i64 = 1_768_478_400_000;

/// A system of several accounts. A secret names its account: `one.a` and `one.b` are of account
/// `one`.
#[derive(Clone, Default)]
struct Accounts {
    /// The account that is named instead, or none for an answer without one.
    instead: Arc<Mutex<Option<Value>>>,
    /// The accounts of the calls that change something.
    calls: Arc<Mutex<Vec<String>>>,
}

fn account_of(headers: &HeaderMap) -> String {
    let secret = headers["authorization"]
        .to_str()
        .unwrap();
    let secret = secret.trim_start_matches("Bearer ");
    secret
        .split('.')
        .next()
        .unwrap()
        .to_owned()
}

impl Accounts {
    async fn serve(&self) -> String {
        let account = async |State(accounts): State<Self>, headers: HeaderMap| {
            let instead = accounts.instead.lock().unwrap().clone();
            let answer = instead.unwrap_or_else(|| json!({"id": account_of(&headers)}));
            let status = match answer["status"].as_u64() {
                Some(status) => StatusCode::from_u16(u16::try_from(status).unwrap()).unwrap(),
                None => StatusCode::OK,
            };
            (status, Json(answer))
        };
        let void = async |State(accounts): State<Self>, headers: HeaderMap| {
            accounts
                .calls
                .lock()
                .unwrap()
                .push(account_of(&headers));
            Json(json!({}))
        };
        let routes = Router::new()
            .route("/account", get(account))
            .route("/invoices/{id}/void", post(void))
            .with_state(self.clone());
        serve(routes).await
    }

    fn names(&self, answer: Value) {
        *self.instead.lock().unwrap() = Some(answer);
    }

    fn names_its_own(&self) {
        *self.instead.lock().unwrap() = None;
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

/// Voids an invoice in account `one`.
fn void() -> ProposedAction {
    let void = ActionType::VoidInvoice;
    let path = "/invoices/inv_1/void";
    let mut action = posting(void, "billing", path, &json!({}), "inv_1");
    action.content.connection = Some(ConnectionRevision {
        name: "billing".to_owned(),
        revision: FIRST,
        account: Some("one".to_owned()),
    });
    action
}

fn connection(url: &str, secret: &str) -> Value {
    json!({
        "kind": "billing", "amounts": "minor", "baseUrl": url, "secret": secret,
        "idempotency": {"in": "header", "name": "Idempotency-Key"},
        "identity": {"path": "/account", "at": ["/id"]},
        "allow": ["GET /account", "POST /invoices/{id}/void"],
    })
}

/// A world whose `billing` reaches account `one`, with an approved action.
struct Approved {
    world: Concierge,
    accounts: Accounts,
    url: String,
    session: Value,
    action: String,
}

impl Approved {
    async fn start() -> Self {
        let accounts = Accounts::default();
        let url = accounts.serve().await;
        let world = Concierge::start_with(AgentSettings {
            analyse: Some(proposing(|_: &_| vec![void()])),
            ..AgentSettings::default()
        });
        let world = world.await;
        let ada = world.api.sign_in("ada").await;
        let path = "/api/concierge/connections/billing";
        ada.delete(path).await.expect(204);
        let put = ada
            .puts(path, connection(&url, "one.a"))
            .await;
        assert_eq!(put["account"], "one");
        assert_eq!(put["revision"], FIRST);
        let (session, action) = world
            .approved("invoice_duplicated", &[("invoice", "inv_1")], 0)
            .await;
        Self {
            world,
            accounts,
            url,
            session,
            action,
        }
    }

    /// Puts the connection with another secret. Returns its revision.
    async fn has_secret(&self, secret: &str) -> i64 {
        let ada = self.world.api.sign_in("ada").await;
        let put = ada
            .puts(BILLING, connection(&self.url, secret))
            .await;
        put["revision"].as_i64().unwrap()
    }

    /// Runs the action. Returns the session's status, and the action's error if it has ended.
    async fn runs(&self) -> (String, Option<String>) {
        self.world
            .runs(&self.session, &self.action)
            .await;
        let (status, mut results) = self.world.outcome(&self.session).await;
        (status, results.pop().map(|(_, error)| error))
    }
}

#[tokio::test]
async fn a_new_secret_of_the_same_account_keeps_approvals() {
    let approved = Approved::start().await;
    assert_eq!(approved.has_secret("one.b").await, FIRST);
    assert_eq!(approved.runs().await.0, "completed");
    assert_eq!(approved.accounts.calls(), ["one"]);
}

#[tokio::test]
async fn a_secret_of_another_account_ends_approvals() {
    let approved = Approved::start().await;
    assert_eq!(approved.has_secret("two.a").await, FIRST + 1);
    let (status, error) = approved.runs().await;
    let error = error.unwrap();
    assert_eq!(status, "failed", "{error}");
    assert!(error.starts_with("content_changed: "), "{error}");
    assert_eq!(approved.accounts.calls(), [""; 0]);
}

/// A proxy leads to another account, though the connection is the same.
#[tokio::test]
async fn another_account_behind_the_same_connection_gets_nothing() {
    let approved = Approved::start().await;
    approved
        .accounts
        .names(json!({"id": "two"}));
    let (status, error) = approved.runs().await;
    let error = error.unwrap();
    assert_eq!(status, "failed", "{error}");
    let expected = "account_changed: the account of the connection is `two`; `one` was approved. Nothing was sent.";
    assert_eq!(error, expected);
    assert_eq!(approved.accounts.calls(), [""; 0]);
}

#[tokio::test]
async fn nothing_is_sent_while_the_account_is_not_known() {
    let approved = Approved::start().await;
    for answer in [
        json!({"status": 503}),
        json!({"status": 403}),
        json!({"name": "one"}),
    ] {
        approved.accounts.names(answer.clone());
        assert_eq!(
            approved.runs().await,
            ("executing".to_owned(), None),
            "{answer}"
        );
        assert_eq!(approved.accounts.calls(), [""; 0]);
        // The approval holds for an hour.
        approved
            .world
            .api
            .clock
            .advance(15 * span::MINUTE);
    }
    approved.accounts.names_its_own();
    assert_eq!(approved.runs().await.0, "completed");
    assert_eq!(approved.accounts.calls(), ["one"]);
}

#[tokio::test]
async fn a_connection_whose_account_cannot_be_read_is_not_stored() {
    let accounts = Accounts::default();
    let url = accounts.serve().await;
    let world = Concierge::start().await;
    let ada = world.api.sign_in("ada").await;
    let before = world.api.table_dump().await;
    for answer in [
        json!({"status": 500}),
        json!({"status": 404}),
        json!({"name": "one"}),
        json!({"id": null}),
        json!({"id": {"of": "one"}}),
        json!({"id": ""}),
        json!({"id": "o\u{202e}ne"}),
        // The answer shows the secret.
        json!({"id": "account of one.a"}),
    ] {
        accounts.names(answer.clone());
        let put = ada
            .put(BILLING, connection(&url, "one.a"))
            .await;
        refused!(put => [("/identity", "combination")]);
        assert_eq!(world.api.table_dump().await, before, "{answer}");
    }
    let unreachable = ada
        .put(BILLING, connection("http://127.0.0.1:9", "one.a"))
        .await;
    refused!(unreachable => [("/identity", "combination")]);
    let mut forbidden = connection(&url, "one.a");
    forbidden["allow"] = json!(["POST /invoices/{id}/void"]);
    refused!(ada.put(BILLING, forbidden).await => [("/identity/path", "combination")]);
    assert_eq!(world.api.table_dump().await, before);
    accounts.names_its_own();
    let mut several = connection(&url, "one.a");
    several["identity"]["at"] = json!(["/id", "/livemode"]);
    accounts.names(json!({"id": 7, "livemode": true}));
    let put = ada.puts(BILLING, several).await;
    assert_eq!(put["account"], "7, true");
    assert_eq!(
        put["identity"],
        json!({"path": "/account", "at": ["/id", "/livemode"]})
    );
}
