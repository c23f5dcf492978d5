//! Lines per operation: the house grows no faster than what it offers.
//!
//! A commit with a higher bound names the gain.

use std::{collections::BTreeMap, fs, path::Path};

use tests::{files, is_test, path, support::operations};

/// The most lines of `functions` and `shared` for each operation, without tests.
const MOST_LINES: usize = 400;

/// The most lines of all tests for each operation.
const MOST_TEST_LINES: usize = 420;

/// Lines of a crate or of a folder of tests.
#[derive(Default)]
struct Lines {
    production: usize,
    tests: usize,
}

#[test]
fn lines_per_operation_stay_within_their_bounds() {
    let mut crates = BTreeMap::<String, Lines>::new();
    for file in ["functions", "shared", "infra", "tests"]
        .iter()
        .flat_map(|folder| files(&path(folder), &[".rs"]))
    {
        let counted = count(&file);
        let lines = crates.entry(crate_of(&file)).or_default();
        lines.production += counted.production;
        lines.tests += counted.tests;
    }
    let is_counted = |name: &str| name.starts_with("functions") || name.starts_with("shared");
    let counted = crates.iter().filter(|(name, _)| is_counted(name));
    let production: usize = counted.map(|(_, lines)| lines.production).sum();
    let tests: usize = crates.values().map(|lines| lines.tests).sum();
    let operations = operations().len();
    let within = |lines: usize, most: usize| lines <= most * operations;
    let shown = crates
        .iter()
        .map(|(name, lines)| format!("{name:30} {:6} {:6}", lines.production, lines.tests));
    assert!(
        within(production, MOST_LINES) && within(tests, MOST_TEST_LINES),
        "{production} lines and {tests} of tests for {operations} operations; at most {MOST_LINES} and \
         {MOST_TEST_LINES} for each:\n{}",
        shown.collect::<Vec<_>>().join("\n")
    );
}

/// The folder of a crate; of tests, their folder.
fn crate_of(file: &Path) -> String {
    let parts = file.strip_prefix(path("")).unwrap().iter();
    let parts = parts.map(|part| part.to_string_lossy().into_owned());
    parts.take(2).collect::<Vec<_>>().join("/")
}

/// Counts the lines of a file. Modules and items behind `#[cfg(test)]` are tests.
fn count(file: &Path) -> Lines {
    let text = fs::read_to_string(file).unwrap();
    let all = text.lines().count();
    if is_test(file) {
        return Lines {
            production: 0,
            tests: all,
        };
    }
    let (mut tests, mut lines) = (0, text.lines());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        tests += 1;
        let mut has_body = false;
        for line in lines.by_ref() {
            tests += 1;
            has_body |= line.ends_with('{');
            if line == end || (!has_body && line.ends_with(';')) {
                break;
            }
        }
    }
    Lines {
        production: all - tests,
        tests,
    }
}
