//! An engine for tests of execution: it proposes what the playbooks do as if all preconditions
//! held, without checks.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use resolution_agent::{Engine, EngineError, Eyes, PlaybookEngine};
use serde_json::{Value, json};
use shared::{
    agent::{Case, Connection, Facts, Proposal, ProposedAction, TargetRead},
    model::JsonText,
};
use targets::Seen;

/// Proposes every action that could be called, without preconditions or verifications.
#[derive(Debug)]
pub struct Unwary(PlaybookEngine);

impl Default for Unwary {
    fn default() -> Self {
        Self(PlaybookEngine::new(Arc::new(Wishful)).unwrap())
    }
}

impl Engine for Unwary {
    fn analyse<'a>(&'a self, case: &'a Case) -> BoxFuture<'a, Result<Proposal, EngineError>> {
        Box::pin(async {
            let mut proposal = self.0.analyse(case).await?;
            proposal.reads.clear();
            proposal.actions.iter_mut().for_each(forget);
            Ok(proposal)
        })
    }
}

fn forget(action: &mut ProposedAction) {
    action.is_automated = action.steps.iter().all(|step| step.call.is_some());
    action.reads.clear();
    action.require.clear();
    action.verify = None;
    for step in &mut action.steps {
        step.reconcile = None;
    }
}

/// Sees records that everything could be done to. Of an invoice, one cent is paid.
#[derive(Debug)]
struct Wishful;

impl Eyes for Wishful {
    fn look<'a>(
        &'a self,
        _: &'a Connection,
        read: &'a TargetRead,
        _: Duration,
    ) -> BoxFuture<'a, Result<Seen, String>> {
        let facts: Facts = read.facts(&record());
        Box::pin(async {
            Ok(Seen {
                status: 200,
                is_json: true,
                facts,
                excerpt: JsonText::default(),
                hash: String::new(),
            })
        })
    }
}

fn record() -> Value {
    json!({
        "state": "open", "amountDue": 1, "amountPaid": 1, "amountCredited": 0, "currency": "usd",
        "amount": 1, "failure": "processing_error", "events": 1, "missingUsageEvents": 1,
        "syncState": "out_of_sync",
    })
}
