//! `GET /api/journal/check`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use tests::support::{Api, Caller, Item, budgets::within, shows, text_of};

/// Ada and the entries of six users and the organization, each a second after the one before.
async fn journal() -> (Api, Caller, Vec<Item>) {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for name in ["max", "mia", "sue", "vic"] {
        api.clock.advance(1_000);
        api.user(name).await;
    }
    let mut items = api.items_of("organization_entry").await;
    items.retain(|item| text_of(item, "pk").starts_with("ORG#1#"));
    items.sort_by_key(seq);
    assert_eq!(items.len(), 6);
    (api, ada, items)
}

fn seq(item: &Item) -> i64 {
    item["seq"].as_n().unwrap().parse().unwrap()
}

fn broken(seq: i64, why: &str) -> Value {
    json!([{"seq": seq, "subject": null, "why": why}])
}

async fn breaks(ada: &Caller) -> Value {
    let check = ada.get("/api/journal/check").await.expect(200);
    assert_eq!(check["verified"], json!(check["breaks"] == json!([])));
    check["breaks"].clone()
}

#[tokio::test]
async fn a_whole_journal_is_verified() {
    let (api, ada, items) = journal().await;
    api.counter.take();
    let answer = ada.get("/api/journal/check").await;
    let check = within(&api, "GET /api/journal/check", 200, &answer);
    let head = json!({"seq": 6, "hash": text_of(&items[5], "hash")});
    let whole = json!({
        "verified": true, "entries": 6, "breaks": [], "head": head, "next": null,
    });
    assert_eq!(check, whole);
    let from = format!("/api/journal/check?from={}", text_of(&items[4], "at"));
    let part = ada.get(&from).await.expect(200);
    shows!(part, {"verified": true, "entries": 2});
}

#[tokio::test]
async fn the_check_names_an_entry_that_was_changed() {
    let (api, ada, items) = journal().await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for item in &items {
        for (name, value) in [
            ("event", text("token_deleted")),
            ("at", text("2026-01-01T00:00:00.000Z")),
            ("after", text("{\"role\":\"viewer\"}")),
            ("subjects", AttributeValue::L(vec![text("user:99")])),
            ("hash", text("0")),
        ] {
            let mut changed = item.clone();
            changed.insert(name.to_owned(), value);
            api.puts([changed]).await;
            assert_eq!(breaks(&ada).await, broken(seq(item), "changed"), "{name}");
        }
        api.puts([item.clone()]).await;
    }
    assert_eq!(breaks(&ada).await, json!([]));
}

#[tokio::test]
async fn the_check_names_an_entry_that_was_taken_away() {
    let (api, ada, items) = journal().await;
    for item in &items {
        api.loses(text_of(item, "pk"), text_of(item, "sk")).await;
        assert_eq!(breaks(&ada).await, broken(seq(item), "missing"));
        api.puts([item.clone()]).await;
    }
    // Also by a check that begins with the next one.
    api.loses(text_of(&items[3], "pk"), text_of(&items[3], "sk"))
        .await;
    let from = format!("/api/journal/check?from={}", text_of(&items[4], "at"));
    let check = ada.get(&from).await.expect(200);
    assert_eq!(check["breaks"], broken(4, "missing"));
}

#[tokio::test]
async fn the_check_names_entries_beyond_a_head_that_was_put_back() {
    let (api, ada, _) = journal().await;
    let mut heads = api.items_of("organization_head").await;
    heads.retain(|item| text_of(item, "pk") == "ORG#1");
    ada.patch("/api/organizations/1", json!({"name": "Renamed"}))
        .await
        .expect(200);
    let newest = api.items_of("organization_head").await;
    api.puts(heads).await;
    assert_eq!(breaks(&ada).await, broken(7, "not_the_head"));
    api.puts(newest).await;
    assert_eq!(breaks(&ada).await, json!([]));
    api.loses("ORG#1", "JOURNAL").await;
    assert_eq!(breaks(&ada).await, broken(1, "not_the_head"));
}
