//! Generated files: the parts of the project's files that repeat the code. A test rewrites a stale
//! one and fails, so that a person reviews the change; the next run passes. Each file has one test,
//! so that no two write it at once.

pub mod alarms;
pub mod dashboard;
mod desk;
mod endpoints;
mod examples;
mod keys;
mod playbooks;
mod reference;
pub mod template;
mod transitions;

use std::{collections::BTreeSet, fs};

use tests::{
    FUNCTIONS, File, api_functions, path,
    support::{EXAMPLES, document_with, operations},
};

/// The document with the tables of the API.
const REFERENCE: &str = "functions/REFERENCE.md";

/// The document with the table of playbooks.
const AGENT: &str = "functions/resolution-agent/README.md";

/// Both files at once, since the document has the examples.
#[tokio::test]
async fn the_openapi_document_and_its_examples_are_those_of_the_code() {
    let examples = Box::pin(examples::recorded()).await;
    let recorded = serde_json::to_string_pretty(&examples).unwrap() + "\n";
    let document = document_with(examples)
        .to_pretty_json()
        .unwrap()
        + "\n";
    File::hold_all([
        File::open(EXAMPLES).whole(recorded),
        File::open("infra/openapi.json").whole(document),
    ]);
}

#[test]
fn the_sets_of_the_desk_are_those_of_the_document() {
    File::hold_all(desk::modules());
}

/// A plain `cargo lambda watch` reads them.
#[test]
fn the_routes_of_watch_are_those_of_the_code() {
    let mut lines = Vec::new();
    let of_operations = operations()
        .iter()
        .map(|operation| (operation.path.as_str(), operation.function));
    let of_pages = api_functions().flat_map(|(name, api)| {
        api.pages
            .iter()
            .map(move |path| (*path, name))
    });
    for (path, function) in of_operations.chain(of_pages) {
        let line = format!("{path:?} = {function:?}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    File::open("Cargo.toml")
        .section("routes", &lines)
        .hold();
}

#[test]
fn the_tables_of_the_reference_are_those_of_the_code() {
    let mut file = File::open(REFERENCE).section("endpoints", &endpoints::table());
    for (section, table) in reference::tables() {
        file = file.section(section, &table);
    }
    file.hold();
}

#[tokio::test]
async fn the_keys_of_each_kind_are_those_of_a_filled_table() {
    File::open("shared/store/KEYS.md")
        .section("keys", &keys::table().await)
        .hold();
}

#[test]
fn the_diagrams_and_the_table_of_playbooks_are_those_of_their_files() {
    let sessions = transitions::diagram("session", "started: open");
    let actions = transitions::diagram("action", "queued: approve");
    File::open(AGENT)
        .section("sessions", &sessions)
        .section("actions", &actions)
        .section("playbooks", &playbooks::table())
        .hold();
}

#[test]
fn the_template_has_what_each_function_needs_of_the_gateway_and_the_alarms() {
    let mut file = File::open("infra/template.yaml");
    for (section, lines) in template::sections(file.text()) {
        file = file.section(&section, &lines);
    }
    file.hold();
}

#[test]
fn every_function_is_in_the_table_of_functions() {
    let entries = fs::read_dir(path("functions")).unwrap();
    let entries = entries.map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let packages: BTreeSet<String> = folders
        .map(|folder| {
            folder
                .file_name()
                .into_string()
                .unwrap()
        })
        .collect();
    let named = FUNCTIONS
        .iter()
        .map(|function| function.name.to_owned());
    assert_eq!(packages, named.collect(), "functions, and FUNCTIONS");
}
