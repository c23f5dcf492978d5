//! Kill Bill, as its own description has it: whatever that does not allow is refused. It keeps no
//! state.

use serde_json::{Value, json};
use shared::{
    agent::{action::ActionType, alert::Alert, session::ProposedAction},
    model::base::JsonText,
};
use tests::support::posting;

use super::{Cutting, Doubled, cutting::Cuts};

const ACCOUNT: &str = "5f1b2c3d-0a1b-4c2d-8e3f-9a0b1c2d3e4f";
const INVOICE: &str = "7a6b5c4d-3e2f-4a1b-9c8d-0e1f2a3b4c5d";
const PAYMENT: &str = "1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f";

/// Calls of a team that looks after bills, and their successes: a name, the method and path, a
/// body, a status. Prism finds its own answer to the others wrong.
fn calls() -> Vec<(&'static str, &'static str, String, Value, u16)> {
    let invoice = |rest: &str| format!("/1.0/kb/invoices/{INVOICE}{rest}");
    let account = |rest: &str| format!("/1.0/kb/accounts/{ACCOUNT}{rest}");
    let payment = |rest: &str| format!("/1.0/kb/invoicePayments/{PAYMENT}{rest}");
    let no_body = Value::Null;
    vec![
        ("void", "PUT", invoice("/voidInvoice"), no_body.clone(), 204),
        (
            "pay",
            "POST",
            invoice("/payments"),
            json!({"accountId": ACCOUNT, "targetInvoiceId": INVOICE, "purchasedAmount": 20.5}),
            201,
        ),
        (
            "purchase",
            "POST",
            account("/payments"),
            json!({"transactionType": "PURCHASE", "amount": 20.5, "currency": "USD"}),
            201,
        ),
        (
            "refund",
            "POST",
            payment("/refunds"),
            json!({"amount": 20.5, "isAdjusted": false}),
            201,
        ),
        (
            "rebalance",
            "PUT",
            account("/cbaRebalancing"),
            no_body.clone(),
            204,
        ),
        ("untag", "DELETE", account("/tags"), no_body.clone(), 204),
        ("overdue", "GET", account("/overdue"), no_body, 200),
    ]
}

/// The call of the name that an alert's record has.
fn proposes(alert: &Alert) -> Vec<ProposedAction> {
    let record = &*alert.entities[0].id;
    let named = calls()
        .into_iter()
        .find(|(name, ..)| *name == record);
    let (_, method, path, body, status) = named.unwrap();
    let refresh = ActionType::RefreshInvoice;
    let mut action = posting(refresh, "kill_bill", &path, &json!({}), record);
    let call = action.content.steps[0]
        .call
        .as_mut()
        .unwrap();
    method.clone_into(&mut call.method);
    call.body = body
        .as_object()
        .map(|body| JsonText(body.clone().into_iter().collect()));
    call.expect = vec![status];
    vec![action]
}

/// The connection to Kill Bill.
fn connection() -> Value {
    json!({
        "auth": {"scheme": "basic", "username": "admin"},
        "headers": [
            {"name": "X-Killbill-ApiKey", "value": "bob"},
            {"name": "X-Killbill-ApiSecret", "value": "lazar"},
            {"name": "X-Killbill-CreatedBy", "value": "workdesk"},
        ],
        "allow": [
            "PUT /1.0/kb/invoices/{id}/voidInvoice", "POST /1.0/kb/invoices/{id}/payments",
            "POST /1.0/kb/accounts/{id}/payments", "POST /1.0/kb/invoicePayments/{id}/refunds",
            "PUT /1.0/kb/accounts/{id}/cbaRebalancing", "DELETE /1.0/kb/accounts/{id}/tags",
            "GET /1.0/kb/accounts/{id}/overdue",
        ],
    })
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn every_call_is_as_kill_bill_describes_it() {
    let doubled = Doubled::start("kill_bill", "password", proposes).await;
    let proxy = Cutting::before(&doubled.url, Cuts::None).await;
    let connection = connection();
    doubled
        .connects("kill_bill", &proxy.url, &connection)
        .await;
    for (name, method, path, _, status) in calls() {
        let ended = doubled.runs(name).await;
        let calls = proxy.takes();
        let seen = calls
            .iter()
            .map(|call| (&*call.line, call.status));
        let seen: Vec<_> = seen.collect();
        assert_eq!(seen, [(&*format!("{method} {path}"), status)], "{ended:?}");
        ended.succeeded();
    }
}

#[tokio::test]
#[ignore = "needs a double: python3 tests/doubles/check.py"]
async fn a_call_that_lacks_what_kill_bill_asks_for_is_refused() {
    let doubled = Doubled::start("kill_bill", "password", proposes).await;
    let url = doubled.url.clone();
    let mut unsigned = connection();
    unsigned["headers"]
        .as_array_mut()
        .unwrap()
        .pop();
    doubled
        .connects("kill_bill", &url, &unsigned)
        .await;
    doubled
        .runs("void")
        .await
        .failed("answered 4");
    let mut form = connection();
    form["body"] = json!("form");
    doubled
        .connects("kill_bill", &url, &form)
        .await;
    doubled
        .runs("purchase")
        .await
        .failed("answered 4");
    let mut anonymous = connection();
    anonymous["secret"] = Value::Null;
    anonymous["auth"] = Value::Null;
    // It takes a key and its secret for somebody, too.
    anonymous["headers"]
        .as_array_mut()
        .unwrap()
        .drain(..2);
    doubled
        .connects("kill_bill", &url, &anonymous)
        .await;
    doubled
        .runs("rebalance")
        .await
        .failed("answered 401.");
}
