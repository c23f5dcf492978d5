//! Passwords and their hashes. None of them shows its text when it is formatted, so that no log has
//! it.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema, openapi::KnownFormat};

use crate::base::{
    CommonPassword, Fault, FaultCode, WrongText,
    input::{Component, Form, InputPlace, Reading, Schema, formatted},
    unique_name::composed,
};

mod common;

/// A password for a sign-in, of 1 to 1,024 characters: more than any password has. The bound limits
/// the work to hash it.
#[derive(Clone, Debug)]
pub struct LoginPassword(SecretString);

impl LoginPassword {
    const MOST: usize = 1_024;

    const LEAST: usize = 1;

    /// The secret, to compare it with a hash.
    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

impl TryFrom<String> for LoginPassword {
    type Error = WrongText;

    fn try_from(text: String) -> Result<Self, WrongText> {
        Form::Text.check(&text, Self::LEAST, Self::MOST)?;
        Ok(Self(text.into()))
    }
}

/// A new password: 12 to 128 characters in the form NFC, and none that attackers try first. NIST SP
/// 800-63B recommends length rather than kinds of characters.
#[derive(Clone, Debug)]
pub struct NewPassword(SecretString);

impl NewPassword {
    pub const LEAST: usize = 12;
    pub const MOST: usize = 128;

    /// Returns the secret, to hash it for a user of an organization. Words are compared as names
    /// are.
    pub fn for_user(self, user: &str, organization: &str) -> Result<SecretString, CommonPassword> {
        self.beyond(&[user, organization, common::SERVICE])?;
        Ok(self.0)
    }

    /// Checks that the password has twelve characters beside the words.
    pub(crate) fn beyond(&self, words: &[&str]) -> Result<(), CommonPassword> {
        let is_named = common::leans_on(self.0.expose_secret(), words, Self::LEAST);
        (!is_named)
            .then_some(())
            .ok_or(CommonPassword::Named)
    }
}

impl CommonPassword {
    pub fn at(self, field: &str) -> Fault {
        Fault::at(field, FaultCode::Common, format!("`{field}` must {self}."))
    }
}

impl TryFrom<String> for NewPassword {
    type Error = WrongText;

    fn try_from(text: String) -> Result<Self, WrongText> {
        let text = composed(&text);
        Form::Text.check(&text, Self::LEAST, Self::MOST)?;
        common::check(&text, Self::LEAST).map_err(WrongText::Common)?;
        Ok(Self(text.into()))
    }
}

/// Declares how requests have passwords: the description and the example of each.
macro_rules! sent {
    ($($name:ident = $about:literal, $example:literal;)+) => {$(
        impl Component for $name {
            fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
                let read = Self::try_from(place.text(value)?.to_owned());
                read.map_or_else(|error| place.must(error.code(), error), Some)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> Schema {
                formatted(KnownFormat::Password)
                    .min_length(Some(Self::LEAST))
                    .max_length(Some(Self::MOST))
                    .pattern(Form::Text.pattern(1))
                    .description(Some($about))
                    .examples([$example])
                    .into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

sent! {
    LoginPassword = "The current password.", "workdesk";
    NewPassword = "A new password that attackers do not try first.", "four words of your own";
}

/// The hash of a password: argon2id in PHC form.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(SecretString);

impl PasswordHash {
    /// Returns a hash that fits no password.
    pub fn unusable() -> Self {
        Self::from(
            "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5LW5vYm9keS0tLQ$\
             NQdWSGFj1rBnTVuTwu9RKdsDE5KoVbZdB5Q9kkn+4Qw",
        )
    }

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
            let sent = NewPassword::parse(&Value::from(text), &mut InputPlace::body(&mut faults));
            let typed = NewPassword::try_from(text.to_owned());
            assert_eq!(sent.is_some(), typed.is_ok(), "{text}");
            faults.pop().map(|fault| fault.code)
        };
        assert_eq!(read("eleven char"), Some(FaultCode::Length));
        assert_eq!(read("twelve chars"), None);
        let varied = |letters: [&'static str; 5], count| -> String {
            letters
                .into_iter()
                .cycle()
                .take(count)
                .collect()
        };
        let composed = ["ü", "k", "ö", "3", "ä"];
        assert_eq!(read(&varied(composed, 128)), None);
        assert_eq!(read(&varied(composed, 129)), Some(FaultCode::Length));
        let decomposed = ["u\u{308}", "k", "o\u{308}", "3", "a\u{308}"];
        assert_eq!(read(&varied(decomposed, 128)), None);
        assert_eq!(read(&"u\u{308}".repeat(6)), Some(FaultCode::Length));
        // Nobody could sign in with it.
        assert_eq!(read(&" ".repeat(12)), Some(FaultCode::Blank));
    }

    #[test]
    fn a_new_password_is_none_that_attackers_try_first() {
        let code = |text: &str| NewPassword::try_from(text.to_owned()).map(|_| ());
        let refused = |why| Err(WrongText::Common(why));
        for text in "1qaz2wsx3edc QWERTY123456 Passwordpassword iloveyouforever".split(' ') {
            assert_eq!(code(text), refused(CommonPassword::Listed), "{text}");
        }
        let stems = "correcthorsebatterystaple CorrectHorseBatteryStaple1! Passw0rd1234! P@$$w0rd2026!! \
                     Qw3rtyQw3rty2026! !l0vey0u!!!! letmein123456789";
        for text in stems.split_whitespace() {
            assert_eq!(code(text), refused(CommonPassword::Listed), "{text}");
        }
        for text in [
            "my password is a long story",
            "Passw0rd beside twelve more",
            "the horse and its battery",
            "1 horse, 2 carts & 7 staples",
            "kT9$vq!2mZr#",
        ] {
            assert_eq!(code(text), Ok(()), "{text}");
        }
        let texts = "zzzzzzzzzzzzzzzz ÜÜÜÜÜÜÜÜüüüü 890123456789012 VwxyzAbcdefgh";
        for text in texts.split(' ') {
            assert_eq!(code(text), refused(CommonPassword::Run), "{text}");
        }
        for text in ["abcdefghijkm", "four words of your own", "zzzzzzzzzzzzzzzy"] {
            assert_eq!(code(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_new_password_has_twelve_characters_beside_the_names() {
        let fits = |text: &str| {
            let password = NewPassword::try_from(text.to_owned()).unwrap();
            let secret = password.for_user("Ada.Lindqvist", "Halden Services");
            secret.map(|_| ())
        };
        let texts = "ada.lindqvist|ADA.LINDQVIST2026|HaldenServices!?|Halden  Services 12|\
                     my Workdesk login|ada.lindqvistWorkdesk12345";
        for text in texts.split('|') {
            assert_eq!(fits(text), Err(CommonPassword::Named), "{text}");
        }
        for text in ["ada.lindqvist and a dozen", "Halden and its own walls"] {
            assert_eq!(fits(text), Ok(()), "{text}");
        }
        // A name of two characters is in most passwords.
        let password = NewPassword::try_from("it has twelve".to_owned()).unwrap();
        assert!(password.for_user("ada", "IT").is_ok());
    }
}
