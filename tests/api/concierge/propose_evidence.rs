//! `POST /api/concierge/agent-sessions/{id}/propose`: what a proposal goes by.

use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionKey, Outcome},
        check::Observation,
        session::ProposedAction,
        transition::Claim,
    },
    model::base::{Id, span},
};
use tests::support::{CASES, Concierge, begins, check_of, says, shows, snapshot};

/// Returns a session with the proposal for an alert about these records.
async fn analysed(world: &Concierge, class: &str, entities: &[(&str, &str)]) -> Value {
    let id = world
        .opened(&world.alert(class, entities).await)
        .await;
    world.proposed(&id).await;
    world.session(&id).await
}

#[tokio::test]
async fn an_analysis_keeps_its_reads_and_findings() {
    let world = Concierge::start().await;
    world
        .connects("billing", json!({"keep": ["events"]}))
        .await;
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    snapshot!([&session["reads"], &session["analysis"]]);
    // Nothing else of the answer is kept.
    assert!(!session.to_string().contains("cus_501"), "{session}");
}

/// Counts the findings that hold again.
#[track_caller]
fn counted(analysis: &Value) {
    let evidence = analysis["evidence"].as_array().unwrap();
    let holding = evidence
        .iter()
        .filter(|finding| finding["holds"] == true)
        .count();
    let begin = format!("{holding} of {} findings hold; ", evidence.len());
    begins(&analysis["confidenceSays"], &begin);
}

/// For every playbook, the demo's systems have records with a proposal.
#[tokio::test]
async fn every_playbook_finds_a_cause_in_the_demo_and_acts() {
    let world = Concierge::start().await;
    let agent = world.api.store.agent();
    let mut reconciled = 0;
    for case in CASES {
        let name = case.playbook;
        let alert = world
            .alert_of(world.api.home.id, case)
            .await;
        let id = world.opened(&alert).await;
        world.proposed(&id).await;
        let session = world.session(&id).await;
        let analysis = &session["analysis"];
        assert_eq!(analysis["playbook"]["name"], name);
        let cause = analysis["rootCause"].as_str().unwrap();
        assert!(!cause.contains("Suspected"), "{name}: {cause}");
        assert!(!cause.contains("(unknown"), "{name}: {cause}");
        let confidence = analysis["confidence"].as_f64().unwrap();
        assert!(confidence > 0.6, "{name}: {analysis}");
        counted(analysis);
        let actions = session["proposedActions"]
            .as_array()
            .unwrap();
        let automated = |action: &Value| action["isAutomated"] == true;
        let are_automated: Vec<bool> = actions.iter().map(automated).collect();
        assert_eq!(are_automated, case.automated, "{name}: {actions:#?}");
        for text in actions
            .iter()
            .map(|action| action["description"].to_string())
        {
            for never in [
                "which is not so",
                " 0.00",
                "(0.00",
                "(unknown",
                "an unknown amount",
            ] {
                assert!(!text.contains(never), "{name}: {text}");
            }
        }
        let ids = actions
            .iter()
            .filter(|action| automated(action));
        let ids: Vec<&str> = ids
            .map(|action| action["id"].as_str().unwrap())
            .collect();
        let whole = agent.get(world.api.home.id, Id::new(id.as_i64().unwrap()).unwrap());
        let proposed = whole
            .await
            .unwrap()
            .session
            .plan
            .proposed_actions
            .clone();
        let proposed: Vec<&ProposedAction> = proposed
            .iter()
            .filter(|action| action.is_automated)
            .collect();
        let before = world.demo.effects().len();
        let checks = looks(&world, &proposed).await;
        for (says, done, not_done) in &checks {
            assert_eq!(*done, Some(false), "{name}: {says}");
            // A batch that is processed may be at work still.
            let may_be_done = *not_done == Some(false) && name == "usage-batch-stuck";
            assert!(may_be_done || *not_done != Some(false), "{name}: {says}");
        }
        world
            .executes(&id, &ids)
            .await
            .expect(202);
        for _ in 0..4 {
            world.delivers(&world.worker()).await;
            world
                .api
                .clock
                .advance(2 * span::MINUTE);
            world.sweeper().sweep().await;
        }
        let ended = world.session(&id).await;
        assert_eq!(ended["status"], "completed", "{name}: {ended:#}");
        let results = ended["executionResults"]
            .as_array()
            .unwrap()
            .iter();
        // A message that a payment failed is not needed once the payment succeeded.
        let is_needless = |result: &&Value| {
            let error = result["error"]
                .as_str()
                .unwrap_or_default();
            error.starts_with("not_needed: ")
        };
        let needed: Vec<&Value> = results
            .filter(|result| !is_needless(result))
            .collect();
        assert!(needed.len() + 1 >= ids.len(), "{name}");
        let holds = world.demo.effects().len() >= before + needed.len();
        assert!(holds, "{name}");
        for result in needed {
            let effect = check_of(result, "effect");
            assert_eq!(effect["status"], "done", "{name}: {result}");
        }
        for (says, done, not_done) in looks(&world, &proposed).await {
            assert_eq!(done, Some(true), "{name}: {says}");
            assert_ne!(not_done, Some(true), "{name}: {says}");
        }
        reconciled += checks.len();
    }
    // All but the messages, which nothing tells from earlier ones.
    assert_eq!(reconciled, 14);
}

/// Reads of the demo's systems that reconcile calls, and their facts now.
async fn looks(
    world: &Concierge,
    actions: &[&ProposedAction],
) -> Vec<(String, Option<bool>, Option<bool>)> {
    let mut looks = Vec::new();
    for action in actions {
        let facts = world.sees(&action.content.reads).await;
        let reconciliations = action
            .content
            .steps
            .iter()
            .filter_map(|step| step.reconcile.as_ref());
        looks.extend(reconciliations.map(|reconcile| {
            let not_done = reconcile
                .not_done
                .as_ref()
                .map(|condition| condition.holds(&facts) == Some(true));
            (
                reconcile.done.says(),
                reconcile.done.holds(&facts),
                not_done,
            )
        }));
    }
    looks
}

#[tokio::test]
async fn a_target_that_is_away_leaves_an_analysis_of_what_is_suspected() {
    let world = Concierge::start().await;
    let away = json!({"baseUrl": "http://127.0.0.1:9/nobody"});
    world.connects("billing", away).await;
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    assert_eq!(session["status"], "awaiting_confirmation");
    let actions = &session["proposedActions"];
    snapshot!([&session["reads"], &session["analysis"], actions]);
}

#[tokio::test]
async fn a_pause_does_not_keep_anybody_from_looking() {
    let world = Concierge::start().await;
    let pause = "/api/concierge/connections/billing/pause";
    world
        .api
        .sign_in("ada")
        .await
        .triggers(pause)
        .await;
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    shows!(session, {"/reads/0/status": 200, "/proposedActions/0/isAutomated": true});
}

/// Ends an action on a batch in that state, and lets its checks pass.
async fn ends(world: &Concierge, (id, action): &(Value, String), state: &str) {
    let agent = world.api.store.agent();
    let home = world.api.home.id;
    let session = shared::model::base::Id::new(id.as_i64().unwrap()).unwrap();
    let key = ActionKey::new(home, session, &**action);
    let Claim::Held(held) = agent
        .claim(&key, span::MINUTE)
        .await
        .unwrap()
    else {
        panic!("{action} is not there to be run");
    };
    let done = Outcome::succeeded(None);
    assert!(
        agent
            .record(&held.action, &done)
            .await
            .unwrap()
    );
    let facts = [("batch.http", json!(200)), ("batch.state", json!(state))];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    let mut observation = Observation::default();
    observation.facts.extend(facts);
    world.api.clock.advance(span::HOUR);
    let awaited = agent.due_check(&key).await.unwrap();
    let checked = agent
        .write_check(awaited.unwrap(), &observation)
        .await;
    assert!(
        !checked
            .unwrap()
            .unwrap()
            .0
            .awaits_check()
    );
}

#[tokio::test]
async fn outcomes_are_told_and_withhold_actions_that_did_not_help() {
    let world = Concierge::start().await;
    ends(&world, &world.approved_batch().await, "processed").await;
    let other = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1002")]).await;
    let action = other["proposedActions"][0]["id"]
        .as_str()
        .unwrap();
    world
        .executes(&other["id"], &[action])
        .await
        .expect(202);
    ends(&world, &(other["id"].clone(), action.to_owned()), "failed").await;
    // Of another record the same is proposed, by what became of it.
    let third = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    says(
        &third["analysis"]["confidenceSays"],
        "; 1 of 2 runs were effective",
    );
    counted(&third["analysis"]);
    assert_eq!(third["analysis"]["passedOver"], json!([]));
    // Of the one that it did not help it is not.
    let same = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1002")]).await;
    let analysis = &same["analysis"];
    assert_eq!(analysis["playbook"]["name"], "fallback");
    let playbook = &other["analysis"]["playbook"];
    let label = format!(
        "{}#{}",
        playbook["name"].as_str().unwrap(),
        playbook["version"]
    );
    assert_eq!(analysis["passedOver"], json!([label]));
    // Another organization's books say nothing of it.
    let home = world.api.home.id;
    for (kind, count) in [("playbook_runs", 1), ("last_outcome", 2)] {
        let items = world.api.items_of(kind).await;
        assert_eq!(items.len(), count, "{kind}");
        let organization = items[0]["organizationId"]
            .as_n()
            .unwrap();
        assert_eq!(*organization, home.to_string());
    }
    // A day later it is proposed again.
    for _ in 0..5 {
        world.api.clock.advance(5 * span::HOUR);
        world.session(&other["id"]).await;
    }
    let later = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1002")]).await;
    assert_eq!(later["analysis"]["passedOver"], json!([]));
}
