//! Tokens per operation: the house grows no faster than its operations.
//!
//! Tokens measure code and not its layout: a dense line costs as much as the lines that it saves.
//! Comments are no tokens; a text is one. A commit with a higher bound names the gain.

use std::{
    collections::BTreeMap,
    ops::{Add, AddAssign},
    path::Path,
};

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use tests::{is_test, path, support::operations};

use crate::idioms::sources;

/// The most tokens of `functions` and `shared` for each operation, without tests. Imports count.
const MOST_TOKENS: usize = 3_200;

/// The most tokens of all tests for each operation.
const MOST_TEST_TOKENS: usize = 4_250;

/// The most tokens of a hundred lines of code.
const MOST_TOKENS_OF_LINES: usize = 840;

/// Tokens of a file, a crate or a folder of tests.
#[derive(Clone, Copy, Default)]
struct Tokens {
    production: usize,
    tests: usize,
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            production: self.production + other.production,
            tests: self.tests + other.tests,
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[test]
fn tokens_per_operation_stay_within_their_bounds() {
    let mut crates = BTreeMap::<String, Tokens>::new();
    for (file, text) in sources() {
        *crates
            .entry(crate_of(&file))
            .or_default() += count_file(&file, &text);
    }
    let operations = operations().len();
    let production: usize = crates
        .iter()
        .filter(|(name, _)| name.starts_with("functions") || name.starts_with("shared"))
        .map(|(_, tokens)| tokens.production)
        .sum();
    let tests: usize = crates
        .values()
        .map(|tokens| tokens.tests)
        .sum();
    let rows: Vec<String> = crates
        .iter()
        .map(|(name, tokens)| format!("{name:30} {:7} {:7}", tokens.production, tokens.tests))
        .collect();
    assert!(
        production <= MOST_TOKENS * operations && tests <= MOST_TEST_TOKENS * operations,
        "{} tokens and {} of tests for each of {operations} operations; at most {MOST_TOKENS} and \
         {MOST_TEST_TOKENS}. Cut code, or raise the bound and name the gain in the commit:\n{}",
        production / operations,
        tests / operations,
        rows.join("\n")
    );
}

#[test]
fn lines_carry_few_tokens() {
    let mut tokens = 0;
    let mut lines = 0;
    for (file, text) in sources() {
        let counted = count_file(&file, &text);
        tokens += counted.production + counted.tests;
        lines += lines_of_code(&text);
    }
    let of_lines = 100 * tokens / lines;
    assert!(
        of_lines <= MOST_TOKENS_OF_LINES,
        "{of_lines} tokens of a hundred lines; at most {MOST_TOKENS_OF_LINES}"
    );
}

/// Counts the lines with code.
fn lines_of_code(text: &str) -> usize {
    text.lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[test]
fn a_comment_is_no_token_and_a_test_is_no_production() {
    let text = r#"
        //! A file.
        /// Adds one.
        pub fn next(id: u64) -> u64 { id + 1 } // A remark.
        #[cfg(test)]
        mod tests { const NAME: &str = "a name"; }
    "#;
    let counted = count(text.parse().unwrap());
    // pub fn next ( id : u64 ) -> u64 { id + 1 }
    assert_eq!(counted.production, 15);
    // mod tests { const NAME : & str = "a name" ; }
    assert_eq!(counted.tests, 12);
}

/// The folder of a crate; of tests, their folder.
fn crate_of(file: &Path) -> String {
    let parts = file
        .strip_prefix(path(""))
        .unwrap()
        .iter();
    let parts = parts.map(|part| part.to_string_lossy().into_owned());
    parts
        .take(2)
        .collect::<Vec<_>>()
        .join("/")
}

/// Counts the tokens of a file.
fn count_file(file: &Path, text: &str) -> Tokens {
    let counted = count(text.parse().unwrap());
    if !is_test(file) {
        return counted;
    }
    Tokens {
        production: 0,
        tests: counted.production + counted.tests,
    }
}

/// Counts tokens. Items behind `#[cfg(test)]` are tests, with all that is in them.
fn count(stream: TokenStream) -> Tokens {
    let mut counted = Tokens::default();
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => counted += count_group(&group),
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if let Some(TokenTree::Punct(_)) = trees.peek() {
                    // `#![…]`
                    trees.next();
                }
                let Some(TokenTree::Group(attribute)) = trees.next() else {
                    continue;
                };
                let text = attribute
                    .stream()
                    .to_string()
                    .replace(' ', "");
                if text == "cfg(test)" {
                    for tree in trees.by_ref() {
                        let item = count(tree.clone().into());
                        counted.tests += item.production + item.tests;
                        if ends_item(&tree) {
                            break;
                        }
                    }
                } else if !text.starts_with("doc=") {
                    counted.production += 1;
                    counted += count_group(&attribute);
                }
            }
            // `->` and `::` are one token.
            TokenTree::Punct(sign) if sign.spacing() == Spacing::Joint => {}
            TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Punct(_) => {
                counted.production += 1;
            }
        }
    }
    counted
}

/// Counts a group, with both of its delimiters.
fn count_group(group: &Group) -> Tokens {
    let delimiters = Tokens {
        production: if group.delimiter() == Delimiter::None {
            0
        } else {
            2
        },
        tests: 0,
    };
    delimiters + count(group.stream())
}

/// An item ends with its braces or its semicolon.
fn ends_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        _ => false,
    }
}
