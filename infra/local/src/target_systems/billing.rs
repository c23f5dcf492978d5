//! The billing system: usage, invoices and customers.

use super::{
    operation::{Answer, Operation, Request, System, answer},
    records::{
        CreditNote, CreditNoteState, Customer, Invoice, InvoiceState, LastInvoice, Records,
        SyncState, UsageBatch, UsageBatchState,
    },
};

pub(crate) static BILLING: System = System {
    name: "billing",
    secret: "local-billing-secret",
    honours_keys: true,
    test_path: "/customers/cus_501",
    operations: &[
        Operation::get("/usage-batches/{id}", usage_batch),
        Operation::post("/usage-batches/{id}/reprocess", reprocess_usage_batch),
        Operation::post("/usage-batches/{id}/deduplicate", deduplicate_usage_batch),
        Operation::post("/usage-events/resend", resend_usage_events),
        Operation::get("/invoices/{id}", invoice),
        Operation::post("/invoices/{id}/refresh", refresh_invoice),
        Operation::post("/invoices/{id}/finalize", finalize_invoice),
        Operation::post("/invoices/{id}/recompute", recompute_invoice),
        Operation::post("/invoices/{id}/pause-collection", pause_collection),
        Operation::post("/invoices/{id}/resume-collection", resume_collection),
        Operation::post("/invoices/{id}/void", void_invoice),
        Operation::post("/invoices/{id}/credit-notes", issue_credit_note),
        Operation::get("/customers/{id}", customer),
        Operation::post("/customers/{id}/sync", sync_customer),
        Operation::post("/customers/{id}/unpark", unpark_customer),
        Operation::post("/customers/{id}/invoices", generate_invoice),
    ],
};

fn usage_batch(records: &mut Records, request: &Request) -> Answer {
    answer(find_batch(records, &request.id).map(|batch| Answer::shows(&request.id, batch)))
}

fn reprocess_usage_batch(records: &mut Records, request: &Request) -> Answer {
    answer(
        find_batch(records, &request.id).map(|batch| match batch.state {
            UsageBatchState::Processing | UsageBatchState::Failed => {
                batch.state = UsageBatchState::Processed;
                batch.last_error = None;
                batch.minutes_since_progress = 0;
                Answer::done(&request.id, batch)
            }
            UsageBatchState::Processed => Answer::already_done(),
            UsageBatchState::Archived => {
                Answer::unusable("an archived batch cannot be reprocessed")
            }
        }),
    )
}

fn deduplicate_usage_batch(records: &mut Records, request: &Request) -> Answer {
    answer(find_batch(records, &request.id).map(|batch| {
        if batch.invoiced {
            return Answer::unusable("an invoice has the batch");
        }
        if batch.duplicate_events == 0 {
            return Answer::already_done();
        }
        batch.events = batch.events.saturating_sub(batch.duplicate_events);
        batch.duplicate_events = 0;
        Answer::done(&request.id, batch)
    }))
}

fn resend_usage_events(records: &mut Records, request: &Request) -> Answer {
    answer(request.text("customerId").and_then(|id| {
        let customer = find_customer(records, id)?;
        if customer.missing_usage_events == 0 {
            return Err(Answer::already_done());
        }
        customer.missing_usage_events = 0;
        Ok(Answer::done(id, customer))
    }))
}

fn invoice(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).map(|invoice| Answer::shows(&request.id, invoice)))
}

/// Computes a draft again.
fn refresh_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).map(|invoice| {
        if invoice.state != InvoiceState::Draft {
            return Answer::unusable("only a draft can be computed again");
        }
        if !invoice.ready_to_be_refreshed {
            return Answer::already_done();
        }
        refresh(invoice);
        Answer::done(&request.id, invoice)
    }))
}

fn refresh(invoice: &mut Invoice) {
    invoice.ready_to_be_refreshed = false;
    if let Some(amount) = invoice.refreshed_amount_due.take() {
        invoice.amount_due = amount;
    }
}

fn finalize_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(
        find_invoice(records, &request.id).map(|invoice| match invoice.state {
            InvoiceState::Draft => {
                refresh(invoice);
                invoice.state = InvoiceState::Open;
                invoice.finalization_error = None;
                Answer::done(&request.id, invoice)
            }
            InvoiceState::Open | InvoiceState::Paid => Answer::already_done(),
            InvoiceState::Void => Answer::unusable("a void invoice cannot be finalized"),
        }),
    )
}

/// Sets the billed quantity of a draft to the metered one.
fn recompute_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).map(|invoice| {
        if invoice.state != InvoiceState::Draft {
            return Answer::unusable("only a draft can be computed again");
        }
        if invoice.quantity == invoice.metered_quantity {
            return Answer::already_done();
        }
        invoice.quantity = invoice.metered_quantity;
        invoice.amount_due = invoice.quantity * invoice.unit_amount;
        Answer::done(&request.id, invoice)
    }))
}

fn pause_collection(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).map(|invoice| {
        if invoice.collection_paused {
            return Answer::already_done();
        }
        invoice.collection_paused = true;
        Answer::done(&request.id, invoice)
    }))
}

fn resume_collection(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).map(|invoice| {
        if !invoice.collection_paused {
            return Answer::already_done();
        }
        invoice.collection_paused = false;
        Answer::done(&request.id, invoice)
    }))
}

fn void_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(
        find_invoice(records, &request.id).map(|invoice| match invoice.state {
            InvoiceState::Draft | InvoiceState::Open => {
                invoice.state = InvoiceState::Void;
                Answer::done(&request.id, invoice)
            }
            InvoiceState::Void => Answer::already_done(),
            InvoiceState::Paid => Answer::unusable("a paid invoice is credited, not voided"),
        }),
    )
}

/// Issues a credit note. Only the idempotency key tells a repeated call from a second note, since
/// the invoice has no state for it.
fn issue_credit_note(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).and_then(|invoice| {
        let amount = request.positive("amount")?;
        let reason = request.text("reason")?.to_owned();
        if matches!(invoice.state, InvoiceState::Draft | InvoiceState::Void) {
            return Err(Answer::unusable("only a finalized invoice can be credited"));
        }
        if amount > invoice.amount_due.saturating_sub(invoice.amount_credited) {
            return Err(Answer::unusable(
                "the credit exceeds what is left of the invoice",
            ));
        }
        let number = invoice.credit_notes.len() + 1;
        let note = CreditNote {
            id: format!("{}_cn_{number}", request.id),
            amount,
            reason,
            state: CreditNoteState::Issued,
        };
        invoice.credit_notes.push(note.clone());
        invoice.amount_credited += amount;
        Ok(Answer::done(&note.id, &note))
    }))
}

fn customer(records: &mut Records, request: &Request) -> Answer {
    answer(find_customer(records, &request.id).map(|customer| Answer::shows(&request.id, customer)))
}

fn sync_customer(records: &mut Records, request: &Request) -> Answer {
    answer(
        find_customer(records, &request.id).map(|customer| match customer.sync_state {
            SyncState::OutOfSync => {
                customer.sync_state = SyncState::InSync;
                customer.last_sync_error = None;
                Answer::done(&request.id, customer)
            }
            SyncState::InSync => Answer::already_done(),
        }),
    )
}

fn unpark_customer(records: &mut Records, request: &Request) -> Answer {
    answer(find_customer(records, &request.id).map(|customer| {
        if !customer.parked {
            return Answer::already_done();
        }
        customer.parked = false;
        Answer::done(&request.id, customer)
    }))
}

fn generate_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(generate(records, &request.id))
}

/// Creates an invoice for the unbilled amount.
fn generate(records: &mut Records, customer_id: &str) -> Result<Answer, Answer> {
    let id = format!("inv_{}", 2_101 + records.invoices.len());
    let customer = find_customer(records, customer_id)?;
    if customer.parked {
        return Err(Answer::unusable("the account is parked"));
    }
    if customer.unbilled_amount == 0 {
        return Err(Answer::already_done());
    }
    let amount_due = std::mem::take(&mut customer.unbilled_amount);
    let currency = customer.currency.clone().unwrap_or_else(|| "usd".into());
    customer.last_invoice = Some(LastInvoice {
        id: id.clone(),
        amount_due,
    });
    let invoice = Invoice {
        customer_id: customer_id.to_owned(),
        number: id.clone(),
        amount_due,
        currency,
        state: InvoiceState::Open,
        amount_paid: 0,
        amount_credited: 0,
        period: None,
        disputed: false,
        refreshed_amount_due: None,
        ready_to_be_refreshed: false,
        duplicate_of: None,
        quantity: 0,
        unit_amount: 0,
        metered_quantity: 0,
        finalization_error: None,
        collection_paused: false,
        credit_notes: Vec::new(),
    };
    records.invoices.insert(id.clone(), invoice.clone());
    Ok(Answer::done(&id, &invoice))
}

fn find_batch<'r>(records: &'r mut Records, id: &str) -> Result<&'r mut UsageBatch, Answer> {
    records
        .usage_batches
        .get_mut(id)
        .ok_or_else(|| Answer::unknown("usage batch"))
}

fn find_invoice<'r>(records: &'r mut Records, id: &str) -> Result<&'r mut Invoice, Answer> {
    records
        .invoices
        .get_mut(id)
        .ok_or_else(|| Answer::unknown("invoice"))
}

fn find_customer<'r>(records: &'r mut Records, id: &str) -> Result<&'r mut Customer, Answer> {
    records
        .customers
        .get_mut(id)
        .ok_or_else(|| Answer::unknown("customer"))
}
