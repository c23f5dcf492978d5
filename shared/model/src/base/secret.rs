//! Secrets for other systems: as clients send them, and as the table has them.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::{PartialSchema, ToSchema, openapi::KnownFormat};

use crate::base::{
    FaultCode, Timestamp,
    input::{Component, InputPlace, Json, Reading, Schema, formatted},
};

/// A secret that a client sends: 1 to 4,096 characters of printable ASCII, without a space at
/// either end. It shows no text when it is formatted.
#[derive(Clone, Debug)]
pub struct SentSecret(SecretString);

/// A secret as the table has it: encrypted for one purpose of one organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedSecret {
    /// The ciphertext in base64.
    pub ciphertext: String,
    pub set_at: Timestamp,
}

impl SentSecret {
    /// The most characters: the key encrypts no more in one request.
    pub const MOST: usize = 4_096;
}

impl ExposeSecret<str> for SentSecret {
    fn expose_secret(&self) -> &str {
        self.0.expose_secret()
    }
}

impl Component for SentSecret {
    fn parse(value: &Json, place: &mut InputPlace<'_>) -> Reading<Self> {
        let text = place.text(value)?;
        if !(1..=Self::MOST).contains(&text.len()) {
            return place.must(FaultCode::Length, "have 1 to 4096 characters");
        }
        if !is_header_text(text) {
            let rule = "be printable ASCII, with no space at either end";
            return place.must(FaultCode::Pattern, rule);
        }
        Some(Self(text.into()))
    }
}

impl PartialSchema for SentSecret {
    fn schema() -> Schema {
        formatted(KnownFormat::Password)
            .min_length(Some(1))
            .max_length(Some(Self::MOST))
            .pattern(Some("^[!-~]([ -~]*[!-~])?$"))
            .write_only(true)
            .description(Some("A secret for another system, which no answer has."))
            .examples(["sk_test_of_the_example"])
            .into()
    }
}

impl ToSchema for SentSecret {}

/// True for printable ASCII without a space at either end, as a header's value may be.
pub fn is_header_text(text: &str) -> bool {
    text.bytes()
        .all(|byte| (b' '..=b'~').contains(&byte))
        && text.trim().len() == text.len()
}
