//! The documents: short, with a table of contents, and found from the README. lychee checks their
//! links.

use std::{collections::BTreeSet, fs, path::Path};

use tests::{files, path};

use super::guide;

/// Where a reader begins.
const README: &str = "README.md";

/// The most lines of the README, and of a page of the API's guide.
const MOST_LINES: usize = 150;

/// The index of the guide's pages.
const INDEX: &str = "functions/README.md";

/// The most lines of the index.
const MOST_LINES_OF_INDEX: usize = 100;

/// A document of more lines has a table of contents.
const SHORT: usize = 40;

/// A document, without what stands in code.
struct Document {
    /// From the project's root.
    name: String,
    lines: Vec<String>,
}

impl Document {
    fn open(file: &Path) -> Self {
        let mut in_code = false;
        let mut lines = Vec::new();
        for line in fs::read_to_string(file)
            .unwrap()
            .lines()
        {
            let is_fence = line.trim_start().starts_with("```");
            in_code ^= is_fence;
            let text = if is_fence || in_code { "" } else { line };
            lines.push(text.to_owned());
        }
        let name = file.strip_prefix(path("")).unwrap();
        Self {
            name: name.display().to_string(),
            lines,
        }
    }

    /// Where links lead, of these lines.
    fn links(lines: &[String]) -> impl Iterator<Item = &str> {
        let parts = lines
            .iter()
            .flat_map(|line| line.split("](").skip(1));
        parts.filter_map(|part| Some(part.split_once(')')?.0))
    }
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    let kept: String = kept.collect();
    kept.to_lowercase().replace(' ', "-")
}

/// Every document of the project.
fn documents() -> Vec<Document> {
    let files = files(&path(""), &[".md"]);
    assert!(files.len() > 5, "{} documents", files.len());
    files
        .iter()
        .map(|file| Document::open(file))
        .collect()
}

#[test]
fn the_readme_is_short() {
    let lines = Document::open(&path(README))
        .lines
        .len();
    assert!(lines <= MOST_LINES, "{lines} lines");
}

#[test]
fn every_page_of_the_guide_is_short() {
    let pages = guide::pages();
    assert!(pages.len() > 10, "{} pages", pages.len());
    for page in pages {
        let page = Document::open(&page);
        let is_index = page.name == INDEX;
        let most = if is_index {
            MOST_LINES_OF_INDEX
        } else {
            MOST_LINES
        };
        let lines = page.lines.len();
        assert!(lines <= most, "{}: {lines} lines", page.name);
    }
}

#[test]
fn every_page_of_the_guide_is_linked_from_its_index() {
    let index = Document::open(&path(INDEX));
    let linked: BTreeSet<&str> = Document::links(&index.lines).collect();
    let pages = guide::pages().into_iter();
    let names = pages.map(|page| {
        page.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    });
    let missing = names.filter(|name| name != "README.md" && !linked.contains(name.as_str()));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_document_is_linked_from_the_readme() {
    let readme = Document::open(&path(README));
    let linked: BTreeSet<&str> = Document::links(&readme.lines).collect();
    let documents = documents();
    let missing = documents
        .iter()
        .map(|document| document.name.as_str());
    let missing = missing.filter(|name| *name != README && !linked.contains(name));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_document_begins_with_its_contents() {
    for document in documents() {
        let lines = document.lines.as_slice();
        let first = lines
            .iter()
            .position(|line| line.starts_with("## "));
        let Some(first) = first.filter(|_| lines.len() > SHORT) else {
            continue;
        };
        let listed: BTreeSet<&str> = Document::links(&lines[..first]).collect();
        let sections = lines
            .iter()
            .filter_map(|line| line.strip_prefix("## "));
        let missing =
            sections.filter(|section| !listed.contains(format!("#{}", anchor(section)).as_str()));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "{}", document.name);
    }
}
