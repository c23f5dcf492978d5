//! Chargebee (API v2), by its API reference and its client library for Node.js.
//!
//! - An idempotency key is kept for 30 minutes.
//! - `collect_payment` takes the amount.
//! - A declined charge is 400 with `payment_processing_failed`.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use shared::{Clock, model::base::span};
use tests::support::merges;

use super::{
    Bank, Book, Change, Double, Person,
    book::{cents, word},
    desk::{Desk, Keys, SECRET, System},
    wire::{Asked, Reply},
};

/// The customer of the unpaid invoice.
pub const CUSTOMER: &str = "cbdemo_acme";
const INVOICES: &str = "invoices";
const TRANSACTIONS: &str = "transactions";
const CUSTOMERS: &str = "customers";

/// A double of Chargebee.
#[derive(Clone, Debug)]
pub struct Chargebee {
    double: Double,
    clock: Clock,
}

struct Rules;

fn error(status: u16, kind: &str, code: &str, message: &str) -> Reply {
    Reply::new(
        status,
        json!({
            "message": message, "type": kind, "api_error_code": code, "error_code": code,
            "http_status_code": status,
        }),
    )
}

fn not_found(id: &str) -> Reply {
    let message = format!("{id} not found");
    error(404, "invalid_request", "resource_not_found", &message)
}

fn wrong_state(message: &str) -> Reply {
    error(400, "invalid_request", "invalid_state_for_request", message)
}

/// Computes what is paid, due and to be collected, and the state.
fn compute(book: &mut Book, id: &str) {
    let record = book.get(INVOICES, id).clone();
    let linked = record["linked_payments"]
        .as_array()
        .unwrap();
    let sum = |status: &str| -> i64 {
        let linked = linked
            .iter()
            .filter(|payment| payment["txn_status"] == status);
        linked
            .map(|payment| cents(payment, "applied_amount"))
            .sum()
    };
    let paid = sum("success");
    let adjusted = cents(&record, "amount_adjusted");
    let written_off = cents(&record, "write_off_amount");
    let credits = cents(&record, "credits_applied");
    let due = cents(&record, "total") - paid - adjusted - written_off - credits;
    let record = book.get_mut(INVOICES, id);
    record["amount_paid"] = paid.into();
    record["amount_due"] = due.into();
    record["amount_to_collect"] = (due - sum("in_progress")).into();
    let is_open = matches!(
        word(record, "status"),
        "payment_due" | "not_paid" | "posted"
    );
    if is_open && due == 0 {
        record["status"] = "paid".into();
        record
            .as_object_mut()
            .unwrap()
            .remove("next_retry_at");
        if paid > 0 {
            record["dunning_status"] = "success".into();
        }
    }
}

/// Adds a transaction. `links` says that the invoice shows it.
fn transact(book: &mut Book, id: &str, txn: &str, amount: i64, status: &str, links: bool) -> Value {
    let invoice = book.get(INVOICES, id).clone();
    let mut transaction = json!({
        "id": txn, "customer_id": invoice["customer_id"], "gateway": "chargebee", "type": "payment",
        "payment_method": "card", "payment_source_id": "pm_acme", "currency_code": invoice["currency_code"],
        "amount": amount, "status": status, "invoice": id, "object": "transaction",
        "base_currency_code": "USD", "deleted": false, "date": invoice["date"],
    });
    if status == "failure" {
        transaction["error_code"] = "insufficient_funds".into();
        transaction["error_text"] = "The card has insufficient funds.".into();
    }
    book.put(TRANSACTIONS, txn, transaction.clone());
    if links {
        let linked = json!({
            "txn_id": txn, "applied_amount": amount, "applied_at": invoice["date"],
            "txn_status": status, "txn_date": invoice["date"], "txn_amount": amount,
        });
        let record = book.get_mut(INVOICES, id);
        record["linked_payments"]
            .as_array_mut()
            .unwrap()
            .push(linked);
        compute(book, id);
    }
    transaction
}

impl Chargebee {
    /// Starts a site with a customer who has a card.
    pub async fn start(clock: &Clock) -> Self {
        let double = Double::start(Rules, clock).await;
        double.edit(|book| {
            for id in [CUSTOMER, "cbdemo_zeta"] {
                let customer = json!({
                    "id": id, "auto_collection": "on", "net_term_days": 0, "object": "customer",
                    "primary_payment_source_id": "pm_acme", "preferred_currency_code": "USD",
                    "auto_close_invoices": true, "deleted": false,
                });
                book.put(CUSTOMERS, id, customer);
            }
            let site = json!({
                "domain": "halden-test", "product_catalog_version": "v2",
                "chargebee_response_schema_type": "plans_addons",
            });
            book.put("configurations", "one", site);
        });
        Self {
            double,
            clock: clock.clone(),
        }
    }

    fn invoice(&self, number: u32, amount: i64, status: &str) -> (String, Value) {
        let id = format!("INV-{number:05}");
        let day = |days: i64| {
            self.clock
                .now()
                .plus(days * span::DAY)
                .epoch_seconds()
        };
        let mut invoice = json!({
            "id": id, "customer_id": CUSTOMER, "subscription_id": "sub_acme", "recurring": true,
            "status": status, "price_type": "tax_exclusive", "date": day(-10),
            "due_date": day(-10), "net_term_days": 0, "exchange_rate": 1, "term_finalized": true,
            "is_gifted": false, "channel": "web", "deleted": false, "object": "invoice",
        });
        let amounts = json!({
            "total": amount, "amount_paid": 0, "amount_adjusted": 0, "write_off_amount": 0,
            "credits_applied": 0, "amount_due": amount, "amount_to_collect": amount,
            "round_off_amount": 0, "currency_code": "USD", "base_currency_code": "USD", "tax": 0,
            "sub_total": amount,
        });
        merges(&mut invoice, &amounts);
        let lists = json!({
            "linked_payments": [], "applied_credits": [], "adjustment_credit_notes": [],
            "issued_credit_notes": [], "dunning_attempts": [],
            "line_items": [{
                "id": format!("li_{number}"), "subscription_id": "sub_acme",
                "date_from": day(-40), "date_to": day(-10), "amount": amount, "quantity": 1,
                "entity_type": "plan_item_price", "entity_id": "halden-monthly",
                "object": "line_item",
            }],
        });
        merges(&mut invoice, &lists);
        (id, invoice)
    }

    /// Sets whether Chargebee closes pending invoices of its customers by itself.
    pub fn closes_by_itself(&self, closes: bool) {
        self.double.edit(|book| {
            book.get_mut(CUSTOMERS, CUSTOMER)["auto_close_invoices"] = closes.into();
        });
    }

    /// Chargebee goes on to retry an unpaid invoice.
    pub fn duns(&self, invoice: &str) {
        let next = self
            .clock
            .now()
            .plus(2 * span::DAY)
            .epoch_seconds();
        self.double.edit(|book| {
            let record = book.get_mut(INVOICES, invoice);
            record["status"] = "payment_due".into();
            record["dunning_status"] = "in_progress".into();
            record["next_retry_at"] = next.into();
        });
    }

    /// Adds a pending invoice. Returns its id.
    pub fn draft(&self, number: u32, amount: i64) -> String {
        let (id, invoice) = self.invoice(number, amount, "pending");
        self.double
            .edit(|book| book.put(INVOICES, &id, invoice));
        id
    }
}

impl Person for Chargebee {
    /// Adds an invoice whose payment failed, without another retry by Chargebee. Returns its id.
    fn unpaid(&self, number: u32, amount: i64) -> String {
        let (id, mut invoice) = self.invoice(number, amount, "not_paid");
        invoice["dunning_status"] = "exhausted".into();
        self.double.edit(|book| {
            book.put(INVOICES, &id, invoice);
            let txn = format!("txn_{number:05}");
            transact(book, &id, &txn, amount, "failure", true);
        });
        id
    }

    fn double(&self) -> &Double {
        &self.double
    }

    fn connections(&self) -> Vec<(&'static str, &Double, Value)> {
        let connection = json!({
            "kind": "chargebee", "auth": {"scheme": "basic"}, "body": "form",
            "errorCode": "/api_error_code",
            "idempotency": {
                "in": "header", "name": "chargebee-idempotency-key", "keptFor": "30m",
                "replayedHeader": "chargebee-idempotency-replayed",
            },
            "allow": [
                "GET /api/v2/configurations", "GET /api/v2/invoices/{id}",
                "GET /api/v2/invoices/{id}/payments", "GET /api/v2/customers/{id}",
                "POST /api/v2/invoices/{id}/collect_payment", "POST /api/v2/invoices/{id}/void",
                "POST /api/v2/invoices/{id}/close", "POST /api/v2/invoices/{id}/stop_dunning",
            ],
            "testPath": "/api/v2/configurations",
            "identity": {"path": "/api/v2/configurations", "at": ["/configurations/0/domain"]},
            "keep": ["id", "status", "amount_due", "api_error_code"],
        });
        vec![("chargebee", &self.double, connection)]
    }

    fn entities(&self, invoice: &str) -> Vec<(&'static str, String)> {
        vec![
            ("invoice", invoice.to_owned()),
            ("customer", CUSTOMER.to_owned()),
        ]
    }

    fn change(&self, invoice: &str, change: Change) {
        self.double.edit(|book| {
            let due = cents(book.get(INVOICES, invoice), "amount_due");
            match change {
                Change::CreditedInPart | Change::CreditedInFull => {
                    let credit = if change == Change::CreditedInFull {
                        due
                    } else {
                        due / 2
                    };
                    let note = json!({
                        "cn_id": "CN-1", "cn_total": credit, "cn_status": "adjusted",
                        "cn_reason_code": "waiver",
                    });
                    let record = book.get_mut(INVOICES, invoice);
                    record["adjustment_credit_notes"] = json!([note]);
                    record["amount_adjusted"] = credit.into();
                    compute(book, invoice);
                }
                Change::PaidUnbooked => {
                    transact(book, invoice, "txn_90000", due, "success", false);
                }
                Change::PaidBooked => {
                    transact(book, invoice, "txn_90000", due, "success", true);
                }
                Change::PaymentUnderWay => {
                    transact(book, invoice, "txn_90000", due, "in_progress", true);
                }
                Change::OtherCurrency => {
                    book.get_mut(INVOICES, invoice)["currency_code"] = "EUR".into();
                }
                Change::OtherCustomer => {
                    book.get_mut(INVOICES, invoice)["customer_id"] = "cbdemo_zeta".into();
                }
                Change::SmallerDebt | Change::LargerDebt => {
                    let total = if change == Change::LargerDebt {
                        due * 10
                    } else {
                        due / 10
                    };
                    book.get_mut(INVOICES, invoice)["total"] = total.into();
                    compute(book, invoice);
                }
                Change::Refunded | Change::Disputed => {
                    // The payment stays a success. What was given back is a transaction of its own.
                    transact(book, invoice, "txn_90000", due, "success", false);
                    let method = if change == Change::Disputed {
                        "chargeback"
                    } else {
                        "card"
                    };
                    let mut refund = book
                        .get(TRANSACTIONS, "txn_90000")
                        .clone();
                    refund["id"] = "txn_90001".into();
                    refund["type"] = "refund".into();
                    refund["payment_method"] = method.into();
                    refund["refunded_txn_id"] = "txn_90000".into();
                    refund["invoice"] = Value::Null;
                    book.put(TRANSACTIONS, "txn_90001", refund);
                }
                Change::Voided => {
                    let voided_at = self.clock.now().epoch_seconds();
                    let record = book.get_mut(INVOICES, invoice);
                    record["status"] = "voided".into();
                    record["voided_at"] = voided_at.into();
                }
            }
        });
    }
}

/// A page of a list. `next_offset` is absent on the last one.
fn page(kind: &str, records: &[Value], asked: &Asked) -> Reply {
    let offset = asked.number("offset", 0);
    let limit = asked.number("limit", 10);
    let shown = records.iter().skip(offset).take(limit);
    let shown: Vec<Value> = shown
        .map(|record| json!({kind: record}))
        .collect();
    let mut body = json!({"list": shown});
    if offset + limit < records.len() {
        body["next_offset"] = (offset + limit).to_string().into();
    }
    Reply::new(200, body)
}

impl System for Rules {
    fn refusal(&self, asked: &Asked) -> Option<Reply> {
        let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("{SECRET}:")));
        let is_valid = asked.header("authorization") == Some(&basic);
        let message = "Sorry, authentication failed. Invalid api key.";
        let refusal = || error(401, "invalid_request", "api_authentication_failed", message);
        (!is_valid).then(refusal)
    }

    fn limited(&self) -> Reply {
        let message = "Sorry, too many requests.";
        error(
            429,
            "operation_failed",
            "api_request_limit_exceeded",
            message,
        )
    }

    fn read(&self, book: &Book, asked: &Asked) -> Reply {
        let Some((_, path)) = asked.below(&["api", "v2"]) else {
            return not_found("The path");
        };
        match path[..] {
            ["configurations"] => {
                let site = book.get("configurations", "one");
                Reply::new(200, json!({"configurations": [site]}))
            }
            ["invoices", id] => match book.find(INVOICES, id) {
                Some(invoice) => Reply::new(200, json!({"invoice": invoice})),
                None => not_found(id),
            },
            ["invoices", id, "payments"] => {
                let of_invoice = |payment: &Value| payment["invoice"] == id;
                page("transaction", &book.list(TRANSACTIONS, of_invoice), asked)
            }
            ["customers", id] => match book.find(CUSTOMERS, id) {
                Some(customer) => Reply::new(200, json!({"customer": customer})),
                None => not_found(id),
            },
            _ => not_found("The path"),
        }
    }

    fn write(&self, desk: &mut Desk, asked: &Asked) -> Reply {
        let path = asked.below(&["api", "v2"]);
        let Some(("POST", ["invoices", id, call])) = path.as_ref().map(|(m, p)| (*m, &p[..]))
        else {
            return not_found("The path");
        };
        let Some(invoice) = desk.book.find(INVOICES, id).cloned() else {
            return not_found(id);
        };
        match *call {
            "collect_payment" => collect(desk, asked, id, &invoice),
            "void" => void(desk, asked, id, &invoice),
            "close" => close(desk, asked, id, &invoice),
            "stop_dunning" => stop(desk, asked, id, &invoice),
            _ => not_found("The path"),
        }
    }

    fn settle(&self, desk: &mut Desk, invoice: &str, succeeds: bool) {
        let status = if succeeds { "success" } else { "failure" };
        let under_way =
            |payment: &Value| payment["invoice"] == invoice && payment["status"] == "in_progress";
        for transaction in desk.book.list(TRANSACTIONS, under_way) {
            desk.book
                .get_mut(TRANSACTIONS, word(&transaction, "id"))["status"] = status.into();
            let linked = desk.book.get_mut(INVOICES, invoice)["linked_payments"].as_array_mut();
            for payment in linked.unwrap() {
                if payment["txn_id"] == transaction["id"] {
                    payment["txn_status"] = status.into();
                }
            }
        }
        compute(&mut desk.book, invoice);
    }

    fn keys(&self) -> Option<Keys> {
        Some(Keys {
            header: "chargebee-idempotency-key",
            replayed: "chargebee-idempotency-replayed",
            kept: 30 * span::MINUTE,
            // The reference says that the request is compared, and names no code.
            mismatch: || {
                let message = "The idempotency key belongs to another request.";
                error(400, "invalid_request", "invalid_request", message)
            },
        })
    }
}

fn collect(desk: &mut Desk, asked: &Asked, id: &str, invoice: &Value) -> Reply {
    let form = asked.form();
    if !matches!(
        word(invoice, "status"),
        "payment_due" | "not_paid" | "posted"
    ) {
        return wrong_state("The invoice cannot be collected in this state.");
    }
    let open = cents(invoice, "amount_to_collect");
    if open <= 0 {
        return wrong_state("Nothing is to be collected for the invoice.");
    }
    let amount = form
        .get("amount")
        .map_or(Ok(open), |text| text.parse());
    let Some(amount) = amount
        .ok()
        .filter(|amount| (1..=open).contains(amount))
    else {
        let message = "amount : should be between 1 and the amount to be collected";
        return error(400, "invalid_request", "param_wrong_value", message);
    };
    let customer = desk
        .book
        .get(CUSTOMERS, word(invoice, "customer_id"));
    let source = &customer["primary_payment_source_id"];
    if source.is_null()
        || form
            .get("payment_source_id")
            .is_some_and(|named| source != named)
    {
        let message = "There is no valid card on file.";
        return error(400, "payment", "payment_method_not_present", message);
    }
    let txn = format!("txn_{:05}", 50_000 + desk.serial());
    let (status, taken) = match desk.bank {
        Bank::Pays => ("success", amount),
        Bank::PaysLater => ("in_progress", amount),
        Bank::Declines | Bank::NotAsked => ("failure", 0),
    };
    let transaction = transact(&mut desk.book, id, &txn, amount, status, true);
    desk.takes_effect(asked, taken);
    if status == "failure" {
        let message = "Problem while processing the payment: your card was declined.";
        return error(400, "payment", "payment_processing_failed", message);
    }
    let invoice = desk.book.get(INVOICES, id);
    Reply::new(200, json!({"invoice": invoice, "transaction": transaction}))
}

fn void(desk: &mut Desk, asked: &Asked, id: &str, invoice: &Value) -> Reply {
    let is_open = matches!(
        word(invoice, "status"),
        "payment_due" | "not_paid" | "posted"
    );
    let linked = invoice["linked_payments"]
        .as_array()
        .unwrap();
    let is_paid =
        |payment: &Value| matches!(word(payment, "txn_status"), "success" | "in_progress");
    if !is_open || linked.iter().any(is_paid) || cents(invoice, "amount_adjusted") != 0 {
        return wrong_state("The invoice cannot be voided in this state.");
    }
    let now = desk.now().epoch_seconds();
    let record = desk.book.get_mut(INVOICES, id);
    record["status"] = "voided".into();
    record["voided_at"] = now.into();
    let reply = Reply::new(200, json!({"invoice": record}));
    desk.takes_effect(asked, 0);
    reply
}

fn close(desk: &mut Desk, asked: &Asked, id: &str, invoice: &Value) -> Reply {
    if invoice["status"] != "pending" {
        return wrong_state("The invoice is not pending.");
    }
    desk.book.get_mut(INVOICES, id)["status"] = "payment_due".into();
    let due = cents(invoice, "amount_due");
    let customer = desk
        .book
        .get(CUSTOMERS, word(invoice, "customer_id"));
    let collects = customer["auto_collection"] == "on";
    let txn = format!("txn_{:05}", 50_000 + desk.serial());
    let (status, taken) = match desk.bank {
        Bank::Pays => ("success", due),
        Bank::PaysLater => ("in_progress", due),
        Bank::Declines | Bank::NotAsked => ("failure", 0),
    };
    if collects && due > 0 {
        transact(&mut desk.book, id, &txn, due, status, true);
    }
    desk.takes_effect(asked, if collects { taken } else { 0 });
    Reply::new(200, json!({"invoice": desk.book.get(INVOICES, id)}))
}

fn stop(desk: &mut Desk, asked: &Asked, id: &str, invoice: &Value) -> Reply {
    if invoice["status"] != "payment_due" {
        return wrong_state("Dunning can be stopped for a payment due invoice only.");
    }
    let record = desk.book.get_mut(INVOICES, id);
    record["status"] = "not_paid".into();
    record["dunning_status"] = "stopped".into();
    record
        .as_object_mut()
        .unwrap()
        .remove("next_retry_at");
    let reply = Reply::new(200, json!({"invoice": record}));
    desk.takes_effect(asked, 0);
    reply
}
