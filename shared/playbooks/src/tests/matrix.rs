//! Ordinary cases of each action with money: it moves the right amount, or a person does it.
//!
//! Each case is played twice: before the proposal, and between the approval and the call.

use super::*;

/// A case: its name, the answers that change, the change, and the amount that is moved. None: no
/// action moves money by itself.
type Row = (&'static str, &'static str, Value, Option<i64>);

/// The answers of a paid invoice.
const PAID: i64 = 701_550;

/// Returns the action of a kind that runs by itself, with its amount.
fn automated(proposal: Proposal, kind: ActionType) -> Option<(ProposedAction, i64)> {
    let mut actions = proposal.actions.into_iter();
    let action =
        actions.find(|action| action.is_automated && action.content.action_type == kind)?;
    let amount = action
        .content
        .money
        .as_ref()?
        .amount
        .as_ref()?
        .minor_units;
    Some((action, amount))
}

fn changed(answers: &Answers, path: &str, more: &Value) -> Answers {
    let mut answers = answers.clone();
    let record = answers
        .0
        .iter_mut()
        .find(|(of, _)| *of == path)
        .unwrap();
    record.1 = with(record.1.take(), more);
    answers
}

/// Plays the cases of an action that moves `usual` without a change.
fn plays(kind: ActionType, alert: &Value, answers: &Answers, usual: i64, rows: Vec<Row>) {
    let (approved, amount) = automated(propose(answers, alert), kind).unwrap();
    assert_eq!(amount, usual);
    assert!(approved.content.debt.is_some(), "{kind:?}");
    for (name, path, more, expected) in rows {
        let changed = changed(answers, path, &more);
        let moved = automated(propose(&changed, alert), kind).map(|(_, amount)| amount);
        assert_eq!(moved, expected, "{kind:?}: {name}");
        let reads = approved.content.reads.iter();
        let facts: Facts = reads
            .flat_map(|read| changed.to(read).facts)
            .collect();
        let mut conditions = approved.content.require.iter();
        let is_sent = conditions.all(|condition| condition.holds(&facts) == Some(true));
        let is_right = expected == Some(usual);
        assert_eq!(is_sent, is_right, "{kind:?} after the approval: {name}");
    }
}

#[test]
fn a_failed_payment_is_retried_for_what_is_owed() {
    let invoice = "/invoices/";
    plays(
        ActionType::RetryPayment,
        &failed_payment(),
        &payment("processing_error"),
        23_100,
        vec![
            (
                "credited in part",
                invoice,
                json!({"amountCredited": 20_000}),
                None,
            ),
            (
                "credited in full",
                invoice,
                json!({"amountCredited": 23_100}),
                None,
            ),
            (
                "paid elsewhere and not booked",
                invoice,
                json!({"amountCaptured": 23_100}),
                None,
            ),
            (
                "another payment is under way",
                invoice,
                json!({"unsettled": 1}),
                None,
            ),
            (
                "paid",
                invoice,
                json!({"state": "paid", "amountPaid": 23_100, "amountCaptured": 23_100}),
                None,
            ),
            (
                "a part is paid, and the rest failed",
                invoice,
                json!({"amountDue": 33_100, "amountPaid": 10_000, "amountCaptured": 10_000}),
                Some(23_100),
            ),
            (
                "a part is paid by a transfer that the processor does not know",
                invoice,
                json!({"amountDue": 33_100, "amountPaid": 10_000}),
                None,
            ),
            ("other currency", invoice, json!({"currency": "eur"}), None),
            (
                "the same currency in capitals",
                invoice,
                json!({"currency": "USD"}),
                Some(23_100),
            ),
            (
                "other customer",
                invoice,
                json!({"customerId": "cus_2"}),
                None,
            ),
            ("smaller debt", invoice, json!({"amountDue": 4_000}), None),
            ("larger debt", invoice, json!({"amountDue": 40_000}), None),
            (
                "refunded at the processor",
                invoice,
                json!({"amountPaid": 23_100, "amountCaptured": 23_100,
            "amountRefunded": 23_100}),
                None,
            ),
            (
                "disputed: its collection is paused",
                invoice,
                json!({"collectionPaused": true}),
                None,
            ),
            ("voided meanwhile", invoice, json!({"state": "void"}), None),
            (
                "the system does not tell what is credited",
                invoice,
                json!({"amountCredited": null}),
                None,
            ),
            (
                "another invoice answers",
                invoice,
                json!({"id": "inv_2"}),
                None,
            ),
            (
                "another payment answers",
                "/payments/",
                json!({"id": "pay_2"}),
                None,
            ),
            (
                "tried too often",
                "/payments/",
                json!({"attempts": 11}),
                None,
            ),
            (
                "tried often",
                "/payments/",
                json!({"attempts": 10}),
                Some(23_100),
            ),
            (
                "other amount",
                "/payments/",
                json!({"amount": 23_101}),
                None,
            ),
            (
                "it succeeded meanwhile",
                "/payments/",
                json!({"state": "succeeded"}),
                None,
            ),
        ],
    );
}

#[test]
fn a_duplicate_is_voided_while_the_other_invoice_stands() {
    let invoice_1 = "/invoices/";
    let other = "/invoices/inv_0";
    plays(
        ActionType::VoidInvoice,
        &duplicated(1),
        &invoice(&json!({})),
        PAID,
        vec![
            (
                "credited in part",
                invoice_1,
                json!({"amountCredited": 5}),
                None,
            ),
            (
                "paid, and not booked",
                invoice_1,
                json!({"amountCaptured": PAID}),
                None,
            ),
            (
                "a payment is under way",
                invoice_1,
                json!({"unsettled": 1}),
                None,
            ),
            (
                "paid in part",
                invoice_1,
                json!({"amountPaid": 5, "amountCaptured": 5}),
                None,
            ),
            (
                "paid and refunded at the processor",
                invoice_1,
                json!({"amountCaptured": 5, "amountRefunded": 5}),
                None,
            ),
            (
                "other currency",
                invoice_1,
                json!({"currency": "eur"}),
                None,
            ),
            (
                "other customer",
                invoice_1,
                json!({"customerId": "cus_2"}),
                None,
            ),
            ("smaller", invoice_1, json!({"amountDue": 5}), None),
            (
                "voided meanwhile",
                invoice_1,
                json!({"state": "void"}),
                None,
            ),
            (
                "the other is credited in full",
                other,
                json!({"amountCredited": PAID}),
                None,
            ),
            (
                "the other is credited in part",
                other,
                json!({"amountCredited": 5}),
                None,
            ),
            (
                "the other was refunded at the processor",
                other,
                json!({"amountRefunded": PAID}),
                None,
            ),
            (
                "a bank disputes a payment of the other",
                other,
                json!({"disputes": 1}),
                None,
            ),
            (
                "billing knows of a dispute of the other",
                other,
                json!({"disputed": true}),
                None,
            ),
            (
                "billing booked a payment of the other that the processor did not take",
                other,
                json!({"amountCaptured": 0}),
                None,
            ),
            ("the other is void", other, json!({"state": "void"}), None),
            (
                "the other is another customer's",
                other,
                json!({"customerId": "cus_2"}),
                None,
            ),
        ],
    );
}

/// Of two open invoices, one is voided.
#[test]
fn a_duplicate_of_an_open_invoice_is_voided() {
    let open = json!({"state": "open", "amountPaid": 0, "amountCaptured": 0});
    let answers = changed(&invoice(&json!({})), "/invoices/inv_0", &open);
    let proposal = propose(&answers, &duplicated(1));
    assert_eq!(
        automated(proposal, ActionType::VoidInvoice)
            .unwrap()
            .1,
        PAID
    );
}

#[test]
fn a_paid_duplicate_is_credited_once() {
    let invoice_1 = "/invoices/";
    let other = "/invoices/inv_0";
    let paid = invoice(&json!({"state": "paid", "amountPaid": PAID}));
    plays(
        ActionType::IssueCreditNote,
        &duplicated(1),
        &paid,
        PAID,
        vec![
            (
                "credited in part",
                invoice_1,
                json!({"amountCredited": 5}),
                None,
            ),
            (
                "credited in full",
                invoice_1,
                json!({"amountCredited": PAID}),
                None,
            ),
            (
                "refunded at the processor in part",
                invoice_1,
                json!({"amountRefunded": 350_000}),
                None,
            ),
            (
                "refunded at the processor in full",
                invoice_1,
                json!({"amountRefunded": PAID}),
                None,
            ),
            (
                "a bank disputes a payment of it",
                invoice_1,
                json!({"disputes": 1}),
                None,
            ),
            (
                "paid by a transfer that the processor does not know",
                invoice_1,
                json!({"amountCaptured": 0}),
                None,
            ),
            (
                "a part of it was paid",
                invoice_1,
                json!({"amountPaid": 5, "amountCaptured": 5}),
                Some(5),
            ),
            (
                "other currency",
                invoice_1,
                json!({"currency": "eur"}),
                None,
            ),
            (
                "the other is credited",
                other,
                json!({"amountCredited": 10_000}),
                None,
            ),
            (
                "the other was refunded at the processor",
                other,
                json!({"amountRefunded": 5}),
                None,
            ),
            ("the other is void", other, json!({"state": "void"}), None),
        ],
    );
}

#[test]
fn an_outcome_is_taken_over_for_what_is_owed() {
    let payment = json!({
        "invoiceId": "inv_1", "customerId": "cus_1", "state": "unknown", "processorState": "succeeded",
        "processorAmount": 688_000, "amountCaptured": 0, "currency": "usd",
    });
    let invoice = json!({
        "customerId": "cus_1", "state": "open", "amountDue": 688_000, "amountPaid": 0,
        "amountCredited": 0, "currency": "usd", "amountCaptured": 0, "amountRefunded": 0,
    });
    let answers = Answers(vec![("/payments/", payment), ("/invoices/", invoice)]);
    let alert = about("payment_outcome_unknown", "payments", "payment/pay_1");
    let invoice = "/invoices/";
    plays(
        ActionType::ReconcilePayment,
        &alert,
        &answers,
        688_000,
        vec![
            (
                "credited in part",
                invoice,
                json!({"amountCredited": 5}),
                None,
            ),
            (
                "paid by another payment",
                invoice,
                json!({"state": "paid", "amountPaid": 688_000, "amountCaptured": 688_000}),
                None,
            ),
            (
                "paid elsewhere and not booked",
                invoice,
                json!({"amountCaptured": 688_000}),
                None,
            ),
            ("other currency", invoice, json!({"currency": "eur"}), None),
            (
                "other customer",
                invoice,
                json!({"customerId": "cus_2"}),
                None,
            ),
            ("smaller debt", invoice, json!({"amountDue": 5}), None),
            ("voided meanwhile", invoice, json!({"state": "void"}), None),
            (
                "the processor collected less",
                "/payments/",
                json!({"processorAmount": 600_000}),
                None,
            ),
            (
                "it failed at the processor",
                "/payments/",
                json!({"processorState": "failed", "processorAmount": 0}),
                None,
            ),
        ],
    );
}

#[test]
fn a_draft_is_finalized_over_the_amount_that_was_shown() {
    let draft = invoice(&json!({"state": "draft"}));
    let alert = about("invoice_not_finalized", "billing", "invoice/inv_1");
    let invoice = "/invoices/";
    plays(
        ActionType::FinalizeInvoice,
        &alert,
        &draft,
        PAID,
        vec![
            (
                "computed again",
                invoice,
                json!({"amountDue": PAID + 5}),
                Some(PAID + 5),
            ),
            (
                "outdated",
                invoice,
                json!({"readyToBeRefreshed": true}),
                None,
            ),
            (
                "credited before it is finalized",
                invoice,
                json!({"amountCredited": 5}),
                None,
            ),
            (
                "other quantity than metered",
                invoice,
                json!({"quantity": 1}),
                None,
            ),
            (
                "finalized meanwhile",
                invoice,
                json!({"state": "open"}),
                None,
            ),
            ("voided meanwhile", invoice, json!({"state": "void"}), None),
        ],
    );
}

#[test]
fn a_missing_invoice_is_made_over_the_usage_that_was_shown() {
    let account = json!({
        "id": "cus_1", "parked": false, "parkedReason": "x", "parkedReasonGone": true, "unbilledAmount": 318_000,
        "currency": "usd", "missingUsageEvents": 0,
    });
    let answers = Answers(vec![("/customers/", account)]);
    let alert = about("invoice_generation_failed", "billing", "customer/cus_1");
    let account = "/customers/";
    plays(
        ActionType::GenerateInvoice,
        &alert,
        &answers,
        318_000,
        vec![
            (
                "more usage",
                account,
                json!({"unbilledAmount": 400_000}),
                Some(400_000),
            ),
            (
                "made meanwhile",
                account,
                json!({"unbilledAmount": 0}),
                None,
            ),
            (
                "usage is missing",
                account,
                json!({"missingUsageEvents": 1}),
                None,
            ),
            (
                "the reason is back",
                account,
                json!({"parkedReasonGone": false}),
                None,
            ),
            (
                "another account answers",
                account,
                json!({"id": "cus_2"}),
                None,
            ),
            (
                "the amount is a text",
                account,
                json!({"unbilledAmount": "318000"}),
                None,
            ),
        ],
    );
}

/// A difference between two systems is left to a person, with both amounts.
#[test]
fn a_person_reads_both_amounts() {
    for (more, why) in [
        (
            json!({"amountCredited": 20_000}),
            "payment.amount is 231.00 USD and invoice.open is 31.00 USD",
        ),
        (
            json!({"amountCaptured": 23_100}),
            "payments.taken is 231.00 USD and invoice.paid is 0.00 USD",
        ),
        (
            json!({"customerId": "cus_2"}),
            "payment.customer is `cus_1` and invoice.customer is `cus_2`",
        ),
    ] {
        let mut alert = failed_payment();
        alert["entities"] = json!([{"type": "payment", "id": "pay_1"}]);
        let answers = changed(&payment("processing_error"), "/invoices/", &more);
        let proposal = propose(&answers, &alert);
        let retry = &proposal.actions[0];
        assert_eq!(
            retry.content.action_type,
            ActionType::RetryPayment,
            "{more}"
        );
        let says = manual(retry).unwrap();
        assert!(
            says.ends_with(&format!("A person has to do it, since {why}.")),
            "{says}"
        );
    }
}

/// The words of the alert and what was read stand apart, and a difference stops every action.
#[test]
fn an_alert_about_somebody_else_is_for_a_person() {
    let mut alert = failed_payment();
    alert["entities"][1]["id"] = json!("cus_acme");
    let proposal = propose(&payment("processing_error"), &alert);
    assert!(
        proposal
            .actions
            .iter()
            .all(|action| !action.is_automated)
    );
    let says = manual(&proposal.actions[0]).unwrap();
    let why = "the alert names customer `cus_acme`, and `payments` names `cus_1`";
    assert!(says.contains(why), "{says}");
    let finding = proposal
        .analysis
        .evidence
        .iter()
        .find(|finding| finding.id == "alert_names_the_customer");
    assert_eq!(finding.unwrap().holds, Some(false));
    assert!(
        !proposal
            .analysis
            .impact
            .contains("At risk"),
        "{}",
        proposal.analysis.impact
    );
}

/// A playbook acts on one record, and its end says nothing of the others.
#[test]
fn an_alert_about_several_records_is_not_resolved_by_the_agent() {
    let mut alert = failed_payment();
    alert["entities"] = json!([
        {"type": "payment", "id": "pay_1"}, {"type": "payment", "id": "pay_2"}, {"type": "payment", "id": "pay_3"},
    ]);
    let proposal = propose(&payment("processing_error"), &alert);
    assert_eq!(proposal.resolved_when, None);
    assert!(
        proposal
            .analysis
            .resolved_when
            .is_empty()
    );
    let last = proposal.actions.last().unwrap();
    let named = "payment `pay_2`, payment `pay_3`";
    assert!(
        !last.is_automated && last.content.description.contains(named),
        "{last:?}"
    );
    assert_eq!(proposal.actions[0].content.records[0], "payment/pay_1");
}

/// An approved number may shrink until the call, and not grow.
#[test]
fn a_shown_number_is_the_most_that_is_approved() {
    let endpoint = json!({"enabled": true, "lastStatus": 200, "undelivered": 318});
    let answers = Answers(vec![("/webhook-endpoints/", endpoint)]);
    let alert = about("webhooks_failing", "notifications", "webhook_endpoint/we_1");
    let action = propose(&answers, &alert)
        .actions
        .remove(0);
    assert!(
        action
            .content
            .description
            .contains("318 webhooks"),
        "{action:?}"
    );
    assert_eq!(
        action
            .content
            .size
            .as_ref()
            .unwrap()
            .records,
        Some(318)
    );
    for (number, is_sent) in [(317, true), (318, true), (319, false), (4_000_000, false)] {
        let changed = changed(
            &answers,
            "/webhook-endpoints/",
            &json!({"undelivered": number}),
        );
        let reads = action.content.reads.iter();
        let facts: Facts = reads
            .flat_map(|read| changed.to(read).facts)
            .collect();
        let mut conditions = action.content.require.iter();
        assert_eq!(
            conditions.all(|condition| condition.holds(&facts) == Some(true)),
            is_sent,
            "{number}"
        );
    }
}
