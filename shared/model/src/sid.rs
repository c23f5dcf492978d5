//! Session ids.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{Id, OrganizationId, UserId, random};

/// A session id: `organization-user-secret`. The cookie's signature protects the two ids, so that
/// session, user and organization are read in parallel. The secret cannot be guessed.
#[derive(Clone, PartialEq, Eq)]
pub struct Sid {
    /// The user's organization.
    pub organization: OrganizationId,
    /// The user of the session.
    pub user: UserId,
    secret: String,
}

impl Sid {
    /// A new session id for a user.
    #[must_use]
    pub fn generate(organization: OrganizationId, user: UserId) -> Self {
        Self {
            organization,
            user,
            secret: random::token(),
        }
    }

    /// Parses a session id whose signature was verified.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let organization = OrganizationId::new(parts.next()?.parse().ok()?)?;
        let user = UserId::new(parts.next()?.parse().ok()?)?;
        let secret = parts.next().filter(|secret| !secret.is_empty())?.to_owned();
        Some(Self {
            organization,
            user,
            secret,
        })
    }

    /// The SHA-256 that the table stores.
    #[must_use]
    pub fn hash(&self) -> String {
        digest(&self.to_string())
    }
}

impl fmt::Display for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.organization, self.user, self.secret)
    }
}

/// Hides the secret from logs.
impl fmt::Debug for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sid({}-{}-…)", self.organization, self.user)
    }
}

/// SHA-256 of a text, in hexadecimal.
#[must_use]
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
