//! What a read asks for.

use super::expression::Condition;

/// How fresh a read has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All writes before it are seen.
    Consistent,
    /// Half the price; the newest writes may be missing.
    Eventual,
}

/// Which keys a query reads.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(super) index: Option<&'static str>,
    pub(super) partition: String,
    /// First and last sort key, both included; without a first one, from the beginning. The table
    /// refuses an empty string for a key.
    pub(super) range: Option<(Option<String>, String)>,
    pub(super) descending: bool,
    pub(super) read: Read,
    pub(super) limit: usize,
    pub(super) filter: Option<Condition>,
}

impl Query {
    /// The most rows that a list without `limit` holds.
    pub(crate) const MOST: usize = 1_000;

    /// The items of a partition of the table, by sort key.
    pub(crate) fn table(partition: String) -> Self {
        Self {
            index: None,
            partition,
            range: None,
            descending: false,
            read: Read::Eventual,
            limit: Self::MOST,
            filter: None,
        }
    }

    /// The items of a partition of `gsi1`.
    pub(crate) fn gsi1(partition: String) -> Self {
        Self {
            index: Some("gsi1"),
            ..Self::table(partition)
        }
    }

    /// The items of a partition of `gsi2`.
    pub(crate) fn gsi2(partition: String) -> Self {
        Self {
            index: Some("gsi2"),
            ..Self::table(partition)
        }
    }

    /// Only sort keys from `first` to `last`, both included.
    pub(crate) fn between(mut self, first: impl Into<String>, last: impl Into<String>) -> Self {
        self.range = Some((Some(first.into()), last.into()));
        self
    }

    /// Only sort keys up to `last`, which is included.
    pub(crate) fn up_to(mut self, last: impl Into<String>) -> Self {
        self.range = Some((None, last.into()));
        self
    }

    /// The largest sort key first.
    pub(crate) const fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// See all earlier writes; not for an index.
    pub(crate) const fn consistent(mut self) -> Self {
        self.read = Read::Consistent;
        self
    }

    /// At most so many rows.
    pub(crate) const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Only rows that fit; what does not fit is read and paid for all the same.
    pub(crate) fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }
}
