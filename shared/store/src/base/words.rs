//! Conditions on the attribute `words` of a record.

use std::collections::BTreeSet;

use model::base::{unique_name, words::words};
use table::{Condition, IntoAttribute};

/// Rows with a word that begins so, for each word of the query, as [`words`](table::Record::words)
/// has them.
pub(crate) fn having_words(mut condition: Condition, query: &str) -> Condition {
    let plain: Vec<String> = words(query).collect();
    let mut accented = accented(query);
    if accented.len() != plain.len() {
        accented.clone_from(&plain);
    }
    let pairs: BTreeSet<_> = plain
        .into_iter()
        .zip(accented)
        .collect();
    for (plain, accented) in pairs {
        let is_plain = plain == accented;
        let [plain, accented] = [plain, accented].map(|word| format!(" {word}").into_attribute());
        condition = if is_plain {
            condition.and("contains(#, :)", "words", [plain])
        } else {
            let either = "(contains(#, :) OR contains(#, :))";
            condition.and(either, "words", [plain, accented])
        };
    }
    condition
}

/// The words of a text with their accents. Rows have them so that were last written by version 1.0.
fn accented(text: &str) -> Vec<String> {
    let folded = unique_name::folded(text);
    let words = folded.split(|character: char| !character.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}
