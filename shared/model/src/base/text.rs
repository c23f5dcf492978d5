//! Texts with their bounds: the only place for their lengths and characters.
//!
//! The bounds apply to what clients send. A stored text is read as it is, so that a record stays
//! readable when its bounds become narrower.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema};

use crate::{
    base::{
        FaultCode, WrongText,
        characters::{HIDDEN, INVISIBLE, WHITE, breaks, hidden, is_invisible, is_of_a_name},
        input::{Component, InputPlace, Reading, Schema, string},
        unique_name::{mixes_scripts, spelled},
    },
    people::digest,
};

/// The characters that a text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    /// Like a text, without hidden characters but line breaks and tabs.
    Lines,
    /// No [hidden](crate::base::characters::is_hidden) characters, but those of flags.
    Line,
    /// Like a line, and nothing in it is invisible.
    Id,
    /// Like an id. Scripts that look alike, such as Latin and Cyrillic, do not mix.
    EntityId,
    /// Letters, marks and digits of any script, and `. _ @ + -`. Scripts that look alike do not
    /// mix.
    Name,
}

impl Form {
    pub fn check(self, text: &str, least: usize, most: usize) -> Result<(), WrongText> {
        let is_blank = |character: char| character.is_whitespace() || is_invisible(character);
        if least > 0 && text.chars().all(is_blank) {
            return Err(WrongText::Blank);
        }
        // One to four bytes are a character. Few texts have to be counted.
        let is_long = text.len() >= 4 * least || text.chars().count() >= least;
        let is_short = text.len() <= most || text.chars().count() <= most;
        if !is_long || !is_short {
            return Err(WrongText::Length { least, most });
        }
        let refused = |character| Err(WrongText::Hidden(character));
        match self {
            Self::Line => hidden(text)
                .next()
                .map_or(Ok(()), refused),
            Self::Lines => {
                let mut hidden = hidden(text);
                hidden
                    .find(|character| !breaks(*character))
                    .map_or(Ok(()), refused)
            }
            Self::EntityId if mixes_scripts(text) => Err(WrongText::Scripts),
            Self::Id | Self::EntityId => {
                let unseen = text
                    .chars()
                    .find(|character| is_invisible(*character));
                hidden(text)
                    .next()
                    .or(unseen)
                    .map_or(Ok(()), refused)
            }
            Self::Name if !text.chars().all(is_of_a_name) => Err(WrongText::Name),
            Self::Name if mixes_scripts(text) => Err(WrongText::Scripts),
            Self::Text | Self::Name => Ok(()),
        }
    }

    fn kept(self, text: &str) -> String {
        match self {
            Self::Name => spelled(text),
            Self::Text | Self::Lines | Self::Line | Self::Id | Self::EntityId => text.to_owned(),
        }
    }

    /// The regular expression of such texts (ECMA-262, with or without the flag `u`), if they have
    /// one.
    pub fn pattern(self, least: usize) -> Option<String> {
        match self {
            Self::Lines => Some(format!(
                "^[^{}]*$",
                HIDDEN.replace(CONTROLS, OTHER_CONTROLS)
            )),
            Self::Text if least == 0 => None,
            Self::Text => Some(format!("[^{WHITE}{INVISIBLE}]")),
            Self::Line if least == 0 => Some(format!("^[^{HIDDEN}]*$")),
            Self::Line => Some(format!(
                "^[^{HIDDEN}]*[^{HIDDEN}{WHITE}{INVISIBLE}][^{HIDDEN}]*$"
            )),
            Self::Id | Self::EntityId if least == 0 => Some(format!("^[^{HIDDEN}{INVISIBLE}]*$")),
            Self::Id | Self::EntityId => Some(format!(
                "^[^{HIDDEN}{INVISIBLE}]*[^{HIDDEN}{WHITE}{INVISIBLE}][^{HIDDEN}{INVISIBLE}]*$"
            )),
            // The letters of other scripts than Latin are too many to spell out.
            Self::Name => Some(format!(
                r"^([A-Za-z0-9._@+-]|[^\u0000-\u007F{HIDDEN}{WHITE}{INVISIBLE}])+$"
            )),
        }
    }
}

/// The first range of the hidden characters, and the same without line breaks and tabs.
const CONTROLS: &str = r"\u0000-\u001F";
const OTHER_CONTROLS: &str = r"\u0000-\u0008\u000B\u000C\u000E-\u001F";

/// Has a type of texts read and shown as its text.
#[macro_export]
macro_rules! as_text {
    ($name:ident) => {
        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! texts {
    ($($form:ident $name:ident($least:literal ..= $most:literal) = $example:literal: $about:literal,)*) => {$(
        #[doc = $about]
        #[doc = concat!("\n\nFrom ", stringify!($least), " to ", stringify!($most), " characters.")]
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub const LEAST: usize = $least;
            pub const MOST: usize = $most;
        }

        impl TryFrom<String> for $name {
            type Error = WrongText;

            fn try_from(text: String) -> Result<Self, WrongText> {
                let text = Form::$form.kept(&text);
                Form::$form.check(&text, $least, $most)?;
                Ok(Self(text))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = WrongText;

            fn try_from(text: &str) -> Result<Self, WrongText> {
                text.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        as_text!($name);

        impl Component for $name {
            const HOLDS_COMMAS: bool = !matches!(Form::$form, Form::Name);

            fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
                let read = Self::try_from(place.text(value)?);
                read.map_or_else(|error| place.must(error.code(), error), Some)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> Schema {
                string()
                    .min_length(($least > 0).then_some($least))
                    .max_length(Some($most))
                    .pattern(Form::$form.pattern($least))
                    .description(Some($about))
                    .examples([$example])
                    .into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

texts! {
    Line Title(1..=255) = "Move the invoices": "The title of a record.",
    Text Description(0..=50000) = "Both systems have to agree before the old one goes.":
        "A text of any kind, in as many lines as needed.",
    Text Content(1..=50000) = "The totals of March agree.":
        "The text of a comment, a message or an activity, in as many lines as needed.",
    Line Category(0..=100) = "billing": "A category of the organization's own.",
    Text SearchText(0..=255) = "bill": "Words to search for.",
    Text LoginName(1..=255) = "ada": "The username of a sign-in; matched without regard to case.",
    Name Username(3..=64) = "ada":
        "A username: letters and digits of any script, and `. _ @ + -`. Unique in the service without\n\
         regard to case. Kept in Unicode's form NFKC. Scripts that look alike, such as Latin and Cyrillic,\n\
         do not mix.",
    Line FullName(1..=255) = "Ada Lindqvist": "A person's name, to show.",
    Line OrganizationName(1..=255) = "Halden Services": "The name of an organization.",
    Line CustomerName(1..=255) = "Ferro Robotics": "The name of a customer; unique in the organization without regard to case.",
    Line TagName(1..=50) = "urgent": "The name of a tag; unique in the organization without regard to case.",
    Line ActionId(1..=100) = "s1-p1-a1": "The id of an action of an agent session.",
    Line SystemName(1..=64) = "billing": "The name of a target system.",
    Text Reason(1..=1000) = "The customer has paid in the meantime.": "The reason for a decision.",
    Line TokenName(1..=100) = "nightly export": "The name of a token.",
    Line SourceName(1..=100) = "billing-monitor": "The reporter of alerts.",
    Id ExternalId(1..=255) = "stuck-ub_1001": "The reporter's own id of an alert.",
    Lines AlertText(0..=5000) = "It has been processing for 26 hours.": "The description of an alert.",
    Id SessionName(1..=64) = "9f86d081884c7d65": "The id of a session, as its user sees it.",
    Id DeliveryId(1..=100) = "evt_1768478400000_1f0e5d2a9b8c7d6e5f4a3b2c": "The id of a webhook's delivery.",
    EntityId EntityId(1..=128) = "ub_1001": "The id of a record in a target system.",
    Line StateName(1..=64) = "processing": "A state of a record in a target system.",
    Line MetricName(1..=100) = "age": "The name of a metric.",
    Line Unit(0..=32) = "h": "A unit of measurement.",
    Line JournalSubject(1..=100) = "user:7":
        "A record that the organization's journal names: its kind, and its id or name after a colon.",
    Id Fingerprint(1..=64) = "b1ed8b9c1a3b6b1c": "The fingerprint by which Alertmanager identifies an alert.",
    Id LinkToken(1..=100) = "Rk3vW8sQz1b4tLm7YxNcD2pFhJ6gKa9uE5oXiTqZwS0":
        "The token of a link that was sent by mail.",
    Id NotificationId(1..=128) = "1768478400000-comment-5-1": "The id of a notification.",
}

/// A short name of lower-case letters, digits and underscores, 1 to 64 of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    const MOST: usize = 64;
    /// Length of the hash in place of letters and digits that do not fit.
    const HASH: usize = 8;

    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_one = (1..=Self::MOST).contains(&text.len()) && text.bytes().all(plain);
        is_one.then(|| Self(text.to_owned()))
    }

    /// Converts a name of another form: `HTTPErrorRate` becomes `http_error_rate`. None for a name
    /// without ASCII letters and digits, and for one whose letters or digits a slug cannot hold.
    pub fn of(name: &str) -> Option<Self> {
        let slug = snake_case(name);
        let mut characters = name.chars();
        let is_whole =
            characters.all(|character| character.is_ascii() || !character.is_alphanumeric());
        (is_whole && (1..=Self::MOST).contains(&slug.len())).then_some(Self(slug))
    }

    /// Converts any name. A hash stands for letters and digits that do not fit, so different names
    /// stay different: `磁盘满 EU` becomes `eu_`, and eight digits of the hash.
    pub fn of_any(name: &str) -> Self {
        Self::of(name).unwrap_or_else(|| {
            let mut hash = digest(name);
            hash.truncate(Self::HASH);
            let mut slug = snake_case(name);
            slug.truncate(Self::MOST - Self::HASH - 1);
            let slug = if slug.is_empty() { "name" } else { &slug };
            Self(format!("{slug}_{hash}"))
        })
    }
}

/// Returns the ASCII letters and digits of a name as words in lower case.
fn snake_case(name: &str) -> String {
    let mut slug = String::with_capacity(name.len() + 8);
    let mut characters = name.chars().peekable();
    let mut before = None;
    while let Some(character) = characters.next() {
        let next_is_lower = characters
            .peek()
            .is_some_and(char::is_ascii_lowercase);
        let begins_word = character.is_ascii_uppercase()
            && match before {
                Some(before) if char::is_ascii_uppercase(&before) => next_is_lower,
                Some(before) => before.is_ascii_alphanumeric(),
                None => false,
            };
        if begins_word || !character.is_ascii_alphanumeric() {
            slug.push('_');
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        }
        before = Some(character);
    }
    let words: Vec<&str> = slug
        .split('_')
        .filter(|word| !word.is_empty())
        .collect();
    words.join("_")
}

as_text!(Slug);

impl Component for Slug {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let rule = "have 1 to 64 lower-case letters, digits and underscores";
        Self::new(place.text(value)?).or_else(|| place.must(FaultCode::Pattern, rule))
    }
}

impl PartialSchema for Slug {
    fn schema() -> Schema {
        let about = "A short name of lower-case letters, digits and underscores.";
        string()
            .pattern(Some("^[a-z0-9_]{1,64}$"))
            .description(Some(about))
            .examples(["kick_off"])
            .into()
    }
}

impl ToSchema for Slug {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::characters::in_lines;

    #[test]
    fn an_id_holds_nothing_that_is_invisible() {
        let check = |text: &str| Form::Id.check(text, 1, 20);
        for good in ["ub_1001", "a b", "ü"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for hidden in [
            '\u{200B}', '\u{200C}', '\u{200D}', '\u{202E}', '\u{2066}', '\u{7F}', '\u{200F}',
            '\u{3164}', '\u{FE0F}',
        ] {
            let text = format!("ub_{hidden}1001");
            assert_eq!(check(&text), Err(WrongText::Hidden(hidden)), "{text:?}");
        }
    }

    #[test]
    fn scripts_that_look_alike_do_not_mix_in_the_id_of_a_record() {
        let check = |text: &str| Form::EntityId.check(text, 1, 20);
        for good in ["pay_1", "zoë-1", "счет_1".trim_end_matches("_1"), "請求_1"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["p\u{430}y_1", "in\u{3BF}_1"] {
            assert_eq!(check(bad), Err(WrongText::Scripts), "{bad}");
        }
        assert_eq!(check("a\u{202E}"), Err(WrongText::Hidden('\u{202E}')));
    }

    #[test]
    fn lines_hold_breaks_and_nothing_else_that_is_hidden() {
        let check = |text: &str| Form::Lines.check(text, 0, 20);
        for good in ["", "two\r\n\tlines", "שלום\u{200F}!"] {
            assert_eq!(check(good), Ok(()), "{good:?}");
            assert_eq!(in_lines(good), good);
        }
        for (text, hidden, rest) in [
            ("a\u{202E}b", '\u{202E}', "ab"),
            ("a\0\nb", '\0', "a\nb"),
            ("\u{2028}", '\u{2028}', ""),
        ] {
            assert_eq!(check(text), Err(WrongText::Hidden(hidden)), "{text:?}");
            assert_eq!(in_lines(text), rest);
        }
    }

    #[test]
    fn a_line_holds_what_people_write_and_nothing_hidden() {
        let check = |text: &str| Form::Line.check(text, 1, 20);
        let good = "Umlaut ü, 漢字|می\u{200C}خواهم|👩\u{200D}💻|e\u{301}|a\u{A0}b|שלום\u{200F}!|\
                    \u{600}٢٠٢٦|\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        for good in good.split('|') {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (text, hidden) in [
            ("x\u{1F3F4}\u{E0067}\u{E0062}", '\u{E0067}'),
            ("a\0b", '\0'),
            ("two\nlines", '\n'),
            ("a\tb", '\t'),
            ("\u{85}x", '\u{85}'),
            ("a\u{200B}", '\u{200B}'),
            ("rtl\u{202E}abc", '\u{202E}'),
            ("a\u{2028}b", '\u{2028}'),
            ("a\u{E0041}", '\u{E0041}'),
        ] {
            assert_eq!(check(text), Err(WrongText::Hidden(hidden)), "{text:?}");
        }
        for blank in ["", " \u{3000}", "\n", "\u{200D}", "\u{200B}", "\u{3164}"] {
            assert_eq!(check(blank), Err(WrongText::Blank), "{blank:?}");
        }
        assert_eq!(Form::Text.check("two\nlines\t\u{202E}", 1, 20), Ok(()));
        assert_eq!(Form::Text.check("\u{200B}", 1, 20), Err(WrongText::Blank));
    }

    #[test]
    fn a_username_has_letters_and_digits_of_any_script() {
        let check = |text: &str| Form::Name.check(text, 3, 20);
        let good = "ada ada.l+work@x-y_z zoë zoe\u{308} नमस्ते 七七七 ٣٤٥";
        for good in good.split(' ') {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let bad = "we/ird|bad name|a\u{200D}da|ada\0|ada!|a→b|ada😀|ada\u{3164}";
        for bad in bad.split('|') {
            assert_eq!(check(bad), Err(WrongText::Name), "{bad:?}");
        }
        assert_eq!(check("\u{430}dam"), Err(WrongText::Scripts));
        assert_eq!(&*Username::try_from("ＡＤＡ").unwrap(), "ADA");
    }

    #[test]
    fn a_stored_text_is_read_as_it_is() {
        let title: Title = serde_json::from_str(r#""two\nlines""#).unwrap();
        assert_eq!(&*title, "two\nlines");
    }

    #[test]
    fn names_of_other_kinds_become_slugs() {
        for (name, slug) in [
            ("UsageBatchStuck", Some("usage_batch_stuck")),
            ("HTTPErrorRate", Some("http_error_rate")),
            ("payment_failed", Some("payment_failed")),
            ("Payment failed (EU)", Some("payment_failed_eu")),
            ("A1B", Some("a1_b")),
            ("--a--b--", Some("a_b")),
            ("Höhe", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(Slug::of(name).as_deref(), slug, "{name}");
        }
        assert_eq!(Slug::of(&"aB".repeat(99)), None);
    }

    #[test]
    fn any_name_becomes_a_slug_of_its_own() {
        assert_eq!(&*Slug::of_any("HTTPErrorRate"), "http_error_rate");
        let long = ["aB".repeat(99), "aB".repeat(98)];
        let names = "节点状态|磁盘满|节点状态 EU|磁盘满 EU|Größe|Grüße|🔥|".split('|');
        let names = names.chain(long.iter().map(String::as_str));
        let slugs: Vec<String> = names
            .map(|name| Slug::of_any(name).to_string())
            .collect();
        let different: std::collections::BTreeSet<_> = slugs.iter().collect();
        assert_eq!((different.len(), slugs.len()), (10, 10), "{slugs:?}");
        for slug in &slugs {
            assert!(Slug::new(slug).is_some(), "{slug}");
        }
        assert!(slugs[0].starts_with("name_"), "{slugs:?}");
        assert!(slugs[2].starts_with("eu_"), "{slugs:?}");
    }
}
