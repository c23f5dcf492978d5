//! Holds the lists of routes against each other, the OpenAPI document against the code, and every
//! operation against the rules that all of them share.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Value, json};
use shared::model::Permission;
use utoipa::openapi::{OpenApi, path::PathItem};

use crate::support::{Api, Request, World, documents, example, routes_of_watch};

/// Operations as (method, path).
pub type Operations = BTreeSet<(String, String)>;

/// Operations that need no session.
const PUBLIC: [(&str, &str); 2] = [("POST", "/api/auth/login"), ("GET", "/api/openapi.json")];

pub fn operations(document: &OpenApi) -> Operations {
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

/// The document of all functions together.
pub fn document() -> OpenApi {
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
    let of_readme: Operations = endpoint_table().into_keys().collect();
    assert_eq!(
        described, of_readme,
        "OpenAPI, and the endpoint table of the README"
    );
}

/// The endpoint table of the README: for each operation what its caller needs.
fn endpoint_table() -> BTreeMap<(String, String), String> {
    include_str!("../README.md")
        .lines()
        .filter_map(|line| {
            let (operation, rest) = line.strip_prefix("| `")?.split_once('`')?;
            let (method, path) = operation.split_once(' ')?;
            let needs = rest.trim_end_matches([' ', '|']).rsplit('|').next()?;
            path.starts_with("/api/").then(|| {
                let operation = (method.to_owned(), path.to_owned());
                (operation, needs.trim().to_owned())
            })
        })
        .collect()
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

#[tokio::test]
async fn every_operation_needs_the_permission_that_the_readme_names() {
    let api = Api::start().await;
    let mut refused = 0;
    for name in ["vic", "mia", "sue", "max", "ada"] {
        let caller = api.sign_in(name).await;
        let role = api.user(name).await.role;
        let held: Vec<&str> = role.permissions().iter().map(|one| one.name()).collect();
        for ((method, path), needs) in endpoint_table() {
            let permission = needs.split(',').next().unwrap().to_owned();
            if permission.is_empty() || permission.contains(' ') {
                continue;
            }
            assert!(is_permission(&permission), "{method} {path}: {permission}");
            // Neither a body that is no JSON nor an unknown parameter comes before the permission.
            let sent = (method != "GET").then(|| "{".to_owned());
            let target = format!("{}?x=1", example(&path, "1"));
            let answer = caller.send(&method, &target, sent).await;
            if held.contains(&permission.as_str()) {
                assert_eq!(
                    answer.status, 400,
                    "{name}: {method} {path}: {}",
                    answer.text
                );
            } else {
                answer.expect_problem(403, "permission_denied");
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused}");
}

fn is_permission(name: &str) -> bool {
    serde_json::from_value::<Permission>(json!(name)).is_ok()
}

#[tokio::test]
async fn the_agent_needs_a_plan_that_includes_it() {
    let api = Api::start_with(crate::support::Settings {
        without_agent: true,
        ..Default::default()
    })
    .await;
    let ada = api.sign_in("ada").await;
    for ((method, path), needs) in endpoint_table() {
        if path.starts_with("/api/auth/") {
            continue;
        }
        let answer = ada
            .send(&method, &example(&path, "1"), Some("{}".into()))
            .await;
        let problem: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let refused = problem["code"] == "plan_feature_unavailable";
        assert_eq!(refused, needs.ends_with("plan agentAI"), "{method} {path}");
        if refused {
            answer.expect(403);
        }
    }
}

#[tokio::test]
async fn a_record_of_another_organization_answers_as_an_absent_one() {
    let world = World::start().await;
    let api = world.api();
    let zoe = api.sign_in("zoe").await;
    let before = api.records().await;
    let mut requests = world.requests();
    requests.retain(|request| request.template.contains('{'));
    assert!(requests.len() > 20, "{}", requests.len());
    for request in &requests {
        let (operation, there) = (request.operation(), request.path.as_str());
        let absent = ["999", "0", "-1", "abc", "9007199254740993"];
        let absent = absent.map(|id| example(&request.template, id));
        let mut answers = Vec::new();
        for path in absent.iter().map(String::as_str).chain([there]) {
            let asked = Request {
                path: path.to_owned(),
                ..request.clone()
            };
            let answer = asked.by(&zoe).await;
            let problem: Value = serde_json::from_str(&answer.text).unwrap();
            answers.push((
                answer.status,
                problem["code"].clone(),
                problem["detail"].clone(),
            ));
        }
        let (status, _, _) = answers[0];
        assert!([403, 404].contains(&status), "{operation}: {answers:?}");
        assert!(
            answers.iter().all(|one| *one == answers[0]),
            "{operation}: {answers:?}"
        );
    }
    assert_eq!(before, api.records().await);
    // The same requests do find the records for those whose records they are.
    for request in &requests {
        let answer = request.by(&world.caller().await).await;
        let operation = request.operation();
        assert!(answer.status < 300, "{operation}: {}", answer.text);
    }
}
