//! stripe-stateful-mock: charges, refunds and customers, with Stripe's rules for keys. It keeps
//! failures and errors under their keys, and marks what it gives again.

use std::collections::HashSet;

use serde_json::{Value, json};
use shared::agent::{
    action::ActionType, alert::Alert, check::Reconciliation, session::ProposedAction,
};
use tests::support::{fact_is, posting, read_of};

use super::{Cutting, Doubled, cutting::Cuts};

/// Prefix of its API keys.
const SECRET: &str = "sk_test_workdesk";

/// Refunds that are cut while Stripe keeps their keys.
const CUT: usize = 50;

/// Refunds that are cut, half of them for longer than Stripe is known to keep their keys.
const CUT_LONG: usize = 200;

/// Refunds a charge, or charges a customer or a card.
fn proposes(alert: &Alert) -> Vec<ProposedAction> {
    let record = &*alert.entities[0].id;
    let (kind, path, body) = match record.split('_').next().unwrap() {
        "ch" => {
            let body = json!({"charge": record, "metadata": {"by": "workdesk"}});
            (ActionType::IssueCreditNote, "/v1/refunds", body)
        }
        of => {
            let of = if of == "cus" { "customer" } else { "source" };
            let body = json!({"amount": 2_000, "currency": "usd", of: record});
            (ActionType::RetryPayment, "/v1/charges", body)
        }
    };
    vec![posting(kind, "stripe", path, &body, record)]
}

/// Does the same, and looks for it in a list that has nothing else.
fn looking(alert: &Alert, path: &str) -> Vec<ProposedAction> {
    let mut action = proposes(alert).remove(0);
    let mut effects = read_of("effects", "stripe", path);
    effects.facts = [("amount".to_owned(), "/data/0/amount".to_owned())].into();
    effects.absent = [("amount".to_owned(), json!("none"))].into();
    action.content.reads = vec![effects];
    action.content.steps[0].reconcile = Some(Reconciliation {
        not_done: Some(fact_is("effects.amount", "none")),
        ..Reconciliation::by(fact_is("effects.amount", 2_000))
    });
    vec![action]
}

/// Charges a card of an account that has no other charge.
fn proposes_and_looks(alert: &Alert) -> Vec<ProposedAction> {
    looking(alert, "/v1/charges")
}

/// Refunds a charge, and looks for its refund.
fn refunds_and_looks(alert: &Alert) -> Vec<ProposedAction> {
    let charge = &alert.entities[0].id;
    looking(alert, &format!("/v1/charges/{charge}/refunds"))
}

/// The connection to Stripe.
fn connection() -> Value {
    json!({
        "auth": {"scheme": "basic"}, "body": "form",
        "idempotency": {
            "in": "header", "name": "Idempotency-Key", "replays": "all",
            "replayedHeader": "Idempotent-Replayed",
        },
        "errorCode": "/error/code",
        "allow": ["POST /v1/charges", "POST /v1/refunds", "GET /v1/charges",
            "GET /v1/charges/{charge}/refunds"],
    })
}

impl Doubled {
    /// Charges a card. Returns the charge.
    async fn charges(&self) -> String {
        let [amount, currency] = [("amount", "2000"), ("currency", "usd")];
        let form = [amount, currency, ("source", "tok_visa")];
        let charge = self
            .posts(SECRET, "/v1/charges", &form)
            .await;
        charge["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    async fn is_refunded_once(&self, charge: &str) {
        let path = format!("/v1/charges/{charge}/refunds");
        let refunds = self.gets(SECRET, &path).await;
        let refunds = refunds["data"].as_array().unwrap();
        assert_eq!(refunds.len(), 1, "{refunds:?}");
        assert_eq!(refunds[0]["amount"], 2_000);
    }
}

async fn start(cuts: Cuts) -> (Doubled, Cutting) {
    let doubled = Doubled::start("stripe", SECRET, proposes).await;
    let proxy = Cutting::before(&doubled.url, cuts).await;
    doubled
        .connects("stripe", &proxy.url, &connection())
        .await;
    (doubled, proxy)
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn each_refund_whose_answer_is_cut_off_is_made_once() {
    let (doubled, proxy) = start(Cuts::First).await;
    for _ in 0..CUT {
        let charge = doubled.charges().await;
        doubled.runs(&charge).await.succeeded();
        let calls = proxy.takes();
        let seen = [&calls[0], &calls[1]].map(|call| (call.status, call.is_replay));
        assert_eq!(seen, [(200, false), (200, true)], "{calls:?}");
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].key, calls[1].key);
        doubled.is_refunded_once(&charge).await;
    }
}

/// Stripe is out of reach for longer than it is known to keep the key. A read tells what became of
/// the call.
#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn each_refund_is_made_once_though_the_pause_outlasts_the_key() {
    let doubled = Doubled::start("stripe", SECRET, refunds_and_looks).await;
    let proxy = Cutting::before(&doubled.url, Cuts::All).await;
    doubled
        .connects("stripe", &proxy.url, &connection())
        .await;
    for number in 0..CUT_LONG {
        let charge = doubled.charges().await;
        // The cuts of the refund before may have opened the breaker. Resuming takes a new sign-in.
        let ada = doubled.world.api.sign_in("ada").await;
        let resumed = ada.trigger("/api/concierge/connections/stripe/resume");
        resumed.await.expect(200);
        proxy.cuts(Cuts::All);
        let ended = doubled.runs(&charge).await;
        assert_eq!(ended.status, "executing", "{ended:?}");
        let calls = proxy.takes();
        let keys = calls
            .iter()
            .filter(|call| !call.key.is_empty());
        let keys: HashSet<&str> = keys.map(|call| &*call.key).collect();
        assert_eq!(keys.len(), 1, "{calls:?}");
        // The key counts for ten minutes.
        let pause = if number % 2 == 0 { 5 } else { 11 };
        doubled
            .world
            .api
            .clock
            .advance(pause * 60_000);
        proxy.cuts(Cuts::None);
        let ended = doubled
            .delivers(ended.session, ended.action)
            .await;
        ended.succeeded();
        // The read found the refund, so that the call was not repeated.
        let calls = proxy.takes();
        let mut lines = calls.iter().map(|call| &call.line);
        assert!(lines.all(|line| line.starts_with("GET")), "{calls:?}");
        doubled.is_refunded_once(&charge).await;
    }
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_declined_charge_is_made_with_another_key_once_the_card_is_another() {
    let (doubled, proxy) = start(Cuts::None).await;
    let form = [("source", "tok_chargeCustomerFail")];
    let customer = doubled
        .posts(SECRET, "/v1/customers", &form)
        .await;
    let customer = customer["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let declined = doubled.runs(&customer).await;
    declined.failed("answered 402.");
    let path = format!("/v1/customers/{customer}");
    let card = [("source", "tok_visa")];
    let sources = format!("{path}/sources");
    let source = doubled
        .posts(SECRET, &sources, &card)
        .await;
    let card = [("default_source", source["id"].as_str().unwrap())];
    doubled
        .posts(SECRET, &path, &card)
        .await;
    doubled
        .runs_again(declined)
        .await
        .succeeded();
    let calls = proxy.takes();
    let seen: Vec<_> = calls
        .iter()
        .map(|call| call.status)
        .collect();
    assert_eq!(seen, [402, 200], "{calls:?}");
    assert!(calls.iter().all(|call| !call.is_replay), "{calls:?}");
    let keys: HashSet<&str> = calls
        .iter()
        .map(|call| &*call.key)
        .collect();
    assert_eq!(keys.len(), 2);
    // Under the first key it is declined for ever.
    let form = [
        ("amount", "2000"),
        ("currency", "usd"),
        ("customer", &*customer),
    ];
    let request = doubled.form(SECRET, "/v1/charges", &form);
    let request = request.header("idempotency-key", &calls[0].key);
    assert_eq!(request.send().await.unwrap().status(), 402);
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn an_error_that_it_keeps_is_asked_for_twice_at_most() {
    let (doubled, proxy) = start(Cuts::None).await;
    doubled
        .runs("tok_500")
        .await
        .failed("may have been done");
    assert_eq!(proxy.takes_statuses(), [(500, false), (500, true)]);
    // What it does not keep is asked for until it is another answer.
    let limited = doubled
        .runs("tok_429|tok_429|tok_visa|workdesk")
        .await;
    limited.succeeded();
    let unkept = [429, 429, 200].map(|status| (status, false));
    assert_eq!(proxy.takes_statuses(), unkept);
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_read_tells_the_effect_of_an_error_that_stripe_keeps() {
    let doubled = Doubled::start("stripe", SECRET, proposes_and_looks).await;
    let form = [("type", "custom"), ("country", "US")];
    let account = doubled
        .posts(SECRET, "/v1/accounts", &form)
        .await;
    let mut connection = connection();
    connection["headers"] = json!([{"name": "Stripe-Account", "value": account["id"]}]);
    connection["settlesWithin"] = json!("1m");
    let proxy = Cutting::before(&doubled.url, Cuts::None).await;
    doubled
        .connects("stripe", &proxy.url, &connection)
        .await;
    let ended = doubled.runs("tok_500").await;
    ended.failed("may have been done");
    // Between the two calls, a read did not find the effect.
    let calls = proxy.takes();
    let lines = calls.iter().map(|call| &call.line);
    let reads: Vec<bool> = lines
        .map(|line| line.starts_with("GET "))
        .collect();
    assert_eq!(reads, [false, true, false], "{calls:?}");
    let world = &doubled.world;
    // Until two reads a minute apart have not found it, Stripe may still be at work on it.
    for seconds in [15, 45, 15] {
        world.api.clock.advance(seconds * 1_000);
        assert_eq!(world.sweeper().sweep().await.checks, 1);
        assert_eq!(world.delivers(&world.worker()).await, 0);
    }
    let (status, results) = world.outcome(&ended.session).await;
    assert_eq!(status, "failed");
    assert!(
        results[0]
            .1
            .contains("did not take effect"),
        "{results:?}"
    );
    let calls = proxy.takes();
    let statuses: Vec<u16> = calls
        .iter()
        .map(|call| call.status)
        .collect();
    assert_eq!(statuses, [200, 200, 200], "{calls:?}");
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn who_is_not_known_there_is_refused() {
    let doubled = Doubled::start("stripe", "pk_test_public", proposes).await;
    let url = doubled.url.clone();
    doubled
        .connects("stripe", &url, &connection())
        .await;
    doubled
        .runs("tok_visa")
        .await
        .failed("answered 401.");
}
