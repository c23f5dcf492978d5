//! The texts that people approve, as one document.

use std::{fmt::Write, fs};

use agent::{action::Reversibility, session::ProposedAction};

use super::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/files/TEXTS.md");

const HEAD: &str = "# Texts

Written by `cargo test -p playbooks`. Each section begins with the conditions of the playbook's automated actions, as
sentences and as facts. Then come its texts for sample records, as an approver reads them. Read this file as prose when
a playbook changes.
";

/// A branch of a playbook: its title, the alert, and the answers of the target systems.
type Branch = (&'static str, Value, Answers);

/// The document is read in review. A test that finds it stale rewrites it and fails.
#[test]
fn the_texts_are_those_of_the_playbooks() {
    let mut text = String::new();
    let mut contents = Vec::new();
    let mut last = String::new();
    for (title, mut alert, answers) in branches() {
        if alert["title"].is_null() {
            let class = alert["signalType"].as_str().unwrap();
            alert["title"] = class.replace('_', " ").into();
        }
        let proposal = propose(&answers, &alert);
        let name = proposal
            .analysis
            .playbook
            .as_ref()
            .unwrap()
            .name
            .clone();
        if name != last {
            write!(text, "\n## {name}\n").unwrap();
            write!(text, "{}", conditions(&name)).unwrap();
            contents.push(format!("[{name}](#{name})"));
            last = name;
        }
        write!(text, "\n### {title}\n\n").unwrap();
        tell(&proposal, &mut text);
    }
    let mut names = debt::files().into_iter();
    let missing = names.find(|(name, _)| !contents.contains(&format!("[{name}](#{name})")));
    assert_eq!(
        missing.map(|(name, _)| name),
        None,
        "add its branches to `branches()`"
    );
    assert_eq!(
        contents.len(),
        debt::files().len(),
        "the branches of a playbook do not stand together"
    );
    let rows: Vec<String> = contents
        .chunks(3)
        .map(|some| some.join(" · "))
        .collect();
    let text = format!("{HEAD}\n- {}\n{text}", rows.join("\n- "));
    let stored = fs::read_to_string(FILE).unwrap_or_default();
    if stored != text {
        fs::write(FILE, text).unwrap();
        panic!("{FILE} was stale; it is written anew: read the change and commit it");
    }
}

/// Returns a table of the conditions of a playbook's automated actions.
fn conditions(playbook: &str) -> String {
    let head = "\n| action | it requires | fact |\n|---|---|---|\n";
    let mut rows = String::new();
    let actions = debt::all_actions().into_iter();
    for (_, action) in actions
        .filter(|(name, action)| name == playbook && action["automated"].as_bool() == Some(true))
    {
        let key = action["key"].as_str().unwrap();
        for condition in action["require"].as_array().unwrap() {
            let says = condition["says"].as_str().unwrap();
            let fact = condition["fact"].as_str().unwrap();
            writeln!(rows, "| {key} | {says} | {fact} |").unwrap();
        }
    }
    if rows.is_empty() {
        rows
    } else {
        format!("{head}{rows}")
    }
}

fn tell(proposal: &Proposal, text: &mut String) {
    let analysis = &proposal.analysis;
    for (name, says) in [
        ("Cause", &analysis.root_cause),
        ("Impact", &analysis.impact),
        ("Before", &analysis.entity_lifecycle_context),
        ("Findings", &analysis.confidence_says),
    ] {
        writeln!(text, "- {name}: {says}").unwrap();
    }
    for finding in &analysis.evidence {
        let holds = finding
            .holds
            .map_or("unknown".to_owned(), |holds| holds.to_string());
        writeln!(text, "- Evidence ({holds}): {}", finding.says).unwrap();
    }
    if !analysis.resolved_when.is_empty() {
        let ends = analysis.resolved_when.join(", and ");
        writeln!(text, "- Resolved when: {ends}").unwrap();
    }
    for action in &proposal.actions {
        tell_action(action, text);
    }
    for other in &analysis.not_applicable {
        writeln!(text, "- Not applicable: {}. {}", other.title, other.reason).unwrap();
    }
}

fn tell_action(action: &ProposedAction, text: &mut String) {
    let content = &action.content;
    let kind = manual(action).map_or("Action", |_| "Manual");
    let risk = content.risk.name();
    writeln!(text, "- {kind} ({risk}): {}", content.description).unwrap();
    writeln!(text, "  - Outcome: {}", content.expected_outcome).unwrap();
    if !content.records.is_empty() {
        writeln!(text, "  - Records: {}", content.records.join(", ")).unwrap();
    }
    if let Some(Reversible { is, says }) = &content.reversible {
        let is = match is {
            Reversibility::Yes => "can be undone",
            Reversibility::Until => "can be undone for a while",
            Reversibility::No => "cannot be undone",
        };
        writeln!(text, "  - Undo ({is}): {says}").unwrap();
    }
    for step in &content.steps {
        let call = step.call.as_ref();
        let call = call.map_or_else(String::new, |call| format!(" (`{}`)", call.summary()));
        writeln!(text, "  - Step: {}{call}", step.description).unwrap();
    }
}

fn branches() -> Vec<Branch> {
    let first = [customers(), disputes(), unknown(), invoices()].concat();
    let last = [payments(), stripe_invoices(), usage(), webhooks()].concat();
    let others = [billing_systems::lago(), billing_systems::chargebee()].concat();
    [first, last, others].concat()
}

fn customers() -> Vec<Branch> {
    let alert = about("customer_out_of_sync", "billing", "customer/cus_504");
    let of = |body| Answers(vec![("/customers/", body)]);
    let undelivered = json!({
        "syncState": "out_of_sync", "lastSyncError": "delivery_failed", "syncConflict": false,
    });
    let in_sync = json!({"syncState": "in_sync"});
    vec![
        ("A change was not delivered", alert.clone(), of(undelivered)),
        ("Both agree again", alert.clone(), of(in_sync)),
        (
            "Billing does not know the customer",
            alert,
            Answers::default(),
        ),
    ]
}

fn disputes() -> Vec<Branch> {
    let alert = about("dispute_opened", "payments", "dispute/dp_4001");
    let of = |state: &str, paused: bool| {
        let dispute = json!({
            "state": state, "reason": "product_not_received", "paymentId": "pay_3008",
            "invoiceId": "inv_2014", "respondBy": "2027-01-20",
        });
        let invoice = json!({"state": "open", "collectionPaused": paused});
        Answers(vec![("/disputes/", dispute), ("/invoices/", invoice)])
    };
    let open = of("needs_response", false);
    let paused = of("under_review", true);
    vec![
        ("It needs a response", alert.clone(), open),
        ("Collection is paused", alert.clone(), paused),
        ("It was won", alert.clone(), of("won", true)),
        ("It was lost", alert, of("lost", true)),
    ]
}

fn unknown() -> Vec<Branch> {
    let mut alert = about("moon_in_the_way", "billing", "customer/cus_501");
    alert["title"] = json!("The moon is in the way of invoice `inv_1`");
    vec![("No playbook matches", alert, Answers::default())]
}

fn invoices() -> Vec<Branch> {
    let alert = |class: &str| about(class, "billing", "invoice/inv_1");
    let mut marked = alert("invoice_duplicated");
    marked["amountAtRisk"] = json!({"minorUnits": 701_550, "currency": "USD"});
    marked["lifecycle"] = json!([
        {"at": "2026-01-13T00:00:00Z", "state": "draft"},
        {"at": "2026-01-13T01:00:00Z", "state": "open"},
    ]);
    let paid = json!({"state": "paid", "amountPaid": 701_550});
    let mut voided = invoice(&json!({}));
    voided.0[0].1["state"] = json!("void");
    let parked = about("invoice_generation_failed", "billing", "customer/cus_506");
    let account = |is_parked: bool, is_gone: bool| {
        let account = json!({
            "parked": is_parked, "parkedReason": "catalog_missing", "parkedReasonGone": is_gone,
            "unbilledAmount": 318_000, "currency": "usd", "missingUsageEvents": 0,
        });
        Answers(vec![("/customers/", account)])
    };
    let draft = |more: Value| {
        let invoice = with(json!({"customerId": "cus_1"}), &more);
        Answers(vec![
            ("/invoices/", invoice),
            ("/customers/", json!({"missingUsageEvents": 0})),
        ])
    };
    let amount = json!({
        "state": "draft", "amountDue": 1_960_440, "amountPaid": 0, "amountCredited": 0,
        "currency": "usd", "finalizationError": "run_ended_early", "readyToBeRefreshed": false, "quantity": 0,
        "meteredQuantity": 0,
    });
    let mut outdated = amount.clone();
    outdated["readyToBeRefreshed"] = json!(true);
    vec![
        ("It is open", marked.clone(), invoice(&json!({}))),
        ("It is paid", marked.clone(), invoice(&paid)),
        (
            "It is paid in part",
            marked.clone(),
            invoice(&json!({"amountPaid": 5})),
        ),
        ("The other invoice is void", marked.clone(), voided),
        (
            "Billing names no other invoice",
            marked,
            invoice(&json!({"duplicateOf": null})),
        ),
        ("The reason is gone", parked.clone(), account(true, true)),
        ("The reason remains", parked.clone(), account(true, false)),
        ("The account is not parked", parked, account(false, true)),
        (
            "It is a draft",
            alert("invoice_not_finalized"),
            draft(amount.clone()),
        ),
        (
            "Its amount is outdated",
            alert("invoice_not_finalized"),
            draft(outdated),
        ),
        (
            "Its amount is unknown",
            alert("invoice_not_finalized"),
            draft(json!({
                "state": "draft", "amountDue": "19604.40", "currency": "usd", "readyToBeRefreshed": false,
                "quantity": 0, "meteredQuantity": 0,
            })),
        ),
        (
            "It is open by now",
            alert("invoice_not_finalized"),
            draft(json!({"state": "open", "amountDue": 1_960_440, "currency": "usd"})),
        ),
        (
            "The draft bills too much",
            alert("invoice_quantity_differs"),
            draft(json!({"state": "draft", "quantity": 40_120, "meteredQuantity": 38_216})),
        ),
        (
            "It is finalized",
            alert("invoice_quantity_differs"),
            draft(json!({"state": "open", "quantity": 40_120, "meteredQuantity": 38_216})),
        ),
    ]
}

fn payments() -> Vec<Branch> {
    let declined = declined_payment();
    let mut alone = failed_payment();
    alone["entities"] = json!([{"type": "payment", "id": "pay_1"}]);
    let outcome = about("payment_outcome_unknown", "payments", "payment/pay_3007");
    let lost = |processor: Value| {
        let payment = json!({
            "state": "unknown", "processorState": processor, "processorAmount": 688_000,
            "currency": "usd", "invoiceId": "inv_2013", "customerId": "cus_505", "amountCaptured": 0,
        });
        let invoice = json!({
            "customerId": "cus_505", "state": "open", "amountDue": 688_000, "amountPaid": 0,
            "amountCredited": 0, "currency": "usd", "amountCaptured": 0, "amountRefunded": 0,
        });
        Answers(vec![("/payments/", payment), ("/invoices/", invoice)])
    };
    vec![
        (
            "It was declined for good",
            declined.clone(),
            payment("card_declined"),
        ),
        (
            "The reason is temporary after all",
            declined,
            payment("processing_error"),
        ),
        (
            "The reason is temporary",
            failed_payment(),
            payment("processing_error"),
        ),
        (
            "The card is stolen",
            failed_payment(),
            payment("stolen_card"),
        ),
        (
            "The alert names no customer",
            alone,
            payment("processing_error"),
        ),
        (
            "The processor has the money",
            outcome.clone(),
            lost(json!("succeeded")),
        ),
        ("The processor does not know it", outcome, lost(json!(null))),
    ]
}

fn stripe_invoices() -> Vec<Branch> {
    let alert = stripe::alert_about("in_1");
    let of = |code: &str, next: Value| {
        let mut answers = stripe::unpaid("in_1");
        answers.0[0].1["next_payment_attempt"] = next;
        answers.0[1].1["last_payment_error"] =
            json!({"code": "card_declined", "decline_code": code});
        answers
    };
    let mut krona = of("insufficient_funds", json!(null));
    krona.0[0].1["currency"] = json!("isk");
    vec![
        (
            "The reason is temporary",
            alert.clone(),
            of("insufficient_funds", json!(null)),
        ),
        (
            "Stripe counts the currency in hundredths",
            alert.clone(),
            krona,
        ),
        (
            "The card is stolen",
            alert.clone(),
            of("stolen_card", json!(null)),
        ),
        (
            "Stripe retries by itself",
            alert,
            of("insufficient_funds", json!(1_800_000_000)),
        ),
    ]
}

fn usage() -> Vec<Branch> {
    let mut stuck = about("usage_batch_stuck", "billing", "usage_batch/ub_1001");
    stuck["lifecycle"] = json!([{"at": "2026-01-14T10:00:00Z", "state": "processing"}]);
    let batch = |state: &str, minutes: u32, error: Value| {
        let batch = json!({
            "state": state, "events": 48_210, "minutesSinceProgress": minutes, "lastError": error,
            "invoiced": false,
        });
        Answers(vec![("/usage-batches/", batch)])
    };
    let twice = about("usage_counted_twice", "billing", "usage_batch/ub_1009");
    let duplicates = |invoiced: bool| {
        let batch = json!({
            "state": "processed", "events": 40_120, "duplicateEvents": 1_904, "invoiced": invoiced,
        });
        Answers(vec![("/usage-batches/", batch)])
    };
    let missing = about("usage_events_missing", "billing", "customer/cus_501");
    let events = |number: u32| {
        let customer = json!({"missingUsageEvents": number, "parked": false});
        Answers(vec![("/customers/", customer)])
    };
    let restarted = batch("processing", 1_560, json!("worker_restarted"));
    let slow = batch("processing", 5, json!(null));
    vec![
        ("A restart interrupted it", stuck.clone(), restarted),
        ("It makes progress", stuck, slow),
        ("It is not invoiced", twice.clone(), duplicates(false)),
        ("It is invoiced", twice, duplicates(true)),
        ("Events are missing", missing.clone(), events(1_840)),
        ("None is missing", missing, events(0)),
    ]
}

fn webhooks() -> Vec<Branch> {
    let class = "webhooks_failing";
    let record = "webhook_endpoint/we_5001";
    let alert = about(class, "notifications", record);
    let of = |status: u16| {
        let endpoint = json!({"enabled": true, "lastStatus": status, "undelivered": 318});
        Answers(vec![("/webhook-endpoints/", endpoint)])
    };
    vec![
        ("It accepts webhooks again", alert.clone(), of(200)),
        ("It still fails", alert, of(503)),
    ]
}
