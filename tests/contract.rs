//! Holds the lists of routes against each other, the OpenAPI document against the code, and every
//! operation against the rules that all of them share.

use std::{collections::BTreeSet, fs, path::Path};

use utoipa::openapi::{OpenApi, path::PathItem};

use crate::support::{Api, documents, routes_of_watch};

/// Operations as (method, path).
type Operations = BTreeSet<(String, String)>;

/// Operations that need no session.
const PUBLIC: [(&str, &str); 2] = [("POST", "/api/auth/login"), ("GET", "/api/openapi.json")];

fn operations(document: &OpenApi) -> Operations {
    let methods = |item: &PathItem| {
        [
            ("GET", item.get.is_some()),
            ("POST", item.post.is_some()),
            ("PUT", item.put.is_some()),
            ("PATCH", item.patch.is_some()),
            ("DELETE", item.delete.is_some()),
        ]
    };
    let mut all = Operations::new();
    for (path, item) in &document.paths.paths {
        for (method, present) in methods(item) {
            if present {
                all.insert((method.to_owned(), path.clone()));
            }
        }
    }
    all
}

fn document() -> OpenApi {
    shared::http::openapi::document(documents().into_iter().map(|(_, document)| document))
}

#[test]
fn the_checked_in_document_is_that_of_the_code() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/openapi.json");
    let generated = document().to_pretty_json().unwrap() + "\n";
    if fs::read_to_string(&file).unwrap() != generated {
        fs::write(&file, generated).unwrap();
        panic!(
            "infra/openapi.json was stale; it is written anew: look at the change and commit it"
        );
    }
}

#[test]
fn the_routes_of_functions_watch_openapi_and_readme_agree() {
    let described = operations(&document());
    let mut of_functions = BTreeSet::new();
    for (function, document) in documents() {
        for (_, path) in operations(&document) {
            of_functions.insert((path, function.to_owned()));
        }
    }
    let of_watch: BTreeSet<_> = routes_of_watch().into_iter().collect();
    assert_eq!(
        of_functions, of_watch,
        "functions, and [workspace.metadata.lambda.watch.router]"
    );
    let readme = include_str!("../README.md");
    let of_readme: Operations = readme
        .lines()
        .filter_map(|line| {
            let cell = line.strip_prefix("| `")?.split('`').next()?;
            let (method, path) = cell.split_once(' ')?;
            path.starts_with("/api/")
                .then(|| (method.to_owned(), path.to_owned()))
        })
        .collect();
    assert_eq!(
        described, of_readme,
        "OpenAPI, and the endpoint table of the README"
    );
}

fn example(path: &str, id: &str) -> String {
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') {
            id
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_operation_needs_a_session() {
    let api = Api::start().await;
    let nobody = api.anonymous();
    for (method, path) in operations(&document()) {
        if PUBLIC.contains(&(method.as_str(), path.as_str())) {
            continue;
        }
        // Neither a body that is no JSON nor an impossible id comes before the session.
        for id in ["1", "abc"] {
            let sent = (method != "GET").then(|| "{".to_owned());
            let answer = nobody
                .send(&method, &format!("{}?x=1", example(&path, id)), sent)
                .await;
            answer.expect_problem(401, "unauthenticated");
        }
    }
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn every_path_answers_other_methods_with_405() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await;
    let described = operations(&document());
    let paths: BTreeSet<_> = described.iter().map(|(_, path)| path.clone()).collect();
    for path in paths {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if !described.contains(&(method.to_owned(), path.clone())) {
                let answer = ada.send(method, &example(&path, "1"), None).await;
                // `/api/tasks/reorder` has the shape of `/api/tasks/{id}` for the other methods.
                assert!(
                    [405, 404].contains(&answer.status),
                    "{method} {path}: {}",
                    answer.text
                );
            }
        }
    }
}
