//! The search index as the publisher writes it.

use serde_json::{Value, json};
use shared::{
    model::base::span,
    store::{metered, updates::StreamRecord},
};
use stream::StreamResponse;
use tests::{
    support::{Api, Caller, Death, Fault, Item, Requests, patches, text_of},
    table_proxy::Chance,
};

/// The words of a record in the index.
fn words(index: &[Item], kind: &str, id: i64) -> Vec<String> {
    let is_of = |item: &&Item| {
        text_of(item, "kind") == "indexed_word"
            && text_of(item, "type") == kind
            && item["id"].as_n().unwrap() == &id.to_string()
    };
    let words = index.iter().filter(is_of);
    words
        .map(|item| text_of(item, "word").to_owned())
        .collect()
}

#[tokio::test]
async fn a_drag_writes_no_words() {
    let (api, faults, [mia]) = Api::behind_faults(["mia"]).await;
    mia.creates_tasks(["Draft", "Review"])
        .await;
    api.publishes().await;
    patches!(mia, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 5}, {"id": 2, "order": 4}]});
    faults.begin(Requests::Of("BatchWriteItem"), Fault::Denied);
    api.publishes().await;
    faults.end();
    api.search_is_fresh().await;
}

#[tokio::test]
async fn what_is_delivered_again_or_late_changes_nothing() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({"title": "One two"}))
        .await;
    max.creates_task(json!({"title": "One two"}))
        .await;
    let mut changes = api.changes().await;
    patches!(max, "/api/tasks/1", {"title": "Two three"});
    max.deletes("/api/tasks/2").await;
    changes.extend(api.changes().await);
    for chunk in changes.chunks(1) {
        api.delivers_changes(chunk).await;
    }
    let once = api.table_dump().await;
    api.clock.advance(span::MINUTE);
    let (early, late) = changes.split_at(changes.len() / 2);
    let parts = [&*changes, early, late].into_iter();
    for part in parts.chain(changes.rchunks(1)) {
        api.delivers_changes(part).await;
        assert_eq!(api.table_dump().await, once);
    }
    let index = api.search_index().await;
    assert_eq!(words(&index, "task", 1), ["three", "two"]);
    assert!(words(&index, "task", 2).is_empty());
}

/// The index knows a deleted record for longer than a delivery may be late.
#[tokio::test]
async fn a_deleted_record_does_not_come_back() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({"title": "Zebra"}))
        .await;
    let created = api.changes().await;
    max.deletes("/api/tasks/1").await;
    api.delivers_changes(&api.changes().await)
        .await;
    api.delivers_changes(&created).await;
    assert!(words(&api.search_index().await, "task", 1).is_empty());
    let records = api.items_of("indexed_record").await;
    let task = records
        .iter()
        .find(|record| text_of(record, "type") == "task");
    let task = task.unwrap();
    let kept: i64 = task["expiresAt"]
        .as_n()
        .unwrap()
        .parse()
        .unwrap();
    let now = api.clock.now().epoch_seconds();
    assert_eq!(kept - now, 7 * span::DAY / span::SECOND + 1);
    assert!(!task.contains_key("gsi1pk"));
}

/// Wherever a publisher dies, the next delivery mends the index, also if a further change comes
/// with it that brings words back.
#[tokio::test]
async fn a_publisher_that_dies_in_between_is_mended_by_the_next_delivery() {
    let mut died = 0;
    for (step, death) in (0..7).flat_map(|step| [(step, Death::Before), (step, Death::After)]) {
        let (api, faults, [max]) = Api::behind_faults(["max"]).await;
        max.creates_task(json!({"title": "One two three"}))
            .await;
        api.publishes().await;
        patches!(max, "/api/tasks/1", {"title": "Three four"});
        let mut changes = api.changes().await;
        faults.dies_at(step, death);
        tokio::select! {
            _ = api.delivers_changes(&changes) => {}
            () = faults.holds(1) => died += 1,
        }
        faults.lives();
        if step % 2 == 0 {
            patches!(max, "/api/tasks/1", {"title": "One five"});
            changes.extend(api.changes().await);
        }
        api.delivers_changes(&changes).await;
        api.search_is_fresh().await;
    }
    assert!(died >= 8, "{died}");
}

#[tokio::test]
async fn a_failed_index_is_delivered_again() {
    let (api, faults, [mia]) = Api::behind_faults(["mia"]).await;
    mia.creates_tasks(["Draft", "Review"])
        .await;
    let changes = api.changes().await;
    for operation in ["BatchWriteItem", "BatchGetItem"] {
        faults.begin(Requests::Of(operation), Fault::Denied);
        let response = api.delivers_changes(&changes).await;
        faults.end();
        // Those of both organizations.
        assert_eq!(response.batch_item_failures.len(), 2, "{operation}");
    }
    api.delivers_changes(&changes).await;
    api.search_is_fresh().await;
}

/// Deliveries of one record overlap, which the stream does only when it gave one up.
#[tokio::test]
async fn publishers_at_the_same_time_leave_the_newest_words() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"title": "One two"}))
        .await;
    for title in ["Two three", "One four", "Two five", "One three"] {
        mia.patches("/api/tasks/1", json!({"title": title}))
            .await;
    }
    let changes = api.changes().await;
    let deliveries = changes
        .chunks(1)
        .map(|chunk| api.delivers_changes(chunk));
    for response in futures::future::join_all(deliveries).await {
        assert!(response.batch_item_failures.is_empty(), "{response:?}");
    }
    api.search_is_fresh().await;
}

/// After any changes, delivered in any pieces and again, the index equals one that is made of the
/// records.
#[tokio::test]
async fn random_changes_leave_the_index_of_the_records() {
    for seed in 1..=3 {
        let (api, _, [max]) = Api::behind_faults(["max"]).await;
        let chance = Chance::new(seed);
        for _ in 0..60 {
            changes_something(&max, &chance).await;
            if chance.below("publish", 4) == 0 {
                delivers_in_pieces(&api, &api.changes().await, &chance).await;
            }
        }
        api.cleans_up().await;
        delivers_in_pieces(&api, &api.changes().await, &chance).await;
        api.search_is_fresh().await;
    }
}

/// Delivers pieces in the order of the stream, some of them twice.
async fn delivers_in_pieces(api: &Api, changes: &[Value], chance: &Chance) {
    let mut from = 0;
    while from < changes.len() {
        let size = 1 + usize::try_from(chance.below("size", 9)).unwrap();
        let to = changes.len().min(from + size);
        for _ in 0..=chance.below("again", 2) {
            let response = api
                .delivers_changes(&changes[from..to])
                .await;
            assert_eq!(response, StreamResponse::default());
        }
        from = to;
    }
}

/// Creates, changes or deletes a task or a comment, if it is there.
async fn changes_something(caller: &Caller, chance: &Chance) {
    let vocabulary = [
        "alpha",
        "beta",
        "gamma",
        "Épsilon",
        "omega 17",
        "beta-blocker",
    ];
    let word = || vocabulary[usize::try_from(chance.below("word", 6)).unwrap()];
    let text = format!("{} {} {}", word(), word(), word());
    let task = 1 + chance.below("task", 12);
    let path = format!("/api/tasks/{task}");
    let comments = format!("{path}/comments");
    let _ = match chance.below("what", 8) {
        0 | 1 => {
            let task = json!({"title": text, "projectId": 1});
            caller.post("/api/tasks", task).await
        }
        2 => {
            caller
                .patch(&path, json!({"title": text}))
                .await
        }
        3 => {
            caller
                .patch(&path, json!({"description": text}))
                .await
        }
        4 => {
            let done = json!({"description": null, "status": "done"});
            caller.patch(&path, done).await
        }
        5 => caller.delete(&path).await,
        6 => {
            caller
                .post(&comments, json!({"content": text}))
                .await
        }
        _ => {
            let comment_id = 1 + chance.below("comment", 8);
            let comment = format!("{comments}/{comment_id}");
            match chance.below("edit", 2) {
                0 => {
                    caller
                        .patch(&comment, json!({"content": text}))
                        .await
                }
                _ => caller.delete(&comment).await,
            }
        }
    };
}

/// Costs, in write units of the index: those of the document of the table.
#[tokio::test]
async fn an_indexed_write_costs_what_the_document_says() {
    let (api, _, [mia]) = Api::behind_faults(["mia"]).await;
    api.publishes().await;
    let long: Vec<_> = (0..600)
        .map(|number| format!("word{number}"))
        .collect();
    let long = long.join(" ");
    let order = json!({"tasks": [{"id": 1, "order": 5}]});
    let steps = [
        (
            "POST",
            "/api/tasks",
            json!({"title": "Move the invoices of March", "projectId": 1}),
        ),
        (
            "PATCH",
            "/api/tasks/1",
            json!({"title": "Move the invoices of April"}),
        ),
        ("PATCH", "/api/tasks/reorder", order),
        (
            "POST",
            "/api/tasks",
            json!({"title": "A long one", "projectId": 1, "description": long}),
        ),
        ("PATCH", "/api/tasks/2", json!({"status": "done"})),
    ];
    let mut costs = Vec::new();
    for (method, path, body) in steps {
        api.clock.advance(span::SECOND);
        let answer = mia
            .send(method, path, Some(body.to_string()))
            .await;
        assert!(answer.status < 300, "{}", answer.text);
        let changes = api.changes().await.into_iter();
        let changes = changes.filter_map(|record| {
            let record: StreamRecord = serde_json::from_value(record).unwrap();
            record.change().unwrap()
        });
        let mut changes: Vec<_> = changes.collect();
        api.store
            .feed()
            .complete(&mut changes)
            .await
            .unwrap();
        let (indexed, used) = metered(
            api.store
                .search()
                .index(api.home.id, &changes),
        )
        .await;
        indexed.unwrap();
        costs.push(used.units());
    }
    // Write units of words and record, and the read units of the record as it was.
    let expected = [5 + 2 + 1, 2 + 3 + 1, 3 + 1, 500 + 10 + 1, 15 + 2];
    assert_eq!(costs, expected.map(f64::from));
}
