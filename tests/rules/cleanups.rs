//! Cleanups of deletes: the sweeper runs each by itself, however damaged its records are and
//! however many there are.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::{
    model::base::span,
    store::upkeep::{CLEANUP_DELAY, CleanupRound, Shard},
};
use tests::support::{
    Api, Caller, Concierge, DAMAGES, Damage, Fault, Item, Requests, Settings, comes, creates,
    key_of, number, posts, set, text, text_of,
};
use tokio::time::Instant;

/// Raises a service request and deletes it, which leaves a cleanup.
async fn leaves_cleanup(by: &Caller) {
    let request_id = by.raises_request().await;
    let request = format!("/api/service-requests/{request_id}");
    by.deletes(&request).await;
}

/// A milestone, a phase and a tag, each number 1, with five tasks and two activities that name
/// them, and records with comments.
async fn has_work(api: &Api, max: &Caller) {
    max.creates_milestone(json!({})).await;
    let [phase, ..] = api.has_phases().await;
    api.has_tag(api.home.id, "urgent").await;
    for id in 1..=5 {
        max.creates_task(json!({"milestoneId": 1, "phaseId": phase}))
            .await;
        max.records_activity(json!({"projectId": 1}))
            .await;
        for kind in ["tasks", "activities"] {
            posts!(max, "/api/{kind}/{id}/tags", {"tagId": 1});
        }
    }
    max.creates_task(json!({})).await;
    max.records_activity(json!({})).await;
    max.raises_request().await;
    for subject in ["tasks/6", "activities/6", "service-requests/1"] {
        for _ in 0..5 {
            creates!(max, "/api/{subject}/comments", {"content": "Hello"});
        }
    }
}

async fn deletes_all(max: &Caller) {
    for path in "milestones/1 phases/1 tags/1 tasks/6 activities/6 service-requests/1".split(' ') {
        max.deletes(&format!("/api/{path}"))
            .await;
    }
}

/// A task, an activity or a comment that does not read is cleaned up like any other.
#[tokio::test]
async fn damaged_records_are_in_no_cleanups_way() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    has_work(&api, &max).await;
    deletes_all(&max).await;
    for (kind, count) in [("task", 5), ("activity", 5), ("comment", 15)] {
        assert_eq!(api.damages(kind, |_| true).await, count, "{kind}");
    }
    assert_eq!(api.cleans_up().await, 6);
    for kind in ["cleanup", "comment"] {
        assert_eq!(api.items_of(kind).await, [] as [Item; 0], "{kind}");
    }
    for kind in ["task", "activity"] {
        for item in api.items_of(kind).await {
            // The one whose version is none stays as it is.
            let is_left = text_of(&item, "version") == "1";
            for name in ["milestoneId", "phaseId", "tagIds", "gsi2pk"] {
                let of_activity = kind == "activity" && name != "tagIds";
                let keeps = item.contains_key(name);
                assert!(of_activity || keeps == is_left, "{name} of {item:?}");
            }
        }
    }
    assert_eq!(api.cleans_up().await, 0);
}

/// The attribute with the deleted record's id is of another type.
#[tokio::test]
async fn damaged_links_are_in_no_cleanups_way() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    has_work(&api, &max).await;
    let mut tasks = api.items_of("task").await;
    let list = AttributeValue::L(vec![number(1)]);
    tasks.truncate(3);
    set(&mut tasks[0], [("milestoneId", text("1"))]);
    set(&mut tasks[1], [("phaseId", list.clone())]);
    set(&mut tasks[2], [("tagIds", list)]);
    api.puts(tasks).await;
    deletes_all(&max).await;
    assert_eq!(api.cleans_up().await, 6);
    assert_eq!(api.items_of("cleanup").await, [] as [Item; 0]);
    let names = ["milestoneId", "phaseId", "tagIds"];
    for (place, task) in api
        .items_of("task")
        .await
        .iter()
        .enumerate()
    {
        let kept = names
            .iter()
            .filter(|name| task.contains_key(**name));
        assert!(kept.eq(names.get(place).into_iter()), "{task:?}");
    }
}

/// A cleanup that does not read, in each way possible.
#[tokio::test]
async fn a_cleanup_that_does_not_read_is_deferred_for_longer_each_time() {
    let later: Damage = |item| set(item, [("subject", text("OfALaterVersion"))]);
    let uncounted: Damage = |item| {
        let attributes = ["subject", "failures"].map(|name| (name, text("OfALaterVersion")));
        set(item, attributes);
    };
    for damage in DAMAGES
        .into_iter()
        .chain([later, uncounted])
    {
        let (api, [max, zoe]) = Api::signed_in(["max", "zoe"]).await;
        leaves_cleanup(&max).await;
        let mut cleanup = api.items_of("cleanup").await.remove(0);
        damage(&mut cleanup);
        api.puts([cleanup.clone()]).await;
        for caller in [&max, &zoe] {
            leaves_cleanup(caller).await;
        }
        api.clock.advance(CLEANUP_DELAY);
        let (finished, failed) = runs(&api).await;
        assert_eq!((finished, failed), (2, vec![key_of(&cleanup)]));
        // Its version begins anew, and with it a cleanup of which nothing else was damaged.
        let heals = text_of(&cleanup, "version") == "1";
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            api.clock
                .advance(minutes * span::MINUTE - 1);
            assert_eq!(runs(&api).await, (0, vec![]));
            api.clock.advance(1);
            let (finished, failed) = runs(&api).await;
            if heals {
                assert_eq!((finished, failed), (1, vec![]));
                break;
            }
            assert_eq!((finished, failed), (0, vec![key_of(&cleanup)]));
        }
    }
}

/// Runs the cleanups that are due. Returns how many were finished, and the keys of those that
/// failed.
async fn runs(api: &Api) -> (usize, Vec<String>) {
    let mut finished = 0;
    let mut failed = Vec::new();
    let store = api.store_of("sweeper");
    let cleanups = store.cleanups();
    for shard in Shard::all() {
        let run = cleanups.run_due(shard, |key, progress| match progress {
            Ok(progress) => finished += usize::from(progress == CleanupRound::Finished),
            Err(_) => failed.push(key.to_owned()),
        });
        run.await.unwrap();
    }
    (finished, failed)
}

/// A cleanup that the table refuses is tried again and does not stop the others.
#[tokio::test]
async fn a_cleanup_that_fails_holds_up_no_other() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    has_work(&api, &max).await;
    deletes_all(&max).await;
    assert_eq!(runs(&api).await, (0, vec![]), "not due yet");
    api.clock.advance(CLEANUP_DELAY);
    // Comments are deleted in transactions, and other records are changed without.
    faults.next("UpdateItem", Fault::Denied);
    let (finished, failed) = runs(&api).await;
    assert!(faults.are_over());
    assert_eq!((finished, failed.len()), (5, 1), "{failed:?}");
    let is_of = |kind: &str| failed[0].contains(&format!("#CLEANUP {kind}#"));
    let is_of_any = ["MILESTONE", "PHASE", "TAG"]
        .map(is_of)
        .contains(&true);
    assert!(is_of_any, "{failed:?}");
    assert_eq!(runs(&api).await, (0, vec![]), "deferred");
    api.clock.advance(span::MINUTE);
    assert_eq!(runs(&api).await, (1, vec![]));
    assert_eq!(api.items_of("cleanup").await, [] as [Item; 0]);
    for task in api.items_of("task").await {
        let names = ["milestoneId", "phaseId", "tagIds", "gsi2pk"];
        let has_one = names
            .iter()
            .any(|name| task.contains_key(*name));
        assert!(!has_one, "{task:?}");
    }
}

/// To be refused by the table is not to be damaged: nothing is set aside or given up for it.
#[tokio::test]
async fn a_table_that_refuses_the_sweeper_damages_nothing() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = Concierge::start_in(settings).await;
    let (session, action) = world.approved_batch().await;
    world.takes_messages().await;
    leaves_cleanup(&world.max).await;
    world.api.clock.advance(span::MINUTE);
    let before = world.api.table_dump().await;
    for operation in ["Query", "PutItem", "UpdateItem", "TransactWriteItems"] {
        faults.begin(Requests::Of(operation), Fault::Denied);
        let swept = world.sweeper().sweep().await;
        let home = Shard::of(world.api.home.id);
        let of_home = world
            .sweeper()
            .sweeper
            .sweep(home)
            .await;
        faults.end();
        for swept in [swept, of_home] {
            let done = swept.given_up + swept.settled + swept.expired + swept.interrupted;
            assert_eq!(done, 0, "{operation}: {swept:?}");
        }
        if operation == "Query" {
            // No shard is counted, no kind of work is found in one, and no provider is read.
            assert_eq!((swept.errors, swept.resent), (17, 0), "{swept:?}");
            assert_eq!((of_home.errors, of_home.resent), (7, 0), "{of_home:?}");
            assert_eq!(world.api.table_dump().await, before);
        }
        world.takes_messages().await;
        assert_eq!(world.session(&session).await["status"], "executing");
        world.api.clock.advance(span::HOUR);
    }
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.resent, swept.errors), (1, 0), "{swept:?}");
    let messages = world.takes_messages().await;
    assert_eq!(messages, [world.message(&session, &action)]);
    assert_eq!(world.api.items_of("cleanup").await, [] as [Item; 0]);
}

/// Cleanups that hang end with their budget, and the agent's work is done beside them.
#[tokio::test]
async fn cleanups_end_in_time_and_hold_up_no_action() {
    agents_work_beside(200).await;
}

#[tokio::test]
#[ignore = "fills the table for some minutes"]
async fn a_hundred_thousand_cleanups_hold_up_no_action() {
    agents_work_beside(100_000).await;
}

async fn agents_work_beside(cleanups: usize) {
    let (settings, faults) = Settings::behind_faults().await;
    let world = Concierge::start_in(settings).await;
    let (session, action) = world.approved_batch().await;
    world.takes_messages().await;
    leaves_cleanup(&world.max).await;
    let cleanup = world
        .api
        .items_of("cleanup")
        .await
        .remove(0);
    let copy = |id: usize| {
        let mut item = cleanup.clone();
        let subject = AttributeValue::M([("Tag".to_owned(), number(id))].into());
        let sk = text(&format!("TAG#{id:016}"));
        set(&mut item, [("subject", subject), ("sk", sk)]);
        item
    };
    world
        .api
        .puts((1..cleanups).map(copy))
        .await;
    world
        .api
        .clock
        .advance(2 * span::MINUTE);
    // What cleanups of tags write, and what no message does.
    faults.hold(Requests::Of("UpdateItem"));
    let began = Instant::now();
    let sweeper = world
        .sweeper()
        .within(Duration::from_secs(2));
    let swept = comes("the end of the run", sweeper.sweep()).await;
    let held = began.elapsed();
    assert_eq!((swept.overdue, swept.resent, swept.errors), (1, 1, 0));
    let messages = world.takes_messages().await;
    assert_eq!(messages, [world.message(&session, &action)]);
    assert!(
        world
            .api
            .items_of("cleanup")
            .await
            .len()
            > 1
    );
    faults.release();
    let mut runs = 0;
    let mut left = cleanups;
    while left > 0 {
        assert!(runs < 100, "{left} of {cleanups} are left");
        // One that ends with the budget may be done and not told of.
        world.sweeper().sweep().await;
        left = world
            .api
            .items_of("cleanup")
            .await
            .len();
        runs += 1;
    }
    let elapsed = began.elapsed();
    eprintln!("{cleanups} cleanups: the agent's work {held:?}, all {elapsed:?} in {runs} runs");
}
