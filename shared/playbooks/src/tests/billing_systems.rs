//! The answers of Lago and Chargebee for the texts. `tests/agent` plays both systems from the alert
//! on.

use super::*;

/// A branch of a playbook: its title, the alert, and the answers of the target systems.
type Branch = (&'static str, Value, Answers);

const DRAFT: &str = "1a901a90-1a90-1a90-1a90-1a901a900001";
const ORIGINAL: &str = "1a901a90-1a90-1a90-1a90-1a901a900002";

/// The connections to Lago and Chargebee: their kinds, and the calls that they allow.
pub(super) fn connections() -> [(&'static str, Value); 2] {
    let lago = json!({
        "kind": "lago", "baseUrl": "https://api.getlago.com", "secretParameter": "lago-key",
        "allow": [
            "GET /api/v1/invoices/{id}", "GET /api/v1/payments", "GET /api/v1/credit_notes",
            "GET /api/v1/payment_requests", "POST /api/v1/invoices/{id}/retry_payment",
            "POST /api/v1/invoices/{id}/void", "PUT /api/v1/invoices/{id}/refresh",
            "PUT /api/v1/invoices/{id}/finalize",
        ],
    });
    let chargebee = json!({
        "kind": "chargebee", "baseUrl": "https://halden.chargebee.com",
        "secretParameter": "chargebee-key", "body": "form", "errorCode": "/api_error_code",
        "allow": [
            "GET /api/v2/invoices/{id}", "GET /api/v2/invoices/{id}/payments",
            "GET /api/v2/customers/{id}", "POST /api/v2/invoices/{id}/collect_payment",
            "POST /api/v2/invoices/{id}/void", "POST /api/v2/invoices/{id}/close",
            "POST /api/v2/invoices/{id}/stop_dunning",
        ],
    });
    [("lago", lago), ("chargebee", chargebee)]
}

fn two(class: &str, system: &str, invoice: &str, original: &str) -> Value {
    let entities = json!([
        {"type": "invoice", "id": invoice}, {"type": "original_invoice", "id": original},
    ]);
    json!({"signalType": class, "targetSystem": system, "entities": entities})
}

/// An invoice of Lago, with changes.
fn of_lago(id: &str, number: &str, more: &Value) -> Value {
    let invoice = json!({
        "lago_id": id, "number": number, "issuing_date": "2026-01-01", "status": "finalized",
        "payment_status": "failed", "payment_due_date": "2026-01-10", "payment_overdue": true,
        "payment_dispute_lost_at": null, "invoice_type": "subscription", "currency": "USD",
        "total_amount_cents": 12_000, "total_due_amount_cents": 12_000, "self_billed": false,
        "updated_at": "2026-01-15T11:30:00Z", "error_details": [],
        "customer": {
            "external_id": "acme", "billing_configuration": {"payment_provider": "stripe"},
        },
        "billing_periods": [{
            "lago_subscription_id": "sub_1", "charges_from_datetime": "2025-12-01T00:00:00Z",
            "charges_to_datetime": "2025-12-31T23:59:59Z",
            "invoicing_reason": "subscription_periodic",
        }],
    });
    json!({"invoice": with(invoice, more)})
}

pub(super) fn lago() -> Vec<Branch> {
    let alert = |class: &str| about(class, "lago", &format!("invoice/{DRAFT}"));
    let whole = json!({"next_page": null});
    let payments = |rows: Value| ("/api/v1/payments", json!({"payments": rows, "meta": whole}));
    let payment = |status: &str| {
        json!([{
            "payment_status": status, "amount_cents": 12_000, "amount_currency": "USD",
            "provider_payment_id": "pi_1", "payment_provider_type": "stripe",
        }])
    };
    let notes = (
        "/api/v1/credit_notes",
        json!({"credit_notes": [], "meta": whole}),
    );
    let attempt = |decline: &str| {
        let error = json!({"code": "card_declined", "decline_code": decline});
        let intent = json!({
            "id": "pi_1", "status": "requires_payment_method", "amount_received": 0,
            "currency": "usd", "last_payment_error": error, "metadata": {"lago_invoice_id": DRAFT},
        });
        ("/v1/payment_intents/", intent)
    };
    let invoice = |more: Value| ("/api/v1/invoices/", of_lago(DRAFT, "HAL-001", &more));
    let failed = |decline: &str, status: &str| {
        let payments = payments(payment(status));
        Answers(vec![
            invoice(json!({})),
            payments,
            notes.clone(),
            attempt(decline),
        ])
    };
    let pair = |more: Value| {
        let original = of_lago(ORIGINAL, "HAL-002", &json!({}));
        let original = (
            "/api/v1/invoices/1a901a90-1a90-1a90-1a90-1a901a900002",
            original,
        );
        Answers(vec![
            original,
            invoice(more),
            payments(json!([])),
            notes.clone(),
        ])
    };
    let draft = |computed: &str| {
        let draft = json!({
            "status": "draft", "payment_status": "pending", "updated_at": computed,
        });
        Answers(vec![invoice(draft)])
    };
    let dunning = |status: &str| {
        let requests = json!({"payment_requests": [{"payment_status": "failed"}], "meta": whole});
        let payments = payments(payment(status));
        Answers(vec![
            invoice(json!({})),
            payments,
            ("/api/v1/payment_requests", requests),
        ])
    };
    let unpaid = alert("invoice_payment_failed");
    let twice = two("invoice_duplicated", "lago", DRAFT, ORIGINAL);
    let late = alert("invoice_not_finalized");
    let ended = alert("dunning_finished");
    vec![
        (
            "The reason is temporary",
            unpaid.clone(),
            failed("insufficient_funds", "failed"),
        ),
        (
            "The card is stolen",
            unpaid.clone(),
            failed("stolen_card", "failed"),
        ),
        (
            "A payment is under way",
            unpaid,
            failed("insufficient_funds", "processing"),
        ),
        ("Nothing of it is paid", twice.clone(), pair(json!({}))),
        (
            "It bills another amount",
            twice,
            pair(json!({"total_amount_cents": 9_000})),
        ),
        (
            "It was computed just now",
            late.clone(),
            draft("2026-01-15T11:30:00Z"),
        ),
        (
            "It was computed days ago",
            late,
            draft("2026-01-11T00:00:00Z"),
        ),
        ("Nothing is under way", ended.clone(), dunning("failed")),
        ("A payment is under way", ended, dunning("processing")),
    ]
}

/// An invoice of Chargebee, with changes.
fn of_chargebee(id: &str, more: &Value) -> Value {
    let invoice = json!({
        "id": id, "customer_id": "acme", "subscription_id": "sub_1", "status": "not_paid",
        "due_date": 1_768_000_000, "total": 12_000, "amount_paid": 0, "amount_adjusted": 0,
        "credits_applied": 0, "write_off_amount": 0, "amount_due": 12_000,
        "amount_to_collect": 12_000, "currency_code": "USD", "channel": "web", "deleted": false,
        "term_finalized": true, "dunning_status": "exhausted", "issued_credit_notes": [],
        "line_items": [{
            "entity_id": "halden-monthly", "date_from": 1_764_547_200, "date_to": 1_767_225_600,
        }],
    });
    json!({"invoice": with(invoice, more)})
}

pub(super) fn chargebee() -> Vec<Branch> {
    let alert = |class: &str| about(class, "chargebee", "invoice/INV-1");
    let payments = |status: &str, code: &str| {
        let transaction = json!({
            "status": status, "amount": 12_000, "currency_code": "USD", "error_code": code,
        });
        let list = json!({"list": [{"transaction": transaction}]});
        ("/api/v2/invoices/INV-1/payments", list)
    };
    let invoice = |more: Value| ("/api/v2/invoices/INV-1", of_chargebee("INV-1", &more));
    let customer = |closes: bool| {
        let customer = json!({
            "id": "acme", "auto_collection": "on", "primary_payment_source_id": "pm_1",
            "auto_close_invoices": closes,
        });
        ("/api/v2/customers/", json!({"customer": customer}))
    };
    let failed = |code: &str, state: &str| {
        let invoice = invoice(json!({"status": state}));
        Answers(vec![payments("failure", code), invoice, customer(true)])
    };
    let pair = |more: Value| {
        let original = ("/api/v2/invoices/INV-0", of_chargebee("INV-0", &json!({})));
        let no_payments = json!({"list": []});
        let of_original = ("/api/v2/invoices/INV-0/payments", no_payments.clone());
        let of_invoice = ("/api/v2/invoices/INV-1/payments", no_payments);
        Answers(vec![of_original, original, of_invoice, invoice(more)])
    };
    let pending = |closes: bool| {
        Answers(vec![
            invoice(json!({"status": "pending"})),
            customer(closes),
        ])
    };
    let dunning = |status: &str| {
        let dunned = json!({"status": "payment_due", "dunning_status": "in_progress"});
        Answers(vec![
            payments(status, "insufficient_funds"),
            invoice(dunned),
        ])
    };
    let unpaid = alert("invoice_payment_failed");
    let twice = two("invoice_duplicated", "chargebee", "INV-1", "INV-0");
    let late = alert("invoice_not_finalized");
    let unwanted = alert("dunning_unwanted");
    vec![
        (
            "The reason is temporary",
            unpaid.clone(),
            failed("insufficient_funds", "not_paid"),
        ),
        (
            "The code does not say that it can",
            unpaid.clone(),
            failed("card_declined", "not_paid"),
        ),
        (
            "Chargebee retries by itself",
            unpaid,
            failed("insufficient_funds", "payment_due"),
        ),
        ("Nothing of it is paid", twice.clone(), pair(json!({}))),
        (
            "It bills another amount",
            twice,
            pair(json!({"total": 9_000, "amount_due": 9_000})),
        ),
        ("Chargebee is to close it", late.clone(), pending(true)),
        ("A person closes it", late, pending(false)),
        (
            "A payment is under way",
            unwanted.clone(),
            dunning("in_progress"),
        ),
        ("No payment covers it", unwanted, dunning("failure")),
    ]
}
