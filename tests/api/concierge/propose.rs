//! `POST /api/concierge/agent-sessions/{id}/propose`

use std::sync::Arc;

use resolution_agent::{Engine, EngineError};
use serde_json::json;
use shared::model::{Proposal, Signal};

use crate::{
    budgets::within,
    support::{AgentSettings, Concierge},
};

#[tokio::test]
async fn a_stuck_batch_gets_an_analysis_and_actions() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    let operation = "POST /api/concierge/agent-sessions/{id}/propose";
    let body = within(&world.api, operation, 200, &sue.trigger(&path).await);
    let session = &body["session"];
    let mut fields: Vec<_> = session.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(
        fields,
        ["alertId", "analysis", "id", "proposedActions", "status"]
    );
    assert_eq!(session["status"], "awaiting_confirmation");
    let analysis = &session["analysis"];
    assert_eq!(analysis["isAnomalyPattern"], false);
    assert_eq!(analysis["affectedSystems"], json!(["billing"]));
    assert_eq!(analysis.as_object().unwrap().len(), 7);
    assert_eq!(
        session["proposedActions"][0],
        json!({
            "id": "s1-p1-a1", "actionType": "reprocess_usage_batch",
            "description": "Have usage batch ub_1001 processed again.",
            "isAutomated": true, "targetSystem": "billing", "targetEntities": ["ub_1001"],
            "expectedOutcome": "Usage batch ub_1001 is processed and its usage can be invoiced.",
            "risk": "low",
            "steps": [{
                "order": 1, "description": "Process the batch again",
                "apiCall": "POST /usage-batches/ub_1001/reprocess",
            }],
            "excludes": [], "after": [],
        })
    );
    assert_eq!(session["proposedActions"][1]["isAutomated"], false);
    assert_eq!(session["proposedActions"][1]["steps"][0]["apiCall"], "");
    let read = world.session(&id).await;
    assert_eq!(read["analysis"], session["analysis"]);
    assert_eq!(read["proposedActions"], session["proposedActions"]);
}

#[tokio::test]
async fn many_signals_of_a_class_are_a_pattern() {
    let world = Concierge::start().await;
    for batch in ["ub_1", "ub_2", "ub_3"] {
        world
            .signal("usage_batch_stuck", &[("usage_batch", batch)])
            .await;
        world.api.clock.advance(60_000);
    }
    // Neither another class nor another organization counts.
    world.signal("payment_failed", &[]).await;
    world
        .signal_of(world.api.abroad.id, "usage_batch_stuck", &[])
        .await;
    let id = world.stuck_batch().await;
    world.proposed(&id).await;
    let analysis = &world.session(&id).await["analysis"];
    assert_eq!(analysis["isAnomalyPattern"], true);
    let text = analysis["patternDescription"].as_str().unwrap();
    assert!(text.contains("4 in the last 24 hours"), "{text}");
}

#[tokio::test]
async fn a_new_proposal_gives_out_new_ids() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let first = world.proposed(&id).await;
    let second = world.proposed(&id).await;
    assert!(first.iter().all(|id| !second.contains(id)));
    let answer = world.executes(&id, &[&first[0]]).await;
    answer.expect_problem(409, "proposal_superseded");
    world.executes(&id, &[&second[0]]).await.expect(202);
}

#[tokio::test]
async fn nothing_is_proposed_once_actions_run_or_the_session_ended() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    world
        .max
        .trigger(&path)
        .await
        .expect_problem(409, "invalid_transition");
    world.cancels(&id).await.expect(200);
    world
        .max
        .trigger(&path)
        .await
        .expect_problem(409, "invalid_transition");
    let expired = world.failed_payment().await;
    world.proposed(&expired).await;
    world.api.clock.advance(24 * 3_600_000);
    let max = world.api.sign_in("max").await;
    let path = format!("/api/concierge/agent-sessions/{expired}/propose");
    max.trigger(&path)
        .await
        .expect_problem(409, "invalid_transition");
}

struct Broken;

impl Engine for Broken {
    fn analyse<'a>(
        &'a self,
        _: &'a Signal,
        _: &'a [Signal],
    ) -> futures::future::BoxFuture<'a, Result<Proposal, EngineError>> {
        Box::pin(async { Err(EngineError("the model is out for lunch".into())) })
    }
}

#[tokio::test]
async fn an_engine_that_fails_ends_the_session() {
    let world = Concierge::start_with(AgentSettings {
        engine: Some(Arc::new(Broken)),
        ..AgentSettings::default()
    })
    .await;
    let id = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    let answer = world.max.trigger(&path).await;
    answer.expect_problem(500, "internal_error");
    assert!(!answer.text.contains("lunch"));
    let session = world.session(&id).await;
    assert_eq!(session["status"], "failed");
    let error = session["error"].as_str().unwrap();
    assert!(!error.is_empty() && !error.contains("lunch"));
    world
        .max
        .trigger(&path)
        .await
        .expect_problem(409, "invalid_transition");
    let answer = world.cancels(&id).await;
    answer.expect_problem(409, "invalid_transition");
}

#[tokio::test]
async fn it_needs_the_permission() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{id}/propose");
    for name in ["vic", "mia"] {
        let answer = world.api.sign_in(name).await.trigger(&path).await;
        answer.expect_problem(403, "permission_denied");
    }
    assert_eq!(world.session(&id).await["status"], "started");
}
