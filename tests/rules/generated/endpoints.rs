//! The endpoints: as the reference lists them, and as their files name them.

use std::{collections::BTreeSet, fs};

use tests::{
    api_functions, files, path,
    support::{METHODS, Operation, document, operations},
};

/// A row for each operation, under a row for each resource.
pub fn table() -> Vec<String> {
    let document = serde_json::to_value(document()).unwrap();
    let mut rows = Vec::new();
    let mut listed = 0;
    for tag in document["tags"].as_array().unwrap() {
        let [name, about] = ["name", "description"].map(|text| tag[text].as_str().unwrap());
        rows.push(format!("| **{name}** | **{about}** | |"));
        let is_of_tag = |operation: &&Operation| operation.described["tags"][0] == tag["name"];
        let mut of_tag: Vec<_> = operations()
            .iter()
            .filter(is_of_tag)
            .collect();
        // A resource comes before what belongs to it.
        of_tag.sort_by_key(|operation| operation.path.matches('/').count());
        listed += of_tag.len();
        rows.extend(of_tag.into_iter().map(row));
    }
    let operation_count = operations().len();
    assert_eq!(
        listed, operation_count,
        "a tag is not described in the document"
    );
    tests::table("| endpoint | what it does | permission |", rows)
}

fn row(operation: &Operation) -> String {
    let summary = operation.described["summary"]
        .as_str()
        .unwrap();
    let needs = operation.needs().join(", ");
    let name = operation.name();
    let short = in_short(summary);
    format!("| `{name}` | {short} | {needs} |").replace("|  |", "| |")
}

/// The first sentence, as a table has it.
fn in_short(summary: &str) -> String {
    let text = summary
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let sentence = text
        .split(". ")
        .next()
        .unwrap()
        .trim_end_matches('.');
    let mut letters = sentence.chars();
    let first = letters.next().unwrap().to_lowercase();
    first
        .chain(letters)
        .collect::<String>()
        .replace('|', "\\|")
}

/// An endpoint's file is found by its first line. Endpoints of one declaration share a file, which
/// begins with a line for each.
#[test]
fn every_endpoint_file_begins_with_its_operation() {
    let mut with_file = BTreeSet::new();
    for (function, _) in api_functions() {
        for path in files(
            &path("functions")
                .join(function)
                .join("src"),
            &[".rs"],
        ) {
            let text = fs::read_to_string(&path).unwrap();
            let named: Vec<&str> = text
                .lines()
                .map_while(operation_named)
                .collect();
            if let Some(operation) = operation_of(&text) {
                assert_eq!(named, [operation], "{}", path.display());
            }
            for operation in named {
                let holds = with_file.insert(operation.to_owned());
                assert!(holds, "{} is not the only one", path.display());
            }
        }
    }
    // The document lists no pages.
    let pages = api_functions().flat_map(|(_, api)| api.pages);
    let pages: Vec<String> = pages
        .map(|path| format!("GET {path}"))
        .collect();
    with_file.retain(|operation| !pages.contains(operation));
    let described = operations().iter();
    let described: BTreeSet<String> = described
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect();
    assert_eq!(with_file, described, "endpoint files, and the document");
}

/// The method and path of a line at the top of a file.
fn operation_named(line: &str) -> Option<&str> {
    let operation = line
        .strip_prefix("//! `")?
        .strip_suffix('`')?;
    let (method, path) = operation.split_once(' ')?;
    (METHODS.contains(&method) && path.starts_with('/')).then_some(operation)
}

/// The method and path that `#[utoipa::path]` gives a file's handler.
fn operation_of(text: &str) -> Option<String> {
    let (_, attribute) = text.split_once("#[utoipa::path(")?;
    let holds = !attribute.contains("#[utoipa::path(");
    assert!(holds, "a file for each endpoint");
    let (method, rest) = attribute
        .trim_start()
        .split_once(',')
        .unwrap();
    let (_, path) = rest.split_once("path = \"").unwrap();
    let (path, _) = path.split_once('"').unwrap();
    let method = method.to_ascii_uppercase();
    assert!(METHODS.contains(&method.as_str()), "{method}");
    Some(format!("{method} {path}"))
}
