//! Secrets of connections: as clients send them, and as the table has them.

use model::{
    FaultCode, Timestamp,
    input::{Component, Json, Place, Reading, Schema},
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, SchemaFormat, schema::Type},
};

use super::words::is_header_text;

/// A secret that a client sends: 1 to 4,096 characters of printable ASCII, without a space at either
/// end. It shows no text when it is formatted.
#[derive(Clone, Debug)]
pub struct ConnectionSecret(SecretString);

/// A secret as the table has it: encrypted for one connection of one organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedSecret {
    /// The ciphertext in base64.
    pub ciphertext: String,
    pub set_at: Timestamp,
}

impl ConnectionSecret {
    /// The most characters: the key encrypts no more in one request.
    pub const MOST: usize = 4_096;
}

impl ExposeSecret<str> for ConnectionSecret {
    fn expose_secret(&self) -> &str {
        self.0.expose_secret()
    }
}

impl Component for ConnectionSecret {
    fn parse(value: &Json, place: &mut Place<'_>) -> Reading<Self> {
        let Json::String(text) = value else {
            return place.wrong(value, "a string");
        };
        if !(1..=Self::MOST).contains(&text.len()) {
            return place.must(FaultCode::Length, "have 1 to 4096 characters");
        }
        if !is_header_text(text) {
            let rule = "be printable ASCII, with no space at either end";
            return place.must(FaultCode::Pattern, rule);
        }
        Some(Self(text.as_str().into()))
    }
}

impl PartialSchema for ConnectionSecret {
    fn schema() -> Schema {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)))
            .min_length(Some(1))
            .max_length(Some(Self::MOST))
            .pattern(Some("^[!-~]([ -~]*[!-~])?$"))
            .write_only(true)
            .description(Some("The secret of a connection, which no answer has."))
            .examples(["sk_test_of_the_example"])
            .into()
    }
}

impl ToSchema for ConnectionSecret {}
