//! The endpoints: as the reference lists them, and as their files name them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use tests::{
    api_functions, path,
    support::{METHODS, Operation, document, operations},
};

/// A row for each operation, under a row for each resource.
pub fn table() -> Vec<String> {
    let document = serde_json::to_value(document()).unwrap();
    let mut lines = vec![
        String::new(),
        "| endpoint | what it does | permission |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    let mut listed = 0;
    for tag in document["tags"].as_array().unwrap() {
        let about = tag["description"].as_str().unwrap();
        lines.push(format!(
            "| **{}** | **{about}** | |",
            tag["name"].as_str().unwrap()
        ));
        let of_tag = |one: &&Operation| one.described["tags"][0] == tag["name"];
        let mut of_tag: Vec<_> = operations().iter().filter(of_tag).collect();
        // A resource comes before what belongs to it.
        of_tag.sort_by_key(|one| one.path.matches('/').count());
        listed += of_tag.len();
        lines.extend(of_tag.into_iter().map(row));
    }
    assert_eq!(
        listed,
        operations().len(),
        "a tag is not described in the document"
    );
    lines.push(String::new());
    lines
}

fn row(operation: &Operation) -> String {
    let summary = operation.described["summary"].as_str().unwrap();
    let needs = operation.needs().join(", ");
    let row = format!(
        "| `{} {}` | {} | {needs} |",
        operation.method,
        operation.path,
        in_short(summary),
    );
    row.replace("|  |", "| |")
}

/// The first sentence, as a table has it.
fn in_short(summary: &str) -> String {
    let text = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = text.split(". ").next().unwrap().trim_end_matches('.');
    let mut letters = sentence.chars();
    let first = letters.next().unwrap().to_lowercase();
    first.chain(letters).collect::<String>().replace('|', "\\|")
}

/// An endpoint's file is found by its first line. Endpoints of one declaration share a file, which begins
/// with a line for each.
#[test]
fn every_endpoint_file_begins_with_its_operation() {
    let mut with_file = BTreeSet::new();
    for (function, _) in api_functions() {
        for path in files(&path("functions").join(function).join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            let named: Vec<&str> = text.lines().map_while(operation_named).collect();
            if let Some(operation) = operation_of(&text) {
                assert_eq!(named, [operation], "{}", path.display());
            }
            for operation in named {
                assert!(
                    with_file.insert(operation.to_owned()),
                    "{} is not the only one",
                    path.display()
                );
            }
        }
    }
    // The document lists no pages.
    let pages = api_functions().flat_map(|(_, api)| api.pages);
    let pages: Vec<String> = pages.map(|path| format!("GET {path}")).collect();
    with_file.retain(|operation| !pages.contains(operation));
    let described = operations().iter();
    let described: BTreeSet<String> = described
        .map(|one| format!("{} {}", one.method, one.path))
        .collect();
    assert_eq!(with_file, described, "endpoint files, and the document");
}

/// The method and path of a line at the top of a file.
fn operation_named(line: &str) -> Option<&str> {
    let operation = line.strip_prefix("//! `")?.strip_suffix('`')?;
    let (method, path) = operation.split_once(' ')?;
    (METHODS.contains(&method) && path.starts_with('/')).then_some(operation)
}

/// The method and path that `#[utoipa::path]` gives a file's handler.
fn operation_of(text: &str) -> Option<String> {
    let (_, attribute) = text.split_once("#[utoipa::path(")?;
    assert!(
        !attribute.contains("#[utoipa::path("),
        "a file for each endpoint"
    );
    let (method, rest) = attribute.trim_start().split_once(',').unwrap();
    let path = rest
        .split_once("path = \"")
        .unwrap()
        .1
        .split_once('"')
        .unwrap()
        .0;
    let method = method.to_ascii_uppercase();
    assert!(METHODS.contains(&method.as_str()), "{method}");
    Some(format!("{method} {path}"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all
}
