//! Search among the records of an organization: an index of their words.
//!
//! The publisher writes the index from the table's stream, with two kinds of items:
//!
//! - an [`IndexedRecord`] for each record, with all of its words, also in an index by last change;
//! - an [`IndexedWord`] for each word of a record.
//!
//! A search reads the words that begin as the rarest words of the query. If there are few enough,
//! their records are sorted by last change. Otherwise the records are read in that order, and most
//! of them match. Each row is checked against the record itself, since the index may lag.

mod backfill;
mod excerpt;
mod finding;
mod indexing;

use std::collections::BTreeSet;

use model::base::{span, words::words};
use table::{Gsi1, Key};

use crate::{
    base::{
        record::record,
        records::{IndexedRecord, IndexedWord, SearchedText},
        store::resource,
    },
    key,
};

pub use finding::{Candidates, FoundRecord, SearchFilter};

/// The most distinct words of a record that search finds.
const MOST_WORDS: usize = 500;

/// The most characters of a word that the index has.
const MOST_CHARACTERS: usize = 32;

/// Milliseconds for which the index knows a deleted record: longer than the stream keeps a change.
const KEPT: i64 = 7 * span::DAY;

resource! { pub Search as search }

record! {
    record: IndexedRecord = "indexed_record",
    key: key::indexed(record.organization_id, record.kind, record.id),
    gsi1: record.deleted_at.is_none().then(|| record.in_time()),
    expires_at: {
        let deleted_at = record.deleted_at?;
        Some(deleted_at.plus(KEPT).epoch_seconds() + 1)
    },
}

impl IndexedRecord {
    fn in_time(&self) -> Key<Self, Gsi1> {
        key::indexed_in_time(self.organization_id, self.kind, self.id, self.updated_at)
    }
}

record! { word: IndexedWord = "indexed_word", key: key::indexed_word(word), }

impl SearchedText {
    /// The first distinct words of title, description and content.
    fn words(&self) -> BTreeSet<String> {
        let mut distinct_words = BTreeSet::new();
        let texts = [&self.title, &self.description, &self.content].into_iter();
        for word in texts
            .flatten()
            .flat_map(|text| words(text))
        {
            if distinct_words.len() == MOST_WORDS {
                break;
            }
            distinct_words.insert(word);
        }
        distinct_words
    }
}

/// The part of a word that the index has.
fn cut(word: &str) -> &str {
    let end = word.char_indices().nth(MOST_CHARACTERS);
    end.map_or(word, |(end, _)| &word[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_five_hundred_distinct_words_are_found() {
        let many = (0..600).map(|number| format!("w{number:03} w000 "));
        let text = SearchedText {
            title: Some("Résumé".to_owned()),
            description: Some(many.collect()),
            ..SearchedText::default()
        };
        let words = text.words();
        assert_eq!(words.len(), MOST_WORDS);
        assert!(words.contains("resume") && words.contains("w498") && !words.contains("w499"));
    }

    #[test]
    fn the_index_has_the_beginning_of_a_long_word() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"計".repeat(40)), "計".repeat(MOST_CHARACTERS));
    }
}
