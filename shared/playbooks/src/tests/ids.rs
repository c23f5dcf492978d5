//! Records of actions, by the ids that the target system returned.

use agent::action::ActionContent;

use super::*;

/// Returns the proposal for an alert about one record, by the id that the system returns.
fn content(answers: &Answers, more: &Value) -> ActionContent {
    propose(answers, more)
        .actions
        .remove(0)
        .content
}

/// Two alerts spell one record in two ways.
#[test]
fn a_record_has_the_id_that_its_system_returns() {
    let canonical = "7b0f3c1e-0a4e-4a52-9d0c-5d1f3c1e0a4e";
    let mut answers = stuck();
    answers.0[0].1["id"] = json!(canonical);
    let records = [canonical.to_owned(), canonical.to_uppercase()].map(|spelling| {
        let entities = json!([{"type": "usage_batch", "id": spelling}]);
        let content = content(&answers, &json!({ "entities": entities }));
        assert_eq!(content.reads[0].path, format!("/usage-batches/{spelling}"));
        let call = content.steps[0]
            .call
            .as_ref()
            .unwrap()
            .summary();
        assert_eq!(call, format!("POST /usage-batches/{canonical}/reprocess"));
        assert!(says(&content.require).contains(&format!("batch.id is `{canonical}`")));
        assert!(content.description.contains(canonical));
        content.records
    });
    assert_eq!(records[0], records[1]);
    assert_eq!(records[0], [format!("usage_batch/{canonical}")]);
}

#[test]
fn an_action_on_a_record_without_an_id_is_manual() {
    for (id, why) in [
        (json!([]), "batch.id is not in the answer"),
        (json!("ub_\u{202e}1001"), "batch.id cannot be used as an id"),
    ] {
        let mut answers = stuck();
        answers.0[0].1["id"] = id;
        let action = propose(&answers, &json!({}))
            .actions
            .remove(0);
        let says = manual(&action).unwrap();
        assert!(says.ends_with(&format!("since {why}.")), "{says}");
    }
}

/// A debt is collected once, whatever system collects it.
#[test]
fn actions_that_collect_one_debt_share_its_invoice() {
    let retry = content(&payment("processing_error"), &failed_payment());
    assert_eq!(retry.records, ["payment/pay_1", "invoice/inv_1"]);
    let pay = content(&stripe::unpaid("inv_1"), &stripe::alert_about("inv_1"));
    assert!(pay.meets(&retry) && pay.repeats(&retry));
    let void = content(&invoice(&json!({})), &duplicated(1));
    assert_eq!(void.action_type, ActionType::VoidInvoice);
    assert!(void.meets(&retry) && !void.repeats(&retry));
    assert_eq!(pay.action_type, ActionType::RetryInvoice);
}

/// Each of two invoices is marked as the duplicate of the other.
#[test]
fn of_two_duplicates_one_stays() {
    let pair = |id: &str, other: &str| {
        let invoice = |id: &str, other: &str| {
            json!({
                "id": id, "customerId": "cus_1", "state": "open", "amountDue": 500, "amountPaid": 0,
                "amountCredited": 0, "currency": "usd", "duplicateOf": other, "period": "2026-10",
                "disputed": false, "unsettled": 0, "amountCaptured": 0, "amountRefunded": 0,
                "disputes": 0,
            })
        };
        let answers = Answers(vec![
            ("/invoices/inv_a", invoice("inv_a", "inv_b")),
            ("/invoices/inv_b", invoice("inv_b", "inv_a")),
        ]);
        let mut alert = duplicated(1);
        alert["entities"] = json!([{"type": "invoice", "id": id}]);
        let content = content(&answers, &alert);
        // The other invoice is read again before the call, and is the one that was approved.
        let reads = content
            .reads
            .iter()
            .map(|read| read.path.clone());
        let paths = [
            id,
            other,
            &format!("{id}/payments"),
            &format!("{other}/payments"),
        ];
        let paths = paths.map(|id| format!("/invoices/{id}"));
        assert_eq!(reads.collect::<Vec<_>>(), paths);
        assert!(says(&content.require).contains(&format!("invoice.duplicate_of is `{other}`")));
        let mut records = content.records;
        records.sort_unstable();
        records
    };
    let records = pair("inv_a", "inv_b");
    assert_eq!(records, ["invoice/inv_a", "invoice/inv_b"]);
    assert_eq!(records, pair("inv_b", "inv_a"));
}

#[test]
fn an_invoice_is_no_duplicate_of_one_that_bills_something_else() {
    for (more, is_voided) in [
        (json!({}), true),
        (json!({"state": "open"}), true),
        (json!({"state": "void"}), false),
        (json!({"state": "draft"}), false),
        (json!({"customerId": "cus_2"}), false),
        (json!({"amountDue": 701_551}), false),
        (json!({"currency": "eur"}), false),
        // A fixed price is the same each month.
        (json!({"period": "2026-09"}), false),
        (json!({"period": null}), false),
        // The answer is the same invoice.
        (json!({"id": "inv_1"}), false),
        (json!({"state": null}), false),
    ] {
        let mut answers = invoice(&json!({}));
        answers.0[0].1 = with(answers.0[0].1.take(), &more);
        let void = propose(&answers, &duplicated(1))
            .actions
            .remove(0);
        assert_eq!(void.is_automated, is_voided, "{more}");
    }
    // Billing does not know the other invoice.
    let mut answers = invoice(&json!({}));
    answers.0.remove(0);
    answers.0[0].0 = "/invoices/inv_1";
    let proposal = propose(&answers, &duplicated(1));
    assert!(!proposal.actions[0].is_automated);
    assert_eq!(proposal.reads[1].status, Some(404));
}
