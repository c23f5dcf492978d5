mod billing_systems;
mod debt;
mod ids;
mod matrix;
mod messages;
mod stripe;
mod systems;
mod texts;
mod values;

use agent::{
    action::{ActionType, MoneyDirection, Reversible},
    alert::Alert,
    check::{FactCondition, Facts, Seen, TargetRead},
    connection::{Amounts, Connection, Excerpt, SystemKind},
    pattern::ClassHistory,
    session::{Case, NotApplicable, PlaybookRecord, PlaybookRuns, Proposal, ProposedAction},
};
use model::base::{Id, Slug};
use serde_json::{Value, json};

use crate::*;

/// Sets members of an object.
fn with(mut object: Value, more: &Value) -> Value {
    let members = object.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    object
}

/// Returns the description of a manual action, which says why it is one.
fn manual(action: &ProposedAction) -> Option<&str> {
    (!action.is_automated).then_some(&*action.content.description)
}

fn says(conditions: &[FactCondition]) -> Vec<String> {
    conditions
        .iter()
        .map(FactCondition::says)
        .collect()
}

pub(super) fn alert(more: &Value) -> Alert {
    let alert = json!({
        "id": 9, "organizationId": 1, "source": "billing-monitor", "externalId": "x-9",
        "signalType": "usage_batch_stuck", "severity": "error", "status": "open",
        "title": "Usage batch ub_1001 is stuck", "targetSystem": "billing",
        "entities": [{"type": "usage_batch", "id": "ub_1001"}], "labels": {}, "lifecycle": [],
        "occurredAt": "2026-01-15T12:00:00Z", "lastOccurredAt": "2026-01-15T12:00:00Z", "count": 1,
        "createdAt": "2026-01-15T12:00:00Z", "updatedAt": "2026-01-15T12:00:00Z",
    });
    serde_json::from_value(with(alert, more)).unwrap()
}

/// An empty history.
pub(super) fn nothing() -> ClassHistory {
    ClassHistory::none("2026-01-15T12:00:00Z".parse().unwrap())
}

/// Connections of the demo systems, and to Stripe, Lago and Chargebee.
pub(super) fn connections() -> Vec<Connection> {
    let demo = local::target_systems::DemoTargets::start(0, None).unwrap();
    let tenant = Id::new(1).unwrap();
    let now = alert(&json!({})).occurred_at;
    let mut connections = demo.connections();
    connections["stripe"] = json!({
        "kind": "stripe", "baseUrl": "https://api.stripe.com", "secretParameter": "stripe-key",
        "body": "form", "errorCode": "/error/code",
        "allow": [
            "GET /v1/invoices/{id}", "GET /v1/payment_intents/{id}", "POST /v1/invoices/{id}/pay",
        ],
    });
    for (name, put) in billing_systems::connections() {
        connections[name] = put;
    }
    let connection = |(name, put): (&String, &Value)| {
        let put = model::base::input::from_value(put).unwrap();
        Connection::new(tenant, Slug::new(name).unwrap(), put, now)
    };
    let puts = connections.as_object().unwrap().iter();
    puts.map(connection).collect()
}

/// The input of an analysis of such an alert.
pub(super) fn case(more: &Value) -> Case {
    Case {
        alert: alert(more),
        history: nothing(),
        connections: connections(),
        playbooks: PlaybookRecord::default(),
    }
}

/// Answers of target systems by path prefix; 404 for others.
#[derive(Clone, Default)]
struct Answers(Vec<(&'static str, Value)>);

impl Answers {
    fn to(&self, read: &TargetRead) -> Seen {
        let mut answers = self.0.iter();
        let answer = answers.find(|(path, _)| read.path.starts_with(path));
        let answer = answer.map(|(_, body)| (200, body.clone()));
        let (status, mut body) = answer.unwrap_or((404, json!({"code": "not_found"})));
        // A record tells its id, and its customer's messages tell the customer's.
        if body["id"].is_null() {
            body["id"] = json!(read.path.split('/').nth(2));
        }
        let http = (format!("{}.http", read.name), json!(status));
        let mut facts: Facts = [http].into_iter().collect();
        if status == 200 {
            let reading = agent::connection::ReadingOf {
                at: nothing().at,
                kind: SystemKind::Billing,
                amounts: Some(Amounts::Minor),
            };
            facts.extend(read.facts(&body, reading));
        }
        Seen {
            status,
            is_json: true,
            is_too_large: false,
            facts,
            excerpt: Excerpt { status, body },
            hash: "0".repeat(64),
        }
    }
}

/// Proposes for a case with these answers.
fn propose_in(case: &Case, answers: &Answers) -> Proposal {
    let playbooks = Playbooks::shipped().unwrap();
    let mut inquiry = playbooks.inquire(case);
    while inquiry.wanted().count() > 0 {
        let seen = inquiry
            .wanted()
            .map(|wanted| Ok(answers.to(wanted.read)));
        inquiry.answered(seen.collect());
    }
    inquiry.proposal()
}

fn stuck() -> Answers {
    let batch = json!({
        "state": "processing", "events": 48_210, "minutesSinceProgress": 180, "lastError": null,
        "invoiced": false,
    });
    Answers(vec![("/usage-batches/", batch)])
}

fn propose(answers: &Answers, more: &Value) -> Proposal {
    propose_in(&case(more), answers)
}

fn invoice(more: &Value) -> Answers {
    let invoice = json!({
        "id": "inv_1", "customerId": "cus_1", "state": "open", "amountDue": 701_550,
        "amountPaid": 0, "amountCredited": 0, "currency": "usd", "duplicateOf": "inv_0",
        "period": "2026-10", "disputed": false, "readyToBeRefreshed": false, "quantity": 0,
        "meteredQuantity": 0,
        // Of its payments.
        "unsettled": 0, "amountRefunded": 0, "disputes": 0,
        "amountCaptured": more.get("amountPaid").cloned().unwrap_or(json!(0)),
    });
    let other = json!({
        "customerId": "cus_1", "state": "paid", "amountDue": 701_550, "currency": "usd",
        "amountPaid": 701_550, "amountCredited": 0, "disputed": false, "period": "2026-10",
        // Of its payments.
        "unsettled": 0, "amountCaptured": 701_550, "amountRefunded": 0, "disputes": 0,
    });
    let invoice = ("/invoices/", with(invoice, more));
    Answers(vec![("/invoices/inv_0", other), invoice])
}

/// An alert about one record, such as `invoice/inv_1`.
fn about(class: &str, system: &str, record: &str) -> Value {
    let (kind, id) = record.split_once('/').unwrap();
    let entities = [json!({"type": kind, "id": id})];
    json!({"signalType": class, "targetSystem": system, "entities": entities})
}

fn duplicated(at_risk: i64) -> Value {
    json!({
        "signalType": "invoice_duplicated",
        "entities": [{"type": "invoice", "id": "inv_1"}],
        "amountAtRisk": {"minorUnits": at_risk, "currency": "EUR"},
    })
}

fn payment(failure: &str) -> Answers {
    let payment = json!({
        "invoiceId": "inv_1", "customerId": "cus_1", "state": "failed", "failure": failure,
        "attempts": 1, "amount": 23_100, "currency": "usd", "amountCaptured": 0,
        // Of the messages about it.
        "sent": {"payment_failed": 0, "payment_method_needed": 0},
    });
    let invoice = json!({
        "customerId": "cus_1", "state": "open", "amountDue": 23_100, "amountPaid": 0,
        "amountCredited": 0, "currency": "usd", "collectionPaused": false,
        // Of its payments.
        "unsettled": 0, "amountCaptured": 0, "amountRefunded": 0,
    });
    Answers(vec![("/payments/", payment), ("/invoices/", invoice)])
}

fn failed_payment() -> Value {
    json!({
        "signalType": "payment_failed", "targetSystem": "payments",
        "entities": [{"type": "payment", "id": "pay_1"}, {"type": "customer", "id": "cus_1"}],
    })
}

fn declined_payment() -> Value {
    let declined = json!({"labels": {"failure": "card_declined"}});
    with(failed_payment(), &declined)
}

#[test]
fn a_stuck_usage_batch_is_reprocessed() {
    let alert = json!({
        "amountAtRisk": {"minorUnits": 482_100, "currency": "USD"},
        "lifecycle": [{"at": "2026-01-15T09:30:00Z", "state": "processing"}],
    });
    let proposal = propose(&stuck(), &alert);
    assert_eq!(manual(&proposal.actions[0]), None);
    let action = &proposal.actions[0].content;
    assert_eq!(action.action_type, ActionType::ReprocessUsageBatch);
    assert_eq!(action.records, ["usage_batch/ub_1001"]);
    let step = &action.steps[0];
    let verify = action.verify.as_ref().unwrap();
    let call = step.call.as_ref().unwrap();
    let reconcile = &step.reconcile;
    let reconcile = reconcile.as_ref().unwrap();
    let not_done = reconcile.not_done.as_ref().unwrap();
    let stuck_or_failed = "batch.state is `processing` or `failed`";
    for (actual, expected) in [
        (call.summary(), "POST /usage-batches/ub_1001/reprocess"),
        (call.success[0].says(), "/state is `processed`"),
        (verify.effective[0].says(), "batch.state is `processed`"),
        (action.require[0].says(), stuck_or_failed),
        (reconcile.done.says(), "batch.state is `processed`"),
        (not_done.says(), "batch.state is `failed`"),
    ] {
        assert_eq!(actual, expected);
    }
    assert_eq!(verify.within, 3_600_000);
    let reads = action
        .reads
        .iter()
        .map(|read| read.call().summary());
    assert_eq!(reads.collect::<Vec<_>>(), ["GET /usage-batches/ub_1001"]);
    // A manual action has no reads.
    assert_eq!(proposal.actions[1].content.reads, []);
    let analysis = proposal.analysis;
    assert!(analysis.root_cause.contains("ub_1001"));
    for part in ["48210 events", "4,821.00 USD"] {
        assert!(analysis.impact.contains(part), "{}", analysis.impact);
    }
    assert_eq!(analysis.affected_systems, ["billing"]);
    assert!(
        analysis
            .entity_lifecycle_context
            .contains("2 h 30 min")
    );
    let held = analysis
        .evidence
        .iter()
        .map(|finding| (&*finding.id, finding.holds));
    let is = Some(true);
    assert!(held.eq([("not_processed", is), ("stuck", is), ("restarted", None)]));
    assert_eq!(analysis.playbook.unwrap().label(), "usage-batch-stuck#8");
    let [read] = <[_; 1]>::try_from(proposal.reads).unwrap();
    assert_eq!(read.request.as_deref(), Some("GET /usage-batches/ub_1001"));
    assert_eq!((read.status, &read.error), (Some(200), &None));
    assert_eq!(read.facts.0.get("batch.state"), Some(&json!("processing")));
}

#[test]
fn a_cause_that_nothing_read_names_is_suspected() {
    let suspected = "Suspected: The processing of usage batch `ub_1001` was interrupted, and nothing resumed it.";
    let told_cause = "A restart of the billing pipeline interrupted the processing of usage batch `ub_1001`. The \
                 batch has been stuck in state `processing` since.";
    for (error, cause) in [
        (json!(null), suspected),
        (json!("worker_restarted"), told_cause),
    ] {
        let mut answers = stuck();
        answers.0[0].1["lastError"] = error;
        assert_eq!(
            propose(&answers, &json!({}))
                .analysis
                .root_cause,
            cause
        );
    }
}

#[test]
fn what_it_requires_is_so_or_a_person_does_it() {
    let propose_in_state = |state: &Value| {
        let batch = json!({"state": state, "minutesSinceProgress": 180, "invoiced": false});
        propose(&Answers(vec![("/usage-batches/", batch)]), &json!({}))
    };
    let mut processed = propose_in_state(&json!("processed"));
    let action = processed.actions.remove(0);
    assert_eq!(action.content.action_type, ActionType::ManualReview);
    let reason =
        "Does not hold: The batch is not processed. Found instead: batch.state is `processed`.";
    let other = NotApplicable {
        title: "Process the batch again".into(),
        reason: reason.into(),
    };
    assert_eq!(processed.analysis.not_applicable, [other]);
    let unknown = propose_in_state(&json!(null))
        .actions
        .remove(0);
    let why = " A person has to do it, since it needs that batch.state is `processing` or `failed`, \
               which is not known: batch.state is not in the answer.";
    assert!(manual(&unknown).unwrap().ends_with(why), "{unknown:?}");
    // The read returns 404.
    let proposal = propose(&Answers::default(), &json!({}));
    assert!(!proposal.actions[0].is_automated);
    assert_eq!(proposal.reads[0].status, Some(404));
    assert_eq!(proposal.analysis.evidence[0].holds, None);
    assert!(
        proposal
            .analysis
            .impact
            .contains("(unknown batch events)")
    );
    // A failed read is named wherever a conclusion depends on it.
    let unread = "batch could not be read (GET /usage-batches/ub_1001 was answered 404).";
    for text in [
        &proposal.actions[0].content.description,
        &proposal.analysis.root_cause,
        &proposal.analysis.evidence[0].says,
        &proposal.analysis.evidence[1].says,
    ] {
        assert!(text.ends_with(unread), "{text}");
    }
}

#[test]
fn a_read_without_an_answer_is_named() {
    let case = case(&failed_payment());
    let playbooks = Playbooks::shipped().unwrap();
    let mut inquiry = playbooks.inquire(&case);
    let late = "The target system did not answer in time.";
    let unanswered = inquiry
        .wanted()
        .map(|_| Err(late.to_owned()));
    inquiry.answered(unanswered.collect());
    assert_eq!(inquiry.wanted().count(), 0);
    let proposal = inquiry.proposal();
    let errors = proposal
        .reads
        .iter()
        .map(|read| read.error.as_deref());
    let errors: Vec<&str> = errors
        .map(Option::unwrap_or_default)
        .collect();
    assert_eq!(errors[0], late);
    // The others need a fact of it.
    assert_eq!(errors.len(), 4);
    let unsent = |error: &&str| error.starts_with("It was not sent: payment.");
    assert!(errors[1..].iter().all(unsent), "{errors:?}");
    assert!(
        proposal
            .actions
            .iter()
            .all(|action| !action.is_automated)
    );
    assert!(
        proposal
            .analysis
            .root_cause
            .starts_with("Suspected: ")
    );
    assert!(proposal.analysis.confidence.abs() < 1e-12);
}

#[test]
fn the_most_specific_playbook_wins() {
    let usual = propose(&payment("processing_error"), &failed_payment());
    let kind = |proposal: &Proposal| proposal.actions[0].content.action_type;
    assert_eq!(kind(&usual), ActionType::RetryPayment);
    assert_eq!(manual(&usual.actions[0]), None);
    // The system that sends the message is not affected.
    assert_eq!(usual.analysis.affected_systems, ["payments"]);
    let declined = propose(&payment("card_declined"), &declined_payment());
    assert_eq!(kind(&declined), ActionType::NotifyCustomer);
    // Both playbooks share their reads.
    assert_eq!(declined.reads.len(), 4);
}

#[test]
fn what_was_declined_for_good_is_never_tried_again() {
    for failure in [
        "stolen_card",
        "do_not_honor",
        "account_closed",
        "card_declined",
        "D-51",
        "",
    ] {
        // The customer is informed anyway, if the reason is known.
        let told = match failure {
            "" => ActionType::ManualReview,
            _ => ActionType::NotifyCustomer,
        };
        let proposal = propose(&payment(failure), &failed_payment());
        let kinds = proposal
            .actions
            .iter()
            .map(|action| action.content.action_type);
        assert_eq!(kinds.collect::<Vec<_>>(), [told], "{failure}");
    }
    let stolen = propose(&payment("stolen_card"), &failed_payment());
    let cause = stolen.analysis.root_cause;
    assert!(cause.contains("declined with `stolen_card`"), "{cause}");
}

#[test]
fn money_is_what_the_record_says_whatever_the_alarm_does() {
    let actions = propose(&invoice(&json!({})), &duplicated(1)).actions;
    // A credit of 0.00 USD is not offered.
    let [void] = <[_; 1]>::try_from(actions).unwrap();
    let moved = void.content.money.as_ref().unwrap();
    let money = moved.amount.as_ref().unwrap();
    assert_eq!((money.minor_units, &*money.currency), (701_550, "USD"));
    assert_eq!(moved.direction, MoneyDirection::CustomerOwesLess);
    assert_eq!(
        void.content.description,
        "Void invoice `inv_1` (7,015.50 USD). Nothing of it is paid, and it duplicates invoice \
         `inv_0`, which is in state `paid`."
    );
    let approved = says(&void.content.require);
    for pinned in [
        "invoice.due is 701550",
        "invoice.open is 701550",
        "invoice.currency is `USD`",
    ] {
        assert!(
            approved
                .iter()
                .any(|condition| condition == pinned),
            "{approved:?}"
        );
    }
    assert!(void.is_automated);
    for unclear in [
        json!({"currency": "dollars"}),
        json!({"currency": null}),
        json!({"amountDue": 7.5}),
        json!({"amountDue": "701550"}),
        json!({"amountDue": -1}),
    ] {
        let mut draft = invoice(&unclear);
        draft.0[1].1["state"] = json!("draft");
        let mut alert = duplicated(1);
        alert["signalType"] = json!("invoice_not_finalized");
        let refresh = propose(&draft, &alert)
            .actions
            .remove(0);
        let moved = refresh.content.money.as_ref().unwrap();
        assert_eq!(moved.amount, None, "{unclear}");
        let says = manual(&refresh).unwrap();
        assert!(says.contains(" not known"), "{refresh:?}");
    }
}

#[test]
fn an_invoice_is_voided_or_credited_and_never_both() {
    let paid = json!({"state": "paid", "amountPaid": 701_550});
    let credited = json!({"state": "paid", "amountPaid": 5, "amountCredited": 5});
    for (more, automated) in [
        (json!({}), [true, false]),
        (json!({"state": "draft"}), [true, false]),
        (paid.clone(), [false, true]),
        (json!({"state": "open", "amountPaid": 1}), [false, false]),
        (credited, [false, false]),
        (json!({"state": "void"}), [false, false]),
        // Billing names no other invoice.
        (json!({"duplicateOf": null}), [false, false]),
        (with(paid, &json!({"duplicateOf": ""})), [false, false]),
    ] {
        let actions = propose(&invoice(&more), &duplicated(1)).actions;
        let runs = |kind| {
            let mut actions = actions
                .iter()
                .filter(|action| action.is_automated);
            actions.any(|action| action.content.action_type == kind)
        };
        let kinds = [ActionType::VoidInvoice, ActionType::IssueCreditNote];
        assert_eq!(kinds.map(runs), automated, "{more}");
    }
}

#[test]
fn confidence_is_the_share_of_findings_that_hold() {
    let mut case = case(&json!({}));
    case.playbooks.runs = vec![PlaybookRuns {
        organization_id: Id::new(1).unwrap(),
        name: "usage-batch-stuck".into(),
        playbook_version: 8,
        runs: 8,
        effective: 6,
    }];
    // An unknown finding does not hold.
    let analysis = propose_in(&case, &stuck()).analysis;
    assert!((analysis.confidence - 0.67).abs() < 1e-9);
    let says = "2 of 3 findings hold; 6 of 8 runs were effective";
    assert_eq!(analysis.confidence_says, says);
    let answers = Answers(vec![("/usage-batches/", json!({"state": "archived"}))]);
    let says = propose_in(&case, &answers)
        .analysis
        .confidence_says;
    assert!(says.starts_with("0 of 3 findings hold"), "{says}");
}

#[test]
fn what_did_not_help_a_record_is_not_proposed_for_it_again() {
    let mut case = case(&declined_payment());
    let answers = payment("card_declined");
    let chosen = |case: &Case| {
        let analysis = propose_in(case, &answers).analysis;
        (analysis.playbook.unwrap().name, analysis.passed_over)
    };
    assert_eq!(chosen(&case), ("payment-declined".into(), vec![]));
    let first = "payment-declined#9".to_owned();
    // Another version of the playbook is not barred.
    case.playbooks.not_helped = vec!["payment-declined#4".into()];
    assert_eq!(chosen(&case).0, "payment-declined");
    case.playbooks.not_helped = vec![first.clone()];
    let next = chosen(&case);
    assert_eq!(next, ("payment-failed".into(), vec![first.clone()]));
    case.playbooks
        .not_helped
        .push("payment-failed#9".into());
    let (name, passed_over) = chosen(&case);
    assert_eq!((&*name, passed_over.len()), ("fallback", 2));
}

#[test]
fn an_unknown_alert_gets_a_manual_review_and_little_confidence() {
    let unknown = json!({"signalType": "moon_in_the_way", "targetSystem": "sky"});
    let proposal = propose(&Answers::default(), &unknown);
    let [action] = <[_; 1]>::try_from(proposal.actions).unwrap();
    assert_eq!(action.content.action_type, ActionType::ManualReview);
    assert_eq!(action.content.target_system, "sky");
    assert!(!action.is_automated);
    assert!(
        proposal
            .analysis
            .root_cause
            .starts_with("No playbook")
    );
    assert!(proposal.analysis.confidence.abs() < 1e-12);
    assert_eq!(proposal.reads, []);
}

#[test]
fn an_action_that_cannot_run_is_manual_and_says_why() {
    let mut unconnected = case(&json!({}));
    unconnected.connections.clear();
    let proposal = propose_in(&unconnected, &stuck());
    let why = manual(&proposal.actions[0]).unwrap();
    assert!(why.contains("no connection"), "{why}");
    let read = &proposal.reads[0];
    assert_eq!(read.request, None);
    let error = "It was not sent: the alert's system `billing` is no connection.";
    assert_eq!(read.error.as_deref(), Some(error));

    // The alert names no customer: the message goes to the invoice's.
    let mut payment_alone = failed_payment();
    payment_alone["entities"] = json!([{"type": "payment", "id": "pay_1"}]);
    let actions = propose(&payment("processing_error"), &payment_alone).actions;
    assert_eq!((manual(&actions[0]), manual(&actions[1])), (None, None));
    assert_eq!(actions[1].content.customer.as_deref(), Some("cus_1"));
}

#[test]
fn an_action_that_nobody_could_verify_is_manual() {
    let mut case = case(&failed_payment());
    for connection in &mut case.connections {
        let is_read = |call: &str| call.starts_with("GET") && call.ends_with("/messages");
        connection
            .allow
            .retain(|call| !is_read(call));
    }
    let actions = propose_in(&case, &payment("processing_error")).actions;
    let description = manual(&actions[1]).unwrap();
    let why = "GET /payments/pay_1/messages is not allowed";
    assert!(description.contains(why), "{description}");
}

/// A batch that is only slow would be processed twice.
#[test]
fn a_batch_that_makes_progress_is_left_alone() {
    for (minutes, is_automated) in [(0, false), (119, false), (120, true)] {
        let mut answers = stuck();
        answers.0[0].1["minutesSinceProgress"] = json!(minutes);
        let action = propose(&answers, &json!({}))
            .actions
            .remove(0);
        assert_eq!(action.is_automated, is_automated, "{minutes}");
    }
}

#[test]
fn each_open_alert_of_the_demo_has_a_playbook() {
    let demo = local::demo_data::DemoData::shipped().unwrap();
    let playbooks = Playbooks::shipped().unwrap();
    for alert in demo.open_alerts() {
        let case = case(&json!(alert));
        let (matching, _) = playbooks.for_case(&case);
        assert!(!matching.is_empty(), "{}", alert["signalType"]);
    }
}
