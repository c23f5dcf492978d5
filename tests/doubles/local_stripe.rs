//! localstripe: payment intents, invoices, cards that decline, and signed webhooks. It knows no
//! idempotency keys, so that a call without an answer is never repeated.

use serde_json::{Value, json};
use shared::agent::{action::ActionType, alert::Alert, session::ProposedAction};
use tests::support::posting;

use super::{Cutting, Doubled, cutting::Cuts, webhooks::Webhooks};

/// Prefix of its API keys.
pub(super) const SECRET: &str = "sk_workdesk";

/// Confirms a payment intent, or pays an invoice.
fn proposes(alert: &Alert) -> Vec<ProposedAction> {
    let record = &*alert.entities[0].id;
    let path = if record.starts_with("pi_") {
        format!("/v1/payment_intents/{record}/confirm")
    } else {
        format!("/v1/invoices/{record}/pay")
    };
    let body = json!({"expand": ["customer"]});
    let retry = ActionType::RetryPayment;
    vec![posting(retry, "localstripe", &path, &body, record)]
}

fn connection(scheme: &str) -> Value {
    json!({
        "auth": {"scheme": scheme}, "body": "form", "errorCode": "/error/code",
        "allow": [
            "POST /v1/payment_intents/{id}/confirm", "POST /v1/invoices/{id}/pay",
            "GET /v1/invoices/{id}", "GET /v1/balance",
        ],
        "testPath": "/v1/balance",
    })
}

async fn start(scheme: &str, cuts: Cuts) -> (Doubled, Cutting) {
    let doubled = Doubled::start("localstripe", SECRET, proposes).await;
    let proxy = Cutting::before(&doubled.url, cuts).await;
    doubled
        .connects("localstripe", &proxy.url, &connection(scheme))
        .await;
    (doubled, proxy)
}

/// Records to be paid for.
impl Doubled {
    /// A customer with a card of this number as their default.
    pub(super) async fn customer(&self, card: &str) -> String {
        let email = ("email", "ada@example.com");
        let customer = self
            .posts(SECRET, "/v1/customers", &[email])
            .await;
        let customer = customer["id"]
            .as_str()
            .unwrap()
            .to_owned();
        self.gets_card(&customer, card).await;
        customer
    }

    /// A customer's default is a card of this number from now on.
    pub(super) async fn gets_card(&self, customer: &str, card: &str) {
        let card = [
            ("card[number]", card),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2090"),
            ("card[cvc]", "123"),
        ];
        let token = self
            .posts(SECRET, "/v1/tokens", &card)
            .await;
        let source = [("source", token["id"].as_str().unwrap())];
        let path = format!("/v1/customers/{customer}");
        let sources = format!("{path}/sources");
        let card = self
            .posts(SECRET, &sources, &source)
            .await;
        let default = [("default_source", card["id"].as_str().unwrap())];
        self.posts(SECRET, &path, &default)
            .await;
    }

    /// An open invoice of a new subscription, whose customer's card declines.
    pub(super) async fn invoice(&self, customer: &str) -> String {
        let plan = format!("plan_of_{customer}");
        let new = [
            ("id", &*plan),
            ("amount", "2000"),
            ("currency", "usd"),
            ("interval", "month"),
            ("product[name]", "Workdesk"),
        ];
        self.posts(SECRET, "/v1/plans", &new)
            .await;
        let new = [("customer", customer), ("items[0][plan]", &plan)];
        let subscription = self
            .posts(SECRET, "/v1/subscriptions", &new)
            .await;
        let invoice = subscription["latest_invoice"]
            .as_str()
            .unwrap();
        let path = format!("/v1/invoices/{invoice}");
        assert_eq!(self.status(&path).await, "open");
        invoice.to_owned()
    }

    /// A payment of a customer that waits to be confirmed.
    async fn payment_intent(&self, customer: &str) -> String {
        let form = [
            ("customer", customer),
            ("amount", "2000"),
            ("currency", "usd"),
            ("payment_method", "pm_card_visa"),
        ];
        let intent = self
            .posts(SECRET, "/v1/payment_intents", &form)
            .await;
        intent["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The state of a record there.
    pub(super) async fn status(&self, path: &str) -> String {
        let record = self.gets(SECRET, path).await;
        record["status"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

pub(super) const VISA: &str = "4242424242424242";
/// Can be added, and declines each charge.
pub(super) const DECLINING: &str = "4000000000000341";

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn an_invoice_is_paid_and_a_webhook_says_so() {
    for scheme in ["basic", "bearer"] {
        let (doubled, proxy) = start(scheme, Cuts::None).await;
        let webhooks = Webhooks::from(&doubled).await;
        let customer = doubled.customer(DECLINING).await;
        let invoice = doubled.invoice(&customer).await;
        doubled.gets_card(&customer, VISA).await;
        doubled.runs(&invoice).await.succeeded();
        let path = format!("/v1/invoices/{invoice}");
        assert_eq!(doubled.status(&path).await, "paid", "{scheme}");
        let calls = proxy.takes();
        assert_eq!((calls.len(), calls[0].key.as_str()), (1, ""), "{calls:?}");
        let paid = webhooks
            .comes("invoice.payment_succeeded", &invoice)
            .await;
        assert_eq!(paid["data"]["object"]["id"], invoice.as_str());
    }
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_call_without_an_answer_is_never_repeated() {
    let (doubled, proxy) = start("basic", Cuts::First).await;
    let customer = doubled.customer(DECLINING).await;
    let invoice = doubled.invoice(&customer).await;
    doubled.gets_card(&customer, VISA).await;
    let ended = doubled.runs(&invoice).await;
    ended.failed("may have been done");
    // Whoever brings it again.
    for _ in 0..3 {
        let session = ended.session.clone();
        let action = ended.action.clone();
        let again = doubled.delivers(session, action).await;
        again.failed("may have been done");
    }
    assert_eq!(proxy.takes().len(), 1);
    let path = format!("/v1/invoices/{invoice}");
    assert_eq!(doubled.status(&path).await, "paid");
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_payment_is_confirmed_once_and_then_refused() {
    let (doubled, proxy) = start("bearer", Cuts::None).await;
    let intent = doubled
        .payment_intent(&doubled.customer(VISA).await)
        .await;
    doubled.runs(&intent).await.succeeded();
    let path = format!("/v1/payment_intents/{intent}");
    assert_eq!(doubled.status(&path).await, "succeeded");
    assert_eq!(proxy.takes().len(), 1);
    // A record that is not there.
    doubled
        .runs("in_nobody")
        .await
        .failed("answered 404.");
}
