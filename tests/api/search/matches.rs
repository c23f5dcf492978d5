//! Words that find records.

use serde_json::json;
use tests::support::{Api, refused};

use super::{found, one_of_each};

#[tokio::test]
async fn each_word_begins_a_word_without_regard_to_case_and_accents() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"title": "Dessert", "description": "Crème brûlée für die Straße"}))
        .await;
    mia.creates_task(json!({"title": "Backup accounts"}))
        .await;
    let dessert = vec![json!(["task", 1])];
    let backup = vec![json!(["task", 2])];
    api.publishes().await;
    for (query, expected) in [
        ("creme", &dessert),
        ("CR%C3%88ME%20desserts", &vec![]),
        ("CR%C3%88ME%20dessert", &dessert),
        ("cre%CC%80me", &dessert),
        ("bru%20cre%20fur%20d", &dessert),
        ("STRASSE", &dessert),
        ("reme", &vec![]),
        ("ac%20back", &backup),
        ("back-accounts", &backup),
        ("up", &vec![]),
        ("creme%20backup", &vec![]),
    ] {
        assert_eq!(mia.finds(query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn a_number_finds_the_records_of_that_id_as_well() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    max.creates_task(json!({"title": "Pay 1 invoice"}))
        .await;
    max.creates_task(json!({"title": "!!!"}))
        .await;
    api.publishes().await;
    for query in ["1", "%231"] {
        let rows = max.finds(query).await;
        // All but project 4, and project 1 with what mentions the number.
        assert_eq!(rows.len(), 9, "{rows:?}");
        assert!(rows.contains(&json!(["task", 2])), "{rows:?}");
        assert!(rows.contains(&json!(["project", 1])), "{rows:?}");
    }
    assert_eq!(max.finds("%233").await, [json!(["task", 3])]);
    assert_eq!(max.finds("zebra%204").await, [json!(["project", 4])]);
    assert!(max.finds("01").await.is_empty());
}

#[tokio::test]
async fn a_word_that_is_longer_than_those_of_the_index_is_compared_whole() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let first_word = format!("{}one", "x".repeat(40));
    let second_word = format!("{}other", "x".repeat(40));
    mia.creates_task(json!({"title": first_word}))
        .await;
    mia.creates_task(json!({"title": second_word}))
        .await;
    assert_eq!(found(&api, &mia, &first_word).await, [json!(["task", 1])]);
    assert_eq!(mia.finds(&"x".repeat(35)).await.len(), 2);
}

#[tokio::test]
async fn a_query_may_have_many_words() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let words: Vec<_> = ('a'..='z')
        .map(|letter| format!("{letter}{letter}"))
        .collect();
    mia.creates_task(json!({"title": words.join(" ")}))
        .await;
    let query = words.join("+");
    assert_eq!(found(&api, &mia, &query).await, [json!(["task", 1])]);
    assert!(
        mia.finds(&format!("{query}+x+y+0"))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_query_has_words() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for (query, code) in [
        ("", "required"),
        ("?query=", "blank"),
        ("?query=%23-", "pattern"),
    ] {
        refused!(mia.get(&format!("/api/search{query}")).await => [("?query", code)]);
    }
}
