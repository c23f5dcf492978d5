//! The base of an action: the debt, its records and its amount.

use super::*;

/// Returns the first proposed action of that type, by an alert about a failed payment.
fn retry_of(invoice: &Value) -> Option<ProposedAction> {
    let mut answers = payment("processing_error");
    if invoice.is_null() {
        answers
            .0
            .retain(|(path, _)| !path.starts_with("/invoices/"));
    } else {
        answers.0.insert(0, ("/invoices/inv_1", invoice.clone()));
    }
    let actions = propose(&answers, &failed_payment()).actions;
    let mut actions = actions.into_iter();
    actions.find(|one| one.content.action_type == ActionType::RetryPayment)
}

/// A payment is retried for a debt that was read, and not for a symptom.
#[test]
fn a_payment_is_retried_only_for_a_debt_that_was_read() {
    let invoice = |more: Value| {
        let mut invoice = json!({"id": "inv_1", "customerId": "cus_1", "state": "open", "amountDue": 5,
            "amountPaid": 0, "collectionPaused": false, "currency": "usd", "unsettled": 0});
        let all = invoice.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        invoice
    };
    let mut found = Vec::new();
    for (more, is_automated) in [
        (json!({}), true),
        (json!({"state": "paid", "amountPaid": 5}), false),
        (json!({"state": "void"}), false),
        (json!({"state": "draft"}), false),
        (json!({"amountPaid": 1}), false),
        (json!({"collectionPaused": true}), false),
        (json!({"collectionPaused": null}), false),
        // Another payment of it may have been taken.
        (json!({"unsettled": 1}), false),
    ] {
        let retry = retry_of(&invoice(more.clone()));
        let runs = retry.is_some_and(|one| one.is_automated);
        if runs != is_automated {
            found.push(format!("{more} -> automated: {runs}"));
        }
    }
    // What is said of the debt was read.
    let answers = payment("processing_error");
    let impact = propose(&answers, &failed_payment()).analysis.impact;
    assert!(
        impact.starts_with("Invoice `inv_1` is in state `open`."),
        "{impact}"
    );
    let unread = retry_of(&json!(null)).is_some_and(|one| one.is_automated);
    if unread {
        found.push("unread -> automated: true".to_owned());
    }
    assert_eq!(found, [""; 0]);
}

fn files() -> Vec<(String, toml::Table)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/files");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    let named = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (
            name,
            std::fs::read_to_string(&path).unwrap().parse().unwrap(),
        )
    };
    files.map(named).collect()
}

pub(super) fn all_actions() -> Vec<(String, toml::Table)> {
    let mut all = Vec::new();
    for (name, playbook) in files() {
        for action in playbook["actions"].as_array().unwrap() {
            all.push((name.clone(), action.as_table().unwrap().clone()));
        }
    }
    all
}

#[test]
fn what_changes_an_invoice_or_its_payment_names_the_invoice() {
    let kinds = [
        "retry_invoice",
        "refresh_invoice",
        "finalize_invoice",
        "retry_payment",
        "void_invoice",
        "issue_credit_note",
        "recompute_invoice",
        "reconcile_payment",
        "pause_collection",
        "resume_collection",
    ];
    let mut without = Vec::new();
    for (name, action) in all_actions() {
        let is_one = kinds.contains(&action["action_type"].as_str().unwrap());
        let text = format!("{action:?}");
        if is_one && !text.contains("\"invoice/{") {
            without.push(format!("{name}/{:?}", action["key"]));
        }
    }
    assert_eq!(without, [""; 0]);
}

#[test]
fn an_action_with_money_asks_for_the_amount_afterwards() {
    let mut without = Vec::new();
    for (name, action) in all_actions() {
        let states = action
            .get("money")
            .is_some_and(|money| money.get("amount").is_some());
        let asks = action
            .get("verify")
            .is_some_and(|verify| verify.get("amount").is_some());
        if states != asks {
            without.push(format!("{name}/{:?}", action["key"]));
        }
    }
    assert_eq!(without, [""; 0]);
}

#[test]
fn an_end_is_what_is_and_not_what_is_no_more() {
    let mut negative = Vec::new();
    for (name, playbook) in files() {
        let end = playbook
            .get("resolved_when")
            .map(|end| format!("{end:?}"))
            .unwrap_or_default();
        if end.contains("is_not") || end.contains("differs_from") {
            negative.push(format!("{name}: {end}"));
        }
    }
    assert_eq!(negative, [""; 0]);
}

#[test]
fn every_action_says_what_it_supposes() {
    let all = all_actions().into_iter();
    let without = all.filter(|(_, action)| action.get("suppositions").is_none());
    let without: Vec<String> = without
        .map(|(name, one)| format!("{name}/{:?}", one["key"]))
        .collect();
    assert_eq!(without, [""; 0]);
}

/// A lost dispute, and a pause after the end of a dispute, leave the alert open.
#[test]
fn a_dispute_ends_when_it_is_not_lost_and_nothing_is_paused() {
    for (state, is_paused, is_over, resumes) in [
        ("needs_response", true, false, false),
        ("under_review", true, false, false),
        ("under_review", false, true, false),
        ("won", true, false, true),
        ("won", false, true, false),
        ("lost", true, false, false),
        ("lost", false, false, false),
    ] {
        let dispute =
            json!({"state": state, "reason": "x", "invoiceId": "inv_1", "respondBy": "2027-01-20"});
        let invoice = json!({"state": "open", "collectionPaused": is_paused});
        let answers = Answers(vec![("/disputes/", dispute), ("/invoices/", invoice)]);
        let alert = json!({
            "signalType": "dispute_opened", "targetSystem": "payments",
            "entities": [{"type": "dispute", "id": "dp_1"}],
        });
        let proposal = propose(&answers, &alert);
        let end = proposal.resolved_when.unwrap();
        let facts = end.reads.iter().flat_map(|read| answers.to(read).facts);
        let facts: Facts = facts.collect();
        let holds = end
            .conditions
            .iter()
            .all(|one| one.holds(&facts) == Some(true));
        assert_eq!(holds, is_over, "{state}, paused: {is_paused}");
        let mut actions = proposal.actions.iter().filter(|one| one.is_automated);
        let found = actions.any(|one| one.content.action_type == ActionType::ResumeCollection);
        assert_eq!(found, resumes, "{state}, paused: {is_paused}");
        let by_hand = proposal
            .actions
            .iter()
            .filter(|one| !one.is_automated)
            .count();
        assert!(
            by_hand > 0 || state == "won",
            "{state}: a person follows it"
        );
    }
}
