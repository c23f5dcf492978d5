//! The tables of CONTRIBUTING.md: their files and symbols are there, and each written file is
//! listed.

use std::{collections::BTreeSet, fs, path::Path};

use tests::{files, path};

const DOCUMENT: &str = "CONTRIBUTING.md";

/// The section with the table of written files.
const WRITTEN: &str = "Files that tests write\n";

/// Endings of files that the tables name.
const ENDINGS: [&str; 8] = [
    ".js", ".json", ".md", ".py", ".rs", ".toml", ".txt", ".yaml",
];

/// Endings of files whose words are symbols.
const SOURCES: [&str; 5] = [".js", ".py", ".rs", ".toml", ".yaml"];

/// Words that stand for a name.
const PLACEHOLDERS: [&str; 4] = ["HANDLER", "NAME", "SUBJECT", "VERB"];

fn document() -> String {
    fs::read_to_string(path(DOCUMENT)).unwrap()
}

/// The texts in backticks of a row. A text in two backticks shows a line of code, and is left out.
fn spans(row: &str) -> Vec<&str> {
    let outside = row.split("``").step_by(2);
    let spans = outside.flat_map(|part| part.split('`').skip(1).step_by(2));
    spans.collect()
}

/// Returns whether a word is the path of a file or a folder of the project. `/path` and addresses
/// are none.
fn is_path(word: &str) -> bool {
    let is_relative = !word.starts_with('/') && !word.contains("://");
    is_relative
        && (word.contains('/')
            || ENDINGS
                .iter()
                .any(|end| word.ends_with(end)))
}

/// Returns whether a part of a path stands for a name.
fn is_open(part: &str) -> bool {
    part.contains('…')
        || PLACEHOLDERS
            .iter()
            .any(|word| part.contains(word))
}

/// Returns true if a path leads somewhere, or is the name of a file. A placeholder takes any name.
fn exists(word: &str, names: &BTreeSet<String>) -> bool {
    let fixed = word
        .split('/')
        .take_while(|part| !is_open(part));
    let fixed: Vec<&str> = fixed.collect();
    path(&fixed.join("/")).exists() || names.contains(word)
}

/// The names of all files with an ending, without their folders.
fn names() -> BTreeSet<String> {
    let files = files(&path(""), &ENDINGS);
    let names = files
        .iter()
        .filter_map(|file| file.file_name()?.to_str());
    names.map(str::to_owned).collect()
}

/// The words of a text that may be names in code.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty())
}

/// Returns whether a word is a type, a variant or a constant by its letters.
fn is_named_in_capitals(word: &str) -> bool {
    word.len() > 1 && word.starts_with(char::is_uppercase)
}

/// The names of a symbol, such as three of `Caller<need::UpdateTask>`. Other texts have none.
fn symbols(span: &str) -> Vec<&str> {
    let is_text = span.contains(char::is_whitespace) || is_path(span);
    let is_code = span.ends_with("()") || span.contains("::");
    let is_symbol = !is_text && (is_code || words(span).any(is_named_in_capitals));
    let symbols = words(span).filter(|word| is_symbol && !is_open(word));
    symbols.collect()
}

/// All words of the sources.
fn known() -> BTreeSet<String> {
    let mut known_words = BTreeSet::new();
    for file in files(&path(""), &SOURCES) {
        let text = fs::read_to_string(file).unwrap();
        for word in words(&text) {
            if !known_words.contains(word) {
                known_words.insert(word.to_owned());
            }
        }
    }
    known_words
}

#[test]
fn the_tables_name_what_is_there() {
    let document = document();
    let rows = document
        .lines()
        .filter(|line| line.starts_with("| "));
    let names = names();
    let known_words = known();
    let mut checked = 0;
    let mut missing = Vec::new();
    for span in rows.flat_map(spans) {
        let paths = span
            .split_whitespace()
            .filter(|word| is_path(word));
        for word in paths {
            checked += 1;
            if !exists(word, &names) {
                missing.push(word);
            }
        }
        for word in symbols(span) {
            checked += 1;
            if !known_words.contains(word) {
                missing.push(word);
            }
        }
    }
    assert!(checked > 100, "too few names: {checked}");
    assert_eq!(missing, [""; 0]);
}

/// Returns whether a test writes a section of a file, or all of it.
fn is_written(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    lines.any(|line| {
        let content = line.trim_start_matches([' ', '#', '<', '!', '-']);
        content.starts_with("Written by `cargo test")
    })
}

#[test]
fn the_table_of_written_files_has_each_of_them() {
    let document = document();
    let mut sections = document.split("\n## ");
    let table = sections
        .find(|section| section.starts_with(WRITTEN))
        .unwrap();
    let mut written = 0;
    let mut missing = Vec::new();
    for file in files(&path(""), &[".md", ".toml", ".yaml"]) {
        if !is_written(&file) {
            continue;
        }
        written += 1;
        let name = file
            .strip_prefix(path(""))
            .unwrap()
            .display()
            .to_string();
        if !table.contains(&format!("| `{name}` |")) {
            missing.push(name);
        }
    }
    assert!(written > 5, "too few files: {written}");
    assert_eq!(missing, [""; 0]);
}

#[test]
fn words_of_the_tables_are_read_as_paths_and_symbols() {
    assert_eq!(
        spans("| `a/b.rs` | ``//! `GET /path` ``, `Task` |"),
        ["a/b.rs", "Task"]
    );
    assert!(is_path("keys.txt") && is_path("functions/…") && !is_path("/path"));
    assert!(!is_path("http://localhost/"));
    let names = BTreeSet::from(["keys.txt".to_owned()]);
    assert!(exists("keys.txt", &names) && exists("functions/NAME/src/VERB.rs", &names));
    assert!(!exists("no.txt", &names) && !exists("nowhere/NAME.rs", &names));
    let symbol = symbols("Caller<need::UpdateTask>");
    assert_eq!(symbol, ["Caller", "need", "UpdateTask"]);
    assert_eq!(symbols("branches()"), ["branches"]);
    assert_eq!(symbols("operation!(VERB::HANDLER)"), ["operation"]);
    assert_eq!(symbols("in_progress"), [""; 0]);
}
