//! Passwords and their hashes, which have no place in a log: none of them shows itself when it is
//! formatted.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, schema::Type},
};

use crate::{
    Fault, FaultCode, WrongLength,
    input::{Field, Place, Reading},
    text::{NOT_BLANK, check},
};

/// A password as it is sent to sign in, of 1 to 1,024 characters: longer than any that was set. The
/// bound keeps its hash from being a burden.
#[derive(Clone, Debug)]
pub struct LoginPassword(SecretString);

impl LoginPassword {
    const MOST: usize = 1_024;

    /// For whoever compares it with a hash.
    #[must_use]
    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

impl Field for LoginPassword {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        if text.trim().is_empty() {
            let detail = "Expected some text, not only white space.";
            return place.fault(FaultCode::Blank, detail);
        }
        if text.chars().count() > Self::MOST {
            let detail = format!("Expected 1 to {} characters.", Self::MOST);
            return place.fault(FaultCode::Length, detail);
        }
        Some(Self(text.as_str().into()))
    }

    fn field_schema() -> RefOr<Schema> {
        Ref::from_schema_name("LoginPassword").into()
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push((
            "LoginPassword".to_owned(),
            <Self as PartialSchema>::schema(),
        ));
    }
}

impl PartialSchema for LoginPassword {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(1))
            .max_length(Some(Self::MOST))
            .pattern(Some(NOT_BLANK))
            .description(Some("A password as it was set."))
            .examples(["workdesk"])
            .into()
    }
}

impl ToSchema for LoginPassword {
    fn name() -> std::borrow::Cow<'static, str> {
        "LoginPassword".into()
    }
}

/// A password that is to be set: 12 to 128 characters, as NIST SP 800-63B asks for length rather
/// than for kinds of characters, and [not the username](Self::fits).
#[derive(Clone, Debug)]
pub struct NewPassword(SecretString);

/// A password is the username of whom it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a password cannot be the username")]
pub struct IsUsername;

impl NewPassword {
    /// The fewest characters.
    pub const LEAST: usize = 12;
    /// The most characters.
    pub const MOST: usize = 128;

    /// Whether it does for the user of that name: it is another text, case aside.
    pub fn fits(&self, username: &str) -> Result<(), IsUsername> {
        if caseless::default_caseless_match_str(self.0.expose_secret(), username) {
            Err(IsUsername)
        } else {
            Ok(())
        }
    }

    /// For whoever hashes it.
    #[must_use]
    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

impl IsUsername {
    /// The fault of a field that has such a password.
    #[must_use]
    pub fn at(self, field: &str) -> Fault {
        let detail = "Choose a password that is not the username.";
        Fault::at(field, FaultCode::Guessable, detail)
    }
}

/// As the operator's command line reads it.
impl TryFrom<String> for NewPassword {
    type Error = WrongLength;

    fn try_from(text: String) -> Result<Self, WrongLength> {
        let (least, most) = (Self::LEAST, Self::MOST);
        match check(&text, least, most) {
            Ok(()) => Ok(Self(text.into())),
            Err(_) => Err(WrongLength { least, most }),
        }
    }
}

impl Field for NewPassword {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        match check(text, Self::LEAST, Self::MOST) {
            Ok(()) => Some(Self(text.as_str().into())),
            Err((code, detail)) => place.fault(code, detail),
        }
    }

    fn field_schema() -> RefOr<Schema> {
        Ref::from_schema_name("NewPassword").into()
    }

    fn field_schemas(all: &mut Vec<(String, RefOr<Schema>)>) {
        all.push(("NewPassword".to_owned(), <Self as PartialSchema>::schema()));
    }
}

impl PartialSchema for NewPassword {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(Self::LEAST))
            .max_length(Some(Self::MOST))
            .pattern(Some(NOT_BLANK))
            .description(Some("A password to set, which is not the username."))
            .examples(["four words of your own"])
            .into()
    }
}

impl ToSchema for NewPassword {
    fn name() -> std::borrow::Cow<'static, str> {
        "NewPassword".into()
    }
}

/// The hash of a password: argon2id in PHC form.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(SecretString);

impl PasswordHash {
    /// The text, for the table and for whoever compares it with a password.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for PasswordHash {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for PasswordHash {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// As the table keeps it.
impl Serialize for PasswordHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_shows_itself() {
        let password = LoginPassword("hush".into());
        let new = NewPassword::try_from("hush hush hush".to_owned()).unwrap();
        let hash = PasswordHash::from("hush".to_owned());
        assert!(!format!("{password:?} {new:?} {hash:?}").contains("hush"));
        assert_eq!(serde_json::to_value(hash).unwrap(), "hush");
    }

    #[test]
    fn a_new_password_has_12_to_128_characters() {
        let read = |text: &str| {
            let mut faults = Vec::new();
            let value = Value::from(text);
            let sent = NewPassword::read(&value, &mut Place::body(&mut faults));
            let typed = NewPassword::try_from(text.to_owned());
            assert_eq!(sent.is_some(), typed.is_ok(), "{text}");
            faults.pop().map(|fault| fault.code)
        };
        assert_eq!(read("eleven char"), Some(FaultCode::Length));
        assert_eq!(read("twelve chars"), None);
        assert_eq!(read(&"ü".repeat(128)), None);
        assert_eq!(read(&"ü".repeat(129)), Some(FaultCode::Length));
        // Nobody could sign in with it.
        assert_eq!(read(&" ".repeat(12)), Some(FaultCode::Blank));
    }

    #[test]
    fn a_new_password_is_not_the_username_in_whatever_case() {
        let password = NewPassword::try_from("Ada.Lindqvist".to_owned()).unwrap();
        for username in ["Ada.Lindqvist", "ada.lindqvist", "ADA.LINDQVIST"] {
            assert_eq!(password.fits(username), Err(IsUsername));
        }
        assert_eq!(password.fits("ada"), Ok(()));
    }
}
