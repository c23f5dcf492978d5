//! `GET /api/managed-services/search-references`

use tests::support::{Api, Caller, snapshot};

use super::SEARCH;

/// Titles of what a search finds.
async fn found(caller: &Caller, query: &str) -> Vec<String> {
    let rows = caller
        .reads(&format!("{SEARCH}{query}"))
        .await;
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| {
        row["title"]
            .as_str()
            .unwrap()
            .to_owned()
    })
    .collect()
}

#[tokio::test]
async fn a_search_without_text_lists_the_twenty_most_recent() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    // Created in one instant: a project comes before the organization, a newer one before both.
    snapshot!(vic.reads(SEARCH).await, @r#"
    [
      {"description": null, "id": 2, "title": "Office move", "type": "project"},
      {"description": null, "id": 1, "title": "Billing migration", "type": "project"},
      {"description": null, "id": 1, "title": "Halden Services", "type": "organization"}
    ]
    "#);
    for number in 1..=25 {
        api.clock.advance(1_000);
        api.has_project(api.home.id, &format!("Project {number}"))
            .await;
    }
    let recent: Vec<String> = (6..=25)
        .rev()
        .map(|n| format!("Project {n}"))
        .collect();
    for query in ["", "?", "?query=", "?query=%20-%20", "?type=project"] {
        assert_eq!(found(&vic, query).await, recent, "{query}");
    }
    assert_eq!(found(&vic, "?type=organization").await, ["Halden Services"]);
}

#[tokio::test]
async fn each_word_of_a_search_begins_a_word_of_the_title() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    api.has_project(api.home.id, "Straße: Neubau (West)")
        .await;
    for (query, titles) in [
        ("?query=BILL", vec!["Billing migration"]),
        ("?query=mig+bil", vec!["Billing migration"]),
        ("?query=move,%20office!", vec!["Office move"]),
        ("?query=illing", vec![]),
        ("?query=billing%20move", vec![]),
        ("?query=STRASSE%20west", vec!["Straße: Neubau (West)"]),
        ("?query=hald", vec!["Halden Services"]),
        ("?query=hald&type=organization", vec!["Halden Services"]),
        ("?query=hald&type=project", vec![]),
        ("?query=foreign", vec![]),
        ("?query=outland", vec![]),
    ] {
        assert_eq!(found(&vic, query).await, titles, "{query}");
    }
    let longest = format!("?query={}", "o%20".repeat(127) + "o");
    assert_eq!(found(&vic, &longest).await, ["Office move"]);
    let words: Vec<String> = (0..64)
        .map(|n| format!("{n:03}"))
        .collect();
    let seen = found(&vic, &format!("?query={}", words.join("+"))).await;
    assert_eq!(seen, [""; 0]);
}

#[tokio::test]
async fn a_search_finds_at_most_fifty_of_many() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    api.has_project(api.home.id, "Needle one")
        .await;
    for number in 1..=60 {
        api.clock.advance(1_000);
        api.has_project(api.home.id, &format!("Hay {number}"))
            .await;
    }
    let hay: Vec<String> = (11..=60)
        .rev()
        .map(|n| format!("Hay {n}"))
        .collect();
    assert_eq!(found(&vic, "?query=hay").await, hay);
    assert_eq!(found(&vic, "?query=needle").await, ["Needle one"]);
    // The others are on the next page.
    for query in ["?query=hay", "?query=hay&limit=7", "?query=hay&limit=200"] {
        assert_eq!(
            vic.walk(&format!("{SEARCH}{query}"))
                .await
                .len(),
            60
        );
    }
    assert_eq!(vic.walk(SEARCH).await.len(), 64);
}

#[tokio::test]
async fn a_search_reads_on_past_what_does_not_match() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    // The organization is the oldest, behind more rows than one page of the search reads.
    for _ in 0..210 {
        api.has_project(api.home.id, "x").await;
    }
    api.counter.take();
    assert_eq!(found(&vic, "?type=organization").await, ["Halden Services"]);
    // Authentication, two pages, and what was found.
    assert_eq!(api.counter.take().total, 4);
}
