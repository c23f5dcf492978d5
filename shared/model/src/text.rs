//! Texts with their bounds: the only place that says how long each may be and what it may hold.
//!
//! The bounds apply to what clients send. A stored text is read as it is, so that a record stays
//! readable when its bounds become narrower.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_general_category::{GeneralCategory, get_general_category};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, Ref, RefOr, Schema, schema::Type},
};

use crate::{
    FaultCode, WrongText,
    input::{Field, Place, Reading},
};

/// The characters that a text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All of them.
    Text,
    /// No control or format characters, and no line or paragraph separators. The joiners U+200C and
    /// U+200D are allowed: Persian, Indic scripts and emoji need them.
    Line,
    /// Like a line, and without the joiners: nothing in it is invisible.
    Id,
    /// Letters, marks and digits of any script, and `. _ @ + -`.
    Name,
}

/// White space, spelled out: `\s` differs between languages.
const WHITE: &str = r"\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000";

/// The characters below U+10000 that a single line cannot hold, spelled out: without the flag `u`,
/// `\p{Cf}` has another meaning in JavaScript. The service refuses those above as well.
const HIDDEN: &str = r"\u0000-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB";

/// The joiners, which show nothing by themselves.
const JOINERS: &str = r"\u200C\u200D";

impl Form {
    /// Checks a text of this form.
    pub fn check(self, text: &str, least: usize, most: usize) -> Result<(), WrongText> {
        let is_white = |character: char| {
            character.is_whitespace() || (self != Self::Text && is_joiner(character))
        };
        if least > 0 && text.chars().all(is_white) {
            return Err(WrongText::Blank);
        }
        // Characters are at most bytes, which are known without counting.
        let is_short = text.len() <= most || text.chars().count() <= most;
        if text.len() < least || !is_short {
            return Err(WrongText::Length { least, most });
        }
        match self {
            Self::Text => Ok(()),
            Self::Line | Self::Id => {
                let is_wrong =
                    |one: &char| is_hidden(*one) || (self == Self::Id && is_joiner(*one));
                match text.chars().find(is_wrong) {
                    Some(character) => Err(WrongText::Hidden(character)),
                    None => Ok(()),
                }
            }
            Self::Name if text.chars().all(is_of_a_name) => Ok(()),
            Self::Name => Err(WrongText::Name),
        }
    }

    /// The regular expression of such texts (ECMA-262, with or without the flag `u`), if they have one.
    #[must_use]
    pub fn pattern(self, least: usize) -> Option<String> {
        match self {
            Self::Text if least == 0 => None,
            Self::Text => Some(format!("[^{WHITE}]")),
            Self::Line if least == 0 => Some(format!("^[^{HIDDEN}]*$")),
            Self::Line => Some(format!(
                "^[^{HIDDEN}]*[^{HIDDEN}{WHITE}{JOINERS}][^{HIDDEN}]*$"
            )),
            Self::Id if least == 0 => Some(format!("^[^{HIDDEN}{JOINERS}]*$")),
            Self::Id => Some(format!(
                "^[^{HIDDEN}{JOINERS}]*[^{HIDDEN}{WHITE}{JOINERS}][^{HIDDEN}{JOINERS}]*$"
            )),
            // The letters of other scripts than Latin are too many to spell out.
            Self::Name => Some(format!(
                r"^([A-Za-z0-9._@+-]|[^\u0000-\u007F{HIDDEN}{WHITE}{JOINERS}])+$"
            )),
        }
    }
}

/// Returns a text on one line: each character that a line cannot hold becomes a space.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let characters = text.chars();
    characters
        .map(|one| if is_hidden(one) { ' ' } else { one })
        .collect()
}

/// True for a joiner, which shows nothing by itself.
#[must_use]
pub const fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}')
}

/// True for a character that a single line cannot hold: a control or format character, or a line or
/// paragraph separator.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    let category = get_general_category(character);
    matches!(
        category,
        Control | Format | LineSeparator | ParagraphSeparator
    ) && !is_joiner(character)
}

/// True for a character that a username may hold.
#[must_use]
pub fn is_of_a_name(character: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, EnclosingMark, LetterNumber, LowercaseLetter, ModifierLetter,
        NonspacingMark, OtherLetter, OtherNumber, SpacingMark, TitlecaseLetter, UppercaseLetter,
    };
    let category = get_general_category(character);
    let is_letter = matches!(
        category,
        UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter
    );
    let is_mark = matches!(category, NonspacingMark | SpacingMark | EnclosingMark);
    let is_number = matches!(category, DecimalNumber | LetterNumber | OtherNumber);
    is_letter || is_mark || is_number || "._@+-".contains(character)
}

macro_rules! texts {
    ($($(#[doc = $doc:literal])* $form:ident $name:ident($least:literal ..= $most:literal) = $example:literal,)*) => {$(
        $(#[doc = $doc])*
        #[doc = concat!("\n\nFrom ", stringify!($least), " to ", stringify!($most), " characters.")]
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The fewest characters.
            pub const LEAST: usize = $least;
            /// The most characters.
            pub const MOST: usize = $most;
        }

        impl TryFrom<String> for $name {
            type Error = WrongText;

            fn try_from(text: String) -> Result<Self, WrongText> {
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

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Field for $name {
            fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
                let Value::String(text) = value else {
                    return place.wrong(value, "a string");
                };
                match Form::$form.check(text, $least, $most) {
                    Ok(()) => Some(Self(text.clone())),
                    Err(error) => place.must(error.code(), error),
                }
            }

            fn field_schema() -> RefOr<Schema> {
                Ref::from_schema_name(stringify!($name)).into()
            }

            fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
                all.push((stringify!($name).to_owned(), <Self as PartialSchema>::schema()));
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let lines: &[&str] = &[$($doc.trim_ascii()),*];
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .min_length(($least > 0).then_some($least))
                    .max_length(Some($most))
                    .pattern(Form::$form.pattern($least))
                    .description(Some(lines.join("\n")))
                    .examples([$example])
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

texts! {
    /// The title of a record.
    Line Title(1..=255) = "Move the invoices",
    /// A text of any kind, in as many lines as needed.
    Text Description(0..=50000) = "Both systems have to agree before the old one goes.",
    /// The text of a comment, a message or an activity, in as many lines as needed.
    Text Content(1..=50000) = "The totals of March agree.",
    /// A category of the organization's own.
    Line Category(0..=100) = "billing",
    /// Words to search for.
    Text SearchText(0..=255) = "bill",
    /// The username of a sign-in; matched without regard to case.
    Text LoginName(1..=255) = "ada",
    /// A username: letters and digits of any script, and `. _ @ + -`. Unique in the service without
    /// regard to case.
    Name Username(3..=64) = "ada",
    /// A person's name, to show.
    Line FullName(1..=255) = "Ada Lindqvist",
    /// The name of an organization.
    Line OrganizationName(1..=255) = "Halden Services",
    /// The name of a tag; unique in the organization without regard to case.
    Line TagName(1..=50) = "urgent",
    /// The id of an action of an agent session.
    Line ActionId(1..=100) = "s1-p1-a1",
    /// The name of a target system.
    Line SystemName(1..=64) = "billing",
    /// The reason for a decision.
    Text Reason(1..=1000) = "The customer has paid in the meantime.",
    /// The name of a token.
    Line TokenName(1..=100) = "nightly export",
    /// The reporter of alerts.
    Line SourceName(1..=100) = "billing-monitor",
    /// The reporter's own id of an alert.
    Id ExternalId(1..=255) = "stuck-ub_1001",
    /// The description of an alert.
    Text AlertText(0..=5000) = "It has been processing for 26 hours.",
    /// The id of a webhook's delivery.
    Id DeliveryId(1..=100) = "evt_1768478400000_1f0e5d2a9b8c7d6e5f4a3b2c",
    /// The id of a record in a target system.
    Id EntityId(1..=128) = "ub_1001",
    /// A state of a record in a target system.
    Line StateName(1..=64) = "processing",
    /// The name of a metric.
    Line MetricName(1..=100) = "age",
    /// A unit of measurement.
    Line Unit(0..=32) = "h",
    /// A record that the organization's journal names: its kind, and its id or name after a colon.
    Line JournalSubject(1..=100) = "user:7",
    /// The fingerprint by which Alertmanager identifies an alert.
    Line Fingerprint(1..=64) = "b1ed8b9c1a3b6b1c",
    /// The id of a notification.
    Id NotificationId(1..=128) = "1768478400000-comment-5-1",
}

/// A short name of lower-case letters, digits and underscores, 1 to 64 of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    const MOST: usize = 64;

    /// Returns the text as a slug, if it is one.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_one = (1..=Self::MOST).contains(&text.len()) && text.bytes().all(plain);
        is_one.then(|| Self(text.to_owned()))
    }

    /// Converts a name of another form: `HTTPErrorRate` becomes `http_error_rate`. None for a name
    /// without ASCII letters and digits.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let mut slug = String::with_capacity(name.len() + 8);
        let mut characters = name.chars().peekable();
        let mut before = None;
        while let Some(character) = characters.next() {
            let next_is_lower = characters.peek().is_some_and(char::is_ascii_lowercase);
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
        let words: Vec<&str> = slug.split('_').filter(|word| !word.is_empty()).collect();
        let mut slug = words.join("_");
        slug.truncate(Self::MOST);
        (!slug.is_empty()).then_some(Self(slug))
    }
}

impl Deref for Slug {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Field for Slug {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        Self::new(text).or_else(|| {
            place.must(
                FaultCode::Pattern,
                "have 1 to 64 lower-case letters, digits and underscores",
            )
        })
    }

    fn field_schema() -> RefOr<Schema> {
        Ref::from_schema_name("Slug").into()
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push(("Slug".to_owned(), <Self as PartialSchema>::schema()));
    }
}

impl PartialSchema for Slug {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[a-z0-9_]{1,64}$"))
            .description(Some(
                "A short name of lower-case letters, digits and underscores.",
            ))
            .examples(["kick_off"])
            .into()
    }
}

impl ToSchema for Slug {
    fn name() -> std::borrow::Cow<'static, str> {
        "Slug".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_pattern_names_every_hidden_character_below_10000() {
        let ranges = ranges(HIDDEN);
        for code in 0..0x1_0000 {
            let Some(character) = char::from_u32(code) else {
                continue;
            };
            let is_named = ranges.iter().any(|range| range.contains(&code));
            assert_eq!(is_named, is_hidden(character), "U+{code:04X}");
        }
    }

    #[test]
    fn an_id_holds_nothing_that_is_invisible() {
        let check = |text: &str| Form::Id.check(text, 1, 20);
        for good in ["ub_1001", "a b", "ü"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for hidden in [
            '\u{200B}', '\u{200C}', '\u{200D}', '\u{202E}', '\u{2066}', '\u{7F}',
        ] {
            let text = format!("ub_{hidden}1001");
            assert_eq!(check(&text), Err(WrongText::Hidden(hidden)), "{text:?}");
        }
    }

    #[test]
    fn a_line_holds_what_people_write_and_nothing_hidden() {
        let check = |text: &str| Form::Line.check(text, 1, 20);
        for good in [
            "Umlaut ü, 漢字",
            "می\u{200C}خواهم",
            "👩\u{200D}💻",
            "e\u{301}",
            "a\u{A0}b",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (text, hidden) in [
            ("a\0b", '\0'),
            ("two\nlines", '\n'),
            ("a\tb", '\t'),
            ("\u{85}x", '\u{85}'),
            ("\u{200B}", '\u{200B}'),
            ("rtl\u{202E}abc", '\u{202E}'),
            ("a\u{2028}b", '\u{2028}'),
            ("a\u{E0041}", '\u{E0041}'),
        ] {
            assert_eq!(check(text), Err(WrongText::Hidden(hidden)), "{text:?}");
        }
        for blank in ["", " \u{3000}", "\n", "\u{200D}"] {
            assert_eq!(check(blank), Err(WrongText::Blank), "{blank:?}");
        }
        assert_eq!(Form::Text.check("two\nlines\t\u{202E}", 1, 20), Ok(()));
        assert_eq!(on_one_line("a\r\nb\u{200D}"), "a  b\u{200D}");
    }

    #[test]
    fn a_username_has_letters_and_digits_of_any_script() {
        let check = |text: &str| Form::Name.check(text, 3, 20);
        for good in [
            "ada",
            "ada.l+work@x-y_z",
            "zoë",
            "zoe\u{308}",
            "नमस्ते",
            "七七七",
            "٣٤٥",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "we/ird",
            "bad name",
            "a\u{200D}da",
            "ada\0",
            "ada!",
            "a→b",
            "ada😀",
        ] {
            assert_eq!(check(bad), Err(WrongText::Name), "{bad:?}");
        }
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
            ("é", None),
            ("", None),
        ] {
            let made = Slug::of(name);
            assert_eq!(made.as_deref(), slug, "{name}");
        }
        assert_eq!(Slug::of(&"aB".repeat(99)).map(|slug| slug.len()), Some(64));
    }
}
