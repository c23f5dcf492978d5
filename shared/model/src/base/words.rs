//! Words of texts, as searches and filters compare them.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::base::characters::{is_mark, is_within_words};

/// Splits a text into its words: runs of letters and digits, without case and accents, in order.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .flat_map(|piece| {
            let plain = plain(piece);
            let words = plain.split(|character: char| !character.is_alphanumeric());
            let words = words
                .filter(|word| !word.is_empty())
                .map(str::to_owned);
            words.collect::<Vec<_>>()
        })
}

/// Returns the words, each with a space before it: ` ac` occurs if and only if a word begins with
/// `ac`.
pub fn spaced(words: impl IntoIterator<Item = String>) -> String {
    let words = words.into_iter();
    words
        .flat_map(|word| [" ".to_owned(), word])
        .collect()
}

/// Returns a text without case, accents and invisible characters: compatibility caseless form
/// (Unicode, D146), without its marks. Letters with a stroke, and others that people type as plain
/// ones, are plain.
pub fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text
        .chars()
        .filter(|character| !is_within_words(*character));
    let folded = visible.nfd().default_case_fold().nfkd();
    let folded = folded.default_case_fold().nfkd();
    let mut plain = String::with_capacity(text.len());
    for character in folded.filter(|character| !is_mark(*character)) {
        match typed(character) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(character),
        }
    }
    plain
}

/// Returns the plain letters that people type for one without decomposition, as `ss` for `ß`.
const fn typed(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_case_and_no_accents() {
        for (text, expected) in [
            ("Move the INVOICES", "move the invoices"),
            ("Crème brûlée", "creme brulee"),
            ("Cre\u{301}me", "creme"),
            ("Straße, ŁÓDŹ", "strasse lodz"),
            ("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"),
            ("Ångström ﬁle", "angstrom file"),
            ("İstanbul", "istanbul"),
            ("#17 HS-2026-10", "17 hs 2026 10"),
            ("ｗｉｄｅ １７", "wide 17"),
            ("don't\u{a0}stop…now", "don t stop now"),
            ("請求書 計算", "請求書 計算"),
            (" \u{301} -- ", ""),
            ("Øre Đor ħal ŧana ısparta", "ore dor hal tana isparta"),
            ("Æther œuvre Þór eyða", "aether oeuvre thor eyda"),
            ("Ge\u{AD}samt\u{AD}kon\u{2060}zept", "gesamtkonzept"),
            ("می\u{200C}خواهم", "میخواهم"),
            ("a\u{200B}b \u{FEFF}c", "a b c"),
        ] {
            let joined = words(text)
                .collect::<Vec<_>>()
                .join(" ");
            assert_eq!(joined, expected, "{text}");
        }
    }

    #[test]
    fn a_space_and_a_beginning_find_a_word() {
        let spaced = spaced(words("Backup accounts"));
        assert_eq!(spaced, " backup accounts");
        assert!(spaced.contains(" ac") && !spaced.contains(" up"));
    }
}
