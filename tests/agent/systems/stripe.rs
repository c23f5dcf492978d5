//! Stripe's invoices and payments, by its API reference (version 2024-06-20, with the list of
//! invoice payments of later ones). `tests/doubles` has doubles by others, which have no credits,
//! disputes or other payments of an invoice.

use serde_json::{Value, json};
use shared::{Clock, model::base::span};

use super::{
    Bank, Book, Change, Double, Person,
    book::{cents, word},
    desk::{Desk, Keys, SECRET, System},
    wire::{Asked, Reply},
};

/// The customer of the unpaid invoice.
pub const CUSTOMER: &str = "cus_acme";
const INVOICES: &str = "invoices";
const INTENTS: &str = "payment_intents";
const CHARGES: &str = "charges";
const REFUNDS: &str = "refunds";
const DISPUTES: &str = "disputes";
const NOTES: &str = "credit_notes";
const PAYMENTS: &str = "invoice_payments";
/// The lists of the API, with the members that each can be asked for.
const LISTS: [(&str, &[&str]); 6] = [
    (INTENTS, &["customer"]),
    (CHARGES, &["customer", "payment_intent"]),
    (REFUNDS, &["charge", "payment_intent"]),
    (DISPUTES, &["charge", "payment_intent"]),
    (NOTES, &["customer", "invoice"]),
    (PAYMENTS, &["invoice", "status"]),
];

/// A double of Stripe.
#[derive(Clone, Debug)]
pub struct Stripe {
    double: Double,
    clock: Clock,
}

struct Rules;

fn error(status: u16, kind: &str, code: &str, message: &str) -> Reply {
    let error = json!({"type": kind, "code": code, "message": message});
    Reply::new(status, json!({"error": error}))
}

fn not_found(id: &str) -> Reply {
    let message = format!("No such record: '{id}'");
    error(404, "invalid_request_error", "resource_missing", &message)
}

/// Adds a payment intent of an invoice, its charge, and the link to the invoice.
fn pay(book: &mut Book, invoice: &str, number: u32, amount: i64, status: &str) {
    let of = book.get(INVOICES, invoice).clone();
    let intent = format!("pi_{number}");
    let charge = format!("ch_{number}");
    let of_charge = match status {
        "succeeded" => "succeeded",
        "processing" => "pending",
        _ => "failed",
    };
    let received = if status == "succeeded" { amount } else { 0 };
    let declined = json!({
        "type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds",
        "message": "Your card has insufficient funds.",
    });
    let is_declined = of_charge == "failed";
    let payment = json!({
        "id": intent, "object": "payment_intent", "amount": amount, "amount_received": received,
        "currency": of["currency"], "customer": of["customer"], "invoice": invoice,
        "latest_charge": charge, "status": status, "livemode": true,
        "last_payment_error": is_declined.then_some(declined),
    });
    book.put(INTENTS, &intent, payment);
    let charged = json!({
        "id": charge, "object": "charge", "amount": amount, "amount_captured": received,
        "amount_refunded": 0, "currency": of["currency"], "customer": of["customer"],
        "invoice": invoice, "payment_intent": intent, "status": of_charge, "disputed": false,
        "refunded": false, "livemode": true,
    });
    book.put(CHARGES, &charge, charged);
    let linked = json!({
        "id": format!("inpay_{number}"), "object": "invoice_payment", "invoice": invoice,
        "amount_paid": (received > 0).then_some(received), "amount_requested": amount,
        "currency": of["currency"], "is_default": of["payment_intent"] == intent,
        "status": if received > 0 { "paid" } else { "open" }, "livemode": true,
        "payment": {"type": "payment_intent", "payment_intent": intent},
    });
    book.put(PAYMENTS, &format!("inpay_{number}"), linked);
}

/// Shows a payment of an amount on an invoice.
fn book_payment(book: &mut Book, invoice: &str, amount: i64) {
    let record = book.get_mut(INVOICES, invoice);
    let paid = cents(record, "amount_paid") + amount;
    let remaining = cents(record, "amount_due") - paid;
    record["amount_paid"] = paid.into();
    record["amount_remaining"] = remaining.into();
    if remaining == 0 {
        record["status"] = "paid".into();
        record["paid"] = true.into();
    }
}

/// Starts an account that another system charges through.
pub async fn account(clock: &Clock) -> Double {
    let double = Double::start(Rules, clock).await;
    double.edit(|book| {
        let account = json!({"id": "acct_halden", "object": "account"});
        book.put("account", "one", account);
    });
    double
}

/// Adds a payment intent that another system made for an invoice of its own.
pub fn intend(book: &mut Book, id: &str, amount: i64, currency: &str, status: &str, invoice: &str) {
    let is_failed = status == "requires_payment_method";
    let declined = json!({
        "type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds",
        "message": "Your card has insufficient funds.",
    });
    let received = if status == "succeeded" { amount } else { 0 };
    let intent = json!({
        "id": id, "object": "payment_intent", "amount": amount, "amount_received": received,
        "currency": currency.to_ascii_lowercase(), "customer": CUSTOMER, "invoice": null,
        "status": status, "livemode": true, "last_payment_error": is_failed.then_some(declined),
        "metadata": {"lago_invoice_id": invoice},
    });
    book.put(INTENTS, id, intent);
}

/// The connection to Stripe.
pub fn connection() -> Value {
    let lists = LISTS.map(|(name, _)| format!("GET /v1/{name}"));
    let mut allow: Vec<String> = lists.into();
    let calls = [
        "GET /v1/account",
        "GET /v1/invoices/{id}",
        "GET /v1/payment_intents/{id}",
        "GET /v1/charges/{id}",
        "POST /v1/invoices/{id}/pay",
    ];
    allow.extend(calls.map(str::to_owned));
    json!({
        "kind": "stripe", "auth": {"scheme": "bearer"}, "body": "form", "errorCode": "/error/code",
        "headers": [{"name": "Stripe-Version", "value": "2024-06-20"}],
        "idempotency": {
            "in": "header", "name": "Idempotency-Key", "keptFor": "24h",
            "replayedHeader": "Idempotent-Replayed",
        },
        "allow": allow, "testPath": "/v1/account",
        "identity": {"path": "/v1/account", "at": ["/id"]}, "keep": ["id", "status", "code", "decline_code"],
    })
}

impl Stripe {
    /// Starts an account.
    pub async fn start(clock: &Clock) -> Self {
        Self {
            double: account(clock).await,
            clock: clock.clone(),
        }
    }

    /// The payment intent of an invoice.
    pub fn intent(&self, invoice: &str) -> String {
        word(&self.double.record(INVOICES, invoice), "payment_intent").to_owned()
    }
}

impl Person for Stripe {
    /// Adds an open invoice whose payment failed, without another try by Stripe. Returns its id.
    fn unpaid(&self, number: u32, amount: i64) -> String {
        let id = format!("in_{number}");
        let due = self
            .clock
            .now()
            .plus(-10 * span::DAY)
            .epoch_seconds();
        let invoice = json!({
            "id": id, "object": "invoice", "number": format!("HAL-{number:04}"),
            "customer": CUSTOMER, "currency": "usd", "status": "open", "paid": false,
            "total": amount, "amount_due": amount, "amount_paid": 0, "amount_remaining": amount,
            "pre_payment_credit_notes_amount": 0, "post_payment_credit_notes_amount": 0,
            "attempt_count": 1, "attempted": true, "auto_advance": true,
            "next_payment_attempt": null, "collection_method": "charge_automatically",
            "due_date": null, "payment_intent": format!("pi_{number}"), "livemode": true,
            "created": due, "paid_out_of_band": false,
        });
        self.double.edit(|book| {
            book.put(INVOICES, &id, invoice);
            pay(book, &id, number, amount, "requires_payment_method");
        });
        id
    }

    fn double(&self) -> &Double {
        &self.double
    }

    fn connections(&self) -> Vec<(&'static str, &Double, Value)> {
        vec![("stripe", &self.double, connection())]
    }

    fn entities(&self, invoice: &str) -> Vec<(&'static str, String)> {
        vec![
            ("invoice", invoice.to_owned()),
            ("payment_intent", self.intent(invoice)),
            ("customer", CUSTOMER.to_owned()),
        ]
    }

    fn change(&self, invoice: &str, change: Change) {
        let number = number_of(&self.intent(invoice));
        let charge_id = format!("ch_{number}");
        self.double.edit(|book| {
            let due = cents(book.get(INVOICES, invoice), "amount_due");
            match change {
                Change::CreditedInPart | Change::CreditedInFull => {
                    let credit = if change == Change::CreditedInFull {
                        due
                    } else {
                        due / 2
                    };
                    let of = book.get(INVOICES, invoice).clone();
                    let note = json!({
                        "id": "cn_1", "object": "credit_note", "amount": credit, "invoice": invoice,
                        "currency": of["currency"], "customer": of["customer"], "status": "issued",
                        "type": "pre_payment",
                    });
                    book.put(NOTES, "cn_1", note);
                    let record = book.get_mut(INVOICES, invoice);
                    record["pre_payment_credit_notes_amount"] = credit.into();
                    record["amount_due"] = (due - credit).into();
                    record["amount_remaining"] = (due - credit).into();
                    if credit == due {
                        record["status"] = "paid".into();
                        record["paid"] = true.into();
                    }
                }
                // In this version, an invoice has one payment intent.
                Change::PaidUnbooked => pay(book, invoice, number, due, "succeeded"),
                Change::PaidBooked => {
                    pay(book, invoice, number, due, "succeeded");
                    book_payment(book, invoice, due);
                }
                Change::PaymentUnderWay => pay(book, invoice, number, due, "processing"),
                Change::OtherCurrency => {
                    book.get_mut(INVOICES, invoice)["currency"] = "eur".into();
                }
                Change::OtherCustomer => {
                    book.get_mut(INVOICES, invoice)["customer"] = "cus_zeta".into();
                }
                Change::SmallerDebt | Change::LargerDebt => {
                    let total = if change == Change::LargerDebt {
                        due * 10
                    } else {
                        due / 10
                    };
                    let record = book.get_mut(INVOICES, invoice);
                    for member in ["total", "amount_due", "amount_remaining"] {
                        record[member] = total.into();
                    }
                }
                Change::Refunded => {
                    pay(book, invoice, number, due, "succeeded");
                    book_payment(book, invoice, due);
                    let charged = book.get_mut(CHARGES, &charge_id);
                    charged["amount_refunded"] = due.into();
                    charged["refunded"] = true.into();
                    let refund = json!({
                        "id": "re_1", "object": "refund", "amount": due, "charge": charged["id"],
                        "payment_intent": charged["payment_intent"], "status": "succeeded",
                    });
                    book.put(REFUNDS, "re_1", refund);
                }
                Change::Disputed => {
                    pay(book, invoice, number, due, "succeeded");
                    book_payment(book, invoice, due);
                    let charged = book.get_mut(CHARGES, &charge_id);
                    charged["disputed"] = true.into();
                    let dispute = json!({
                        "id": "dp_1", "object": "dispute", "amount": due, "charge": charged["id"],
                        "payment_intent": charged["payment_intent"], "status": "needs_response",
                    });
                    book.put(DISPUTES, "dp_1", dispute);
                }
                Change::Voided => {
                    book.get_mut(INVOICES, invoice)["status"] = "void".into();
                }
            }
        });
    }
}

/// The number of a payment intent.
fn number_of(intent: &str) -> u32 {
    intent
        .trim_start_matches("pi_")
        .parse()
        .unwrap()
}

/// A page of a list. Stripe's cursors are ids.
fn page(name: &str, records: &[Value], asked: &Asked) -> Reply {
    let limit = asked
        .query
        .get("limit")
        .and_then(|text| text.parse().ok());
    let limit: usize = limit.unwrap_or(10);
    let after = asked.query.get("starting_after");
    let before = |record: &&Value| after.is_some_and(|id| record["id"] != *id);
    let skipped = records.iter().skip_while(before);
    let rest: Vec<&Value> = skipped
        .skip(usize::from(after.is_some()))
        .collect();
    let shown = &rest[..rest.len().min(limit)];
    let has_more = rest.len() > shown.len();
    let url = format!("/v1/{name}");
    let body = json!({"object": "list", "data": shown, "has_more": has_more, "url": url});
    Reply::new(200, body)
}

impl System for Rules {
    fn refusal(&self, asked: &Asked) -> Option<Reply> {
        let bearer = format!("Bearer {SECRET}");
        let is_valid = asked.header("authorization") == Some(&bearer);
        let kind = "invalid_request_error";
        (!is_valid).then(|| error(401, kind, "api_key_invalid", "Invalid API Key provided"))
    }

    fn limited(&self) -> Reply {
        error(
            429,
            "invalid_request_error",
            "rate_limit",
            "Too many requests.",
        )
    }

    fn read(&self, book: &Book, asked: &Asked) -> Reply {
        let Some((_, path)) = asked.below(&["v1"]) else {
            return not_found("path");
        };
        let list_of = |name: &str| {
            LISTS
                .into_iter()
                .find(|(list, _)| *list == name)
        };
        match path[..] {
            ["account"] => Reply::new(200, book.get("account", "one").clone()),
            ["invoices", id] => match book.find(INVOICES, id) {
                Some(invoice) => Reply::new(200, invoice.clone()),
                None => not_found(id),
            },
            [name] if let Some((kind, members)) = list_of(name) => {
                let fits = |record: &Value| {
                    let wanted = |member: &&str| {
                        let wanted = asked.query.get(*member);
                        wanted.is_none_or(|wanted| record[*member] == **wanted)
                    };
                    members.iter().all(wanted)
                };
                page(kind, &book.list(kind, fits), asked)
            }
            [name, id] if let Some((kind, _)) = list_of(name) => match book.find(kind, id) {
                Some(record) => Reply::new(200, record.clone()),
                None => not_found(id),
            },
            _ => not_found("path"),
        }
    }

    fn write(&self, desk: &mut Desk, asked: &Asked) -> Reply {
        let path = asked.below(&["v1"]);
        let Some(("POST", ["invoices", id, "pay"])) = path.as_ref().map(|(m, p)| (*m, &p[..]))
        else {
            return not_found("path");
        };
        let Some(invoice) = desk.book.find(INVOICES, id).cloned() else {
            return not_found(id);
        };
        if invoice["status"] != "open" {
            let message = "The invoice is not open.";
            return error(400, "invalid_request_error", "invoice_not_open", message);
        }
        let due = cents(&invoice, "amount_remaining");
        let attempts = cents(&invoice, "attempt_count") + 1;
        desk.book.get_mut(INVOICES, id)["attempt_count"] = attempts.into();
        let number = number_of(word(&invoice, "payment_intent"));
        let (status, taken) = match desk.bank {
            Bank::Pays => ("succeeded", due),
            Bank::PaysLater => ("processing", due),
            Bank::Declines | Bank::NotAsked => ("requires_payment_method", 0),
        };
        pay(&mut desk.book, id, number, due, status);
        desk.takes_effect(asked, taken);
        if status == "requires_payment_method" {
            return error(
                402,
                "card_error",
                "card_declined",
                "Your card was declined.",
            );
        }
        if status == "succeeded" {
            book_payment(&mut desk.book, id, due);
        }
        Reply::new(200, desk.book.get(INVOICES, id).clone())
    }

    fn settle(&self, desk: &mut Desk, invoice: &str, succeeds: bool) {
        let of = desk.book.get(INVOICES, invoice).clone();
        let number = number_of(word(&of, "payment_intent"));
        let due = cents(&of, "amount_remaining");
        let status = if succeeds {
            "succeeded"
        } else {
            "requires_payment_method"
        };
        pay(&mut desk.book, invoice, number, due, status);
        if succeeds {
            book_payment(&mut desk.book, invoice, due);
        }
    }

    fn keys(&self) -> Option<Keys> {
        Some(Keys {
            header: "idempotency-key",
            replayed: "idempotent-replayed",
            kept: span::DAY,
            mismatch: || {
                let message = "Keys for idempotent requests can only be used with the same \
                               parameters they were first used with.";
                error(400, "idempotency_error", "idempotency_key_in_use", message)
            },
        })
    }
}
