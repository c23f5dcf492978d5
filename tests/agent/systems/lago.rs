//! Lago, by its OpenAPI description and the sources of its API.
//!
//! - There are no idempotency keys.
//! - `retry_payment` returns 200 without a body. A job charges what is due then.
//! - For a customer without a payment provider, it returns 200 too, and charges nothing.

use serde_json::{Value, json};
use shared::{Clock, model::base::span};
use tests::support::merges;

use super::{
    Bank, Book, Change, Double, Person,
    book::{cents, word},
    desk::{Desk, Keys, SECRET, System},
    stripe,
    wire::{Asked, Reply},
};

/// The customer of the unpaid invoice.
pub const CUSTOMER: &str = "acme";
const INVOICES: &str = "invoices";
const PAYMENTS: &str = "payments";
const NOTES: &str = "credit_notes";
const REQUESTS: &str = "payment_requests";

/// A double of Lago.
#[derive(Clone, Debug)]
pub struct Lago {
    double: Double,
    /// Stripe, through which Lago charges.
    processor: Double,
    clock: Clock,
}

struct Rules {
    processor: Double,
}

/// Returns the id that Lago gives a record of a kind.
fn uuid(kind: u32, number: u32) -> String {
    format!("{kind:08x}-1a90-4a90-8a90-{number:012x}")
}

fn error(status: u16, error: &str, code: &str) -> Reply {
    Reply::new(
        status,
        json!({"status": status, "error": error, "code": code}),
    )
}

fn not_found(resource: &str) -> Reply {
    error(404, "Not Found", &format!("{resource}_not_found"))
}

fn not_allowed(code: &str) -> Reply {
    error(405, "Method Not Allowed", code)
}

/// Computes what is due: the total without payments and offsets.
fn compute(book: &mut Book, invoice: &str) {
    let notes = book.list(NOTES, |note| note["lago_invoice_id"] == invoice);
    let offset: i64 = notes
        .iter()
        .map(|note| cents(note, "offset_amount_cents"))
        .sum();
    let record = book.get_mut(INVOICES, invoice);
    let paid = cents(record, "total_paid_amount_cents");
    let due = cents(record, "total_amount_cents") - paid - offset;
    record["total_due_amount_cents"] = due.into();
    if paid > 0 && due == 0 {
        record["payment_status"] = "succeeded".into();
    }
}

/// Books the payments that succeeded.
fn book_payments(book: &mut Book, invoice: &str) {
    let paid = book.list(PAYMENTS, |payment| {
        payment["lago_payable_id"] == invoice && payment["payment_status"] == "succeeded"
    });
    let paid: i64 = paid
        .iter()
        .map(|payment| cents(payment, "amount_cents"))
        .sum();
    book.get_mut(INVOICES, invoice)["total_paid_amount_cents"] = paid.into();
    compute(book, invoice);
}

/// Adds a payment of an amount to an invoice, and its payment intent at the processor.
fn pay(processor: &Double, book: &mut Book, invoice: &str, number: u32, amount: i64, status: &str) {
    let of = book.get(INVOICES, invoice).clone();
    let id = uuid(2, number);
    let provider = match status {
        "succeeded" => "succeeded",
        "failed" => "requires_payment_method",
        _ => "processing",
    };
    let intent = format!("pi_{number}");
    let currency = word(&of, "currency");
    processor.edit(|book| stripe::intend(book, &intent, amount, currency, provider, invoice));
    let payment = json!({
        "lago_id": id, "lago_customer_id": of["customer"]["lago_id"],
        "external_customer_id": of["customer"]["external_id"], "invoice_ids": [invoice],
        "lago_payable_id": invoice, "payable_type": "Invoice", "amount_cents": amount,
        "amount_currency": of["currency"], "status": provider, "payment_status": status,
        "type": "provider", "reference": null, "payment_provider_code": "stripe_prod",
        "payment_provider_type": "stripe", "provider_payment_id": intent,
        "next_action": {},
    });
    book.put(PAYMENTS, &id, payment);
}

/// Adds a finalized credit note of an offset: less is due.
fn offset(book: &mut Book, invoice: &str, amount: i64) {
    let of = book.get(INVOICES, invoice).clone();
    let id = uuid(3, 1);
    let note = json!({
        "lago_id": id, "number": format!("{}-CN001", word(&of, "number")),
        "lago_invoice_id": invoice, "invoice_number": of["number"], "credit_status": null,
        "refund_status": null, "reason": "other", "currency": of["currency"],
        "total_amount_cents": amount, "credit_amount_cents": 0, "refund_amount_cents": 0,
        "offset_amount_cents": amount, "balance_amount_cents": 0,
    });
    book.put(NOTES, &id, note);
    compute(book, invoice);
}

impl Lago {
    /// Starts Lago with an organization and a customer.
    pub async fn start(clock: &Clock) -> Self {
        let processor = stripe::account(clock).await;
        let rules = Rules {
            processor: processor.clone(),
        };
        let double = Double::start(rules, clock).await;
        double.edit(|book| {
            let id = uuid(9, 1);
            let organization = json!({"lago_id": id, "name": "Halden", "default_currency": "USD"});
            book.put("organization", "one", organization);
        });
        Self {
            double,
            processor,
            clock: clock.clone(),
        }
    }

    fn invoice(&self, number: u32, amount: i64, status: &str) -> (String, Value) {
        let id = uuid(1, number);
        let now = self.clock.now();
        let day = |days: i64| now.plus(days * span::DAY);
        let mut invoice = json!({
            "lago_id": id, "sequential_id": number, "number": format!("HAL-0001-001-{number:03}"),
            "issuing_date": day(-40).day(), "payment_due_date": day(-10).day(),
            "net_payment_term": 30, "payment_dispute_lost_at": null, "payment_overdue": true,
            "invoice_type": "subscription", "status": status, "payment_status": "failed",
            "self_billed": false, "version_number": 4, "created_at": day(-40),
            "updated_at": day(-10), "voided_at": null, "error_details": [],
        });
        let amounts = json!({
            "currency": "USD", "fees_amount_cents": amount, "taxes_amount_cents": 0,
            "credit_notes_amount_cents": 0, "prepaid_credit_amount_cents": 0,
            "sub_total_excluding_taxes_amount_cents": amount,
            "sub_total_including_taxes_amount_cents": amount, "total_amount_cents": amount,
            "total_paid_amount_cents": 0, "total_due_amount_cents": amount,
        });
        merges(&mut invoice, &amounts);
        let parts = json!({
            "customer": {
                "lago_id": uuid(4, 1), "external_id": CUSTOMER, "currency": "USD",
                "billing_configuration": {"payment_provider": "stripe"},
            },
            "billing_periods": [{
                "lago_subscription_id": uuid(5, 1), "external_subscription_id": "sub_acme",
                "subscription_from_datetime": day(-70), "subscription_to_datetime": day(-40),
                "charges_from_datetime": day(-70), "charges_to_datetime": day(-40),
                "invoicing_reason": "subscription_periodic",
            }],
        });
        merges(&mut invoice, &parts);
        (id, invoice)
    }

    /// Adds a draft whose issuing date has passed. Returns its id.
    pub fn draft(&self, number: u32, amount: i64) -> String {
        let (id, mut invoice) = self.invoice(number, amount, "draft");
        invoice["number"] = "HAL-DRAFT".into();
        invoice["payment_status"] = "pending".into();
        invoice["payment_overdue"] = false.into();
        self.double
            .edit(|book| book.put(INVOICES, &id, invoice));
        id
    }

    /// Usage arrives after the draft was computed. The next computation has the new total.
    pub fn receives_usage(&self, draft: &str, total: i64) {
        self.double.edit(|book| {
            book.put("usage", draft, json!({"total": total}));
        });
    }
}

impl Person for Lago {
    /// Adds a finalized invoice whose payment failed. Returns its id.
    fn unpaid(&self, number: u32, amount: i64) -> String {
        let (id, invoice) = self.invoice(number, amount, "finalized");
        self.double.edit(|book| {
            book.put(INVOICES, &id, invoice);
            pay(&self.processor, book, &id, number, amount, "failed");
        });
        id
    }

    fn double(&self) -> &Double {
        &self.double
    }

    fn connections(&self) -> Vec<(&'static str, &Double, Value)> {
        let connection = json!({
            "kind": "lago", "auth": {"scheme": "bearer"}, "errorCode": "/code",
            "allow": [
                "GET /api/v1/organizations", "GET /api/v1/invoices/{id}", "GET /api/v1/payments",
                "GET /api/v1/credit_notes", "GET /api/v1/payment_requests",
                "POST /api/v1/invoices/{id}/retry_payment", "POST /api/v1/invoices/{id}/void",
                "PUT /api/v1/invoices/{id}/refresh", "PUT /api/v1/invoices/{id}/finalize",
            ],
            "testPath": "/api/v1/organizations",
            "identity": {"path": "/api/v1/organizations", "at": ["/organization/lago_id"]},
            "keep": ["lago_id", "number", "status", "payment_status", "code"],
        });
        vec![
            ("lago", &self.double, connection),
            ("stripe", &self.processor, stripe::connection()),
        ]
    }

    fn entities(&self, invoice: &str) -> Vec<(&'static str, String)> {
        vec![
            ("invoice", invoice.to_owned()),
            ("customer", CUSTOMER.to_owned()),
        ]
    }

    fn change(&self, invoice: &str, change: Change) {
        self.double.edit(|book| {
            let due = cents(book.get(INVOICES, invoice), "total_due_amount_cents");
            match change {
                Change::CreditedInPart => offset(book, invoice, due / 2),
                Change::CreditedInFull => offset(book, invoice, due),
                Change::PaidUnbooked => pay(&self.processor, book, invoice, 900, due, "succeeded"),
                Change::PaidBooked | Change::Refunded => {
                    // Lago does not hear of a refund at the processor.
                    pay(&self.processor, book, invoice, 900, due, "succeeded");
                    book_payments(book, invoice);
                }
                Change::PaymentUnderWay => {
                    pay(&self.processor, book, invoice, 900, due, "processing");
                }
                Change::OtherCurrency => {
                    book.get_mut(INVOICES, invoice)["currency"] = "EUR".into();
                }
                Change::OtherCustomer => {
                    let customer = json!({
                        "lago_id": uuid(4, 2), "external_id": "zeta", "currency": "USD",
                        "billing_configuration": {"payment_provider": "stripe"},
                    });
                    book.get_mut(INVOICES, invoice)["customer"] = customer;
                }
                Change::SmallerDebt | Change::LargerDebt => {
                    let total = if change == Change::LargerDebt {
                        due * 10
                    } else {
                        due / 10
                    };
                    book.get_mut(INVOICES, invoice)["total_amount_cents"] = total.into();
                    compute(book, invoice);
                }
                Change::Disputed => {
                    let lost = json!(self.clock.now().plus(-span::DAY));
                    book.get_mut(INVOICES, invoice)["payment_dispute_lost_at"] = lost;
                }
                Change::Voided => void(book.get_mut(INVOICES, invoice), &self.clock),
            }
        });
    }
}

/// Returns an invoice as the API does: without the paid amount.
fn shown(invoice: &Value) -> Value {
    let mut shown = invoice.clone();
    shown
        .as_object_mut()
        .unwrap()
        .remove("total_paid_amount_cents");
    shown
}

fn void(invoice: &mut Value, clock: &Clock) {
    invoice["status"] = "voided".into();
    invoice["voided_at"] = json!(clock.now());
    invoice["payment_overdue"] = false.into();
}

/// A page of a list, with Lago's `meta`.
fn page(name: &str, records: &[Value], asked: &Asked) -> Reply {
    let at = asked.number("page", 1);
    let size = asked.number("per_page", 100);
    let pages = records.len().div_ceil(size);
    let shown: Vec<&Value> = records
        .iter()
        .skip((at - 1) * size)
        .take(size)
        .collect();
    let next = (at < pages).then_some(at + 1);
    let prev = (at > 1).then(|| at - 1);
    let at = if shown.is_empty() { 0 } else { at };
    Reply::new(
        200,
        json!({
            name: shown,
            "meta": {
                "current_page": at, "next_page": next, "prev_page": prev, "total_pages": pages,
                "total_count": records.len(),
            },
        }),
    )
}

/// True if a record has the value that a query asks for, if it asks for one.
fn fits(record: &Value, member: &str, asked: &Asked, query: &str) -> bool {
    let wanted = asked.query.get(query);
    wanted.is_none_or(|wanted| {
        record
            .pointer(member)
            .and_then(Value::as_str)
            == Some(wanted)
    })
}

impl System for Rules {
    fn refusal(&self, asked: &Asked) -> Option<Reply> {
        let bearer = format!("Bearer {SECRET}");
        let is_valid = asked.header("authorization") == Some(&bearer);
        let body = json!({"status": 401, "error": "Unauthorized"});
        (!is_valid).then(|| Reply::new(401, body))
    }

    /// The documents name the headers, and no body.
    fn limited(&self) -> Reply {
        let reply = error(429, "Too Many Requests", "too_many_requests");
        let reply = reply.with("x-ratelimit-limit", "50");
        reply
            .with("x-ratelimit-remaining", "0")
            .with("x-ratelimit-reset", "1")
    }

    fn read(&self, book: &Book, asked: &Asked) -> Reply {
        let Some((_, path)) = asked.below(&["api", "v1"]) else {
            return not_found("resource");
        };
        match path[..] {
            ["organizations"] => Reply::new(
                200,
                json!({"organization": book.get("organization", "one")}),
            ),
            ["invoices", id] => match book.find(INVOICES, id) {
                Some(invoice) => Reply::new(200, json!({"invoice": shown(invoice)})),
                None => not_found("invoice"),
            },
            ["payments"] => {
                let of_invoice = |payment: &Value| {
                    let wanted = asked.query.get("invoice_id");
                    let invoices = payment["invoice_ids"]
                        .as_array()
                        .unwrap();
                    wanted.is_none_or(|id| {
                        invoices
                            .iter()
                            .any(|invoice| invoice == id)
                    })
                };
                page(PAYMENTS, &book.list(PAYMENTS, of_invoice), asked)
            }
            ["credit_notes"] => {
                let of_invoice =
                    |note: &Value| fits(note, "/invoice_number", asked, "invoice_number");
                page(NOTES, &book.list(NOTES, of_invoice), asked)
            }
            ["payment_requests"] => {
                let listed = book.list(REQUESTS, |request| {
                    fits(
                        request,
                        "/customer/external_id",
                        asked,
                        "external_customer_id",
                    ) && fits(request, "/payment_status", asked, "payment_status")
                });
                page(REQUESTS, &listed, asked)
            }
            _ => not_found("resource"),
        }
    }

    fn write(&self, desk: &mut Desk, asked: &Asked) -> Reply {
        let path = asked.below(&["api", "v1"]);
        let Some((method, ["invoices", id, call])) = path.as_ref().map(|(m, p)| (*m, &p[..]))
        else {
            return not_found("resource");
        };
        let Some(invoice) = desk.book.find(INVOICES, id).cloned() else {
            return not_found("invoice");
        };
        match (method, *call) {
            ("POST", "retry_payment") => retry(&self.processor, desk, asked, id, &invoice),
            ("POST", "void") => {
                // The state machine leads to `voided` from `finalized` alone, paid or not.
                if invoice["status"] != "finalized" {
                    return not_allowed("not_voidable");
                }
                let clock = desk.clock.clone();
                void(desk.book.get_mut(INVOICES, id), &clock);
                desk.takes_effect(asked, 0);
                Reply::new(200, json!({"invoice": shown(desk.book.get(INVOICES, id))}))
            }
            ("PUT", "refresh") => {
                refresh(desk, id);
                desk.takes_effect(asked, 0);
                Reply::new(200, json!({"invoice": shown(desk.book.get(INVOICES, id))}))
            }
            ("PUT", "finalize") => {
                if invoice["status"] != "draft" {
                    return not_found("invoice");
                }
                refresh(desk, id);
                let serial = desk.serial();
                let now = desk.now();
                let record = desk.book.get_mut(INVOICES, id);
                record["status"] = "finalized".into();
                record["number"] = format!("HAL-0001-001-9{serial:02}").into();
                record["issuing_date"] = now.day().into();
                let reply = Reply::new(200, json!({"invoice": shown(record)}));
                let taken = collect(&self.processor, desk, id);
                desk.takes_effect(asked, taken);
                reply
            }
            _ => not_found("resource"),
        }
    }

    fn settle(&self, desk: &mut Desk, invoice: &str, succeeds: bool) {
        let under_way = |payment: &Value| {
            payment["lago_payable_id"] == invoice && payment["payment_status"] == "processing"
        };
        for payment in desk.book.list(PAYMENTS, under_way) {
            let payment = desk
                .book
                .get_mut(PAYMENTS, word(&payment, "lago_id"));
            payment["payment_status"] = if succeeds { "succeeded" } else { "failed" }.into();
        }
        let status = if succeeds { "succeeded" } else { "failed" };
        desk.book.get_mut(INVOICES, invoice)["payment_status"] = status.into();
        book_payments(&mut desk.book, invoice);
    }

    fn keys(&self) -> Option<Keys> {
        None
    }
}

/// Computes a draft again. Another invoice stays as it is.
fn refresh(desk: &mut Desk, id: &str) {
    let now = desk.now();
    let usage = desk
        .book
        .find("usage", id)
        .map(|usage| cents(usage, "total"));
    let record = desk.book.get_mut(INVOICES, id);
    if record["status"] != "draft" {
        return;
    }
    record["updated_at"] = json!(now);
    if let Some(total) = usage {
        record["total_amount_cents"] = total.into();
        record["fees_amount_cents"] = total.into();
    }
    compute(&mut desk.book, id);
}

fn retry(processor: &Double, desk: &mut Desk, asked: &Asked, id: &str, invoice: &Value) -> Reply {
    let is_open = !matches!(word(invoice, "status"), "draft" | "voided");
    if !is_open || invoice["payment_status"] == "succeeded" {
        return not_allowed("invalid_status");
    }
    let under_way = |payment: &Value| {
        payment["lago_payable_id"] == id && payment["payment_status"] == "processing"
    };
    if !desk
        .book
        .list(PAYMENTS, under_way)
        .is_empty()
    {
        return not_allowed("payment_processor_is_currently_handling_payment");
    }
    if desk.bank != Bank::NotAsked {
        let taken = collect(processor, desk, id);
        desk.takes_effect(asked, taken);
    }
    Reply::new(200, Value::Null)
}

/// Charges what is due. Returns the amount that was taken, or is on its way.
fn collect(processor: &Double, desk: &mut Desk, id: &str) -> i64 {
    let due = cents(desk.book.get(INVOICES, id), "total_due_amount_cents");
    let number = 100 + desk.serial();
    let (status, of_invoice, taken) = match desk.bank {
        Bank::Pays => ("succeeded", "succeeded", due),
        Bank::PaysLater => ("processing", "pending", due),
        Bank::Declines => ("failed", "failed", 0),
        Bank::NotAsked => return 0,
    };
    pay(processor, &mut desk.book, id, number, due, status);
    desk.book.get_mut(INVOICES, id)["payment_status"] = of_invoice.into();
    book_payments(&mut desk.book, id);
    taken
}
