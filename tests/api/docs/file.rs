//! `GET /api/docs/{file}` and `GET /desk/{file}`

use std::collections::BTreeSet;

use tests::support::Api;

use crate::desk::named;

/// The pages, and the folders of their files.
const PAGES: [(&str, &str); 2] = [("/api/docs", "/api/docs"), ("/", "/desk")];

#[tokio::test]
async fn every_file_of_a_page_is_served_with_its_type_and_kept_for_good() {
    let nobody = Api::start().await.anonymous();
    for (page, folder) in PAGES {
        let before = format!("\"{}/", folder.rsplit('/').next().unwrap());
        let names = named(&nobody.get(page).await, &before);
        assert!(names.len() >= 7, "{names:?}");
        for name in &names {
            let answer = nobody
                .get(&format!("{folder}/{name}"))
                .await;
            assert_eq!(answer.status, 200, "{name}");
            let kind = match name.rsplit_once('.').unwrap().1 {
                "css" => "text/css; charset=utf-8",
                "js" => "text/javascript; charset=utf-8",
                "svg" => "image/svg+xml",
                _ => "text/plain; charset=utf-8",
            };
            for (header, value) in [
                ("content-type", kind),
                ("cache-control", "public, max-age=31536000, immutable"),
                ("x-content-type-options", "nosniff"),
            ] {
                assert_eq!(answer.header(header), Some(value), "{name}");
            }
            let is_packed = answer.header("content-encoding") == Some("gzip");
            assert!(is_packed || page != "/", "{name}");
            assert!(!answer.text.is_empty(), "{name}");
        }
        if page == "/" {
            let digests = names
                .iter()
                .map(|name| name.split('.').nth(1).unwrap());
            let digests: BTreeSet<&str> = digests.collect();
            assert_eq!(digests.len(), 1, "{digests:?}");
        }
    }
}

#[tokio::test]
async fn there_are_no_other_files() {
    let nobody = Api::start().await.anonymous();
    for (_, folder) in PAGES {
        let names =
            "index.html page.js desk.js style/base.css %2e%2e ..%2fCargo.toml %FF".split(' ');
        for name in names {
            let answer = nobody
                .get(&format!("{folder}/{name}"))
                .await;
            answer.expect_not_found();
        }
    }
}
