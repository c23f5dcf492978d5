//! The doubles behave as the documents of their systems say.

use reqwest::{Client, Method};
use serde_json::{Value, json};
use shared::{
    Clock,
    model::base::{Timestamp, span},
};

use super::{Bank, Change, Chargebee, Lag, Lago, Person, Stripe};

/// The instant of the tests of the doubles themselves.
fn clock() -> Clock {
    Clock::fixed(Timestamp::from_millis(1_790_000_000_000))
}

/// Calls a double past the agent. Returns the status, the headers of a replay, and the body.
async fn calls(person: &impl Person, method: Method, path: &str, key: &str) -> (u16, bool, Value) {
    let http = Client::builder()
        .no_proxy()
        .build()
        .unwrap();
    let request = http.request(method, format!("{}{path}", person.double().url));
    let request = match person.connections()[0].0 {
        "chargebee" => request.basic_auth("key_of_the_double", Some("")),
        _ => request.bearer_auth("key_of_the_double"),
    };
    let request = request.header("idempotency-key", key);
    let answer = request
        .header("chargebee-idempotency-key", key)
        .send()
        .await
        .unwrap();
    let replayed = |name: &str| {
        answer
            .headers()
            .get(name)
            .is_some_and(|value| value == "true")
    };
    let is_replay = replayed("idempotent-replayed") || replayed("chargebee-idempotency-replayed");
    let status = answer.status().as_u16();
    let body = answer.text().await.unwrap();
    (
        status,
        is_replay,
        serde_json::from_str(&body).unwrap_or_default(),
    )
}

#[tokio::test]
async fn the_doubles_refuse_as_the_systems_do() {
    let clock = clock();
    let lago = Lago::start(&clock).await;
    let invoice = lago.unpaid(1, 10_000);
    let (status, _, body) = calls(&lago, Method::GET, "/api/v1/invoices/nothing", "a").await;
    assert_eq!((status, &body["code"]), (404, &json!("invoice_not_found")));
    lago.change(&invoice, Change::Voided);
    let retry = format!("/api/v1/invoices/{invoice}/retry_payment");
    let (status, _, body) = calls(&lago, Method::POST, &retry, "a").await;
    assert_eq!((status, &body["code"]), (405, &json!("invalid_status")));
    let chargebee = Chargebee::start(&clock).await;
    let invoice = chargebee.unpaid(1, 10_000);
    chargebee.change(&invoice, Change::Voided);
    let collect = format!("/api/v2/invoices/{invoice}/collect_payment");
    let (status, _, body) = calls(&chargebee, Method::POST, &collect, "a").await;
    let code = &body["api_error_code"];
    assert_eq!((status, code), (400, &json!("invalid_state_for_request")));
    let stripe = Stripe::start(&clock).await;
    let invoice = stripe.unpaid(1, 10_000);
    stripe.change(&invoice, Change::Voided);
    let pay = format!("/v1/invoices/{invoice}/pay");
    let (status, _, body) = calls(&stripe, Method::POST, &pay, "a").await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (400, &json!("invoice_not_open"))
    );
    for double in [lago.double(), chargebee.double(), stripe.double()] {
        assert_eq!(double.effects(), []);
    }
}

#[tokio::test]
async fn a_key_is_kept_for_as_long_as_the_system_says() {
    let clock = clock();
    let chargebee = Chargebee::start(&clock).await;
    let invoice = chargebee.unpaid(1, 10_000);
    chargebee.double().banks(Bank::Declines);
    let collect = format!("/api/v2/invoices/{invoice}/collect_payment");
    for (minutes, is_replay, tries) in [(0, false, 1), (29, true, 1), (1, false, 2)] {
        clock.advance(minutes * span::MINUTE);
        let (status, replayed, body) = calls(&chargebee, Method::POST, &collect, "a").await;
        let code = &body["api_error_code"];
        assert_eq!((status, code), (400, &json!("payment_processing_failed")));
        assert_eq!(
            (replayed, chargebee.double().effects().len()),
            (is_replay, tries)
        );
    }
}

#[tokio::test]
async fn reads_lag_behind_writes_by_a_number_or_by_time() {
    let clock = clock();
    let lago = Lago::start(&clock).await;
    let invoice = lago.unpaid(1, 10_000);
    let path = format!("/api/v1/invoices/{invoice}");
    let sees = async || {
        let (_, _, body) = calls(&lago, Method::GET, &path, "").await;
        body["invoice"]["total_due_amount_cents"].clone()
    };
    assert_eq!(sees().await, 10_000);
    lago.double().lags(Lag::Reads(2));
    lago.change(&invoice, Change::CreditedInPart);
    assert_eq!(
        [sees().await, sees().await, sees().await],
        [10_000, 10_000, 5_000]
    );
    lago.double()
        .lags(Lag::Millis(span::MINUTE));
    lago.change(&invoice, Change::SmallerDebt);
    assert_eq!(sees().await, 5_000);
    clock.advance(span::MINUTE);
    assert_eq!(sees().await, -4_500);
}

#[tokio::test]
async fn lists_have_pages() {
    let clock = clock();
    let lago = Lago::start(&clock).await;
    let invoice = lago.unpaid(1, 10_000);
    lago.change(&invoice, Change::PaidUnbooked);
    let path = format!("/api/v1/payments?invoice_id={invoice}&per_page=1&page=");
    let (_, _, first) = calls(&lago, Method::GET, &format!("{path}1"), "").await;
    assert_eq!(
        (&first["meta"]["next_page"], &first["meta"]["total_count"]),
        (&json!(2), &json!(2))
    );
    let (_, _, last) = calls(&lago, Method::GET, &format!("{path}2"), "").await;
    assert_eq!(last["meta"]["next_page"], Value::Null);
    let chargebee = Chargebee::start(&clock).await;
    let invoice = chargebee.unpaid(1, 10_000);
    chargebee.change(&invoice, Change::PaidUnbooked);
    let path = format!("/api/v2/invoices/{invoice}/payments?limit=1");
    let (_, _, first) = calls(&chargebee, Method::GET, &path, "").await;
    let next = first["next_offset"].as_str().unwrap();
    let (_, _, last) = calls(
        &chargebee,
        Method::GET,
        &format!("{path}&offset={next}"),
        "",
    )
    .await;
    assert_eq!(
        (last["list"].as_array().unwrap().len(), &last["next_offset"]),
        (1, &Value::Null)
    );
    let stripe = Stripe::start(&clock).await;
    stripe.unpaid(1, 10_000);
    stripe.unpaid(2, 10_000);
    let path = "/v1/payment_intents?customer=cus_acme&limit=1".to_owned();
    let (_, _, first) = calls(&stripe, Method::GET, &path, "").await;
    assert_eq!(first["has_more"], true);
    let after = first["data"][0]["id"].as_str().unwrap();
    let path = format!("{path}&starting_after={after}");
    let (_, _, last) = calls(&stripe, Method::GET, &path, "").await;
    assert_eq!(
        (&last["has_more"], last["data"].as_array().unwrap().len()),
        (&json!(false), 1)
    );
}

#[tokio::test]
async fn a_call_above_the_rate_limit_changes_nothing() {
    let clock = clock();
    let lago = Lago::start(&clock).await;
    let invoice = lago.unpaid(1, 10_000);
    lago.double().limits_after(0);
    let retry = format!("/api/v1/invoices/{invoice}/retry_payment");
    let (status, ..) = calls(&lago, Method::POST, &retry, "").await;
    assert_eq!((status, lago.double().effects().len()), (429, 0));
    let (status, _, body) = calls(&lago, Method::POST, &retry, "").await;
    assert_eq!((status, body), (200, Value::Null));
    assert_eq!(lago.double().effects()[0].taken, 10_000);
}
