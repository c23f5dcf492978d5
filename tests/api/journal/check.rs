//! `GET /api/journal/check`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use tests::support::{Api, Caller, Item, patches, shows, text_of};

use super::{breaks, broken, changed};

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
    item["seq"]
        .as_n()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_whole_journal_is_verified() {
    let (_, ada, items) = journal().await;
    let check = ada.reads("/api/journal/check").await;
    let head = json!({"seq": 6, "hash": text_of(&items[5], "hash")});
    let whole = json!({
        "verified": true, "entries": 6, "breaks": [], "head": head, "next": null,
    });
    assert_eq!(check, whole);
    let from = format!("/api/journal/check?from={}", text_of(&items[4], "at"));
    shows!(ada.reads(&from).await, {"verified": true, "entries": 2});
}

#[tokio::test]
async fn the_check_names_what_was_done_to_an_entry() {
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
            api.puts([changed(item, name, value)])
                .await;
            assert_eq!(breaks(&ada).await, broken(seq(item), "changed"), "{name}");
        }
        api.loses(text_of(item, "pk"), text_of(item, "sk"))
            .await;
        assert_eq!(breaks(&ada).await, broken(seq(item), "missing"));
        api.puts([item.clone()]).await;
    }
    assert_eq!(breaks(&ada).await, json!([]));
    // A check that begins with the next one misses it as well.
    api.loses(text_of(&items[3], "pk"), text_of(&items[3], "sk"))
        .await;
    let from = format!("/api/journal/check?from={}", text_of(&items[4], "at"));
    assert_eq!(ada.reads(&from).await["breaks"], broken(4, "missing"));
}

#[tokio::test]
async fn the_check_names_entries_beyond_a_head_that_was_put_back() {
    let (api, ada, _) = journal().await;
    let mut heads = api.items_of("organization_head").await;
    heads.retain(|item| text_of(item, "pk") == "ORG#1");
    patches!(ada, "/api/organizations/1", {"name": "Renamed"});
    let newest = api.items_of("organization_head").await;
    api.puts(heads).await;
    assert_eq!(breaks(&ada).await, broken(7, "not_the_head"));
    api.puts(newest).await;
    assert_eq!(breaks(&ada).await, json!([]));
    api.loses("ORG#1", "JOURNAL").await;
    assert_eq!(breaks(&ada).await, broken(1, "not_the_head"));
}
