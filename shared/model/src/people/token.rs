//! Access tokens for scripts.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::{
    base::{
        Cell, Error, Fault, FaultCode, OrOther, OrganizationId, Timestamp, TokenId, TokenName,
        UserId, input::BoundedList, random, span,
    },
    input,
    people::{Permission, User, digest, each_once},
};

/// A token of a user, for scripts. A request with it acts as its owner, with at most the
/// permissions that the token names. The token ends when it expires or is deleted. It also ends,
/// for good, when the owner's password changes or the owner is disabled.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    pub id: TokenId,
    pub organization_id: OrganizationId,
    pub user_id: UserId,
    /// Its slot among the owner's [`MOST`](Self::MOST) tokens, from 0 up.
    pub place: i64,
    /// The owner's name for it.
    pub name: TokenName,
    /// SHA-256 of the token, in hexadecimal. The table never holds the token itself.
    pub hash: String,
    /// The permissions of the token, each once; none for all permissions of the owner. Unknown ones
    /// are kept, and let nothing.
    pub permissions: Option<Vec<OrOther<Permission>>>,
    /// The owner's [`User::token_epoch`] at its creation.
    pub epoch: i64,
    pub created_at: Timestamp,
    /// When it expires. (In the table, `expiresAt` is when an item may be removed.)
    pub ends_at: Timestamp,
    /// The start (UTC) of the day on which it was last used.
    pub last_used_at: Option<Timestamp>,
}

input! {
    pub struct TokenCreate {
        /// A name for its purpose.
        name: TokenName,
        /// The permissions of the token; absent for all permissions of its owner.
        permissions: Option<BoundedList<Permission, 1, 50>>,
        /// When it expires, at most 366 days from now; absent for 365 days.
        expires_at: Option<Timestamp>,
    }
    example {"name": "nightly export", "permissions": ["view_work"]};
}

impl TokenCreate {
    const USUAL: i64 = 365 * span::DAY;
    /// Long enough for the same date of the next year.
    const LONGEST: i64 = 366 * span::DAY;

    /// Returns when a token that is created now expires. 400 for an instant in the past, or more
    /// than 366 days from now.
    pub fn ends_at(&self, now: Timestamp) -> Result<Timestamp, Error> {
        let at = self
            .expires_at
            .unwrap_or(now.plus(Self::USUAL));
        if (1..=Self::LONGEST).contains(&at.since(now)) {
            return Ok(at);
        }
        let detail = "`expiresAt` must be in the future, at most 366 days from now.";
        let fault = Fault::at("expiresAt", FaultCode::Period, detail);
        Err(Error::invalid(fault))
    }

    /// The permissions that it names, each once.
    pub fn named(&self) -> Option<Vec<Permission>> {
        Some(each_once(self.permissions.as_ref()?.0.clone()))
    }
}

impl Token {
    pub const MOST: i64 = 50;

    /// Returns true if the token is still valid for this user.
    pub fn holds(&self, user: &User, now: Timestamp) -> bool {
        now < self.ends_at && !user.disabled && user.token_epoch == self.epoch
    }

    /// Returns true if the token includes the permission, which its owner may or may not hold.
    pub fn lets(&self, permission: Permission) -> bool {
        let named = self.permissions.as_ref();
        named.is_none_or(|named| {
            named
                .iter()
                .any(|granted| *granted == permission)
        })
    }

    /// Returns true for a token with the only permission `manage_signals`. Its alerts are a
    /// machine's word, and not its owner's.
    pub fn is_machine(&self) -> bool {
        let named = self.permissions.as_deref();
        named.is_some_and(|named| matches!(named, [only] if *only == Permission::ManageSignals))
    }

    /// Returns true for its first use of the day (UTC), which is worth a write.
    pub fn wants_touch(&self, now: Timestamp) -> bool {
        self.last_used_at < Some(now.start_of_day())
    }
}

/// The token as a script sends it: `wd_`, the cell that made it and `_`, and 32 random bytes in
/// base64url without padding. Those of cell 0 have no cell.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    const BEGINNING: &str = "wd_";

    /// Characters of the random part, which may have `_` among them.
    const RANDOM: usize = 43;

    pub fn generate(cell: &Cell) -> Self {
        let random = BASE64_URL_SAFE_NO_PAD.encode(random::bytes::<32>());
        let cell = cell
            .written()
            .map(|cell| format!("{cell}_"));
        let cell = cell.unwrap_or_default();
        Self(format!("{}{cell}{random}", Self::BEGINNING))
    }

    /// Parses a token; none for a text of another form, and for a token of another cell.
    pub fn parse(text: &str, cell: &Cell) -> Option<Self> {
        let rest = text.strip_prefix(Self::BEGINNING)?;
        let (named, random) = match rest.split_once('_') {
            Some((named, random)) if rest.len() > Self::RANDOM => (Some(named), random),
            _ => (None, rest),
        };
        let bytes = BASE64_URL_SAFE_NO_PAD
            .decode(random)
            .ok()?;
        (bytes.len() == 32 && cell.made(named)).then(|| Self(text.to_owned()))
    }

    /// The SHA-256 that the table stores. The token is random enough to need neither salt nor a
    /// slow hash.
    pub fn hash(&self) -> String {
        digest(&self.0)
    }

    /// The text, for the user who created it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

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
        let cell = Cell::new("eu1").unwrap();
        let token = TokenSecret::generate(&cell);
        assert_eq!(token.expose().len(), "wd_eu1_".len() + 43);
        let read = TokenSecret::parse(token.expose(), &cell);
        assert_eq!(read, Some(token.clone()));
        assert_eq!(TokenSecret::parse(token.expose(), &Cell::default()), None);
        assert_eq!(token.hash().len(), 64);
        assert_eq!(format!("{token:?}"), "TokenSecret(wd_…)");
        assert_ne!(token, TokenSecret::generate(&cell));
    }

    #[test]
    fn a_token_without_a_cell_is_of_cell_0() {
        let made = TokenSecret::generate(&Cell::default()).0;
        assert_eq!(made.len(), "wd_".len() + 43);
        // A random part may look like one with a cell.
        let misleading = format!("wd_eu1_{}", "A".repeat(39));
        for text in [made.clone(), made.replacen("wd_", "wd_0_", 1), misleading] {
            let read = |cell: &str| TokenSecret::parse(&text, &Cell::new(cell).unwrap());
            assert_eq!(read("0").unwrap().hash(), digest(&text));
            assert_eq!(read("eu1"), None);
        }
    }

    #[test]
    fn what_is_no_token_does_not_read() {
        let cell = Cell::default();
        let good = TokenSecret::generate(&cell).0;
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
            "wd_0_",
            &good[3..],
            &good.replacen("wd_", "wd__", 1),
            &good.replacen("wd_", "wd_0_0_", 1),
            short,
            &long,
            &padded,
            &other_bits,
            &upper,
            &other_alphabet,
        ] {
            assert_eq!(TokenSecret::parse(text, &cell), None, "{text}");
        }
    }
}
