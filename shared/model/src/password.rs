//! Passwords and their hashes. None of them shows its text when it is formatted, so that no log has it.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, schema::Type},
};

use crate::{
    Fault, FaultCode, WrongText,
    input::{Component, Place, Reading},
    text::Form,
    unique_name::{composed, key},
};

/// A password for a sign-in, of 1 to 1,024 characters: more than any password has. The bound limits the
/// work to hash it.
#[derive(Clone, Debug)]
pub struct LoginPassword(SecretString);

impl LoginPassword {
    const MOST: usize = 1_024;

    /// The secret, to compare it with a hash.
    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

impl Component for LoginPassword {
    fn parse(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        match Form::Text.check(text, 1, Self::MOST) {
            Ok(()) => Some(Self(text.as_str().into())),
            Err(error) => place.must(error.code(), error),
        }
    }
}

impl PartialSchema for LoginPassword {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(1))
            .max_length(Some(Self::MOST))
            .pattern(Form::Text.pattern(1))
            .description(Some("The current password."))
            .examples(["workdesk"])
            .into()
    }
}

impl ToSchema for LoginPassword {}

/// A new password: 12 to 128 characters in the form NFC, and [not the username](Self::fits). NIST SP
/// 800-63B recommends length rather than kinds of characters.
#[derive(Clone, Debug)]
pub struct NewPassword(SecretString);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a password cannot be the username")]
pub struct IsUsername;

impl NewPassword {
    /// The fewest characters.
    pub const LEAST: usize = 12;
    pub const MOST: usize = 128;

    /// Checks that the password is not the username, compared as names are.
    pub fn fits(&self, username: &str) -> Result<(), IsUsername> {
        if key(self.0.expose_secret()) == key(username) {
            Err(IsUsername)
        } else {
            Ok(())
        }
    }

    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

impl IsUsername {
    pub fn at(self, field: &str) -> Fault {
        let detail = "The password must not be the username.";
        Fault::at(field, FaultCode::Guessable, detail)
    }
}

impl TryFrom<String> for NewPassword {
    type Error = WrongText;

    fn try_from(text: String) -> Result<Self, WrongText> {
        let text = composed(&text);
        Form::Text.check(&text, Self::LEAST, Self::MOST)?;
        Ok(Self(text.into()))
    }
}

impl Component for NewPassword {
    fn parse(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        match Self::try_from(text.clone()) {
            Ok(password) => Some(password),
            Err(error) => place.must(error.code(), error),
        }
    }
}

impl PartialSchema for NewPassword {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(Self::LEAST))
            .max_length(Some(Self::MOST))
            .pattern(Form::Text.pattern(1))
            .description(Some("A new password, which is not the username."))
            .examples(["four words of your own"])
            .into()
    }
}

impl ToSchema for NewPassword {}

/// The hash of a password: argon2id in PHC form.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(SecretString);

impl PasswordHash {
    /// The text, for the table and to compare it with a password.
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
            let sent = NewPassword::parse(&value, &mut Place::body(&mut faults));
            let typed = NewPassword::try_from(text.to_owned());
            assert_eq!(sent.is_some(), typed.is_ok(), "{text}");
            faults.pop().map(|fault| fault.code)
        };
        assert_eq!(read("eleven char"), Some(FaultCode::Length));
        assert_eq!(read("twelve chars"), None);
        assert_eq!(read(&"ü".repeat(128)), None);
        assert_eq!(read(&"ü".repeat(129)), Some(FaultCode::Length));
        assert_eq!(read(&"u\u{308}".repeat(128)), None);
        assert_eq!(read(&"u\u{308}".repeat(6)), Some(FaultCode::Length));
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
