//! Conditions on the attribute `words` of a record.

use std::collections::BTreeSet;

use model::base::words::words;
use table::{Condition, IntoAttribute};

/// Rows with a word that begins so, for each word of the query, as [`words`](table::Record::words)
/// has them.
pub(crate) fn having_words(mut condition: Condition, query: &str) -> Condition {
    let words: BTreeSet<String> = words(query).collect();
    for word in words {
        let beginning = format!(" {word}").into_attribute();
        condition = condition.and("contains(#, :)", "words", [beginning]);
    }
    condition
}
