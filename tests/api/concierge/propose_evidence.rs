//! `POST /api/concierge/agent-sessions/{id}/propose`: what a proposal goes by.

use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::model::{Claim, Outcome, Sight, SignalEntity, span};

use crate::support::Concierge;

/// What a session says once actions were proposed for a signal about these records.
async fn analysed(world: &Concierge, class: &str, entities: &[(&str, &str)]) -> Value {
    let id = world.opened(&world.signal(class, entities).await).await;
    world.proposed(&id).await;
    world.session(&id).await
}

#[tokio::test]
async fn what_was_read_is_kept_and_what_follows_from_it() {
    let world = Concierge::start().await;
    world
        .connects("billing", json!({"private": ["customerId"]}))
        .await;
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    let at = world.api.clock.now();
    let read = &session["reads"][0];
    assert_eq!(session["reads"].as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &read["name"],
            &read["connection"],
            &read["request"],
            &read["status"]
        ),
        (
            &json!("batch"),
            &json!("billing"),
            &json!("GET /usage-batches/ub_1001"),
            &json!(200)
        )
    );
    assert_eq!((&read["error"], &read["at"]), (&json!(null), &json!(at)));
    assert_eq!(
        read["facts"],
        json!({
            "batch.http": 200, "batch.state": "processing", "batch.events": 48_210,
            "batch.last_error": "worker_restarted",
        })
    );
    assert_eq!(read["hash"].as_str().unwrap().len(), 64);
    assert_eq!(read["excerpt"]["body"]["events"], 48_210);
    // What the connection calls private is kept nowhere.
    assert!(!session.to_string().contains("cus_501"), "{session}");
    let analysis = &session["analysis"];
    assert_eq!(
        analysis["evidence"],
        json!([
            {
                "id": "not_processed", "says": "Usage batch ub_1001 is not processed.",
                "holds": true, "at": at,
            },
            {
                "id": "restarted", "holds": true, "at": at,
                "says": "A restart of the pipeline ended the processing of batch ub_1001.",
            },
        ])
    );
    let cause = analysis["rootCause"].as_str().unwrap();
    assert!(
        cause.starts_with("A restart of the billing pipeline"),
        "{cause}"
    );
    assert_eq!(analysis["cites"], json!(["not_processed", "restarted"]));
    assert_eq!(analysis["playbook"]["name"], "usage-batch-stuck");
    multiplied(analysis);
}

/// Multiplies a confidence again.
#[track_caller]
fn multiplied(analysis: &Value) {
    let from = &analysis["confidenceFrom"];
    let number = |value: &Value| value.as_f64().unwrap();
    let prior = (number(&from["effective"]) + 1.0) / (number(&from["runs"]) + 2.0);
    assert!((number(&from["prior"]) - prior).abs() < 1e-12, "{from}");
    let findings = from["findings"].as_array().unwrap().iter();
    let weights: f64 = findings.map(|one| number(&one["weight"])).product();
    let odds = prior / (1.0 - prior) * weights;
    let confidence = number(&analysis["confidence"]);
    assert!(
        (confidence - odds / (1.0 + odds)).abs() < 1e-9,
        "{confidence} {from}"
    );
}

/// For every playbook there are records in the demo's systems of which it knows what to do.
#[tokio::test]
async fn every_playbook_finds_a_cause_in_the_demo_and_acts() {
    let world = Concierge::start().await;
    for (class, entities, automated) in [
        (
            "usage_batch_stuck",
            &[("usage_batch", "ub_1001")][..],
            &[true, false][..],
        ),
        ("usage_events_missing", &[("customer", "cus_501")], &[true]),
        ("customer_out_of_sync", &[("customer", "cus_504")], &[true]),
        (
            "invoice_duplicated",
            &[("invoice", "inv_2008")],
            &[true, false],
        ),
        (
            "invoice_duplicated",
            &[("invoice", "inv_2010")],
            &[false, true],
        ),
        ("invoice_not_finalized", &[("invoice", "inv_2002")], &[true]),
        (
            "payment_failed",
            &[("payment", "pay_3002"), ("customer", "cus_503")],
            &[true, true],
        ),
        (
            "payment_outcome_unknown",
            &[("payment", "pay_3007")],
            &[true, false],
        ),
        (
            "usage_counted_twice",
            &[("usage_batch", "ub_1009")],
            &[true, false],
        ),
        (
            "invoice_quantity_differs",
            &[("invoice", "inv_2012")],
            &[true, false],
        ),
        (
            "invoice_generation_failed",
            &[("customer", "cus_506")],
            &[true, false],
        ),
        (
            "webhooks_failing",
            &[("webhook_endpoint", "we_5001")],
            &[true, false],
        ),
        (
            "dispute_opened",
            &[("dispute", "dp_4001"), ("invoice", "inv_2014")],
            &[true, false],
        ),
    ] {
        let session = analysed(&world, class, entities).await;
        let analysis = &session["analysis"];
        let cause = analysis["rootCause"].as_str().unwrap();
        assert!(!cause.contains("Suspected"), "{class}: {cause}");
        assert!(!cause.contains("(unknown"), "{class}: {cause}");
        let name = class.replace('_', "-");
        assert_eq!(analysis["playbook"]["name"], name.as_str());
        assert!(
            analysis["confidence"].as_f64().unwrap() > 0.6,
            "{class}: {analysis}"
        );
        multiplied(analysis);
        let actions = session["proposedActions"].as_array().unwrap();
        let found: Vec<bool> = actions
            .iter()
            .map(|one| one["isAutomated"] == true)
            .collect();
        assert_eq!(found, automated, "{class}: {actions:#?}");
        let ids: Vec<&str> = actions
            .iter()
            .filter(|one| one["isAutomated"] == true)
            .map(|one| one["id"].as_str().unwrap())
            .collect();
        let before = world.demo.effects().len();
        world.executes(&session["id"], &ids).await.expect(202);
        world.delivers(&world.worker()).await;
        assert_eq!(
            world.outcome(&session["id"]).await.0,
            "completed",
            "{class}"
        );
        assert!(world.demo.effects().len() > before, "{class}");
    }
}

#[tokio::test]
async fn amounts_are_the_records_though_the_alarm_says_otherwise() {
    let world = Concierge::start().await;
    let mut signal = tests::records::signal("invoice_duplicated", world.api.clock.now());
    signal.entities = vec![SignalEntity {
        kind: "invoice".to_owned(),
        id: "inv_2010".to_owned(),
    }];
    signal.amount_at_risk = Some(shared::model::Money {
        minor_units: 99_999_900,
        currency: "EUR".to_owned(),
    });
    let signals = world.api.store.signals();
    let signal = signals.record(world.api.home.id, signal).await.unwrap();
    let id = world.opened(&signal).await;
    world.proposed(&id).await;
    let session = world.session(&id).await;
    let credit = &session["proposedActions"][1];
    assert_eq!(
        credit["money"],
        json!({"minorUnits": 24_800, "currency": "USD"})
    );
    assert_eq!(credit["moneyEffect"], "customer_is_repaid");
    assert_eq!(credit["steps"][0]["request"]["body"]["amount"], 24_800);
    assert_eq!(
        credit["description"],
        "Credit 248.00 USD, which was paid on invoice inv_2010."
    );
    let void = &session["proposedActions"][0];
    assert_eq!(void["isAutomated"], false);
    let description = void["description"].as_str().unwrap();
    assert!(description.ends_with(
        "A person has to do it, since it needs that invoice.state is draft or open, which is not so."
    ));
    // Nobody else does it either.
    let answer = world.executes(&id, &[void["id"].as_str().unwrap()]).await;
    assert!(answer.status >= 400, "{}", answer.text);
}

#[tokio::test]
async fn a_stolen_card_is_not_tried_again() {
    let world = Concierge::start().await;
    let entities = [("payment", "pay_3006"), ("customer", "cus_502")];
    let session = analysed(&world, "payment_failed", &entities).await;
    let actions = &session["proposedActions"];
    assert_eq!(actions[0]["actionType"], "retry_payment");
    assert_eq!(actions[0]["isAutomated"], false);
    assert_eq!(actions[1]["isAutomated"], true);
    let cause = session["analysis"]["rootCause"].as_str().unwrap();
    assert!(cause.contains("stolen_card"), "{cause}");
}

#[tokio::test]
async fn a_target_that_is_away_leaves_an_analysis_of_what_is_suspected() {
    let world = Concierge::start().await;
    let away = json!({"baseUrl": "http://127.0.0.1:9/nobody"});
    world.connects("billing", away).await;
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    assert_eq!(session["status"], "awaiting_confirmation");
    let read = &session["reads"][0];
    assert_eq!(
        (&read["status"], &read["facts"]),
        (&json!(null), &json!({}))
    );
    let error = read["error"].as_str().unwrap();
    assert!(error.contains("cannot be reached"), "{error}");
    let analysis = &session["analysis"];
    let cause = analysis["rootCause"].as_str().unwrap();
    assert!(cause.starts_with("Suspected: "), "{cause}");
    assert_eq!(analysis["evidence"][0]["holds"], json!(null));
    assert_eq!(analysis["confidenceFrom"]["findings"], json!([]));
    let action = &session["proposedActions"][0];
    assert_eq!(action["isAutomated"], false);
    let description = action["description"].as_str().unwrap();
    assert!(
        description.ends_with("which is not known."),
        "{description}"
    );
}

#[tokio::test]
async fn a_target_that_fails_is_no_failure_of_the_analysis() {
    let world = Concierge::start().await;
    for mode in [
        FaultMode::Fail,
        FaultMode::Garbage,
        FaultMode::Drop,
        FaultMode::Redirect,
    ] {
        world.demo.inject(Fault::once("billing", mode));
        let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
        assert_eq!(session["status"], "awaiting_confirmation", "{mode:?}");
        assert_eq!(
            session["proposedActions"][0]["isAutomated"], false,
            "{mode:?}"
        );
        world.cancels(&session["id"]).await.expect(200);
    }
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn a_pause_does_not_keep_anybody_from_looking() {
    let world = Concierge::start().await;
    let pause = "/api/concierge/connections/billing/pause";
    world
        .api
        .sign_in("ada")
        .await
        .trigger(pause)
        .await
        .expect(200);
    let session = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    assert_eq!(session["reads"][0]["status"], 200);
    assert_eq!(session["proposedActions"][0]["isAutomated"], true);
}

/// Has an action end whose batch is in that state from then on, as looks find it until they are over.
async fn ends(world: &Concierge, (id, action): &(Value, String), state: &str) {
    let (agent, home) = (world.api.store.agent(), world.api.home.id);
    let session = shared::model::Id::new(id.as_i64().unwrap()).unwrap();
    let claimed = agent.claim(home, session, action, span::MINUTE).await;
    let Claim::Held(held) = claimed.unwrap() else {
        panic!("{action} is not there to be run");
    };
    let done = Outcome::succeeded(None);
    assert!(agent.record(&held.action, &done).await.unwrap());
    let facts = [("batch.http", json!(200)), ("batch.state", json!(state))];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    let mut sight = Sight::default();
    sight.add(facts.into_iter().collect());
    world.api.clock.advance(span::HOUR);
    let awaited = agent.to_look(home, session, action).await.unwrap();
    let looked = agent.looked(&awaited.unwrap().action, &sight).await;
    assert!(!looked.unwrap().unwrap().awaits_look());
}

#[tokio::test]
async fn what_became_of_actions_moves_the_prior_and_keeps_what_did_not_help_away() {
    let world = Concierge::start().await;
    let first = world.approved_batch().await;
    ends(&world, &first, "processed").await;
    let other = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1002")]).await;
    let action = other["proposedActions"][0]["id"].as_str().unwrap();
    world.executes(&other["id"], &[action]).await.expect(202);
    let second = (other["id"].clone(), action.to_owned());
    ends(&world, &second, "failed").await;
    // Of another record the same is proposed, by what became of it.
    let third = analysed(&world, "usage_batch_stuck", &[("usage_batch", "ub_1001")]).await;
    let from = &third["analysis"]["confidenceFrom"];
    assert_eq!((&from["effective"], &from["runs"]), (&json!(1), &json!(2)));
    assert!((from["prior"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    multiplied(&third["analysis"]);
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
    for kind in ["playbook_runs", "not_helped"] {
        let items = world.api.items_of(kind).await;
        assert_eq!(items.len(), 1, "{kind}");
        let organization = items[0]["organizationId"].as_n().unwrap();
        assert_eq!(*organization, home.to_string());
    }
}
