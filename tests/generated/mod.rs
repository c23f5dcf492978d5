//! What the tests write: the parts of the project's files that say again what the code says. A test
//! that finds such a file stale writes it anew and fails, so that somebody looks at the change; the
//! next run passes. Each file has one test, so that no two write it at once.

mod dashboard;
mod endpoints;
mod file;
mod template;

use std::{collections::BTreeSet, fs};

use tests::{FUNCTIONS, api_functions};

use self::file::File;
use crate::support::{document, operations};

#[test]
fn the_openapi_document_is_that_of_the_code() {
    let text = document().to_pretty_json().unwrap() + "\n";
    File::open("infra/openapi.json").whole(text).hold();
}

/// A plain `cargo lambda watch` reads them.
#[test]
fn the_routes_of_watch_are_those_of_the_code() {
    let mut lines = Vec::new();
    let of_operations = operations()
        .iter()
        .map(|operation| (operation.path.as_str(), operation.function));
    let of_pages =
        api_functions().flat_map(|(name, api)| api.pages.iter().map(move |path| (*path, name)));
    for (path, function) in of_operations.chain(of_pages) {
        let line = format!("{path:?} = {function:?}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    File::open("Cargo.toml").section("routes", &lines).hold();
}

/// As in a sentence, for whoever looks for the operation that does something.
#[test]
fn the_endpoints_of_the_readme_are_those_of_the_code() {
    let table = endpoints::table();
    File::open("README.md").section("endpoints", &table).hold();
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
    let folders = fs::read_dir(file::path("functions")).unwrap();
    let packages: BTreeSet<String> = folders
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    let named = FUNCTIONS.iter().map(|function| function.name.to_owned());
    assert_eq!(packages, named.collect(), "functions, and FUNCTIONS");
}
