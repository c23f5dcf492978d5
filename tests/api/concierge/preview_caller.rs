//! `POST /api/concierge/agent-sessions/{id}/preview`, and who asks for it: whether their approval
//! would be taken, and what is sent on their behalf.

use serde_json::{Value, json};
use shared::{model::base::span, store::people::PlanChange};
use tests::support::{Caller, Concierge, says, shows};

use super::preview::{carefully, previews};

/// Returns the reason why the caller may not approve an action, or null.
async fn why_not(caller: &Caller, session: &Value, action: &str) -> Value {
    let policy = &previews(caller, session, &[action])
        .await
        .expect(200)["actions"][0]["policy"];
    assert_eq!(policy["mayApprove"], policy["whyNot"].is_null());
    policy["whyNot"].clone()
}

#[tokio::test]
async fn a_preview_names_why_an_action_would_not_be_executed() {
    let world = Concierge::start_unwary().await;
    let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
    let alert = world
        .alert("payment_failed", &entities)
        .await;
    let id = world.opened(&alert).await;
    let ids = world.proposed(&id).await;
    assert_eq!(why_not(&world.max, &id, &ids[1]).await, Value::Null);
    // While it runs, and after it failed: then it may be executed again, until another session was
    // opened.
    world
        .executes(&id, &[&ids[1]])
        .await
        .expect(202);
    let running = "Actions cannot be executed while the session is executing.";
    assert_eq!(why_not(&world.max, &id, &ids[1]).await, running);
    world.refuses("notifications", 404);
    world.runs(&id, &ids[1]).await;
    assert_eq!(world.outcome(&id).await.0, "failed");
    assert_eq!(why_not(&world.max, &id, &ids[1]).await, Value::Null);
    assert_eq!(why_not(&world.max, &id, &ids[0]).await, Value::Null);
    let other = world.opened(&alert).await;
    let other_ids = world.proposed(&other).await;
    let late = why_not(&world.max, &id, &ids[1]).await;
    says(&late, "Another session");
    let again = world
        .executes_again(&id, &[&ids[1]])
        .await;
    let problem = again.expect_problem(409, "session_superseded");
    assert_eq!(problem["detail"], late);
    // Cancelled, and expired.
    world.cancels(&other).await.expect(200);
    let cancelled = "Actions cannot be executed while the session is cancelled.";
    assert_eq!(why_not(&world.max, &other, &other_ids[1]).await, cancelled);
    let (last, action) = world.manual_review().await;
    let manual = why_not(&world.max, &last, &action).await;
    says(&manual, "manual");
    let id = world.failed_payment().await;
    let ids = world.proposed(&id).await;
    world.api.clock.advance(24 * 3_600_000);
    let expired = why_not(&world.max_again().await, &id, &ids[0]).await;
    says(&expired, "expired");
    assert_ne!(
        world
            .executes(&id, &[&ids[0]])
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_viewer_may_preview_and_not_approve() {
    let (world, id, ids) = carefully().await;
    let user = world.api.user("max").await;
    let more = json!({"permissions": ["view_agent_remediation"]});
    let script = world.api.token_of(&user, more).await;
    let policy = &previews(&script, &id, &ids)
        .await
        .expect(200)["actions"][0]["policy"];
    shows!(policy, {"whyNot": "This operation needs the permission execute_agent_remediation."});
}

#[tokio::test]
async fn without_the_plan_no_action_can_be_approved() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let ids = world.proposed(&id).await;
    let home = world.api.home.id;
    let store = world.store_beside().await;
    let directory = store.directory();
    let plan = PlanChange {
        features: Some(Vec::new()),
        ..PlanChange::default()
    };
    directory
        .change_plan(home, plan)
        .await
        .unwrap();
    // Instances keep the plan for five seconds.
    world
        .api
        .clock
        .advance(5 * span::SECOND);
    let why = "The plan of your organization does not include agentAI.";
    assert_eq!(why_not(&world.max, &id, &ids[0]).await, why);
}
