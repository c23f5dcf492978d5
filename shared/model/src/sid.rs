use std::fmt;

use sha2::{Digest, Sha256};

use crate::{Id, OrganizationId, Timestamp, UserId, random, span};

/// A session id: `organization-user-seconds-secret`. The cookie's signature protects the two ids and
/// the instant of sign-in. So session, user and organization are read in parallel, and an old cookie is
/// refused without a read. The secret cannot be guessed.
#[derive(Clone, PartialEq, Eq)]
pub struct Sid {
    pub organization: OrganizationId,
    pub user: UserId,
    /// The sign-in, in seconds since the Unix epoch.
    issued: i64,
    secret: String,
}

impl Sid {
    /// Milliseconds for which a session lasts at most.
    pub const LONGEST: i64 = 7 * span::DAY;

    pub fn generate(organization: OrganizationId, user: UserId, now: Timestamp) -> Self {
        Self {
            organization,
            user,
            issued: now.epoch_seconds(),
            secret: random::token(),
        }
    }

    /// Parses a session id whose signature was verified.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '-');
        let organization = OrganizationId::new(parts.next()?.parse().ok()?)?;
        let user = UserId::new(parts.next()?.parse().ok()?)?;
        let issued = parts.next()?.parse().ok()?;
        let secret = parts.next().filter(|secret| !secret.is_empty())?.to_owned();
        Some(Self {
            organization,
            user,
            issued,
            secret,
        })
    }

    /// Returns true if its session has ended by its age alone.
    pub const fn is_too_old(&self, now: Timestamp) -> bool {
        now.epoch_seconds() - self.issued > Self::LONGEST / span::SECOND
    }

    /// The SHA-256 that the table stores.
    pub fn hash(&self) -> String {
        digest(&self.to_string())
    }
}

impl fmt::Display for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            organization,
            user,
            issued,
            secret,
        } = self;
        write!(f, "{organization}-{user}-{issued}-{secret}")
    }
}

impl fmt::Debug for Sid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sid({}-{}-…)", self.organization, self.user)
    }
}

pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
