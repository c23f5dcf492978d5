//! Mentions: `@username` in a text.

use std::collections::BTreeSet;

use model::{Username, input::is_of_a_name};

use model::words::fold;

/// The most mentions of a text that are followed.
const MOST: usize = 20;

/// Returns the case-folded usernames that a text mentions and the text before it did not. One of them may
/// end with a punctuation mark that belongs to the sentence, so that it comes without that mark, too.
pub(super) fn added(before: Option<&str>, after: Option<&str>) -> BTreeSet<String> {
    let after = mentioned(after.unwrap_or_default());
    let before = mentioned(before.unwrap_or_default());
    after.difference(&before).cloned().collect()
}

/// The usernames of the first mentions of a text.
fn mentioned(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut found = 0;
    let mut rest = text;
    while let Some(place) = rest.find('@') {
        let is_within_a_word = rest[..place].chars().next_back().is_some_and(is_of_a_name);
        let word = &rest[place + 1..];
        let end = word.find(|one| !is_of_a_name(one)).unwrap_or(word.len());
        let (name, behind) = word.split_at(end);
        rest = behind;
        if is_within_a_word {
            continue;
        }
        let without_mark = name.trim_end_matches(['.', '-', '+', '@']);
        let possible = [name, without_mark].into_iter().filter(|name| {
            let length = name.chars().count();
            (Username::LEAST..=Username::MOST).contains(&length)
        });
        let known = names.len();
        names.extend(possible.map(fold));
        found += usize::from(names.len() > known);
        if found == MOST {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn are(text: &str, expected: &[&str]) {
        let mut expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        expected.sort();
        let found: Vec<_> = mentioned(text).into_iter().collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_mention_is_a_username_after_an_at_sign() {
        are("@mia", &["mia"]);
        are(
            "Ask @Mia, (@max) and\n@ada's friend",
            &["mia", "max", "ada"],
        );
        are("@mia@example.com", &["mia@example.com"]);
        are("@größe", &["grösse"]);
        are("mail mia@example.com or a@b", &[]);
        are("@ @@ @a @ab", &[]);
        are("", &[]);
    }

    #[test]
    fn a_mark_at_the_end_may_belong_to_the_sentence() {
        are("Thanks, @mia.", &["mia", "mia."]);
        are("@mia... @max-", &["mia", "mia...", "max", "max-"]);
    }

    #[test]
    fn a_name_that_is_too_long_is_no_mention() {
        let long = "x".repeat(64);
        are(&format!("@{long}"), &[&long]);
        are(&format!("@{long}x"), &[]);
    }

    #[test]
    fn the_first_twenty_mentions_count() {
        let many: Vec<String> = (10..40).map(|number| format!("@user{number}")).collect();
        let found = mentioned(&many.join(" "));
        assert_eq!(found.len(), MOST);
        assert!(found.contains("user29") && !found.contains("user30"));
        // Once more is no other one.
        let again = mentioned(&format!("{} @other", "@mia ".repeat(30)));
        assert_eq!(again.len(), 2);
    }

    #[test]
    fn only_what_was_added_counts() {
        let added = added(Some("@mia asks @max"), Some("@MIA asks @ada"));
        assert_eq!(added.into_iter().collect::<Vec<_>>(), ["ada"]);
    }
}
