//! Operations that are more than conditions and values.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Request},
    records::{Kinds, Record, Records},
};

/// Templates of messages.
const TEMPLATES: [&str; 2] = ["payment_failed", "payment_method_needed"];

/// An operation in code.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Special {
    IssueCreditNote,
    GenerateInvoice,
    CountPayments,
    Decide,
    SendMessage,
    ListTemplates,
    CountMessages,
}

impl Special {
    pub(crate) fn run(
        self,
        records: &mut Records,
        kinds: &Kinds,
        request: &Request,
    ) -> Result<Answer, Answer> {
        match self {
            Self::IssueCreditNote => issue_credit_note(records, request),
            Self::GenerateInvoice => generate_invoice(records, kinds, request),
            Self::CountPayments => Ok(count_payments(records, request)),
            Self::Decide => decide(records, request),
            Self::SendMessage => send_message(records, request),
            Self::ListTemplates => Ok(Answer::shows("templates", &json!({ "names": TEMPLATES }))),
            Self::CountMessages => Ok(count_messages(records, request)),
        }
    }
}

fn number(record: &Record, member: &str) -> u64 {
    record
        .get(member)
        .and_then(Value::as_u64)
        .unwrap_or(0)
}

fn found<'r>(
    records: &'r mut Records,
    kind: &str,
    request: &Request,
) -> Result<&'r mut Record, Answer> {
    let record = records.get_mut(kind, &request.id);
    record.ok_or_else(|| Answer::unknown("record"))
}

/// Issues a credit note. Only the idempotency key tells a repeated call from a second note, since
/// the invoice has no state for it.
fn issue_credit_note(records: &mut Records, request: &Request) -> Result<Answer, Answer> {
    let (amount, reason) = (request.positive("amount")?, request.text("reason")?);
    let invoice = found(records, "invoices", request)?;
    let credited = number(invoice, "amountCredited");
    if amount > number(invoice, "amountDue").saturating_sub(credited) {
        return Err(Answer::unusable(
            "the credit exceeds what is left of the invoice",
        ));
    }
    invoice.insert("amountCredited".to_owned(), json!(credited + amount));
    let notes = invoice
        .get_mut("creditNotes")
        .and_then(Value::as_array_mut);
    let notes = notes.ok_or_else(|| Answer::unknown("list of credit notes"))?;
    let id = format!("{}_cn_{}", request.id, notes.len() + 1);
    let note = json!({ "id": id, "amount": amount, "reason": reason, "state": "issued" });
    notes.push(note.clone());
    Ok(Answer::done(&id, &note))
}

/// Creates an invoice for the unbilled amount of a customer.
fn generate_invoice(
    records: &mut Records,
    kinds: &Kinds,
    request: &Request,
) -> Result<Answer, Answer> {
    let id = format!("inv_{}", 2_101 + records.all("invoices").count());
    let customer = found(records, "customers", request)?;
    let amount = number(customer, "unbilledAmount");
    let currency = customer
        .get("currency")
        .filter(|one| !one.is_null());
    let invoice = json!({
        "customerId": request.id,
        "number": id,
        "amountDue": amount,
        "currency": currency.cloned().unwrap_or_else(|| json!("usd")),
        "state": "open",
    });
    customer.insert("unbilledAmount".to_owned(), json!(0));
    // The demo's customers pay no tax.
    let last = json!({ "id": id, "netAmount": amount, "amountDue": amount });
    customer.insert("lastInvoice".to_owned(), last);
    let invoice = invoice
        .as_object()
        .cloned()
        .unwrap_or_default();
    let invoice = match kinds.get("invoices") {
        Some(kind) => kind.complete(invoice),
        None => invoice,
    };
    let answer = Answer::done(&id, &invoice);
    let invoices = records
        .by_kind
        .entry("invoices".to_owned())
        .or_default();
    invoices.insert(id, invoice);
    Ok(answer)
}

/// Returns what the processor knows of an invoice. These are the numbers of its payments, of those
/// under way or with an unknown outcome, and of its disputes, and the amounts taken and given back.
fn count_payments(records: &Records, request: &Request) -> Answer {
    let is_own = |record: &&Record| {
        record
            .get("invoiceId")
            .is_some_and(|id| *id == *request.id)
    };
    let has_state = |record: &Record, states: &[&str]| {
        let state = record
            .get("state")
            .and_then(Value::as_str);
        state.is_some_and(|state| states.contains(&state))
    };
    let payments = records
        .all("payments")
        .map(|(_, payment)| payment);
    let payments: Vec<&Record> = payments.filter(is_own).collect();
    let is_unsettled = |one: &&&Record| has_state(one, &["unknown", "processing", "pending"]);
    let sum = |member: &str| {
        payments
            .iter()
            .map(|one| number(one, member))
            .sum::<u64>()
    };
    let disputes = records
        .all("disputes")
        .map(|(_, dispute)| dispute);
    let is_disputed = |one: &&Record| has_state(one, &["needs_response", "under_review", "lost"]);
    let invoice = records.get("invoices", &request.id);
    let currency = invoice.and_then(|invoice| invoice.get("currency"));
    let shown = json!({
        "count": payments.len(),
        "unsettled": payments.iter().filter(is_unsettled).count(),
        "disputes": disputes.filter(is_own).filter(is_disputed).count(),
        "amountCaptured": sum("amountCaptured"),
        "amountRefunded": sum("amountRefunded"),
        "currency": currency,
    });
    Answer::shows(&request.id, &shown)
}

/// Records the decision of the bank: `won` or `lost`.
fn decide(records: &mut Records, request: &Request) -> Result<Answer, Answer> {
    let dispute = found(records, "disputes", request)?;
    let state = request.text("state");
    let state = state
        .ok()
        .filter(|state| ["won", "lost"].contains(state));
    let state = state.ok_or_else(|| Answer::malformed("state must be won or lost"))?;
    dispute.insert("state".to_owned(), json!(state));
    Ok(Answer::done(&request.id, dispute))
}

fn send_message(records: &mut Records, request: &Request) -> Result<Answer, Answer> {
    let customer_id = request.text("customerId")?;
    let template = request.text("template")?;
    if records
        .get("customers", customer_id)
        .is_none()
    {
        return Err(Answer::unknown("customer"));
    }
    let id = format!("msg_{}", records.messages.len() + 1);
    let message = json!({
        "id": id,
        "customerId": customer_id,
        "template": template,
        "content": request.body,
    });
    records.messages.push(message.clone());
    Ok(Answer::done(&id, &message))
}

/// Returns the number of messages about a payment, by template.
fn count_messages(records: &Records, request: &Request) -> Answer {
    let sent = TEMPLATES.map(|template| {
        let messages = records.messages.iter();
        let about = messages.filter(|one| one["content"]["paymentId"] == *request.id);
        let number = about
            .filter(|one| one["template"] == template)
            .count();
        (template.to_owned(), Value::from(number))
    });
    let sent: Map<_, _> = sent.into_iter().collect();
    Answer::shows(&request.id, &json!({ "sent": sent }))
}
