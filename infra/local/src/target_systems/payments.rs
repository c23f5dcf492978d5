//! The payment system: collects the amounts of invoices.

use super::{
    operation::{Answer, Operation, Request, System, answer},
    records::{DisputeState, InvoiceState, PaymentState, Records},
};

pub(crate) static PAYMENTS: System = System {
    name: "payments",
    secret: "local-payments-secret",
    honours_keys: true,
    test_path: "/payments/pay_3001",
    operations: &[
        Operation::get("/payments/{id}", payment),
        Operation::post("/payments/{id}/retry", retry_payment),
        Operation::post("/payments/{id}/reconcile", reconcile_payment),
        Operation::get("/invoices/{id}/payments", payments_of_invoice),
        Operation::post("/invoices/{id}/retry", retry_invoice),
        Operation::get("/disputes/{id}", dispute),
        Operation::post("/disputes/{id}/response", respond),
        Operation::post("/disputes/{id}/decision", decide),
    ],
};

fn payment(records: &mut Records, request: &Request) -> Answer {
    match records.payments.get(&request.id) {
        Some(payment) => Answer::shows(&request.id, payment),
        None => Answer::unknown("payment"),
    }
}

/// Returns the number of payments of an invoice, and of those whose outcome is not known.
fn payments_of_invoice(records: &mut Records, request: &Request) -> Answer {
    let payments = records.payments.values();
    let own: Vec<_> = payments
        .filter(|one| one.invoice_id == request.id)
        .collect();
    let unsettled = own.iter().filter(|one| one.state == PaymentState::Unknown);
    let shown = serde_json::json!({ "count": own.len(), "unsettled": unsettled.count() });
    Answer::shows(&request.id, &shown)
}

fn dispute(records: &mut Records, request: &Request) -> Answer {
    match records.disputes.get(&request.id) {
        Some(dispute) => Answer::shows(&request.id, dispute),
        None => Answer::unknown("dispute"),
    }
}

/// Sends the response of a person to the bank.
fn respond(records: &mut Records, request: &Request) -> Answer {
    let Some(dispute) = records.disputes.get_mut(&request.id) else {
        return Answer::unknown("dispute");
    };
    if dispute.state != DisputeState::NeedsResponse {
        return Answer::already_done();
    }
    dispute.state = DisputeState::UnderReview;
    Answer::done(&request.id, dispute)
}

/// Records the decision of the bank: `won` or `lost`.
fn decide(records: &mut Records, request: &Request) -> Answer {
    let Some(dispute) = records.disputes.get_mut(&request.id) else {
        return Answer::unknown("dispute");
    };
    dispute.state = match request.text("state") {
        Ok("won") => DisputeState::Won,
        Ok("lost") => DisputeState::Lost,
        _ => return Answer::malformed("state must be won or lost"),
    };
    Answer::done(&request.id, dispute)
}

/// Takes a payment's state from the processor, without collecting money.
fn reconcile_payment(records: &mut Records, request: &Request) -> Answer {
    let Some(payment) = records.payments.get_mut(&request.id) else {
        return Answer::unknown("payment");
    };
    if payment.state != PaymentState::Unknown {
        return Answer::already_done();
    }
    let Some(told) = payment.processor_state else {
        return Answer::unusable("the processor does not know yet");
    };
    payment.state = told;
    payment.amount_captured = payment.processor_amount.unwrap_or(0);
    if told == PaymentState::Succeeded
        && let Some(invoice) = records.invoices.get_mut(&payment.invoice_id)
    {
        invoice.state = InvoiceState::Paid;
        invoice.amount_paid = payment.amount_captured;
    }
    Answer::done(&request.id, payment)
}

fn retry_payment(records: &mut Records, request: &Request) -> Answer {
    answer(collect(records, &request.id))
}

fn retry_invoice(records: &mut Records, request: &Request) -> Answer {
    let payment = records
        .payments
        .iter()
        .find(|(_, payment)| payment.invoice_id == request.id)
        .map(|(id, _)| id.clone());
    match payment {
        Some(id) => answer(collect(records, &id)),
        None if records.invoices.contains_key(&request.id) => {
            Answer::unusable("the invoice has no payment to collect")
        }
        None => Answer::unknown("invoice"),
    }
}

/// Collects a failed payment and marks its invoice as paid.
fn collect(records: &mut Records, id: &str) -> Result<Answer, Answer> {
    let payment = records
        .payments
        .get_mut(id)
        .ok_or_else(|| Answer::unknown("payment"))?;
    match payment.state {
        PaymentState::Failed => {}
        PaymentState::Succeeded => return Err(Answer::already_done()),
        PaymentState::Cancelled => {
            return Err(Answer::unusable("a cancelled payment cannot be collected"));
        }
        PaymentState::Unknown => {
            return Err(Answer::unusable("it is unknown whether it was collected"));
        }
    }
    if matches!(
        payment.failure.as_deref(),
        Some("stolen_card" | "card_declined")
    ) {
        // Many systems answer 200 for a payment that failed again.
        return Ok(Answer::shows(id, payment));
    }
    let invoice = records
        .invoices
        .get_mut(&payment.invoice_id)
        .filter(|invoice| invoice.state == InvoiceState::Open)
        .ok_or_else(|| Answer::unusable("the payment's invoice is not open"))?;
    invoice.state = InvoiceState::Paid;
    invoice.amount_paid = payment.amount;
    payment.state = PaymentState::Succeeded;
    payment.amount_captured = payment.amount;
    payment.failure = None;
    Ok(Answer::done(id, payment))
}
