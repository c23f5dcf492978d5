//! Mentions: `@username` in a text of any script.
//!
//! A letter or digit before the `@` makes it an address, except in scripts without spaces between
//! words. There a name may also end anywhere: of `@mia处理`, the mention is of `mia处理` if there is
//! such a user, and else of `mia`.

use std::collections::BTreeSet;

use model::base::{
    Username,
    characters::{
        is_invisible, is_mark, is_of_a_name, is_of_a_word, is_of_an_address, needs_no_space,
    },
    unique_name,
};

/// The most mentions of a text that are followed.
const MOST: usize = 20;

/// The most usernames that the mentions of a text may mean.
const MOST_NAMES: usize = 100;

/// The most beginnings of a name that a mention may mean. Names without spaces are short.
const MOST_BEGINNINGS: usize = 24;

/// Marks that may belong to the sentence behind a name, and not to the name.
const MARKS: [char; 5] = ['.', '-', '+', '@', '_'];

/// A mention: the keys of the usernames that it may mean, the longest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mention(pub(super) Vec<String>);

/// The mentions that a change added to a text, and those before it.
#[derive(Clone, Debug)]
pub(super) struct Mentions {
    pub(super) added: BTreeSet<Mention>,
    pub(super) before: BTreeSet<Mention>,
}

impl Mentions {
    /// The mentions of a text, if the text before it did not have them all.
    pub(super) fn added(before: Option<&str>, after: Option<&str>) -> Option<Self> {
        let after = mentioned(after.unwrap_or_default());
        let before = mentioned(before.unwrap_or_default());
        let added = &after - &before;
        (!added.is_empty()).then_some(Self { added, before })
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        let mentions = self.added.iter().chain(&self.before);
        mentions.flat_map(|mention| &mention.0)
    }
}

fn mentioned(text: &str) -> BTreeSet<Mention> {
    let text = visible(text);
    let mut mentions = BTreeSet::new();
    let mut names = 0;
    let mut rest = text.as_str();
    while let Some(place) = rest.find('@') {
        let base = rest[..place]
            .chars()
            .rev()
            .find(|character| !is_mark(*character));
        let is_address = base.is_some_and(is_of_an_address);
        let word = &rest[place + 1..];
        let (name, behind) = word.split_at(end_of_name(word));
        rest = behind;
        if is_address {
            continue;
        }
        let possible = possible(name);
        if possible.is_empty() {
            continue;
        }
        names += possible.len();
        let keys = possible
            .into_iter()
            .map(unique_name::key);
        mentions.insert(Mention(keys.collect()));
        if mentions.len() == MOST || names >= MOST_NAMES {
            break;
        }
    }
    mentions
}

/// A text without what is invisible in it, and with `@` as most keyboards have it.
fn visible(text: &str) -> String {
    let is_seen = |character: &char| !is_invisible(*character) || !is_of_a_word(*character);
    let seen = text.chars().filter(is_seen);
    let usual = |character| {
        if matches!(character, '＠' | '﹫') {
            '@'
        } else {
            character
        }
    };
    seen.map(usual).collect()
}

/// The end of the name with which a text begins. An `@` is of the name only behind a letter or
/// digit of an address: other ones begin another mention.
fn end_of_name(text: &str) -> usize {
    let mut base = None;
    for (at, character) in text.char_indices() {
        let begins_another = character == '@' && !base.is_some_and(is_of_an_address);
        if begins_another || !is_of_a_name(character) {
            return at;
        }
        if !is_mark(character) {
            base = Some(character);
        }
    }
    text.len()
}

/// The usernames that a mention may mean, the longest first: the name, without the marks of the
/// sentence, and its beginnings where a script without spaces begins or goes on.
fn possible(name: &str) -> Vec<&str> {
    let mut ends = BTreeSet::from([name.len(), name.trim_end_matches(MARKS).len()]);
    let mut base = None;
    let mut beginnings = Vec::new();
    for (at, character) in name.char_indices() {
        let is_end = needs_no_space(character) || base.is_some_and(needs_no_space);
        if is_end && !is_mark(character) {
            beginnings.push(name[..at].trim_end_matches(MARKS).len());
        }
        if !is_mark(character) {
            base = Some(character);
        }
    }
    beginnings.retain(|end| name[..*end].chars().count() >= Username::LEAST);
    ends.extend(
        beginnings
            .into_iter()
            .take(MOST_BEGINNINGS),
    );
    let mut names: Vec<_> = ends
        .into_iter()
        .rev()
        .map(|end| &name[..end])
        .collect();
    names.retain(|name| (Username::LEAST..=Username::MOST).contains(&name.chars().count()));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn are(text: &str, expected: &[&[&str]]) {
        let mention = |keys: &&[&str]| {
            Mention(
                keys.iter()
                    .map(ToString::to_string)
                    .collect(),
            )
        };
        let expected: BTreeSet<_> = expected.iter().map(mention).collect();
        assert_eq!(mentioned(text), expected, "{text}");
    }

    #[test]
    fn a_mention_is_a_username_after_an_at_sign() {
        are("@mia", &[&["mia"]]);
        let expected: &[&[&str]] = &[&["mia"], &["max"], &["ada"]];
        are("Ask @Mia, (@max) and\n@ada's friend", expected);
        are("@mia@example.com", &[&["mia@example.com"]]);
        are("@Straße", &[&["strasse"]]);
        are("mail mia@example.com or a@b", &[]);
        are("@ @@ @a @ab", &[]);
        are("", &[]);
    }

    #[test]
    fn a_mark_at_the_end_may_belong_to_the_sentence() {
        are("Thanks, @mia.", &[&["mia.", "mia"]]);
        are("@mia... @max-", &[&["mia...", "mia"], &["max-", "max"]]);
        are("_@mia_ -@max", &[&["mia_", "mia"], &["max"]]);
    }

    #[test]
    fn a_script_without_spaces_ends_names_and_begins_mentions() {
        are("交给@mia处理", &[&["mia处理", "mia处", "mia"]]);
        are("@mia和@max", &[&["mia和", "mia"], &["max"]]);
        are("お願い＠ｍｉａさん", &[&["miaさん", "miaさ", "mia"]]);
        are("@田中太郎", &[&["田中太郎", "田中太"]]);
        are("ж@mia", &[]);
        are("e\u{301}@mia", &[]);
    }

    #[test]
    fn a_name_that_is_too_long_is_no_mention() {
        let long = "x".repeat(64);
        are(&format!("@{long}"), &[&[&long]]);
        are(&format!("@{long}x"), &[]);
    }

    #[test]
    fn the_first_twenty_mentions_count() {
        let many: Vec<String> = (10..40)
            .map(|number| format!("@user{number}"))
            .collect();
        let mentions = mentioned(&many.join(" "));
        assert_eq!(mentions.len(), MOST);
        let has = |name: &str| mentions.contains(&Mention(vec![name.to_owned()]));
        assert!(has("user29") && !has("user30"));
        // Once more is no other one.
        let again = mentioned(&format!("{} @other", "@mia ".repeat(10)));
        assert_eq!(again.len(), 2);
        // A text in a script without spaces means few names, too.
        let run = format!("@{} ", "漢".repeat(64)).repeat(20);
        let keys = mentioned(&run)
            .into_iter()
            .map(|mention| mention.0.len());
        assert!(keys.sum::<usize>() <= 3 * (MOST_NAMES + MOST_BEGINNINGS));
    }

    #[test]
    fn only_what_was_added_counts() {
        let mentions = Mentions::added(Some("@mia asks @max"), Some("@MIA asks @ada")).unwrap();
        let ada = Mention(vec!["ada".to_owned()]);
        assert_eq!(mentions.added, BTreeSet::from([ada]));
        assert!(Mentions::added(Some("@mia"), Some("@Mia!")).is_none());
    }
}
