//! What a read asks for.

use super::expression::Condition;
use crate::key::Index;

/// How fresh a read has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All writes before it are seen.
    Consistent,
    /// Half the price; the newest writes may be missing.
    Eventual,
}

/// Which keys a list reads.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The index, and what it calls its partition key and its sort key.
    pub(super) index: Option<&'static str>,
    pub(super) names: [&'static str; 2],
    pub(crate) partition: String,
    /// First and last sort key, both included; without a first one, from the beginning. The table
    /// refuses an empty string for a key.
    pub(crate) range: Option<(Option<String>, String)>,
    pub(crate) descending: bool,
    pub(crate) read: Read,
    pub(crate) limit: usize,
    pub(crate) filter: Option<Condition>,
}

impl Query {
    /// The most rows that a list without `limit` holds.
    const MOST: usize = 1_000;

    /// The items of a partition, by sort key.
    pub(crate) const fn new<I: Index>(partition: String) -> Self {
        Self {
            index: I::NAME,
            names: [I::PARTITION, I::SORT],
            partition,
            range: None,
            descending: false,
            read: Read::Eventual,
            limit: Self::MOST,
            filter: None,
        }
    }
}
