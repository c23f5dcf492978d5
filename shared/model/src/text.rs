//! Texts that carry their bound: how long they may be is said here, and nowhere else.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, Ref, RefOr, Schema, schema::Type},
};

use crate::{
    FaultCode,
    input::{Field, Place, Reading},
};

/// The text is longer or shorter than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {least} to {most} characters, not only white space")]
pub struct WrongLength {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

/// Something but white space, spelled out: what `\S` is differs between languages.
pub(crate) const NOT_BLANK: &str =
    r"[^\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]";

macro_rules! texts {
    ($($(#[doc = $doc:literal])* $name:ident($least:literal ..= $most:literal) = $example:literal,)*) => {$(
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
            type Error = WrongLength;

            fn try_from(text: String) -> Result<Self, WrongLength> {
                match check(&text, $least, $most) {
                    Ok(()) => Ok(Self(text)),
                    Err(_) => Err(WrongLength { least: $least, most: $most }),
                }
            }
        }

        impl TryFrom<&str> for $name {
            type Error = WrongLength;

            fn try_from(text: &str) -> Result<Self, WrongLength> {
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
                match check(text, $least, $most) {
                    Ok(()) => Some(Self(text.clone())),
                    Err((code, detail)) => place.fault(code, detail),
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
                    // Where there has to be some text, white space is none.
                    .pattern(($least > 0).then_some(NOT_BLANK))
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
    /// What a record is called.
    Title(1..=255) = "Move the invoices",
    /// A text of any kind, in as many lines as it takes.
    Description(0..=50000) = "Both systems have to agree before the old one goes.",
    /// What somebody says or records.
    Content(1..=50000) = "The totals of March agree.",
    /// A name of the organization's own.
    Category(0..=100) = "billing",
    /// Words to look for.
    SearchText(0..=255) = "bill",
    /// Who signs in; matched without regard to case.
    LoginName(1..=255) = "ada",
    /// The name that a user signs in with, unique in the service without regard to case.
    Username(3..=64) = "ada",
    /// A person's name, to show.
    FullName(1..=255) = "Ada Lindqvist",
    /// What an organization is called.
    OrganizationName(1..=255) = "Halden Services",
    /// What a tag is called; unique in the organization without regard to case.
    TagName(1..=50) = "urgent",
    /// An action of an agent session.
    ActionId(1..=100) = "s1-p1-a1",
    /// What a target system is called.
    SystemName(1..=64) = "billing",
    /// Why somebody decides as they do.
    Reason(1..=1000) = "The customer has paid by now.",
    /// What a token is called.
    TokenName(1..=100) = "nightly export",
    /// Who reports alerts.
    SourceName(1..=100) = "billing-monitor",
    /// A reporter's own id of an alert.
    ExternalId(1..=255) = "stuck-ub_1001",
    /// What an alert says beyond its title.
    AlertText(0..=5000) = "It has been processing for 26 hours.",
    /// The id of a record in a target system.
    EntityId(1..=128) = "ub_1001",
    /// A state that a record of a target system is in.
    StateName(1..=64) = "processing",
    /// What was measured.
    MetricName(1..=100) = "age",
    /// A unit of measurement.
    Unit(0..=32) = "h",
    /// What Alertmanager knows an alert by.
    Fingerprint(1..=64) = "b1ed8b9c1a3b6b1c",
}

/// A fault where the text does not do.
pub(crate) fn check(text: &str, least: usize, most: usize) -> Result<(), (FaultCode, String)> {
    if least > 0 && text.trim().is_empty() {
        let detail = "Expected some text, not only white space.";
        return Err((FaultCode::Blank, detail.to_owned()));
    }
    // Characters are at most bytes, which are known without counting.
    if text.len() >= least && (text.len() <= most || text.chars().count() <= most) {
        return Ok(());
    }
    let detail = format!("Expected {least} to {most} characters.");
    Err((FaultCode::Length, detail))
}

/// A short name of lower-case letters, digits and underscores, 1 to 64 of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    const MOST: usize = 64;

    /// The name; none for a text that is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_one = (1..=Self::MOST).contains(&text.len()) && text.bytes().all(plain);
        is_one.then(|| Self(text.to_owned()))
    }

    /// A name of another kind as a slug: `HTTPErrorRate` as `http_error_rate`. None where no letter or
    /// digit of it is plain.
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
            place.fault(
                FaultCode::Pattern,
                "Expected 1 to 64 lower-case letters, digits or underscores.",
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
