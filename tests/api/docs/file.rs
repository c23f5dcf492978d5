//! `GET /api/docs/{file}`

use std::collections::BTreeSet;

use tests::support::{Answer, Api};

/// The files that the page names.
fn named(page: &Answer) -> BTreeSet<String> {
    let places = page.text.split("\"docs/").skip(1);
    places
        .map(|rest| rest.split_once('"').unwrap().0.to_owned())
        .collect()
}

#[tokio::test]
async fn every_file_of_the_page_is_served_with_its_type_and_kept_for_good() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let names = named(&nobody.get("/api/docs").await);
    assert_eq!(names.len(), 7, "{names:?}");
    for name in names {
        let answer = nobody.get(&format!("/api/docs/{name}")).await;
        assert_eq!(answer.status, 200, "{name}");
        let kind = match name.rsplit_once('.').unwrap().1 {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        };
        assert_eq!(answer.header("content-type"), Some(kind), "{name}");
        assert_eq!(
            answer.header("cache-control"),
            Some("public, max-age=31536000, immutable")
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(!answer.text.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn there_are_no_other_files() {
    let api = Api::start().await;
    for name in [
        "index.html",
        "page.js",
        "swagger-ui-bundle.js",
        "%2e%2e",
        "..%2fCargo.toml",
        "%FF",
    ] {
        let answer = api.anonymous().get(&format!("/api/docs/{name}")).await;
        answer.expect_problem(404, "not_found");
    }
}
