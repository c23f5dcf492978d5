//! Words of texts, as searches and filters compare them, and names, as keys compare them.

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Folds a name's case, so that names are compared without regard to it. Accents stay: names that
/// differ by one are different names.
#[must_use]
pub fn fold(name: &str) -> String {
    caseless::default_case_fold_str(name)
}

/// Splits a text into its words: runs of letters and digits, without case and accents, in order.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().flat_map(|piece| {
        let plain = plain(piece);
        let words = plain.split(|character: char| !character.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
        words.collect::<Vec<_>>()
    })
}

/// Returns the words, each with a space before it: ` ac` occurs if and only if a word begins with `ac`.
pub fn spaced(words: impl IntoIterator<Item = String>) -> String {
    let words = words.into_iter();
    words.flat_map(|word| [" ".to_owned(), word]).collect()
}

/// Returns true for a character of a word, or a mark on one.
#[must_use]
pub fn is_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Removes case and accents: compatibility caseless form (Unicode, D146), without its marks.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded = text.nfd().default_case_fold().nfkd();
    let folded = folded.default_case_fold().nfkd();
    folded.filter(|one| !is_combining_mark(*one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_case_and_no_accents() {
        for (text, expected) in [
            ("Move the INVOICES", vec!["move", "the", "invoices"]),
            ("Crème brûlée", vec!["creme", "brulee"]),
            ("Cre\u{301}me", vec!["creme"]),
            ("Straße, ŁÓDŹ", vec!["strasse", "łodz"]),
            ("ΣΊΣΥΦΟΣ σίσυφος", vec!["σισυφοσ", "σισυφοσ"]),
            ("Ångström ﬁle", vec!["angstrom", "file"]),
            ("İstanbul", vec!["istanbul"]),
            ("#17 HS-2026-10", vec!["17", "hs", "2026", "10"]),
            ("ｗｉｄｅ １７", vec!["wide", "17"]),
            ("don't\u{a0}stop…now", vec!["don", "t", "stop", "now"]),
            ("請求書 計算", vec!["請求書", "計算"]),
            (" \u{301} -- ", vec![]),
        ] {
            let found: Vec<_> = words(text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_space_and_a_beginning_find_a_word() {
        let spaced = spaced(words("Backup accounts"));
        assert_eq!(spaced, " backup accounts");
        assert!(spaced.contains(" ac") && !spaced.contains(" up"));
    }

    #[test]
    fn names_keep_their_accents() {
        assert_eq!(fold("RÉSUMÉ"), "résumé");
    }
}
