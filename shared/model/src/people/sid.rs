use std::fmt;

use sha2::{Digest, Sha256};

use crate::base::{Cell, Id, OrganizationId, Timestamp, UserId, random, span};

/// A session id: `cell.organization-user-seconds-secret`, in cell 0 without the cell. The cookie's
/// signature protects the cell, the two ids and the instant of sign-in. So session, user and
/// organization are read in parallel, and an old cookie is refused without a read. The secret
/// cannot be guessed.
#[derive(Clone, PartialEq, Eq)]
pub struct Sid {
    /// `None` for one without a cell.
    cell: Option<Cell>,
    pub organization: OrganizationId,
    pub user: UserId,
    /// The sign-in, in seconds since the Unix epoch.
    issued: i64,
    secret: String,
}

impl Sid {
    /// Milliseconds for which a session lasts at most.
    pub const LONGEST: i64 = 7 * span::DAY;

    pub fn generate(cell: &Cell, tenant: OrganizationId, user: UserId, now: Timestamp) -> Self {
        Self {
            cell: cell.written().cloned(),
            organization: tenant,
            user,
            issued: now.epoch_seconds(),
            secret: random::token(),
        }
    }

    /// Parses a session id whose signature was verified; `None` for one of another cell.
    pub fn parse(text: &str, cell: &Cell) -> Option<Self> {
        let split = text.split_once('.');
        let (named, rest) = split.map_or((None, text), |(named, rest)| (Some(named), rest));
        let ours = cell.made(named).then_some(named)?;
        let mut parts = rest.splitn(4, '-');
        let organization = OrganizationId::new(parts.next()?.parse().ok()?)?;
        let user = UserId::new(parts.next()?.parse().ok()?)?;
        let issued = parts.next()?.parse().ok()?;
        let secret = parts
            .next()
            .filter(|secret| !secret.is_empty())?
            .to_owned();
        Some(Self {
            cell: ours.map(|_| cell.clone()),
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
        if let Some(cell) = &self.cell {
            write!(f, "{cell}.")?;
        }
        let organization = self.organization;
        let user = self.user;
        write!(f, "{organization}-{user}-{}-{}", self.issued, self.secret)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_reads_in_its_own_cell() {
        let first = Cell::default();
        let other = Cell::new("eu1").unwrap();
        let organization = Id::new(7).unwrap();
        let user = Id::new(9).unwrap();
        let sid = Sid::generate(&other, organization, user, Timestamp::from_millis(0));
        let text = sid.to_string();
        assert!(text.starts_with("eu1.7-9-0-"), "{text}");
        assert_eq!(Sid::parse(&text, &other), Some(sid));
        assert_eq!(Sid::parse(&text, &first), None);
    }

    #[test]
    fn a_session_id_without_a_cell_is_of_cell_0() {
        let organization = Id::new(7).unwrap();
        let user = Id::new(9).unwrap();
        let cell = Cell::default();
        let now = Timestamp::from_millis(0);
        let plain = Sid::generate(&cell, organization, user, now).to_string();
        assert!(plain.starts_with("7-9-0-"), "{plain}");
        for text in [&plain, &format!("0.{plain}")] {
            let read = Sid::parse(text, &Cell::default()).unwrap();
            assert_eq!(read.hash(), digest(text));
            assert_eq!(Sid::parse(text, &Cell::new("eu1").unwrap()), None);
        }
        for text in [format!(".{plain}"), format!("0.0.{plain}")] {
            assert_eq!(Sid::parse(&text, &Cell::default()), None, "{text}");
        }
    }
}
