//! Passwords that attackers try first.

use sha2::{Digest, Sha256};

use crate::base::{CommonPassword, unique_name::key};

pub(super) const SERVICE: &str = "Workdesk";

/// Hashes of 127,368 common passwords. `passwords/make.py` makes the file, and says of what.
static COMMON: &[u8] = include_bytes!("../../../passwords/common.bin");

/// The bytes at the beginning of the file: the numbers of hashes by their first two bytes.
const COUNTS: usize = 1 << 16;

/// The fewest characters of a word that counts: shorter ones are in most passwords.
const SHORTEST_WORD: usize = 3;

/// Usual parts of passwords, and a famous passphrase. Words of plain language are not among them: a
/// phrase may have those.
const STEMS: [&str; 11] = [
    "password",
    "passwort",
    "qwertyuiop",
    "qwerty",
    "qwertz",
    "azerty",
    "letmein",
    "iloveyou",
    "changeme",
    "administrator",
    "correcthorsebatterystaple",
];

/// Checks a text in the form NFC: a stem counts no more than the user's own name does.
pub(super) fn check(text: &str, least: usize) -> Result<(), CommonPassword> {
    let text = text.to_lowercase();
    let mut spellings = ['l', 'i']
        .map(|letter| in_letters(&text, letter))
        .into_iter();
    match text {
        text if is_run(&text) => Err(CommonPassword::Run),
        text if is_listed(&text) => Err(CommonPassword::Listed),
        _ if spellings.any(|text| leans_on(&text, &STEMS, least)) => Err(CommonPassword::Listed),
        _ => Ok(()),
    }
}

/// Returns a text with letters for the signs that often stand for them. The digit 1 stands for
/// `letter_of_one`.
fn in_letters(text: &str, letter_of_one: char) -> String {
    let letter = |sign| match sign {
        '0' => 'o',
        '1' | '!' | '|' => letter_of_one,
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        '8' => 'b',
        '9' => 'g',
        other => other,
    };
    text.chars().map(letter).collect()
}

/// Returns true for a listed password, and for one of some 33,000 others.
fn is_listed(text: &str) -> bool {
    let hash: [u8; 32] = Sha256::digest(text).into();
    let [first, second, rest @ ..] = hash;
    let of_bucket = usize::from(u16::from_be_bytes([first, second]));
    let Some((counts, rests)) = COMMON.split_at_checked(COUNTS) else {
        return false;
    };
    let (before, from) = counts.split_at(of_bucket);
    let before: usize = before
        .iter()
        .map(|count| usize::from(*count))
        .sum();
    let count = from
        .first()
        .map_or(0, |count| usize::from(*count));
    let rests = rests
        .as_chunks::<2>()
        .0
        .iter()
        .skip(before)
        .take(count);
    rests
        .into_iter()
        .any(|listed_rest| rest.starts_with(listed_rest))
}

/// Returns true for one repeated character, and for an ascending run such as `890123456789`.
fn is_run(text: &str) -> bool {
    let pairs = || text.chars().zip(text.chars().skip(1));
    let next = |character: char| match character {
        '9' => Some('0'),
        'z' => Some('a'),
        _ => char::from_u32(u32::from(character) + 1),
    };
    pairs().all(|(character, other)| character == other)
        || pairs().all(|(character, other)| next(character) == Some(other))
}

/// Returns true if a password has some of the words, and without them fewer than `least`
/// characters.
pub(super) fn leans_on(text: &str, words: &[&str], least: usize) -> bool {
    let whole = key(text);
    let mut rest = whole.clone();
    for word in words {
        let word = key(word);
        for word in [word.as_str(), &word.replace(' ', "")] {
            if word.chars().count() >= SHORTEST_WORD {
                rest = rest.replace(word, "");
            }
        }
    }
    rest != whole && rest.chars().count() < least
}
