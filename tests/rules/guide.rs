//! Examples of the guide are what the service says.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::{Value, json};
use shared::http::cors::{ALLOWED_HEADERS, EXPOSED_HEADERS};
use tests::{files, path, support::Api};

/// The pages of the guide, without the reference, which a test writes.
pub fn pages() -> Vec<PathBuf> {
    let folder = path("functions");
    let mut pages = files(&folder, &[".md"]);
    pages.retain(|page| page.parent() == Some(folder.as_path()) && !page.ends_with("REFERENCE.md"));
    pages
}

fn guide() -> String {
    let pages = pages().into_iter();
    pages
        .map(|page| fs::read_to_string(page).unwrap())
        .collect()
}

/// The part of the guide between two texts.
fn between<'a>(guide: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = guide
        .split_once(begin)
        .unwrap_or_else(|| panic!("no {begin}"));
    rest.split_once(end)
        .unwrap_or_else(|| panic!("no {end}"))
        .0
}

#[test]
fn the_guide_lists_what_pages_may_send_and_read() {
    let guide = guide();
    for (begin, list) in [
        ("| a page may send |", &ALLOWED_HEADERS[..]),
        ("| a page may read |", &EXPOSED_HEADERS),
    ] {
        let row = between(&guide, begin, "\n");
        let named = row.split('`').skip(1).step_by(2);
        let named: BTreeSet<String> = named
            .map(str::to_ascii_lowercase)
            .collect();
        let listed: BTreeSet<String> = list
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
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
    let answer = max.post("/api/tasks", body).await;
    let mut problem = answer.expect_problem(400, "validation_error");
    problem["requestId"] = shown["requestId"].clone();
    assert_eq!(
        problem, shown,
        "write what the service says into functions/ERRORS.md"
    );
}

#[test]
fn the_guide_and_the_document_say_how_texts_are_written() {
    let document = serde_json::to_value(tests::support::document()).unwrap();
    let about = document["info"]["description"]
        .as_str()
        .unwrap();
    let guide = guide();
    for text in [about, &guide] {
        assert_eq!(text.matches("CommonMark").count(), 1);
        assert!(text.contains("without raw HTML"));
    }
}

#[tokio::test]
async fn the_served_guide_has_every_page() {
    let nobody = Api::start().await.anonymous();
    let reference = nobody.get("/api/docs").await;
    let file = between(&reference.text, "docs/guide.", "\"");
    let served = nobody
        .get(&format!("/api/docs/guide.{file}"))
        .await;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        assert!(served.text.contains(&text), "{}", page.display());
    }
}
