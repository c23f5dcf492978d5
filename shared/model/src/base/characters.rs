//! Rules of characters: the invisible ones, those that no single line holds, and the ends of words
//! and texts. Each rule stands here alone. The data are Unicode's, from `icu_properties`.

use std::iter::from_fn;

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, LineBreak},
};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_segmentation::UnicodeSegmentation;

/// White space, spelled out: `\s` differs between languages.
pub(crate) const WHITE: &str =
    r"\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000";

/// The [hidden](is_hidden) characters below U+10000, spelled out: without the flag `u`, `\p{Cf}`
/// has another meaning in JavaScript. The service refuses those above as well.
pub(crate) const HIDDEN: &str = r"\u0000-\u001F\u007F-\u009F\u00AD\u200B\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB";

/// The [invisible](is_invisible) characters below U+10000, spelled out likewise.
pub(crate) const INVISIBLE: &str = r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8";

/// The space without width, which ends words: Khmer and Thai have it between them.
const ZERO_WIDTH_SPACE: char = '\u{200B}';

/// The black flag, with which the flags of England, Scotland and Wales begin.
const FLAG: char = '\u{1F3F4}';

/// The most tag characters of a flag: those of a region's code.
const MOST_TAGS: usize = 6;

/// Returns true for a character that shows nothing by itself: Unicode's
/// `Default_Ignorable_Code_Point`.
pub fn is_invisible(character: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
}

/// Returns true for a character that a single line cannot hold: a control character, a line or
/// paragraph separator, or an invisible format character. The bidirectional overrides and isolates
/// are among these.
///
/// People type some format characters, which a line holds:
///
/// - the joiners U+200C and U+200D, in Persian, Indic scripts and emoji;
/// - the direction marks U+200E, U+200F and U+061C, on Hebrew and Arabic keyboards. They move
///   nothing but the punctuation beside them;
/// - the vowel separator U+180E, in Mongolian;
/// - signs that show, such as U+0600 and U+06DD.
pub fn is_hidden(character: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    let is_typed = matches!(character, '\u{200C}'..='\u{200F}' | '\u{61C}' | '\u{180E}');
    // Annotations of other texts are no part of a line, though they are not ignorable.
    let shows = || !is_invisible(character) && !matches!(character, '\u{FFF9}'..='\u{FFFB}');
    match category(character) {
        Control | LineSeparator | ParagraphSeparator => true,
        Format => !is_typed && !shows(),
        _ => false,
    }
}

/// Returns the characters of a text that are [hidden](is_hidden), without those of a flag.
pub fn hidden(text: &str) -> impl Iterator<Item = char> {
    marked(text).filter_map(|(character, is_hidden)| is_hidden.then_some(character))
}

pub fn without_hidden(text: &str) -> String {
    let shown = marked(text).filter_map(|(character, is_hidden)| (!is_hidden).then_some(character));
    shown.collect()
}

/// True for a line break or a tab.
pub(crate) const fn breaks(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t')
}

/// Returns a text without hidden characters but line breaks and tabs.
pub fn in_lines(text: &str) -> String {
    let parts = text
        .split_inclusive(breaks)
        .map(|part| {
            let end = part
                .chars()
                .last()
                .filter(|character| breaks(*character));
            without_hidden(part)
                .chars()
                .chain(end)
                .collect::<String>()
        });
    parts.collect()
}

/// Returns a text on one line: a control character or a separator becomes a space, and other hidden
/// characters go. Joiners, direction marks and flags stay.
pub fn on_one_line(text: &str) -> String {
    let characters = marked(text).filter_map(|(character, is_hidden)| {
        let is_format = || category(character) == GeneralCategory::Format;
        match is_hidden {
            false => Some(character),
            true if is_format() => None,
            true => Some(' '),
        }
    });
    characters.collect()
}

/// The characters of a text, each with true for a hidden one. Tag characters of a flag are not.
fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut rest = text.chars();
    let mut of_flag = 0;
    from_fn(move || {
        let character = rest.next()?;
        if of_flag > 0 {
            of_flag -= 1;
            return Some((character, false));
        }
        if character == FLAG {
            of_flag = tags(rest.as_str());
        }
        Some((character, is_hidden(character)))
    })
}

/// The number of tag characters behind the black flag, with their end; 0 unless they are a
/// region's.
fn tags(text: &str) -> usize {
    let is_of_code =
        |tag: &char| matches!(tag, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let code = text
        .chars()
        .take(MOST_TAGS)
        .take_while(is_of_code)
        .count();
    let has_end = text.chars().nth(code) == Some('\u{E007F}');
    if code >= 3 && has_end { code + 1 } else { 0 }
}

/// Returns true for a character that a username may hold: a letter, a mark or a digit of any
/// script, or one of `. _ @ + -`.
pub fn is_of_a_name(character: char) -> bool {
    use GeneralCategoryGroup as Group;
    let lettered = Group::Letter
        .union(Group::Mark)
        .union(Group::Number);
    let is_lettered = lettered.contains(category(character));
    (is_lettered && !is_invisible(character)) || "._@+-".contains(character)
}

/// Returns true for a mark on the letter before it.
pub fn is_mark(character: char) -> bool {
    is_combining_mark(character)
}

/// Returns true for a character of a word, for a mark on one, and for what is invisible within one
/// (UAX 29, WB4).
pub fn is_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || is_mark(character) || is_within_words(character)
}

/// Returns true for an invisible character that ends no word.
pub(crate) fn is_within_words(character: char) -> bool {
    is_invisible(character) && character != ZERO_WIDTH_SPACE
}

/// Returns true for a letter after which a line may break without a space: Han, kana, Thai, Lao,
/// Khmer, Myanmar and others (UAX 14). Hangul is among them, since its particles directly follow a
/// name.
pub fn needs_no_space(character: char) -> bool {
    use LineBreak as Is;
    let plain = character
        .nfkc()
        .next()
        .unwrap_or(character);
    let class = CodePointMapData::<LineBreak>::new().get(plain);
    let is_one = [
        Is::Ideographic,
        Is::ConditionalJapaneseStarter,
        Is::Nonstarter,
        Is::ComplexContext,
        Is::H2,
        Is::H3,
        Is::JL,
        Is::JV,
        Is::JT,
        Is::Aksara,
        Is::AksaraPrebase,
        Is::AksaraStart,
    ];
    plain.is_alphanumeric() && is_one.contains(&class)
}

/// Returns true for a letter or digit that an address may have before its `@`: one of a script with
/// spaces between words.
pub fn is_of_an_address(character: char) -> bool {
    character.is_alphanumeric() && !needs_no_space(character)
}

/// Returns the beginning of a text, of so many characters at most. It ends between characters as
/// people see them (UAX 29): a flag, an emoji and a letter with its marks are not cut.
pub fn beginning(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text;
    };
    let ends = text
        .grapheme_indices(true)
        .map(|(at, grapheme)| at + grapheme.len());
    let end = ends
        .take_while(|at| *at <= end)
        .last()
        .unwrap_or(end);
    &text[..end]
}

fn category(character: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLAND: &str = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";

    /// The ranges of a class of a regular expression, given without its brackets.
    fn ranges(class: &str) -> Vec<std::ops::RangeInclusive<u32>> {
        let code = |text: &str| u32::from_str_radix(text.trim_start_matches("\\u"), 16).unwrap();
        let mut ranges = Vec::new();
        let mut rest = class;
        while let Some((first, behind)) = rest.split_at_checked(6) {
            rest = behind;
            let mut last = first;
            if let Some(range) = behind.strip_prefix('-') {
                (last, rest) = range.split_at(6);
            }
            ranges.push(code(first)..=code(last));
        }
        ranges
    }

    #[test]
    fn the_patterns_name_every_such_character_below_10000() {
        for (class, is_one) in [
            (HIDDEN, is_hidden as fn(char) -> bool),
            (INVISIBLE, is_invisible),
        ] {
            let ranges = ranges(class);
            for code in 0..0x1_0000 {
                let Some(character) = char::from_u32(code) else {
                    continue;
                };
                let is_named = ranges
                    .iter()
                    .any(|range| range.contains(&code));
                // Patterns need not name what has no character yet.
                let is_named = is_named && category(character) != GeneralCategory::Unassigned;
                let is_one =
                    is_one(character) && category(character) != GeneralCategory::Unassigned;
                assert_eq!(is_named, is_one, "U+{code:04X}");
            }
        }
    }

    #[test]
    fn a_line_of_a_text_keeps_what_shows() {
        for (text, line) in [
            ("a\r\nb\u{200D}", "a  b\u{200D}"),
            ("Rech\u{AD}nung\u{2028}x", "Rechnung x"),
            ("a\u{202E}b\u{2066}c\u{2069}", "abc"),
            ("\u{200F}שלום\u{200F}!", "\u{200F}שלום\u{200F}!"),
            ("a\u{E0067}\u{FEFF}b", "ab"),
            ("\u{1F3F4}\u{E0067}\u{E0062}x", "\u{1F3F4}x"),
            (ENGLAND, ENGLAND),
        ] {
            assert_eq!(on_one_line(text), line, "{text:?}");
        }
        assert_eq!(without_hidden("a\n\u{200B}b"), "ab");
    }

    #[test]
    fn a_text_ends_between_characters_as_people_see_them() {
        let family = "👨\u{200D}👩\u{200D}👧";
        for (text, most, expected) in [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("ae\u{301}b", 2, "a"),
            ("ae\u{301}b", 3, "ae\u{301}"),
            (family, 3, "👨\u{200D}👩"),
            ("", 0, ""),
        ] {
            assert_eq!(beginning(text, most), expected, "{text:?}");
        }
        let flags = format!("a{ENGLAND}{ENGLAND}");
        assert_eq!(beginning(&flags, 10), format!("a{ENGLAND}"));
    }

    #[test]
    fn scripts_without_spaces_are_known() {
        for character in "漢あアｱー々한กກကᦀ𠀀".chars() {
            assert!(needs_no_space(character), "{character}");
            assert!(!is_of_an_address(character), "{character}");
        }
        for character in "aZ9éßжδאعअｚ".chars() {
            assert!(is_of_an_address(character), "{character}");
        }
        for character in "-_.@ 。".chars() {
            assert!(!is_of_an_address(character), "{character}");
        }
    }
}
