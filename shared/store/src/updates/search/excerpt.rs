//! Parts of texts, as rows of a search show them.

use model::base::{
    characters::{beginning, is_of_a_word, on_one_line},
    words::words,
};

use crate::base::records::SearchedText;

/// The most characters of an excerpt.
const MOST: usize = 160;

/// The most characters of a title that is the beginning of a text.
const MOST_OF_TITLE: usize = 80;

/// The most characters before a match.
const MOST_BEFORE: usize = 50;

impl SearchedText {
    /// The title; of a record without one, the beginning of its text.
    pub(super) fn shown_title(&self) -> String {
        match &self.title {
            Some(title) => title.clone(),
            None => shown(self.text(), 0, MOST_OF_TITLE),
        }
    }

    /// The text about the first match, else its beginning. `None` for a record without text.
    pub(super) fn excerpt(&self, query: &[String]) -> Option<String> {
        let text = self.text();
        let start = first_match(text, query).map_or(0, |at| before(text, at));
        let excerpt = shown(text, start, MOST);
        (!excerpt.is_empty()).then_some(excerpt)
    }

    /// The description or the content.
    fn text(&self) -> &str {
        let text = self
            .description
            .as_deref()
            .or(self.content.as_deref());
        text.unwrap_or_default()
    }
}

/// The position of the first word that begins as one of the query's.
fn first_match(text: &str, query: &[String]) -> Option<usize> {
    let mut start = 0;
    for piece in text.split_inclusive(|character| !is_of_a_word(character)) {
        let is_match = |word: String| {
            query
                .iter()
                .any(|asked| word.starts_with(asked))
        };
        if words(piece).any(is_match) {
            return Some(start);
        }
        start += piece.len();
    }
    None
}

/// The beginning of a word at most 50 characters before the position.
fn before(text: &str, at: usize) -> usize {
    let characters = text[..at].char_indices().rev();
    let near = characters
        .take(MOST_BEFORE)
        .map(|(place, _)| place);
    let Some(start) = near.last().filter(|start| *start > 0) else {
        return 0;
    };
    let rest = &text[start..at];
    let space = rest.find(char::is_whitespace);
    space.map_or(at, |space| start + space)
}

/// The part of a text from a position on, on one line. An ellipsis stands where the text goes on.
fn shown(text: &str, start: usize, most: usize) -> String {
    let rest = &text[start..];
    let part = beginning(rest, most);
    let line = on_one_line(part);
    let line = line
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let mark = |goes_on: bool| if goes_on { "…" } else { "" };
    let before = mark(start > 0);
    let after = mark(part.len() < rest.len());
    format!("{before}{line}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(description: &str, query: &str) -> Option<String> {
        let text = SearchedText {
            description: Some(description.to_owned()),
            ..SearchedText::default()
        };
        text.excerpt(&words(query).collect::<Vec<_>>())
    }

    #[test]
    fn a_short_text_is_shown_on_one_line() {
        let shown = excerpt("Move\n\n the\tinvoices.", "inv");
        assert_eq!(shown.as_deref(), Some("Move the invoices."));
        assert_eq!(excerpt("", "inv"), None);
    }

    #[test]
    fn a_long_text_is_shown_about_the_match() {
        let before = "before ".repeat(40);
        let after = "after ".repeat(40);
        let long = format!("{before} the crème is here {after}");
        let shown = excerpt(&long, "creme").unwrap();
        assert!(shown.starts_with("…before "), "{shown}");
        assert!(shown.ends_with('…'), "{shown}");
        assert!(shown.contains("the crème is here after"), "{shown}");
        assert!(shown.chars().count() <= MOST + 2, "{shown}");
        let other = excerpt(&long, "elsewhere").unwrap();
        assert!(other.starts_with("before before"), "{other}");
    }

    #[test]
    fn a_match_without_spaces_before_it_is_shown() {
        let long = format!("{}.match", "計".repeat(200));
        assert_eq!(excerpt(&long, "match").as_deref(), Some("…match"));
    }

    #[test]
    fn a_record_without_title_has_the_beginning_of_its_text() {
        let text = SearchedText {
            content: Some("word ".repeat(40)),
            ..SearchedText::default()
        };
        let title = text.shown_title();
        assert!(title.starts_with("word word"), "{title}");
        assert!(title.ends_with("word…"), "{title}");
        assert!(title.chars().count() <= MOST_OF_TITLE + 1);
    }
}
