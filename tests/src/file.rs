//! Files of the project of which tests write sections.
//!
//! A section is what stands between a line «Written by `cargo test`: NAME» and the next «End of
//! NAME», both as comments of the file's language. Nothing else of the file is touched.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file that is held against the code.
#[derive(Debug)]
pub struct File {
    name: &'static str,
    text: String,
    wanted: String,
}

impl File {
    /// The file of that name, from the project's root.
    #[must_use]
    pub fn open(name: &'static str) -> Self {
        let text = fs::read_to_string(path(name)).unwrap();
        Self {
            name,
            wanted: text.clone(),
            text,
        }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All of it is written by the test.
    #[must_use]
    pub fn whole(mut self, text: String) -> Self {
        self.wanted = text;
        self
    }

    /// A section of it has these lines, set in as far as its first mark is.
    #[must_use]
    pub fn section(mut self, section: &str, lines: &[String]) -> Self {
        self.wanted = match with_section(&self.wanted, section, lines) {
            Ok(text) => text,
            Err(reason) => panic!("{}, section {section}: {reason}", self.name),
        };
        self
    }

    /// Rewrites a stale file and fails the test.
    #[track_caller]
    pub fn hold(self) {
        Self::hold_all([self]);
    }

    /// As [`hold`](Self::hold), for several files.
    #[track_caller]
    pub fn hold_all<const N: usize>(files: [Self; N]) {
        let stale = files
            .into_iter()
            .filter(|file| file.text != file.wanted);
        let stale = stale.map(|file| {
            fs::write(path(file.name), file.wanted).unwrap();
            file.name
        });
        let stale = stale.collect::<Vec<_>>().join(", ");
        assert!(
            stale.is_empty(),
            "{stale} was stale; it is written anew: look at the change and commit it"
        );
    }
}

/// The path of a file of the project.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().join(name)
}

/// The files of a folder and of those in it with one of these endings, in order. Hidden folders,
/// and those of builds, are left out.
#[must_use]
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        if file.is_dir() && !name.starts_with('.') && !BUILT.contains(&name) {
            paths.extend(files(&file, endings));
        } else if endings
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            paths.push(file);
        }
    }
    paths.sort();
    paths
}

/// Folders without files of ours.
const BUILT: [&str; 2] = ["target", "node_modules"];

/// Returns whether a file of the project is of tests.
#[must_use]
pub fn is_test(file: &Path) -> bool {
    let mut parts = file
        .strip_prefix(path(""))
        .unwrap()
        .iter();
    parts.any(|part| part == "tests" || part == "tests.rs")
}

/// A table as Markdown has it, between empty lines.
#[must_use]
pub fn table(head: &str, rows: impl IntoIterator<Item = String>) -> Vec<String> {
    let column_count = head.matches('|').count() - 1;
    let columns = format!("|{}", "---|".repeat(column_count));
    let mut lines = vec![String::new(), head.to_owned(), columns];
    lines.extend(rows);
    lines.push(String::new());
    lines
}

fn mark(line: &str) -> &str {
    line.trim_matches([' ', '#', '<', '>', '!', '-'])
}

/// Finds the first line that is written by hand: a comment, or in Markdown any line outside of
/// tables and code blocks.
fn hand_written<'a>(lines: &[&'a str], is_markdown: bool) -> Option<&'a str> {
    let mut is_code = false;
    for line in lines {
        let text = line.trim();
        if is_markdown && text.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let is_by_hand = if is_markdown {
            !is_code && !text.is_empty() && !text.starts_with('|')
        } else {
            text.starts_with('#')
        };
        if is_by_hand {
            return Some(line);
        }
    }
    None
}

/// Replaces the lines of a section. Fails when a line written by hand would be lost.
fn with_section(text: &str, section: &str, lines: &[String]) -> Result<String, String> {
    let begin = format!("Written by `cargo test`: {section}");
    let end = format!("End of {section}");
    let text_lines: Vec<&str> = text.split('\n').collect();
    let places = |wanted: &str| -> Vec<usize> {
        let marks = text_lines.iter().enumerate();
        let marks = marks.filter(|(_, line)| mark(line) == wanted);
        marks.map(|(at, _)| at).collect()
    };
    let (&[first], &[last]) = (places(&begin).as_slice(), places(&end).as_slice()) else {
        return Err(format!(
            "there must be one line «{begin}» and one line «{end}», as comments"
        ));
    };
    if first > last {
        return Err(format!("«{end}» stands before «{begin}»"));
    }
    let depth = text_lines[first].len() - text_lines[first].trim_start().len();
    let indented = lines
        .iter()
        .map(|line| match line.as_str() {
            "" => String::new(),
            line => format!("{}{line}", " ".repeat(depth)),
        });
    let indented: Vec<String> = indented.collect();
    let is_markdown = text_lines[first].starts_with("<!--");
    if let Some(line) = hand_written(&text_lines[first + 1..last], is_markdown) {
        return Err(format!("«{line}» is not the test's: move it out of there"));
    }
    let mut whole: Vec<&str> = text_lines[..=first].to_vec();
    whole.extend(indented.iter().map(String::as_str));
    whole.extend(&text_lines[last..]);
    Ok(whole.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a: 1\n  # Written by `cargo test`: b\n  b: 1\n  # End of b\n# c\n";

    fn with_b(text: &str) -> Result<String, String> {
        with_section(text, "b", &["b:", "", "  x"].map(str::to_owned))
    }

    #[test]
    fn only_the_section_is_rewritten() {
        let written = with_b(TEXT).unwrap();
        assert_eq!(written, TEXT.replace("  b: 1\n", "  b:\n\n    x\n"));
        assert_eq!(with_b(&written).unwrap(), written);
    }

    #[test]
    fn a_line_written_by_hand_is_not_lost() {
        for (from, to, named) in [
            ("# End of b", "# End", "# End of b"),
            ("# Written", "# written", "Written by"),
            ("a: 1", "# End of b", "End of b"),
            ("b: 1", "# Mind this.", "# Mind this."),
        ] {
            let refused = with_b(&TEXT.replace(from, to)).unwrap_err();
            let holds = refused.contains(named.trim_start_matches("# "));
            assert!(holds, "{refused}");
        }
        let table = "<!-- Written by `cargo test`: b -->\n| x |\nSee below.\n<!-- End of b -->";
        assert!(
            with_b(table)
                .unwrap_err()
                .contains("See below.")
        );
        assert!(with_b(&table.replace("See below.", "")).is_ok());
    }
}
