//! The playbook for an invoice that Stripe could not collect.

use super::*;

#[test]
fn an_unpaid_invoice_at_stripe_is_collected_unless_it_was_declined_for_good() {
    let alert = json!({
        "signalType": "invoice_payment_failed", "targetSystem": "stripe",
        "entities": [{"type": "invoice", "id": "in_1"}, {"type": "payment_intent", "id": "pi_1"}],
    });
    let answers = |invoice: Value, payment: Value| {
        let mut known = (
            json!({
                "id": "in_1", "status": "open", "amount_due": 2000, "amount_paid": 0, "currency": "usd",
                "attempt_count": 3, "next_payment_attempt": null,
            }),
            json!({"id": "pi_1", "invoice": "in_1", "status": "requires_payment_method"}),
        );
        for (record, more) in [(&mut known.0, invoice), (&mut known.1, payment)] {
            record
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
        }
        Answers(vec![
            ("/v1/invoices/", known.0),
            ("/v1/payment_intents/", known.1),
        ])
    };
    let declined =
        |code: &str| json!({"last_payment_error": {"code": "card_declined", "decline_code": code}});
    for (invoice, payment, pays) in [
        (json!({}), json!({}), true),
        (json!({}), json!({"last_payment_error": null}), true),
        (json!({}), declined("insufficient_funds"), true),
        (json!({}), declined("stolen_card"), false),
        // No reason is known to pass unless it is on the list.
        (json!({}), declined("invalid_account"), false),
        (json!({}), declined("card_not_supported"), false),
        (json!({}), declined("expired_card"), false),
        (json!({}), declined("transaction_not_allowed"), false),
        (json!({}), declined("some_new_code"), false),
        // Stripe tries it again by itself.
        (
            json!({"next_payment_attempt": 1_800_000_000}),
            json!({}),
            false,
        ),
        (json!({"status": "paid"}), json!({}), false),
        (json!({"amount_paid": 500}), json!({}), false),
        (json!({"amount_due": 0}), json!({}), false),
        (json!({}), json!({"invoice": "in_2"}), false),
        (json!({}), json!({"status": "processing"}), false),
        (json!({}), json!({"status": "requires_action"}), false),
    ] {
        let case = format!("{invoice} {payment}");
        let proposal = propose(&answers(invoice, payment), &alert);
        assert_eq!(
            proposal.analysis.playbook.unwrap().name,
            "stripe-invoice-unpaid"
        );
        let pay = &proposal.actions[0];
        assert_eq!(
            pay.is_automated, pays,
            "{case}: {}",
            pay.content.description
        );
    }
    let proposal = propose(&answers(json!({}), declined("stolen_card")), &alert);
    let cause = proposal.analysis.root_cause;
    assert!(
        cause.contains("failed with card_declined (decline code: stolen_card)"),
        "{cause}"
    );
}
