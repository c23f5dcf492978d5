//! Names as keys: two names that look the same are one.

use caseless::default_case_fold_str;
use unicode_normalization::UnicodeNormalization;
use unicode_script::Script;
use unicode_security::mixed_script::AugmentedScriptSet;

use crate::{base::characters::is_invisible, people::digest};

/// The most bytes of a key as it is. No name that a client may create has more; a sign-in may send
/// one.
const MOST: usize = 512;

/// Returns the key of a name: compatible characters are one (NFKC), as are upper and lower case.
/// Invisible characters go, and white space is one space, within the name only. Accents stay.
pub fn key(name: &str) -> String {
    let visible = name
        .chars()
        .filter(|character| !is_invisible(*character));
    let compatible: String = visible.nfkc().collect();
    let words: Vec<&str> = compatible.split_whitespace().collect();
    let key = default_case_fold_str(&words.join(" "));
    if key.len() > MOST { digest(&key) } else { key }
}

/// Returns the stored spelling of a username: NFKC. Folded, it is the username's key.
pub(crate) fn spelled(username: &str) -> String {
    username.nfkc().collect()
}

/// Returns a text in the form NFC, in which passwords are compared.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Returns true for a username with letters of several scripts in one of its labels, which a dot
/// and `@` separate: not "moderately restrictive" (UTS 39, 5.2). Latin goes with one other script,
/// but not with Cyrillic and Greek, whose letters look like its own. Han goes with kana, Hangul or
/// Bopomofo.
pub(crate) fn mixes_scripts(username: &str) -> bool {
    username.split(['.', '@']).any(is_mix)
}

fn is_mix(label: &str) -> bool {
    let mut common = AugmentedScriptSet::default();
    let mut beside_latin = AugmentedScriptSet::default();
    for scripts in label
        .chars()
        .map(AugmentedScriptSet::for_char)
    {
        common.intersect_with(scripts);
        if !scripts
            .base
            .contains_script(Script::Latin)
        {
            beside_latin.intersect_with(scripts);
        }
    }
    let is_east_asian = beside_latin.kore || beside_latin.hanb || beside_latin.jpan;
    let resembles_latin = [Script::Cyrillic, Script::Greek];
    let is_another = |script: Script| script.is_recommended() && !resembles_latin.contains(&script);
    common.is_empty() && !is_east_asian && !beside_latin.base.iter().any(is_another)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_the_same_have_one_key() {
        for (name, twins) in [
            ("résumé", "RÉSUMÉ|re\u{301}sume\u{301}| résumé\u{A0}"),
            ("wide open", "ＷＩＤＥ\u{3000}open|wide  open"),
            ("file", "ﬁle|FI\u{AD}LE|file\u{200F}|fi\u{3164}le"),
            ("strasse", "Straße|STRASSE"),
            ("ǰ", "J\u{30C}|j\u{30C}"),
        ] {
            for twin in twins.split('|') {
                assert_eq!(key(twin), key(name), "{twin:?}");
            }
        }
        assert_ne!(key("resume"), key("résumé"));
    }

    #[test]
    fn a_key_fits_into_the_table() {
        let longest = "\u{FDFA}".repeat(255);
        assert!(key(&longest).len() < 1_024);
        assert_eq!(key(&"é".repeat(64)), "é".repeat(64));
    }

    #[test]
    fn the_key_of_a_stored_username_follows_from_folding_it() {
        let name = "ＡＤＡ mae\u{308}l MAËL ﬁx İnan ΣΊΣΥΦΟΣ ǰon";
        for name in name.split(' ') {
            let folded = default_case_fold_str(&spelled(name));
            assert_eq!(folded, key(name), "{name}");
        }
    }

    #[test]
    fn scripts_that_look_alike_do_not_mix() {
        let good = "ada-1 адам_2 мари@example.org 田中さん 田中kun สมชาย_it ٣٤٥ नमस्ते μαρία";
        for good in good.split(' ') {
            assert!(!mixes_scripts(good), "{good}");
        }
        let bad = "\u{430}dam|\u{3B1}da|\u{430}d\u{430}|\u{434}\u{430}漢";
        for bad in bad.split('|') {
            assert!(mixes_scripts(bad), "{bad}");
        }
    }
}
