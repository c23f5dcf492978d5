//! What a read asks for.

use super::expression::Condition;

/// How fresh a read has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Read {
    /// All writes before it are seen.
    Consistent,
    /// Half the price; the newest writes may be missing.
    Eventual,
}

/// Which keys a query reads.
#[derive(Clone, Debug)]
pub(in crate::store) struct Query {
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
    pub(in crate::store) const MOST: usize = 1_000;

    /// The items of a partition of the table, by sort key.
    pub(in crate::store) fn table(partition: String) -> Self {
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
    pub(in crate::store) fn gsi1(partition: String) -> Self {
        Self {
            index: Some("gsi1"),
            ..Self::table(partition)
        }
    }

    /// The items of a partition of `gsi2`.
    pub(in crate::store) fn gsi2(partition: String) -> Self {
        Self {
            index: Some("gsi2"),
            ..Self::table(partition)
        }
    }

    /// Only sort keys from `first` to `last`, both included.
    pub(in crate::store) fn between(
        mut self,
        first: impl Into<String>,
        last: impl Into<String>,
    ) -> Self {
        self.range = Some((Some(first.into()), last.into()));
        self
    }

    /// Only sort keys up to `last`, which is included.
    pub(in crate::store) fn up_to(mut self, last: impl Into<String>) -> Self {
        self.range = Some((None, last.into()));
        self
    }

    /// The largest sort key first.
    pub(in crate::store) const fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// See all earlier writes; not for an index.
    pub(in crate::store) const fn consistent(mut self) -> Self {
        self.read = Read::Consistent;
        self
    }

    /// At most so many rows.
    pub(in crate::store) const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Only rows that fit; what does not fit is read and paid for all the same.
    pub(in crate::store) fn filter(mut self, filter: Condition) -> Self {
        self.filter = Some(filter);
        self
    }
}
