//! Lists that know their index and what they hold.

use std::{fmt, marker::PhantomData};

use serde::de::IgnoredAny;

use super::typed::{Index, Key, Main, Sort};
use crate::{
    page::Place,
    table::{Condition, Query, Read},
};

/// The records of the type `R` in a partition of the table or of an index, by sort key, or some of
/// them. Reads are eventually consistent, and only the table itself has others:
///
/// ```
/// # use model::OrganizationId;
/// use store::key;
///
/// # fn example(tenant: OrganizationId) {
/// let tasks = key::tasks(tenant).consistent();
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # use model::{OrganizationId, ProjectId};
/// use store::key;
///
/// # fn example(tenant: OrganizationId, project: ProjectId) {
/// let tasks = key::tasks_of_project(tenant, project).consistent();
/// # }
/// ```
///
/// A list of one index is no list of another:
///
/// ```compile_fail,E0308
/// # use model::{OrganizationId, ProjectId, Task};
/// use store::key::{self, Gsi2, List};
///
/// # fn example(tenant: OrganizationId, project: ProjectId) {
/// let tasks: List<Task, Gsi2> = key::tasks_of_project(tenant, project);
/// # }
/// ```
#[must_use]
pub struct List<R, I = Main> {
    pub(crate) query: Query,
    of: PhantomData<fn() -> (R, I)>,
}

impl<R, I> List<R, I> {
    pub(super) fn new(partition: String) -> Self
    where
        I: Index,
    {
        Self::of(Query::new::<I>(partition))
    }

    const fn of(query: Query) -> Self {
        Self {
            query,
            of: PhantomData,
        }
    }

    /// The key of the record that stands at this place.
    pub(crate) fn at(self, sort: Sort<I>) -> Key<R, I> {
        Key::new(self.query.partition, sort.into_text())
    }

    /// The same items, each read as another type than the one that was written.
    pub(crate) fn read_as<T>(self) -> List<T, I> {
        List::of(self.query)
    }

    /// Only from this place on, which is included.
    pub(crate) fn from(mut self, first: Sort<I>) -> Self {
        self.query.first = Some(first.into_text());
        self
    }

    /// Only up to this place, which is included.
    pub(crate) fn up_to(mut self, last: Sort<I>) -> Self {
        self.query.last = Some(last.into_text());
        self
    }

    /// The largest sort key first.
    pub fn descending(mut self) -> Self {
        self.query.descending = true;
        self
    }

    /// The largest sort key first, if so.
    pub fn descending_if(mut self, descending: bool) -> Self {
        self.query.descending = descending;
        self
    }

    /// At most so many rows; 1,000 otherwise.
    pub fn limit(mut self, rows: usize) -> Self {
        self.query.limit = rows;
        self
    }

    /// Only what comes behind this place, if there is one.
    pub(crate) fn after(mut self, place: Option<&Place>) -> Self {
        self.query.after = place.cloned();
        self
    }

    /// The same items, each read as another type, which needs only these attributes.
    pub(crate) fn only<T>(mut self, attributes: &'static [&'static str]) -> List<T, I> {
        self.query.only = Some(attributes);
        self.read_as()
    }

    /// The places of the same items, whatever stands there.
    pub(crate) fn places(self) -> List<IgnoredAny, I> {
        self.only(&[])
    }

    /// Read so many rows for a page at most, of which some may not fit; 1,000 otherwise.
    pub(crate) fn reading(mut self, rows: usize) -> Self {
        self.query.most_read = rows;
        self
    }

    /// Only rows that fit, if there is a filter; what does not fit is read and paid for all the same.
    pub(crate) fn filter(mut self, filter: impl Into<Option<Condition>>) -> Self {
        self.query.filter = filter.into();
        self
    }
}

impl<R> List<R> {
    /// See all earlier writes.
    pub fn consistent(mut self) -> Self {
        self.query.read = Read::Consistent;
        self
    }
}

impl<R, I> fmt::Debug for List<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt(f)
    }
}
