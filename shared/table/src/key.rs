//! Keys that carry the type of their record.

use std::{fmt, marker::PhantomData};

/// Attribute names of the keys of the table or of an index.
pub trait Index {
    /// The index; `None` for the table itself.
    const NAME: Option<&'static str>;
    /// The partition key's attribute.
    const PARTITION: &'static str;
    /// The sort key's attribute.
    const SORT: &'static str;
}

#[derive(Clone, Copy, Debug)]
pub struct Main;

#[derive(Clone, Copy, Debug)]
pub struct Gsi1;

#[derive(Clone, Copy, Debug)]
pub struct Gsi2;

#[derive(Clone, Copy, Debug)]
pub struct Gsi3;

/// The index `gsi4`, which has keys only. Updates of other attributes cost nothing there.
#[derive(Clone, Copy, Debug)]
pub struct Gsi4;

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

impl Index for Gsi4 {
    const NAME: Option<&'static str> = Some("gsi4");
    const PARTITION: &'static str = "gsi4pk";
    const SORT: &'static str = "gsi4sk";
}

/// A partition key and a sort key of the table, for a record of any type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct AnyKey {
    pk: String,
    sk: String,
}

impl AnyKey {
    pub fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self {
            pk: pk.into(),
            sk: sk.into(),
        }
    }

    /// The key of an item that was read.
    pub(crate) const fn found(pk: String, sk: String) -> Self {
        Self { pk, sk }
    }

    pub fn pk(&self) -> &str {
        &self.pk
    }

    pub fn sk(&self) -> &str {
        &self.sk
    }
}

/// The form in the log: `pk sk`.
impl fmt::Display for AnyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.pk, self.sk)
    }
}

/// The key of a record of the type `R` in the table or in an index.
///
/// A read or a write infers the record's type from its key. A key of another record does not
/// compile:
///
/// ```
/// use table::Key;
///
/// struct Task;
/// struct Milestone;
///
/// fn milestone(id: &str) -> Key<Milestone> {
///     Key::new("MILESTONE", id)
/// }
///
/// let key: Key<Milestone> = milestone("1");
/// ```
///
/// ```compile_fail,E0308
/// # use table::Key;
/// # struct Task;
/// # struct Milestone;
/// # fn milestone(id: &str) -> Key<Milestone> {
/// #     Key::new("MILESTONE", id)
/// # }
/// let key: Key<Task> = milestone("1");
/// ```
///
/// Neither does a key of an index in place of the table's:
///
/// ```compile_fail,E0308
/// # use table::{Gsi1, Key};
/// # struct Milestone;
/// fn milestone_by_date(date: &str) -> Key<Milestone, Gsi1> {
///     Key::new("MILESTONE", date)
/// }
///
/// let key: Key<Milestone> = milestone_by_date("2026-01-31");
/// ```
#[must_use]
pub struct Key<R, I = Main> {
    key: AnyKey,
    of: PhantomData<fn() -> (R, I)>,
}

impl<R, I> Key<R, I> {
    pub fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self::found(pk.into(), sk.into())
    }

    pub(crate) const fn found(pk: String, sk: String) -> Self {
        Self {
            key: AnyKey::found(pk, sk),
            of: PhantomData,
        }
    }

    /// Reads the same item as a record of another type.
    pub fn read_as<T>(self) -> Key<T, I> {
        Key {
            key: self.key,
            of: PhantomData,
        }
    }

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

/// A sort key in a partition of the table or of an index.
#[must_use]
pub struct Sort<I = Main> {
    text: String,
    of: PhantomData<fn() -> I>,
}

impl<I> Sort<I> {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            of: PhantomData,
        }
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

impl<I> fmt::Debug for Sort<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// A number as part of a sort key: 16 digits hold 2^53-1, so that numbers sort as text.
pub fn padded(number: i64) -> String {
    format!("{number:016}")
}
