//! Examples of the guide are what the service says.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use shared::http::cors::{ALLOWED_HEADERS, EXPOSED_HEADERS};
use tests::{path, support::Api};

fn guide() -> String {
    fs::read_to_string(path("functions/README.md")).unwrap()
}

/// The part of the guide between two texts.
fn between<'a>(guide: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = guide
        .split_once(begin)
        .unwrap_or_else(|| panic!("no {begin}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

#[test]
fn the_guide_lists_what_pages_may_send_and_read() {
    let guide = guide();
    for (begin, end, list) in [
        ("A page may send", "It may read", &ALLOWED_HEADERS[..]),
        ("It may read", "\n- ", &EXPOSED_HEADERS),
    ] {
        let named = between(&guide, begin, end).split('`').skip(1).step_by(2);
        let named: BTreeSet<String> = named.map(str::to_ascii_lowercase).collect();
        let listed: BTreeSet<String> = list.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(named, listed, "{begin}");
    }
}

#[tokio::test]
async fn the_error_that_the_guide_shows_is_the_services() {
    let guide = guide();
    let shown = between(&guide, "Every error is", "\n```\n");
    let shown: Value = serde_json::from_str(shown.split_once("```json").unwrap().1).unwrap();
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body = json!({"projectId": 1, "dueDate": "tomorrow"});
    let said = max.post("/api/tasks", body).await;
    let mut said = said.expect_problem(400, "validation_error");
    said["requestId"] = shown["requestId"].clone();
    assert_eq!(
        said, shown,
        "write what the service says into functions/README.md"
    );
}

#[test]
fn the_guide_and_the_document_say_how_texts_are_written() {
    let document = serde_json::to_value(tests::support::document()).unwrap();
    let about = document["info"]["description"].as_str().unwrap();
    let guide = guide();
    for text in [about, &guide] {
        assert_eq!(text.matches("CommonMark").count(), 1);
        assert!(text.contains("without raw HTML"));
    }
}
