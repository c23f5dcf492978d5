//! Lists that carry the type of their records and their index.

use std::{fmt, marker::PhantomData};

use serde::de::IgnoredAny;

use crate::{
    Condition, Index, Key, Main, Read, SortKey,
    page::ListPosition,
    query::{FILTERED_ANSWERS, Query},
};

/// Records of the type `R` in a partition of the table or of an index, by sort key: all of them or
/// a range. Reads are eventually consistent. Only lists of the table itself have consistent reads:
///
/// ```
/// use table::RecordList;
///
/// struct Task;
///
/// let tasks: RecordList<Task> = RecordList::new("TASK").consistent();
/// ```
///
/// ```compile_fail,E0599
/// # use table::{Gsi1, RecordList};
/// # struct Task;
/// let tasks = RecordList::<Task, Gsi1>::new("PROJECT#1#TASK");
/// let tasks = tasks.consistent();
/// ```
///
/// A list of one index is not a list of another:
///
/// ```compile_fail,E0308
/// # use table::{Gsi1, Gsi2, RecordList};
/// # struct Task;
/// fn tasks_of_project() -> RecordList<Task, Gsi1> {
///     RecordList::new("PROJECT#1#TASK")
/// }
///
/// let tasks: RecordList<Task, Gsi2> = tasks_of_project();
/// ```
#[must_use]
pub struct RecordList<R, I = Main> {
    pub(crate) query: Query,
    of: PhantomData<fn() -> (R, I)>,
}

impl<R, I> RecordList<R, I> {
    pub fn new(partition: impl Into<String>) -> Self
    where
        I: Index,
    {
        Self::of(Query::new::<I>(partition.into()))
    }

    const fn of(query: Query) -> Self {
        Self {
            query,
            of: PhantomData,
        }
    }

    pub fn at(self, sort: SortKey<I>) -> Key<R, I> {
        Key::found(self.query.partition, sort.into_text())
    }

    /// The partition key of all of its items.
    pub fn partition(self) -> String {
        self.query.partition
    }

    /// Reads the same items as records of another type.
    pub fn read_as<T>(self) -> RecordList<T, I> {
        RecordList::of(self.query)
    }

    /// Begins at this sort key, which is included.
    pub fn from(mut self, first: SortKey<I>) -> Self {
        self.query.first = Some(first.into_text());
        self
    }

    /// Ends at this sort key, which is included.
    pub fn up_to(mut self, last: SortKey<I>) -> Self {
        self.query.last = Some(last.into_text());
        self
    }

    /// Begins and ends at these sort keys, if there are such. They are included.
    pub fn within(mut self, first: Option<SortKey<I>>, last: Option<SortKey<I>>) -> Self {
        self.query.first = first.map(SortKey::into_text);
        self.query.last = last.map(SortKey::into_text);
        self
    }

    /// Reverses the order: the largest sort key comes first.
    pub fn descending(mut self) -> Self {
        self.query.descending = true;
        self
    }

    /// Sets the order: with `true`, the largest sort key comes first.
    pub fn descending_if(mut self, descending: bool) -> Self {
        self.query.descending = descending;
        self
    }

    /// Limits the number of rows, 1,000 by default.
    pub fn limit(mut self, rows: usize) -> Self {
        self.query.limit = rows;
        self
    }

    /// Begins after this position, if there is one.
    pub(crate) fn after(mut self, place: Option<&ListPosition>) -> Self {
        self.query.after = place.cloned();
        self
    }

    /// Reads only these attributes of the same items, as records of another type.
    pub fn only<T>(mut self, attributes: &'static [&'static str]) -> RecordList<T, I> {
        self.query.only = Some(attributes);
        self.read_as()
    }

    /// Reads only the positions of the same items, so that unreadable records count as well.
    pub fn places(self) -> RecordList<IgnoredAny, I> {
        self.only(&[])
    }

    /// Limits the number of rows that a filtered page reads, 1,000 by default.
    pub fn reading(mut self, rows: usize) -> Self {
        self.query.most_read = rows;
        self
    }

    /// Ends a page with the first answer of the table, which is 1 MB at most.
    pub fn in_one_answer(mut self) -> Self {
        self.query.most_answers = 1;
        self
    }

    /// Drops the rows that do not match the filter, if there is one. They are read and paid for all
    /// the same. A page reads up to 2 MB, and may end early.
    pub fn filter(mut self, filter: impl Into<Option<Condition>>) -> Self {
        self.query.filter = filter.into();
        if self.query.filter.is_some() {
            return self.filtered();
        }
        self
    }

    /// Reads a page as one of a filtered list, of which rows are dropped.
    pub(crate) fn filtered(mut self) -> Self {
        self.query.is_filtered = true;
        self.query.most_answers = self
            .query
            .most_answers
            .min(FILTERED_ANSWERS);
        self
    }
}

impl<R> RecordList<R> {
    /// Reads consistently: all earlier writes are seen.
    pub fn consistent(mut self) -> Self {
        self.query.read = Read::Consistent;
        self
    }
}

impl<R, I> Clone for RecordList<R, I> {
    fn clone(&self) -> Self {
        Self::of(self.query.clone())
    }
}

impl<R, I> fmt::Debug for RecordList<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt(f)
    }
}
