//! localstripe and the shipped playbooks: from the signed webhook of an unpaid invoice to the
//! proposal. The proposal leaves the invoice to a person, since its holder did not confirm the
//! payment.

use serde_json::{Value, json};
use tests::support::{refused, says};

use super::{Doubled, local_stripe::SECRET, webhooks::Webhooks};

/// Asks its holder each time, who is not there.
const ASKING: &str = "4000002500003155";

fn connection() -> Value {
    json!({
        "auth": {"scheme": "bearer"}, "body": "form", "errorCode": "/error/code",
        "allow": [
            "GET /v1/invoices/{id}", "GET /v1/payment_intents/{id}", "POST /v1/invoices/{id}/pay",
        ],
        "keep": ["id", "status", "code"],
    })
}

impl Doubled {
    /// An open invoice of a customer whose payment was to be authenticated, and was not.
    async fn failed_invoice(&self, customer: &str) -> String {
        let invoice = self.invoice(customer).await;
        let body = self
            .gets(SECRET, &format!("/v1/invoices/{invoice}"))
            .await;
        let payment_id = body["payment_intent"].as_str().unwrap();
        let payment = format!("/v1/payment_intents/{payment_id}");
        let secret = self.gets(SECRET, &payment).await["client_secret"].clone();
        let fails = [
            ("client_secret", secret.as_str().unwrap()),
            ("success", "false"),
        ];
        let authenticates = format!("{payment}/_authenticate");
        self.posts(SECRET, &authenticates, &fails)
            .await;
        invoice
    }
}

/// The alert that a team's relay makes of `invoice.payment_failed`: one for an invoice, however
/// often its payment fails.
fn alert_of(event: &Value) -> Value {
    let invoice = &event["data"]["object"];
    let currency = invoice["currency"]
        .as_str()
        .unwrap()
        .to_uppercase();
    json!({
        "source": "stripe", "externalId": invoice["id"], "signalType": "invoice_payment_failed",
        "severity": "error", "title": format!("Invoice {} was not paid", invoice["id"]),
        "targetSystem": "stripe",
        "entities": [
            {"type": "invoice", "id": invoice["id"]},
            {"type": "payment_intent", "id": invoice["payment_intent"]},
        ],
        "amountAtRisk": {"minorUnits": invoice["amount_due"], "currency": currency},
    })
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn an_unpaid_invoice_that_its_holder_did_not_confirm_is_left_to_a_person() {
    let doubled = Doubled::start_with("localstripe", SECRET, None).await;
    let connection = connection();
    doubled
        .connects("stripe", &doubled.url, &connection)
        .await;
    let webhooks = Webhooks::from(&doubled).await;
    let customer = doubled.customer(ASKING).await;
    let invoice = doubled.failed_invoice(&customer).await;
    let event = webhooks
        .comes("invoice.payment_failed", &invoice)
        .await;
    let world = &doubled.world;
    let relay = world.api.sign_in("sue").await;
    let alerts = "/api/concierge/alerts";
    let alert_id = relay
        .creates(alerts, alert_of(&event))
        .await;
    let alert = format!("{alerts}/{alert_id}");

    let id = world
        .max
        .triggers(&format!("{alert}/agent-session"))
        .await["session"]["id"]
        .clone();
    let pay = world.proposed(&id).await.remove(0);
    let session = world.session(&id).await;
    let analysis = &session["analysis"];
    assert_eq!(analysis["playbook"]["name"], "stripe-invoice-unpaid");
    let cause = &analysis["rootCause"];
    says(cause, "payment_intent_authentication_failure");
    // A failed confirmation is no reason that passes by itself.
    let action = &session["proposedActions"][0];
    assert_eq!(action["isAutomated"], false, "{action}");
    let reason = &analysis["notApplicable"][0]["reason"];
    says(
        reason,
        "Found instead: payment.error is `payment_intent_authentication_failure`",
    );
    assert!(!session.to_string().contains("_secret_"), "{session}");
    refused!(world.executes(&id, &[&pay]).await => [("/actionIds/0", "manual")]);
    assert_eq!(relay.reads(&alert).await["status"], "open");
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_webhook_that_is_not_signed_is_not_taken() {
    let doubled = Doubled::start_with("localstripe", SECRET, None).await;
    let webhooks = Webhooks::from(&doubled).await;
    for signature in ["", "t=1", "t=1,v1=00", "t=1,v1=zz", "v1=00"] {
        let request = doubled
            .http
            .post(&webhooks.url)
            .body("{}");
        let answer = request
            .header("stripe-signature", signature)
            .send()
            .await;
        assert_eq!(answer.unwrap().status(), 400, "{signature}");
    }
}
