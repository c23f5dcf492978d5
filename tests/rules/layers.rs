//! The crates depend on each other as `shared/README.md` draws it, and know nothing of what its
//! table says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use tests::path;
use toml::Table;

/// The crate below all others. It is not drawn.
const BOTTOM: &str = "model";

/// The packages that the words of the table stand for, by their beginnings.
const WORDS: &[(&str, &[&str])] = &[
    ("AWS", &["aws-", "aws_"]),
    ("HTTP", &["axum", "http", "lambda_http", "reqwest", "tower"]),
    (
        "the HTTP layers",
        &["axum", "lambda_http", "shared", "tower"],
    ),
    ("any record", &["agent", "store"]),
    (
        "the table",
        &["aws-sdk-dynamodb", "serde_dynamo", "store", "table"],
    ),
    (
        "one resource",
        &["auth", "directory", "tasks", "milestones", "activities"],
    ),
];

/// Names of packages.
type Names = BTreeSet<String>;

#[test]
fn the_drawing_of_crates_has_their_dependencies() {
    let mut crates = crates();
    for (name, needs) in &mut crates {
        let needs_it = ![BOTTOM, "api"].contains(&&**name);
        assert_eq!(needs.remove(BOTTOM), needs_it, "{name} and {BOTTOM}");
    }
    crates.remove(BOTTOM);
    assert_eq!(drawn(), crates, "shared/README.md, and each Cargo.toml");
}

#[test]
fn crates_know_nothing_of_what_the_table_says() {
    let readme = readme();
    let rows = readme.lines();
    let rows = rows.skip_while(|line| !line.ends_with("knows nothing of |"));
    let rows = rows
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut named = Names::new();
    for row in rows {
        let cells: Vec<&str> = row
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let (name, _) = cells[0]
            .trim_start_matches('[')
            .split_once(']')
            .unwrap();
        named.insert(name.to_owned());
        let needs = dependencies(&folder(name));
        for word in cells[2].split(", ") {
            let word = WORDS
                .iter()
                .find(|(listed, _)| *listed == word);
            let (word, packages) = word.unwrap_or_else(|| panic!("{name}: {row}"));
            let forbidden = needs.iter().find(|dependency| {
                packages
                    .iter()
                    .any(|package| dependency.starts_with(package))
            });
            assert_eq!(forbidden, None, "{name} knows nothing of {word}");
        }
    }
    let mut crates = ours();
    crates.retain(|name| {
        path(&folder(name))
            .join("Cargo.toml")
            .exists()
    });
    assert_eq!(named, crates, "the table of crates");
}

fn readme() -> String {
    fs::read_to_string(path("shared/README.md")).unwrap()
}

/// The arrows of the drawing, by where they begin.
fn drawn() -> BTreeMap<String, Names> {
    let readme = readme();
    let (_, drawing) = readme
        .split_once("```mermaid\nflowchart TD\n")
        .unwrap();
    let (drawing, _) = drawing.split_once("```").unwrap();
    let name = |text: &str| {
        text.split('[')
            .next()
            .unwrap()
            .trim()
            .to_owned()
    };
    let arrows = drawing
        .lines()
        .map(|line| match line.split_once("-->") {
            Some((from, to)) => (name(from), to.split('&').map(name).collect()),
            None => (name(line), Names::new()),
        });
    arrows.collect()
}

/// The crates of `shared`, and the functions in two groups, with the crates that each depends on.
fn crates() -> BTreeMap<String, Names> {
    let ours = ours();
    let of_ours = |folder: &str| &dependencies(folder) & &ours;
    let crates = ours.iter();
    let crates = crates.map(|name| (name.clone(), of_ours(&folder(name))));
    let mut crates: BTreeMap<_, _> = crates.collect();
    for function in fs::read_dir(path("functions")).unwrap() {
        let function = function
            .unwrap()
            .file_name()
            .into_string()
            .unwrap();
        let folder = format!("functions/{function}");
        if path(&folder).is_dir() {
            let needs = of_ours(&folder);
            let is_api = needs.contains("shared");
            let group = if is_api { "api" } else { "background" };
            crates
                .entry(group.to_owned())
                .or_default()
                .extend(needs);
        }
    }
    crates
}

/// The packages in `shared`.
fn ours() -> Names {
    let workspace = fs::read_to_string(path("Cargo.toml")).unwrap();
    let workspace: Table = workspace.parse().unwrap();
    let members = workspace["workspace"]["members"]
        .as_array()
        .unwrap();
    let folders = members
        .iter()
        .map(|member| member.as_str().unwrap());
    let folders = folders.filter(|folder| folder.starts_with("shared"));
    let names = folders.map(|folder| folder.rsplit('/').next().unwrap());
    names.map(str::to_owned).collect()
}

fn folder(name: &str) -> String {
    match name {
        "shared" => name.to_owned(),
        _ => format!("shared/{name}"),
    }
}

/// The packages that a package depends on, tests apart.
fn dependencies(folder: &str) -> Names {
    let manifest = fs::read_to_string(path(folder).join("Cargo.toml")).unwrap();
    let manifest: Table = manifest.parse().unwrap();
    let dependencies = manifest["dependencies"]
        .as_table()
        .unwrap();
    dependencies.keys().cloned().collect()
}
