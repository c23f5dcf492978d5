//! `GET /desk/{file}`

use std::collections::BTreeSet;

use tests::support::Api;

use super::named;

#[tokio::test]
async fn every_file_of_the_desk_is_served_with_its_type_and_kept_for_good() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let names = named(&nobody.get("/").await, "\"desk/");
    let digests: BTreeSet<&str> = names
        .iter()
        .map(|name| name.split('.').nth(1).unwrap())
        .collect();
    assert_eq!(digests.len(), 1, "{digests:?}");
    for name in names {
        let answer = nobody.get(&format!("/desk/{name}")).await;
        assert_eq!(answer.status, 200, "{name}");
        let kind = match name.rsplit_once('.').unwrap().1 {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        };
        for (header, value) in [
            ("content-type", kind),
            ("content-encoding", "gzip"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(answer.header(header), Some(value), "{name}");
        }
    }
}

/// The page names the modules of its start, and a browser loads these at once. A view is loaded when it is opened.
#[tokio::test]
async fn modules_import_what_is_served() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    let page = nobody.get("/").await;
    let modules = named(&page, "rel=\"modulepreload\" href=\"desk/");
    let mut counts = Vec::new();
    for specifiers in [&SPECIFIERS[..2], &SPECIFIERS] {
        let mut found = named(&page, "type=\"module\" src=\"desk/");
        let mut open: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let answer = nobody.get(&format!("/desk/{name}")).await;
            assert_eq!(answer.status, 200, "{name}");
            for imported in imports(&answer.text, specifiers) {
                if found.insert(imported.clone()) {
                    open.push(imported);
                }
            }
        }
        counts.push(found.len());
        if specifiers.len() == 2 {
            assert_eq!(found, modules);
        }
    }
    assert!(counts[0] < counts[1], "{counts:?}");
}

/// Beginnings of an import; the last one loads a module later.
const SPECIFIERS: [&str; 3] = ["from \"./", "import \"./", "import(\"./"];

/// The names of the modules that a module imports.
fn imports(module: &str, specifiers: &[&str]) -> Vec<String> {
    let (first, rest) = module.split_once("/**").unwrap_or((module, ""));
    let after_comments = rest.split("/**").filter_map(|part| part.split_once("*/"));
    let parts = std::iter::once(first).chain(after_comments.map(|(_, code)| code));
    let lines = parts.flat_map(str::lines);
    let code: String = lines.filter(|line| !is_comment(line)).collect();
    let named = specifiers.iter().map(|before| {
        let places = code.split(before).skip(1);
        let names = places.map(|rest| rest.split_once('"').unwrap().0.to_owned());
        names.collect::<Vec<String>>()
    });
    named.flatten().collect()
}

/// Returns true for a line of a comment: it may name types of files that are not served.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

#[tokio::test]
async fn there_are_no_other_files() {
    let api = Api::start().await;
    for name in [
        "index.html",
        "desk.js",
        "style/base.css",
        "..%2fCargo.toml",
        "%FF",
    ] {
        let answer = api.anonymous().get(&format!("/desk/{name}")).await;
        answer.expect_problem(404, "not_found");
    }
}
