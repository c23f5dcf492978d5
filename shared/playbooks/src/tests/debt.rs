//! The base of an action: the debt, its records and its amount.

use super::*;

/// Returns the first proposed action of that type, by an alert about a failed payment.
fn retry_of(invoice: &Value) -> Option<ProposedAction> {
    let mut answers = payment("processing_error");
    if invoice.is_null() {
        answers
            .0
            .retain(|(path, _)| *path != "/invoices/");
    } else {
        answers
            .0
            .insert(0, ("/invoices/inv_1", invoice.clone()));
    }
    let mut actions = propose(&answers, &failed_payment())
        .actions
        .into_iter();
    actions.find(|action| action.content.action_type == ActionType::RetryPayment)
}

/// A payment is retried for a debt that was read, and not for a symptom.
#[test]
fn a_payment_is_retried_only_for_a_debt_that_was_read() {
    let invoice = json!({"id": "inv_1", "customerId": "cus_1", "state": "open",
        "amountDue": 23_100, "amountPaid": 0, "amountCredited": 0, "collectionPaused": false,
        "currency": "usd", "unsettled": 0, "amountCaptured": 0, "amountRefunded": 0});
    let changed = |more: &Value| with(invoice.clone(), more);
    for (invoice, is_automated) in [
        (changed(&json!({})), true),
        (
            changed(&json!({"state": "paid", "amountPaid": 23_100, "amountCaptured": 23_100})),
            false,
        ),
        (changed(&json!({"state": "void"})), false),
        (changed(&json!({"state": "draft"})), false),
        // Less or more is owed than failed.
        (
            changed(&json!({"amountPaid": 1, "amountCaptured": 1})),
            false,
        ),
        (changed(&json!({"amountCredited": 20_000})), false),
        (changed(&json!({"amountCredited": 23_100})), false),
        (changed(&json!({"amountDue": 4_000})), false),
        (changed(&json!({"amountDue": 33_100})), false),
        // A part was paid, and the rest failed.
        (
            changed(&json!({"amountDue": 33_100, "amountPaid": 10_000, "amountCaptured": 10_000})),
            true,
        ),
        // Billing has not booked what was taken, or what was given back.
        (changed(&json!({"amountCaptured": 23_100})), false),
        (
            changed(&json!({"amountDue": 33_100, "amountPaid": 10_000})),
            false,
        ),
        (
            changed(
                &json!({"amountDue": 33_100, "amountPaid": 10_000, "amountCaptured": 10_000,
            "amountRefunded": 10_000}),
            ),
            false,
        ),
        // The debt is somebody else's, or in another currency.
        (changed(&json!({"customerId": "cus_2"})), false),
        (changed(&json!({"currency": "eur"})), false),
        (changed(&json!({"amountCredited": null})), false),
        (changed(&json!({"collectionPaused": true})), false),
        (changed(&json!({"collectionPaused": null})), false),
        // Another payment of it may have been taken.
        (changed(&json!({"unsettled": 1})), false),
        // It is unread.
        (json!(null), false),
    ] {
        let runs = retry_of(&invoice).is_some_and(|action| action.is_automated);
        assert_eq!(runs, is_automated, "{invoice}");
    }
    // What is said of the debt was read.
    let answers = payment("processing_error");
    let impact = propose(&answers, &failed_payment())
        .analysis
        .impact;
    let read = "Invoice `inv_1` is in state `open`, and 231.00 USD of it is open.";
    assert!(impact.starts_with(read), "{impact}");
}

pub(super) fn files() -> Vec<(String, toml::Table)> {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/files")).unwrap();
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.unwrap().path();
        let name = path
            .to_str()?
            .strip_suffix(".toml")?
            .rsplit('/')
            .next()?;
        let text = std::fs::read_to_string(&path).ok()?;
        Some((name.to_owned(), text.parse().unwrap()))
    };
    files.filter_map(read).collect()
}

pub(super) fn all_actions() -> Vec<(String, toml::Table)> {
    let actions = files()
        .into_iter()
        .flat_map(|(name, playbook)| {
            let actions = playbook["actions"]
                .as_array()
                .unwrap()
                .clone();
            let table =
                move |action: toml::Value| (name.clone(), action.as_table().unwrap().clone());
            actions.into_iter().map(table)
        });
    actions.collect()
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
        let alert = about("dispute_opened", "payments", "dispute/dp_1");
        let proposal = propose(&answers, &alert);
        let end = proposal.resolved_when.unwrap();
        let facts = end
            .reads
            .iter()
            .flat_map(|read| answers.to(read).facts);
        let facts: Facts = facts.collect();
        let mut conditions = end.conditions.iter();
        let holds = conditions.all(|condition| condition.holds(&facts) == Some(true));
        let (runs, by_hand): (Vec<_>, Vec<_>) = proposal
            .actions
            .iter()
            .partition(|action| action.is_automated);
        let is_it =
            |action: &&ProposedAction| action.content.action_type == ActionType::ResumeCollection;
        let result = (holds, runs.iter().any(is_it));
        assert_eq!(result, (is_over, resumes), "{state}, paused: {is_paused}");
        // A person follows it.
        assert!(!by_hand.is_empty() || state == "won", "{state}");
    }
}

/// A payment is answered with an error of its system, under a status of success.
#[test]
fn the_reason_names_the_cause_and_not_its_consequence() {
    let mut answers = payment("processing_error");
    let of_payment = answers
        .0
        .iter_mut()
        .find(|(path, _)| path.starts_with("/payments/"));
    of_payment.unwrap().1 = json!({"error": "try again"});
    let proposal = propose(&answers, &failed_payment());
    let mut texts = proposal
        .actions
        .iter()
        .map(|action| &action.content.description);
    let says = texts
        .find(|text| text.contains("A person has to do it"))
        .unwrap();
    assert!(says.contains("is not in the answer"), "{says}");
    assert!(!says.contains("was not sent"), "{says}");
}
