//! The playbook for an invoice that Stripe could not collect.

use super::*;

/// An alert about an unpaid invoice.
pub(super) fn alert_about(invoice: &str) -> Value {
    json!({
        "signalType": "invoice_payment_failed", "targetSystem": "stripe",
        "entities": [{"type": "invoice", "id": invoice}, {"type": "payment_intent", "id": "pi_1"}],
    })
}

/// The answers of Stripe about an unpaid invoice.
pub(super) fn unpaid(invoice: &str) -> Answers {
    let payment = json!({
        "id": "pi_1", "invoice": invoice, "customer": "cus_1", "status": "requires_payment_method",
        "amount": 2000, "amount_received": 0, "currency": "usd", "livemode": true,
        "last_payment_error": {"code": "card_declined", "decline_code": "insufficient_funds"},
    });
    let invoice = json!({
        "id": invoice, "customer": "cus_1", "status": "open", "amount_due": 2000, "amount_paid": 0,
        "amount_remaining": 2000, "currency": "usd", "attempt_count": 3, "next_payment_attempt": null,
        "due_date": null, "collection_method": "charge_automatically", "auto_advance": true,
        "livemode": true,
    });
    let payment = ("/v1/payment_intents/", payment);
    Answers(vec![("/v1/invoices/", invoice), payment])
}

#[test]
fn an_unpaid_invoice_at_stripe_is_collected_unless_it_was_declined_for_good() {
    let alert = alert_about("in_1");
    let answers = |invoice: Value, payment: Value| {
        let mut answers = unpaid("in_1");
        for ((_, record), more) in answers
            .0
            .iter_mut()
            .zip([invoice, payment])
        {
            *record = with(record.take(), &more);
        }
        answers
    };
    let declined =
        |code: &str| json!({"last_payment_error": {"code": "card_declined", "decline_code": code}});
    let failed = |code: &str| json!({"last_payment_error": {"code": code}});
    let next = json!({"next_payment_attempt": 1_800_000_000});
    let by_hand = json!({"collection_method": "send_invoice"});
    for (invoice, payment, pays) in [
        (json!({}), json!({}), true),
        // No reason proves nothing.
        (json!({}), json!({"last_payment_error": null}), false),
        (json!({}), failed("debit_not_authorized"), false),
        (json!({}), failed("account_closed"), false),
        (json!({}), failed("authentication_required"), false),
        (json!({}), failed("expired_card"), false),
        (json!({}), failed("card_declined"), false),
        (json!({}), declined("insufficient_funds"), true),
        (json!({}), declined("stolen_card"), false),
        // No reason is known to pass unless it is on the list.
        (json!({}), declined("invalid_account"), false),
        (json!({}), declined("card_not_supported"), false),
        (json!({}), declined("expired_card"), false),
        (json!({}), declined("transaction_not_allowed"), false),
        (json!({}), declined("some_new_code"), false),
        // Stripe tries it again by itself.
        (next, json!({}), false),
        (json!({"status": "paid"}), json!({}), false),
        (json!({"amount_paid": 500}), json!({}), false),
        // The customer pays by hand, or somebody stopped the collection.
        (by_hand, json!({}), false),
        (json!({"auto_advance": false}), json!({}), false),
        (json!({"auto_advance": null}), json!({}), false),
        (json!({"amount_due": 0}), json!({}), false),
        // Another debt, customer, currency or account than those of the payment.
        (
            json!({"amount_due": 1500, "amount_remaining": 1500}),
            json!({}),
            false,
        ),
        (
            json!({"amount_due": 2500, "amount_remaining": 2500}),
            json!({}),
            false,
        ),
        (json!({"amount_remaining": 1500}), json!({}), false),
        (json!({"customer": "cus_2"}), json!({}), false),
        (json!({"currency": "eur"}), json!({}), false),
        (json!({"livemode": false}), json!({}), false),
        (json!({"attempt_count": 10}), json!({}), true),
        (json!({"attempt_count": 11}), json!({}), false),
        (json!({"due_date": 1_800_000_000}), json!({}), false),
        (json!({}), json!({"amount_received": 1}), false),
        (json!({}), json!({"invoice": "in_2"}), false),
        (json!({}), json!({"status": "processing"}), false),
        (json!({}), json!({"status": "requires_action"}), false),
    ] {
        let case = format!("{invoice} {payment}");
        let proposal = propose(&answers(invoice, payment), &alert);
        let name = proposal.analysis.playbook.unwrap().name;
        let result = (&*name, proposal.actions[0].is_automated);
        assert_eq!(result, ("stripe-invoice-unpaid", pays), "{case}");
    }
    let proposal = propose(&answers(json!({}), declined("stolen_card")), &alert);
    let cause = proposal.analysis.root_cause;
    assert!(
        cause.contains("payment of invoice `in_1` with `stolen_card`"),
        "{cause}"
    );
}
