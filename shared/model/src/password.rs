//! Passwords and their hashes, which have no place in a log: neither shows itself when it is
//! formatted.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, schema::Type},
};

use crate::{
    FaultCode,
    input::{Field, Place, Reading},
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
            .pattern(Some(r"\S"))
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
    fn neither_shows_itself() {
        let password = LoginPassword("hush".into());
        let hash = PasswordHash::from("hush".to_owned());
        assert!(!format!("{password:?} {hash:?}").contains("hush"));
        assert_eq!(serde_json::to_value(hash).unwrap(), "hush");
    }
}
