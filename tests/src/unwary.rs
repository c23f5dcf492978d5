//! Analyses for tests of execution: they propose what the playbooks do as if all preconditions
//! held, without checks.

use std::sync::Arc;

use playbooks::Playbooks;
use resolution_agent::Analyse;
use serde_json::{Value, json};
use shared::agent::{
    action::ActionType,
    check::{Facts, Seen},
    connection::Excerpt,
    session::{Case, Proposal, ProposedAction},
};

/// An analysis that proposes every callable action, without preconditions or verifications.
#[must_use]
pub fn analyse() -> Analyse {
    let playbooks = Playbooks::shipped().unwrap();
    Arc::new(move |case| {
        let proposed = proposal(&playbooks, case);
        Box::pin(async { Ok(proposed) })
    })
}

/// Proposes for one alert. It sees records that everything could be done to.
#[must_use]
pub fn proposal(playbooks: &Playbooks, case: &Case) -> Proposal {
    let mut inquiry = playbooks.inquire(case);
    while inquiry.wanted().count() > 0 {
        let seen = inquiry.wanted().map(|wanted| {
            let facts: Facts = wanted.read.facts(
                &record(&wanted.read.path),
                wanted
                    .connection
                    .reading(case.history.at),
            );
            Ok(Seen {
                status: 200,
                is_json: true,
                is_too_large: false,
                facts,
                excerpt: Excerpt {
                    status: 200,
                    body: Value::Null,
                },
                hash: String::new(),
            })
        });
        inquiry.answered(seen.collect());
    }
    let mut proposal = inquiry.proposal();
    proposal.reads.clear();
    proposal.excerpts.clear();
    proposal.resolved_when = None;
    proposal
        .actions
        .iter_mut()
        .for_each(forget);
    proposal
}

fn forget(action: &mut ProposedAction) {
    action.unless.clear();
    // A message waits for no retry.
    if action.content.action_type == ActionType::NotifyCustomer {
        let ids = action.content.entity_ids();
        action.content.records = ids
            .iter()
            .map(|id| format!("message/{id}"))
            .collect();
    }
    action.is_automated = action
        .content
        .steps
        .iter()
        .all(|step| step.call.is_some());
    action.content.reads.clear();
    action.content.require.clear();
    action.content.verify = None;
    action.content.attempts = None;
    for step in &mut action.content.steps {
        step.reconcile = None;
    }
}

/// A record without any known fact against an action. Of an invoice, one cent is paid.
fn record(path: &str) -> Value {
    let id = path
        .split('/')
        .nth(2)
        .unwrap_or_default();
    let other = format!("of-{id}");
    // The invoice of a payment is not paid.
    let payment = id.strip_prefix("of-");
    let customer = payment.map(|payment| match payment.strip_prefix("pay_") {
        Some(number) if number.starts_with("300") => "cus_501".to_owned(),
        Some(number) => format!("cus_{number}"),
        None => "cus_501".to_owned(),
    });
    json!({
        "id": id, "invoiceId": other, "duplicateOf": other, "customerId": customer,
        "amountDue": 1, "amountPaid": i32::from(payment.is_none()), "amountCredited": 0,
        "currency": "usd",
        "amount": 1, "failure": "processing_error", "events": 1, "missingUsageEvents": 1,
        "minutesSinceProgress": 600,
        "syncState": "out_of_sync",
    })
}
