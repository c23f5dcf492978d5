//! Keys that know what lives under them. Only [`super`] makes them.

use std::{fmt, marker::PhantomData};

/// The table itself or one of its indexes: what the attributes of its keys are called.
pub trait Index {
    /// The index; `None` for the table itself.
    const NAME: Option<&'static str>;
    /// The partition key's attribute.
    const PARTITION: &'static str;
    /// The sort key's attribute.
    const SORT: &'static str;
}

/// The table itself.
#[derive(Clone, Copy, Debug)]
pub struct Main;

/// The index `gsi1`.
#[derive(Clone, Copy, Debug)]
pub struct Gsi1;

/// The index `gsi2`.
#[derive(Clone, Copy, Debug)]
pub struct Gsi2;

/// The index `gsi3`.
#[derive(Clone, Copy, Debug)]
pub struct Gsi3;

impl Index for Main {
    const NAME: Option<&'static str> = None;
    const PARTITION: &'static str = "pk";
    const SORT: &'static str = "sk";
}

impl Index for Gsi1 {
    const NAME: Option<&'static str> = Some("gsi1");
    const PARTITION: &'static str = "gsi1pk";
    const SORT: &'static str = "gsi1sk";
}

impl Index for Gsi2 {
    const NAME: Option<&'static str> = Some("gsi2");
    const PARTITION: &'static str = "gsi2pk";
    const SORT: &'static str = "gsi2sk";
}

impl Index for Gsi3 {
    const NAME: Option<&'static str> = Some("gsi3");
    const PARTITION: &'static str = "gsi3pk";
    const SORT: &'static str = "gsi3sk";
}

/// A partition key and a sort key, whatever lives there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct AnyKey {
    pk: String,
    sk: String,
}

impl AnyKey {
    pub(super) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self {
            pk: pk.into(),
            sk: sk.into(),
        }
    }

    /// The key that an item was found under.
    pub(crate) fn found(pk: String, sk: String) -> Self {
        Self { pk, sk }
    }

    /// Partition key.
    #[must_use]
    pub fn pk(&self) -> &str {
        &self.pk
    }

    /// Sort key.
    #[must_use]
    pub fn sk(&self) -> &str {
        &self.sk
    }
}

/// Where a record of the type `R` lives in the table, or where an index has it.
///
/// A read or a write infers the record from its key, and a key of another record does not compile:
///
/// ```
/// # use model::{MilestoneId, OrganizationId};
/// use model::Milestone;
/// use store::key::{self, Key};
///
/// # fn example(tenant: OrganizationId, id: MilestoneId) {
/// let key: Key<Milestone> = key::milestone(tenant, id);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use model::{MilestoneId, OrganizationId};
/// use model::Task;
/// use store::key::{self, Key};
///
/// # fn example(tenant: OrganizationId, id: MilestoneId) {
/// let key: Key<Task> = key::milestone(tenant, id);
/// # }
/// ```
///
/// Neither does an index's key in place of the table's:
///
/// ```compile_fail,E0308
/// # use model::Milestone;
/// use store::key::{self, Key};
///
/// # fn example(milestone: &Milestone) {
/// let key: Key<Milestone> = key::milestone_in_project(milestone);
/// # }
/// ```
#[must_use]
pub struct Key<R, I = Main> {
    key: AnyKey,
    of: PhantomData<fn() -> (R, I)>,
}

impl<R, I> Key<R, I> {
    pub(super) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self {
            key: AnyKey::new(pk, sk),
            of: PhantomData,
        }
    }

    /// The same place, read as something else than the record.
    pub(crate) fn read_as<T>(self) -> Key<T, I> {
        Key {
            key: self.key,
            of: PhantomData,
        }
    }

    /// Partition key and sort key.
    pub(crate) fn into_parts(self) -> (String, String) {
        (self.key.pk, self.key.sk)
    }
}

impl<R, I> Clone for Key<R, I> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            of: PhantomData,
        }
    }
}

impl<R, I> fmt::Debug for Key<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}

impl<R> AsRef<AnyKey> for Key<R> {
    fn as_ref(&self) -> &AnyKey {
        &self.key
    }
}

impl AsRef<AnyKey> for AnyKey {
    fn as_ref(&self) -> &AnyKey {
        self
    }
}

impl<R> From<Key<R>> for AnyKey {
    fn from(key: Key<R>) -> Self {
        key.key
    }
}

impl<R> From<&Key<R>> for AnyKey {
    fn from(key: &Key<R>) -> Self {
        key.key.clone()
    }
}

/// The second half of a key: a place within a partition of the table or of an index.
#[must_use]
pub struct Sort<I = Main> {
    text: String,
    of: PhantomData<fn() -> I>,
}

impl<I> Sort<I> {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            of: PhantomData,
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl<I> fmt::Debug for Sort<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}
