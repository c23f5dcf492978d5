//! Names in the code follow the glossary: a word of its left column has one of the right instead.
//!
//! All names of types and variants are read, and the declared names of functions, fields,
//! parameters and modules. Tests are left out: their names are sentences.

use std::fs;

use tests::{files, is_test, path};

use super::circles::{crates, tokens::tokens};

/// Words that no name has, with those to use instead.
const INSTEAD: [(&str, &[&str]); 9] = [
    ("check", &["look", "looks", "looked", "looking"]),
    ("observation", &["sight", "sights"]),
    ("read_error", &["silence", "silences"]),
    ("context", &["surroundings", "around"]),
    ("notify", &["tell", "tells", "telling", "told"]),
    ("slot, or set_status", &["turn", "turns", "turned"]),
    ("deferred", &["put off", "puts off"]),
    ("requested", &["asked", "asking"]),
    ("fix", &["remedy", "remedies"]),
];

/// Whole names of types, with those to use instead.
const TYPES: [(&str, &str); 1] = [("Once", "Replay or Created")];

#[test]
fn names_follow_the_glossary() {
    let mut names = 0;
    let mut wrong = Vec::new();
    for folder in crates() {
        let mut files = files(&folder.join("src"), &[".rs"]);
        files.retain(|file| !is_test(file));
        for file in files {
            let shown = file
                .strip_prefix(path(""))
                .unwrap()
                .display();
            for name in declared(&tokens(&fs::read_to_string(&file).unwrap())) {
                names += 1;
                if let Some(instead) = instead_of(&name) {
                    wrong.push(format!("{shown}: {name}: say {instead}"));
                }
            }
        }
    }
    assert!(names > 10_000, "too few names: {names}");
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The names of types and variants, and the declared ones of functions, fields and modules.
fn declared(tokens: &[String]) -> Vec<String> {
    let declares = |at: usize| {
        let name = &tokens[at];
        let is_type = name.starts_with(char::is_uppercase);
        let before = at
            .checked_sub(1)
            .map(|at| tokens[at].as_str());
        let after = tokens.get(at + 1).map(String::as_str);
        let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        is_name && (is_type || matches!(before, Some("fn" | "mod")) || after == Some(":"))
    };
    let places = (0..tokens.len()).filter(|at| declares(*at));
    places
        .map(|at| tokens[at].clone())
        .collect()
}

/// The word to use instead of one that a name has.
fn instead_of(name: &str) -> Option<&'static str> {
    let whole = TYPES
        .iter()
        .find(|(word, _)| *word == name);
    let words = format!(" {} ", words(name));
    let has = |word: &&str| words.contains(&format!(" {word} "));
    let part = INSTEAD
        .iter()
        .find(|(_, banned)| banned.iter().any(has));
    whole
        .map(|(_, instead)| *instead)
        .or(part.map(|(instead, _)| *instead))
}

/// The words of a name in snake case, camel case or capitals.
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && was_lower) {
            words.push(' ');
        }
        if letter != '_' {
            words.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
    }
    words
}

#[test]
fn a_name_with_a_banned_word_is_found_where_it_is_declared() {
    let banned_names = |code: &str| -> Vec<String> {
        let names = declared(&tokens(code)).into_iter();
        names
            .filter(|name| instead_of(name).is_some())
            .collect()
    };
    assert_eq!(banned_names("fn look_at() {}"), ["look_at"]);
    assert_eq!(banned_names("struct A { put_off: u8 }"), ["put_off"]);
    assert_eq!(banned_names("enum A { Told, B }"), ["Told"]);
    assert_eq!(banned_names("const LOOKED_UP: u8 = 1;"), ["LOOKED_UP"]);
    assert_eq!(banned_names("mod sight;"), ["sight"]);
    assert_eq!(banned_names("enum Once { A }"), ["Once"]);
    // Words within words, values, texts and tests.
    assert!(
        banned_names("fn lookup() { let told = split_once(\"look\"); return told; }").is_empty()
    );
    assert!(banned_names("struct OnceLock; fn each_once() {}").is_empty());
    assert!(banned_names("#[cfg(test)] mod tests { fn it_looks() {} }").is_empty());
}
