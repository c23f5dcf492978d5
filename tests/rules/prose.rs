//! Plain words: counts comments and paragraphs that a reader may have to read twice.
//!
//! The rules stand in CONTRIBUTING.md. Four of them can be counted: a sentence starts with a noun
//! or a verb, has at most 30 words and one relative clause, and names its subject.

use std::{collections::BTreeMap, fs};

use tests::{files, path};

/// Findings allowed in the whole project. Lower it when you remove some; never raise it.
const RECORDED: usize = 15;

/// First words of a comment that has no subject yet.
const HEADLESS: [&str; 10] = [
    "What", "Whether", "How", "Those", "It", "Who", "Whose", "Why", "That", "The same",
];

/// Nouns that turn a first word into a subject: "How to …", "Value type …".
const NOUNS: [&str; 7] = ["to", "field", "test", "type", "file", "function", "value"];

/// Words that name nothing.
const VAGUE: &str = "nobody, somebody, put off, puts off, kept back, put right, turns into what, \
    turned into what, look at what, looks at what, looked at what, look at it, looks at it, \
    by now, anew, of now, is none of";

/// Words that begin a relative clause. A sentence with two of them is read twice.
const RELATIVES: [&str; 5] = ["that", "which", "whose", "whom", "what"];

/// Comments and paragraphs for each such sentence.
const WITH_TWO_CLAUSES: usize = 300;

/// Most words of a sentence. The aim is 25.
const MOST_WORDS: usize = 30;

#[derive(Debug)]
struct Finding {
    rule: &'static str,
    text: String,
}

#[test]
fn prose_is_plain() {
    let files = files(&path(""), &[".rs", ".md"]);
    assert!(files.len() > 300, "too few files: {}", files.len());
    let mut blocks = 0;
    let mut reported = Vec::new();
    let mut two_clauses = Vec::new();
    let mut by_folder = BTreeMap::<String, usize>::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(path("")).unwrap();
        let is_rust = file
            .extension()
            .is_some_and(|ending| ending == "rs");
        let read = if is_rust { comments } else { paragraphs };
        for (line, block) in read(&text) {
            blocks += 1;
            let sentences = sentences(&block).into_iter();
            let twice = sentences.filter(|sentence| relative_clauses(sentence) > 1);
            two_clauses
                .extend(twice.map(|sentence| format!("{}:{line}: {sentence}", name.display())));
            for finding in findings(&block) {
                let folder = name
                    .parent()
                    .unwrap()
                    .display()
                    .to_string();
                *by_folder.entry(folder).or_default() += 1;
                reported.push(format!(
                    "{}:{line}: {}: {:.120}",
                    name.display(),
                    finding.rule,
                    finding.text
                ));
            }
        }
    }
    println!(
        "{} findings in {blocks} comments and paragraphs: {by_folder:?}",
        reported.len()
    );
    assert!(
        reported.len() <= RECORDED,
        "{} findings, {RECORDED} recorded:\n{}",
        reported.len(),
        reported.join("\n")
    );
    assert!(
        two_clauses.len() * WITH_TWO_CLAUSES <= blocks,
        "{} sentences of {blocks} comments and paragraphs have two relative clauses. Name the noun, and \
         cut the clause:\n{}",
        two_clauses.len(),
        two_clauses.join("\n")
    );
}

/// Returns the number of relative clauses of a sentence. Lists of links have none.
fn relative_clauses(sentence: &str) -> usize {
    if sentence.contains(" · [") {
        return 0;
    }
    let words = sentence.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| RELATIVES.contains(&word.to_lowercase().as_str()))
        .count()
}

/// Doc comments of Rust, with their first lines. Tables, code and indented text are left out.
fn comments(text: &str) -> Vec<(usize, String)> {
    let line = |line: &str| {
        let comment = line.trim_start();
        let text = comment
            .strip_prefix("///")
            .or_else(|| comment.strip_prefix("//!"))?;
        let text = text.strip_prefix(' ').unwrap_or(text);
        let is_prose = !text.trim().is_empty() && !text.starts_with(['|', ' ']);
        (is_prose && !text.starts_with("```")).then(|| text.to_owned())
    };
    blocks(text.lines().map(line), false)
}

/// Paragraphs and list items of Markdown, with their first lines.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut in_code = false;
    let line = move |line: &str| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        let is_prose = !fence && !in_code && !line.trim().is_empty();
        (is_prose && !line.starts_with(['|', '#']) && !line.starts_with("<!--"))
            .then(|| line.trim().to_owned())
    };
    blocks(text.lines().map(line), true)
}

/// Lines that follow each other, joined; in Markdown a list item begins another block.
fn blocks(lines: impl Iterator<Item = Option<String>>, has_items: bool) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines.enumerate() {
        let Some(line) = line else {
            goes_on = false;
            continue;
        };
        let item = line
            .strip_prefix("- ")
            .or_else(|| line.strip_prefix("* "));
        let begins = !goes_on || (has_items && item.is_some());
        let text = item
            .filter(|_| has_items)
            .unwrap_or(&line);
        match blocks.last_mut() {
            Some((_, block)) if !begins => {
                block.push(' ');
                block.push_str(text);
            }
            _ => blocks.push((number + 1, text.to_owned())),
        }
        goes_on = true;
    }
    blocks
}

fn findings(block: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |rule, text: &str| {
        findings.push(Finding {
            rule,
            text: text.to_owned(),
        });
    };
    if is_headless(block) {
        add("starts without a subject", block);
    }
    for sentence in sentences(block) {
        if sentence.split_whitespace().count() > MOST_WORDS {
            add("is long", sentence);
        }
    }
    let lower = block.to_lowercase();
    let has = |words: &str| {
        lower
            .match_indices(words)
            .any(|(at, _)| {
                let before = lower[..at].chars().next_back();
                ![before, lower[at + words.len()..].chars().next()]
                    .into_iter()
                    .flatten()
                    .any(char::is_alphanumeric)
            })
    };
    if let Some(words) = VAGUE
        .split(", ")
        .find(|words| has(words))
    {
        add(words, block);
    }
    if lower.starts_with("answers ") || lower.contains("; answers ") {
        add("answers", block);
    }
    findings
}

/// Starts with a word that has no noun behind it.
fn is_headless(block: &str) -> bool {
    HEADLESS.into_iter().any(|word| {
        let rest = block.strip_prefix(word);
        rest.is_some_and(|rest| {
            let next = rest
                .split_whitespace()
                .next()
                .unwrap_or_default();
            !rest.starts_with(char::is_alphanumeric) && !NOUNS.contains(&next)
        })
    })
}

/// Sentences end with a mark and white space behind it.
fn sentences(block: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut rest = block;
    while let Some(at) = rest
        .char_indices()
        .zip(rest.chars().skip(1))
        .find(|((_, mark), next)| ['.', '!', '?'].contains(mark) && next.is_whitespace())
        .map(|((at, _), _)| at + 1)
    {
        sentences.push(&rest[..at]);
        rest = rest[at..].trim_start();
    }
    sentences.push(rest);
    sentences
}

#[test]
fn findings_are_what_the_rules_say() {
    let rules = |text: &str| -> Vec<&str> {
        findings(text)
            .into_iter()
            .map(|finding| finding.rule)
            .collect()
    };
    let broken_rules = rules("Returns the task. 404 if it is another tenant's.");
    assert_eq!(broken_rules, [""; 0]);
    assert_eq!(rules("What a task is."), ["starts without a subject"]);
    assert_eq!(rules("Whatever comes."), [""; 0]);
    assert_eq!(rules("How to add a field."), [""; 0]);
    assert_eq!(rules("Read by nobody."), ["nobody"]);
    let clauses = relative_clauses("A record that a test, which runs, makes.");
    assert_eq!(clauses, 2);
    let clauses = relative_clauses("Usage not yet charged, that of thatch.");
    assert_eq!(clauses, 1);
    assert_eq!(rules("Answers the task."), ["answers"]);
    let long = "word ".repeat(31);
    assert_eq!(rules(&long), ["is long"]);
    let broken_rules = rules(&format!("{}. {}", "word ".repeat(20), "word ".repeat(20)));
    assert_eq!(broken_rules, [""; 0]);
}
