//! A chain: its new entries, and the check that it is complete and unchanged.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::people::digest;

use super::canonical;

/// The newest entry of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalHead {
    /// Its number; 0 for an empty chain.
    pub seq: i64,
    pub hash: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalFlaw {
    Missing,
    Changed,
    /// The entry does not have the hash of the one before it, or is a sign-in that no entry names.
    Unchained,
    /// The entry is not the newest one that the journal's head, its record or the session's chain
    /// names.
    NotTheHead,
    /// The entry of a sign-in that this one names was changed or removed.
    SignInMissing,
    /// The journal of an agent session lacks the entry that this one names: it was changed or
    /// removed.
    SessionMissing,
}

/// The place of an entry in its chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainLink {
    /// The number within the chain, from 1.
    pub seq: i64,
    /// The hash of the entry before it; empty for the first entry.
    pub previous_hash: String,
    /// SHA-256 of the canonical JSON of the content, in hexadecimal.
    pub hash: String,
}

pub trait Chained: Sized {
    fn link(&self) -> ChainLink;

    fn set_link(&mut self, link: ChainLink);

    /// Returns all that the hash covers: number and previous hash, too, but not the hash itself.
    fn content(&self) -> Value;

    fn computed_hash(&self) -> String {
        digest(&canonical(&self.content()))
    }

    #[must_use]
    fn chained(mut self, head: &mut JournalHead) -> Self {
        let mut link = ChainLink {
            seq: head.seq + 1,
            previous_hash: std::mem::take(&mut head.hash),
            hash: String::new(),
        };
        self.set_link(link.clone());
        link.hash = self.computed_hash();
        *head = JournalHead {
            seq: link.seq,
            hash: link.hash.clone(),
        };
        self.set_link(link);
        self
    }
}

/// Returns the first flawed entry of a chain, or of its part after the entry `before`. The entries
/// are sorted by number. `head` is the chain's newest entry; without it, the chain is checked as
/// far as its entries go. Other records name the entries of `named`.
pub fn first_break<E: Chained>(
    before: &JournalHead,
    entries: &[&E],
    head: Option<&JournalHead>,
    named: &[JournalHead],
) -> Option<(i64, JournalFlaw)> {
    let mut previous = before.hash.clone();
    for (seq, entry) in (before.seq + 1..).zip(entries) {
        let link = entry.link();
        if link.seq != seq {
            return Some((seq, JournalFlaw::Missing));
        }
        if entry.computed_hash() != link.hash {
            return Some((seq, JournalFlaw::Changed));
        }
        if link.previous_hash != previous {
            return Some((seq, JournalFlaw::Unchained));
        }
        previous = link.hash;
    }
    let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let next = before
        .seq
        .saturating_add(count)
        .saturating_add(1);
    for JournalHead { seq, hash } in head.into_iter().chain(named) {
        let place = usize::try_from(*seq - before.seq - 1).ok();
        match place.and_then(|place| entries.get(place)) {
            None if *seq >= next => return Some((next, JournalFlaw::Missing)),
            Some(entry) if entry.link().hash != *hash => {
                return Some((*seq, JournalFlaw::NotTheHead));
            }
            None if *seq == before.seq && *hash != before.hash => {
                return Some((*seq, JournalFlaw::NotTheHead));
            }
            _ => {}
        }
    }
    let newest = head?.seq;
    if newest < before.seq {
        return Some((before.seq, JournalFlaw::NotTheHead));
    }
    let mut numbers = entries
        .iter()
        .map(|entry| entry.link().seq);
    let behind = numbers.find(|seq| *seq > newest)?;
    Some((behind, JournalFlaw::NotTheHead))
}
