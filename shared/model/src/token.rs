//! Access tokens: what scripts sign in with.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    OrganizationId, Permission, Timestamp, TokenId, TokenName, User, UserId, digest, span,
};
use crate::{Error, Fault, FaultCode, input, input::List, random};

/// A token of a user, for scripts. It acts as its owner with at most the permissions that it
/// names. It ends with its expiry, with its deletion, and at once and for good when the owner's
/// password changes or the owner is disabled.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Unique id.
    pub id: TokenId,
    /// The owner's organization.
    pub organization_id: OrganizationId,
    /// The owner.
    pub user_id: UserId,
    /// Which of the owner's places it takes, from 0 up: there are only so many.
    pub place: i64,
    /// What the owner calls it.
    pub name: TokenName,
    /// SHA-256 of the token, in hexadecimal: the table never holds what a script sends.
    pub hash: String,
    /// At most these, each once; without, all that the owner holds.
    pub permissions: Option<Vec<Permission>>,
    /// The owner's [`User::token_epoch`] at its creation.
    pub epoch: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends, unless something else ends it before. (In the table `expiresAt` is when an item
    /// may be dropped.)
    pub ends_at: Timestamp,
    /// The beginning (UTC) of the day on which it was last used.
    pub last_used_at: Option<Timestamp>,
}

input! {
    /// What a client sends to create a token.
    pub struct TokenCreate {
        /// What it is for.
        name: TokenName,
        /// The most that the token may do; absent for all that its owner may.
        permissions: Option<List<Permission, 1, 50>>,
        /// When it ends, at most 366 days from now; absent for 365 days.
        expires_at: Option<Timestamp>,
    }
}

/// Orders of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TokenSort {
    /// By id.
    #[default]
    #[serde(rename = "id")]
    Id,
}

impl TokenCreate {
    const USUAL: i64 = 365 * span::DAY;
    /// The same date of the next year is never too late.
    const LONGEST: i64 = 366 * span::DAY;

    /// When a token that is created now ends. 400 for an instant that is over, or more than 366
    /// days off.
    pub fn ends_at(&self, now: Timestamp) -> Result<Timestamp, Error> {
        let at = self.expires_at.unwrap_or(now.plus(Self::USUAL));
        if (1..=Self::LONGEST).contains(&at.since(now)) {
            return Ok(at);
        }
        let detail = "A token ends in the future, at most 366 days from now.";
        Err(Error::invalid(Fault::at(
            "expiresAt",
            FaultCode::Period,
            detail,
        )))
    }

    /// What it names of the permissions, each once.
    #[must_use]
    pub fn named(&self) -> Option<Vec<Permission>> {
        let mut named = self.permissions.as_ref()?.0.clone();
        named.sort_unstable();
        named.dedup();
        Some(named)
    }
}

impl Token {
    /// How many a user may hold.
    pub const MOST: i64 = 50;

    /// Whether it is still a token of this user.
    #[must_use]
    pub fn holds(&self, user: &User, now: Timestamp) -> bool {
        now < self.ends_at && !user.disabled && user.token_epoch == self.epoch
    }

    /// Whether it lets its owner use the permission, if they hold it.
    #[must_use]
    pub fn lets(&self, permission: Permission) -> bool {
        let named = self.permissions.as_ref();
        named.is_none_or(|named| named.contains(&permission))
    }

    /// Whether this is its first use of the day (UTC), so that noting it is worth a write.
    #[must_use]
    pub fn wants_touch(&self, now: Timestamp) -> bool {
        self.last_used_at < Some(now.start_of_day())
    }
}

/// What a script sends: `wd_` and 32 random bytes in base64url without padding.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    const BEGINNING: &str = "wd_";

    /// A new one.
    #[must_use]
    pub fn generate() -> Self {
        let random = BASE64_URL_SAFE_NO_PAD.encode(random::bytes::<32>());
        Self(format!("{}{random}", Self::BEGINNING))
    }

    /// Reads one, if the text has the form of one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let random = text.strip_prefix(Self::BEGINNING)?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(random).ok()?;
        (bytes.len() == 32).then(|| Self(text.to_owned()))
    }

    /// What the table keeps of it. It is random enough to need neither salt nor time.
    #[must_use]
    pub fn hash(&self) -> String {
        digest(&self.0)
    }

    /// The text, for whoever created it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// A token is a secret: it has no place in a log.
impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenSecret({}…)", Self::BEGINNING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_as_it_was_made_and_does_not_show_itself() {
        let token = TokenSecret::generate();
        assert_eq!(token.expose().len(), "wd_".len() + 43);
        assert_eq!(TokenSecret::parse(token.expose()), Some(token.clone()));
        assert_eq!(token.hash().len(), 64);
        assert_eq!(format!("{token:?}"), "TokenSecret(wd_…)");
        assert_ne!(token, TokenSecret::generate());
    }

    #[test]
    fn what_is_no_token_does_not_read() {
        let good = TokenSecret::generate().0;
        let short = &good[..good.len() - 1];
        let long = format!("{good}A");
        let padded = format!("{good}=");
        // 43 characters carry two bits more than 32 bytes have; they are zero.
        let other_bits = format!("wd_{}B", "A".repeat(42));
        let upper = good.replacen("wd_", "WD_", 1);
        let other_alphabet = format!("wd_{}A", "+".repeat(42));
        for text in [
            "",
            "wd_",
            &good[3..],
            short,
            &long,
            &padded,
            &other_bits,
            &upper,
            &other_alphabet,
        ] {
            assert_eq!(TokenSecret::parse(text), None, "{text}");
        }
    }
}
