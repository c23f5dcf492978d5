//! The words of a query, as searches and filters of lists take them.

use serde_json::Value;

use crate::base::{
    FaultCode, SearchText,
    input::{Field, Form, InputPlace, Reading, Schema, string},
    words::{spaced, words},
};

/// The words of a search in the index.
pub type SearchWords = QueryWords<{ SearchText::MOST }>;

/// The words that a filter of a list compares with titles.
pub type TitleWords = QueryWords<200>;

/// The different words of a query, at least one, in at most `MOST` characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWords<const MOST: usize>(Vec<String>);

impl<const MOST: usize> QueryWords<MOST> {
    /// The words, the longest first, which are likely to be rare.
    pub fn longest_first(&self) -> &[String] {
        &self.0
    }

    /// Returns true if each of the words begins a word of the text, without regard to case and
    /// accents.
    pub fn begin_words_of(&self, text: &str) -> bool {
        let text = spaced(words(text));
        let mut queried = self.0.iter();
        queried.all(|word| text.contains(&format!(" {word}")))
    }
}

impl<const MOST: usize> Field for QueryWords<MOST> {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let text = place.text(value)?;
        if let Err(wrong) = Form::Text.check(text, 1, MOST) {
            return place.must(wrong.code(), wrong);
        }
        let mut words: Vec<String> = words(text).collect();
        words.sort_unstable();
        words.dedup();
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        if words.is_empty() {
            return place.must(FaultCode::Pattern, "have a letter or a digit");
        }
        Some(Self(words))
    }

    fn field_schema() -> Schema {
        string()
            .min_length(Some(1))
            .max_length(Some(MOST))
            // Each character outside ASCII counts as a letter: all letters are too many to list.
            .pattern(Some(r"[A-Za-z0-9]|[^\u0000-\u007F]"))
            .examples(["invoice"])
            .into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{base::input::parse_query, work::TaskFilter};

    fn matches(query: &str, title: &str) -> bool {
        let sent = [("query".to_owned(), query.to_owned())];
        let filter: TaskFilter = parse_query(sent, Vec::new()).unwrap();
        filter
            .query
            .unwrap()
            .begin_words_of(title)
    }

    #[test]
    fn each_word_begins_a_word_of_the_title() {
        for (query, title, expected) in [
            ("inv", "Move the invoices", true),
            ("INVOICES mo", "Move the invoices", true),
            ("voices", "Move the invoices", false),
            ("move bill", "Move the invoices", false),
            ("creme", "Crème brûlée", true),
            ("lodz strasse", "Straße, ŁÓDŹ", true),
            ("#17", "Invoice 17", true),
        ] {
            assert_eq!(matches(query, title), expected, "{query}: {title}");
        }
    }
}
