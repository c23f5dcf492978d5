//! The billing system: usage, invoices and customers.

use super::{
    operation::{Answer, Operation, Request, System, answer},
    records::{
        CreditNote, Customer, Invoice, InvoiceState, Records, SyncState, UsageBatch,
        UsageBatchState,
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
        Operation::post("/usage-events/resend", resend_usage_events),
        Operation::get("/invoices/{id}", invoice),
        Operation::post("/invoices/{id}/refresh", refresh_invoice),
        Operation::post("/invoices/{id}/void", void_invoice),
        Operation::post("/invoices/{id}/credit-notes", issue_credit_note),
        Operation::get("/customers/{id}", customer),
        Operation::post("/customers/{id}/sync", sync_customer),
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
                Answer::done(&request.id, batch)
            }
            UsageBatchState::Processed => Answer::already_done(),
            UsageBatchState::Archived => {
                Answer::unusable("an archived batch cannot be reprocessed")
            }
        }),
    )
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

fn refresh_invoice(records: &mut Records, request: &Request) -> Answer {
    answer(
        find_invoice(records, &request.id).map(|invoice| match invoice.state {
            InvoiceState::Draft => {
                invoice.state = InvoiceState::Open;
                Answer::done(&request.id, invoice)
            }
            InvoiceState::Open | InvoiceState::Paid => Answer::already_done(),
            InvoiceState::Void => Answer::unusable("a void invoice cannot be finalized"),
        }),
    )
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

/// Unlike the others, this has no state that tells a second note from a repeated call:
/// only the idempotency key does.
fn issue_credit_note(records: &mut Records, request: &Request) -> Answer {
    answer(find_invoice(records, &request.id).and_then(|invoice| {
        let amount = request.positive("amount")?;
        let reason = request.text("reason")?.to_owned();
        if matches!(invoice.state, InvoiceState::Draft | InvoiceState::Void) {
            return Err(Answer::unusable("only a finalized invoice can be credited"));
        }
        let credited: u64 = invoice.credit_notes.iter().map(|note| note.amount).sum();
        if amount > invoice.amount_due.saturating_sub(credited) {
            return Err(Answer::unusable(
                "the credit exceeds what is left of the invoice",
            ));
        }
        let number = invoice.credit_notes.len() + 1;
        let note = CreditNote {
            id: format!("{}_cn_{number}", request.id),
            amount,
            reason,
        };
        invoice.credit_notes.push(note.clone());
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
                Answer::done(&request.id, customer)
            }
            SyncState::InSync => Answer::already_done(),
        }),
    )
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
