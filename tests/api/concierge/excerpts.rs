//! Excerpts of target systems' answers, which expire.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::{agent::connection::Excerpt, model::base::span};
use tests::support::{Caller, Concierge, once};

/// A session with all that names excerpts, as its readers get it.
#[derive(Debug, PartialEq)]
struct Shown {
    reads: Value,
    results: Value,
    journal: Vec<Value>,
    export: Vec<Value>,
    check: Value,
}

impl Shown {
    async fn to(caller: &Caller, id: &Value) -> Self {
        let path = format!("/api/concierge/agent-sessions/{id}");
        let mut session = caller
            .reads(&format!("{path}?detail=full"))
            .await;
        Self {
            reads: session["reads"].take(),
            results: session["executionResults"].take(),
            journal: caller
                .walk(&format!("{path}/journal"))
                .await,
            export: caller
                .walk("/api/concierge/journal")
                .await,
            check: caller
                .reads(&format!("{path}/journal/check"))
                .await,
        }
    }

    fn excerpts(&mut self) -> Vec<&mut Value> {
        let mut excerpts = Vec::new();
        for read in self.reads.as_array_mut().unwrap() {
            excerpts.push(&mut read["excerpt"]);
        }
        for result in self.results.as_array_mut().unwrap() {
            let result = result.as_object_mut().unwrap();
            for (name, value) in result {
                match name.as_str() {
                    "response" => excerpts.push(value),
                    "steps" => {
                        let steps = value.as_array_mut().unwrap().iter_mut();
                        excerpts.extend(steps.map(|step| &mut step["response"]));
                    }
                    _ => {}
                }
            }
        }
        let entries = self
            .journal
            .iter_mut()
            .chain(&mut self.export);
        let answered = entries.filter(|entry| entry["what"] == "answered");
        excerpts.extend(answered.map(|entry| &mut entry["excerpt"]));
        excerpts
    }

    /// Returns it without excerpts. Nothing else changes when they expire.
    fn expired(mut self) -> Self {
        for excerpt in self.excerpts() {
            *excerpt = Value::Null;
        }
        self
    }
}

/// A session whose first action has run.
async fn ran(world: &Concierge) -> Value {
    let id = world.stuck_batch().await;
    let actions = world.proposed(&id).await;
    world
        .executes(&id, &[&actions[0]])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    id
}

#[tokio::test]
async fn excerpts_are_shown_for_90_days_and_all_else_for_good() {
    let world = Concierge::start().await;
    let id = ran(&world).await;
    let ends = world
        .api
        .clock
        .now()
        .plus(Excerpt::KEPT);
    let items = world.api.items_of("excerpt").await;
    assert!(!items.is_empty());
    for item in items {
        let expires = item["expiresAt"].as_n().unwrap();
        assert_eq!(*expires, (ends.epoch_seconds() + 1).to_string());
    }

    let mut shown = Shown::to(&world.max, &id).await;
    for excerpt in shown.excerpts() {
        assert_eq!(excerpt["status"], 200, "{excerpt}");
        assert!(excerpt["body"]["state"].is_string(), "{excerpt}");
    }
    assert_eq!(shown.check["verified"], true);
    let is_answered = |entry: &&Value| entry["what"] == "answered";
    let answered = shown
        .journal
        .iter()
        .find(is_answered)
        .unwrap();
    assert_eq!(answered["excerpt"], shown.results[0]["response"]);
    let detail = &answered["detail"]["response"];
    assert_eq!(detail["status"], 200);
    assert_eq!(
        detail["excerpt"]
            .as_str()
            .unwrap()
            .len(),
        64
    );

    world
        .api
        .clock
        .advance(Excerpt::KEPT - span::SECOND);
    let max = world.api.sign_in("max").await;
    assert_eq!(Shown::to(&max, &id).await, shown);
    world.api.clock.advance(span::SECOND);
    assert_eq!(Shown::to(&max, &id).await, shown.expired());
}

#[tokio::test]
async fn no_action_depends_on_an_excerpt() {
    let (world, id, _) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    world.refuses("billing", 503);
    world
        .delivers(&world.worker_with(once()))
        .await;
    for item in world.api.items_of("excerpt").await {
        world.api.deletes(&item).await;
    }
    let mut shown = Shown::to(&world.max, &id).await;
    let lost = shown.excerpts();
    assert!(
        !lost.is_empty()
            && lost
                .iter()
                .all(|excerpt| excerpt.is_null())
    );
    world.api.clock.advance(span::MINUTE);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    world.delivers(&world.worker()).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "completed", "{results:?}");
    let shown = Shown::to(&world.max, &id).await;
    assert_eq!(shown.results[0]["response"]["status"], 200);
    assert_eq!(shown.check["verified"], true);
}

#[tokio::test]
async fn an_excerpt_that_was_changed_or_does_not_read_is_not_shown() {
    let world = Concierge::start().await;
    let id = ran(&world).await;
    let shown = Shown::to(&world.max, &id)
        .await
        .expired();
    let items = world.api.items_of("excerpt").await;
    let other = json!({"status": 200, "body": {"state": "other"}}).to_string();
    for value in [AttributeValue::S(other), AttributeValue::Bool(true)] {
        let changed = items.iter().cloned().map(|mut item| {
            item.insert("excerpt".to_owned(), value.clone());
            item
        });
        world.api.puts(changed).await;
        assert_eq!(Shown::to(&world.max, &id).await, shown, "{value:?}");
    }
}
