//! `POST /api/concierge/agent-sessions/{id}/execute`

use serde_json::json;
use tests::support::{
    AgentSettings, Concierge, Settings, begins, comes, posts, refused, shows, statuses,
};

#[tokio::test]
async fn approved_actions_are_queued_and_answered_202_until_they_end() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let body = world
        .executes(&id, &[&action])
        .await
        .expect(202);
    shows!(body, {"results": [], "/session/status": "executing"});
    assert_eq!(world.takes_messages().await, [world.message(&id, &action)]);
}

#[tokio::test]
async fn the_answer_waits_for_the_results() {
    let (world, [max]) = Concierge::signed_in(["max"]).await;
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    let patient = max.with_header("prefer", "wait=20");
    let path = format!("/api/concierge/agent-sessions/{id}/execute");
    let worker = world.worker();
    let works = async {
        while world.demo.effects().is_empty() {
            world.delivers(&worker).await;
        }
    };
    let works = comes("the effect", works);
    let (answer, ()) = futures::join!(patient.post(&path, json!({"actionIds": [action]})), works);
    let body = answer.expect(200);
    shows!(body, {"/results/0/success": true, "/session/status": "completed"});
    assert_eq!(body["results"], body["session"]["executionResults"]);
}

/// Two sessions of an organization whose plan lets one call wait in ten seconds. No worker runs.
#[tokio::test]
async fn an_organization_has_few_calls_that_wait_at_a_time() {
    let world = Concierge::start_in(Settings {
        units_per_second: Some(199),
        ..Settings::default()
    })
    .await;
    let patient = world.api.sign_in("max").await;
    let patient = patient.with_header("prefer", "wait=1");
    let requests = async || {
        let id = world.stuck_batch().await;
        let action = world.proposed(&id).await.remove(0);
        world.api.counter.take();
        posts!(patient, "/api/concierge/agent-sessions/{id}/execute", {"actionIds": [action]});
        world.api.counter.take().total
    };
    let waiting = requests().await;
    let at_once = requests().await;
    assert!(at_once < waiting, "{at_once} {waiting}");
    world.api.clock.advance(10_000);
    assert!(requests().await > at_once);
}

#[tokio::test]
async fn an_unknown_or_manual_action_is_named_and_nothing_runs() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let actions = world.proposed(&id).await;
    let before = world.api.table_dump().await;
    let list = [&*actions[0], "s1-p2-a1", &*actions[1], "nonsense"];
    world
        .executes(&id, &list)
        .await
        .expect_faults(&[
            ("/actionIds/1", "unknown"),
            ("/actionIds/2", "manual"),
            ("/actionIds/3", "unknown"),
        ]);
    assert_eq!(world.api.table_dump().await, before);
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
}

#[tokio::test]
async fn the_same_list_again_runs_nothing_twice() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let a = actions[0].as_str();
    let b = actions[1].as_str();
    world
        .executes(&id, &[a, b])
        .await
        .expect(202);
    // In any order, and with repeats.
    world
        .executes(&id, &[b, a, b])
        .await
        .expect(202);
    assert_eq!(world.takes_messages().await.len(), 2);
    refused!(world.executes(&id, &[a]).await => 409, "other_actions_approved");

    world.sends(&id, &[a, b]).await;
    // The message to the customer waits for the payment, which succeeds.
    world.delivers(&world.worker()).await;
    world.delivers(&world.worker()).await;
    let first = world
        .executes(&id, &[a, b])
        .await
        .expect(200);
    assert_eq!(first["session"]["status"], "completed");
    assert_eq!(
        first["results"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        world
            .executes(&id, &[b, a])
            .await
            .expect(200),
        first
    );
    refused!(world.executes(&id, &[a]).await => 409, "other_actions_approved");
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
    assert_eq!(world.demo.effects().len(), 1);
    begins(&first["results"][1]["error"], "not_needed: ");
}

#[tokio::test]
async fn lists_approved_at_once_are_approved_once() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let lists = world.proposed(&id).await;
    let lists: Vec<_> = lists
        .iter()
        .map(|action| [action.as_str()])
        .collect();
    let answers = lists
        .iter()
        .map(|list| world.executes(&id, list));
    let answers = futures::future::join_all(answers).await;
    assert_eq!(statuses(&answers), [202, 409]);
    assert_eq!(world.takes_messages().await.len(), 1);
}

#[tokio::test]
async fn with_the_queue_down_nothing_is_lost() {
    let world = Concierge::start_with(AgentSettings {
        // Nobody listens on this port.
        sqs_url: Some("http://127.0.0.1:9".to_owned()),
        ..AgentSettings::default()
    })
    .await;
    let (id, action) = world.approved_batch().await;
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
    // Not before the grace is over.
    assert_eq!(world.sweeper().sweep().await.resent, 0);
    world.api.clock.advance(120_000);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    let message = world.message(&id, &action);
    assert_eq!(world.takes_messages().await, [message.as_str()]);
    world.runs(&id, &action).await;
    world.is_completed(&id, 1).await;
}
