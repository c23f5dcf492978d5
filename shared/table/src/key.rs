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

macro_rules! indexes {
    ($($(#[$about:meta])* $index:ident: $name:expr, $partition:literal, $sort:literal;)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug)]
            pub struct $index;

            impl Index for $index {
                const NAME: Option<&'static str> = $name;
                const PARTITION: &'static str = $partition;
                const SORT: &'static str = $sort;
            }
        )*

        /// The attributes of all keys.
        pub(crate) const KEY_ATTRIBUTES: &[&str] = &[$($partition, $sort),*];
    };
}

indexes! {
    Main: None, "pk", "sk";
    Gsi1: Some("gsi1"), "gsi1pk", "gsi1sk";
    Gsi2: Some("gsi2"), "gsi2pk", "gsi2sk";
    Gsi3: Some("gsi3"), "gsi3pk", "gsi3sk";
    /// The index `gsi4`, which has keys only. Updates of other attributes cost nothing there.
    Gsi4: Some("gsi4"), "gsi4pk", "gsi4sk";
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
/// struct Task; struct Milestone;
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

impl AsRef<Self> for AnyKey {
    fn as_ref(&self) -> &Self {
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
#[derive(Debug)]
#[must_use]
pub struct SortKey<I = Main> {
    text: String,
    of: PhantomData<fn() -> I>,
}

impl<I> SortKey<I> {
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

/// A number as part of a sort key: 16 digits hold 2^53-1, so that numbers sort as text.
pub fn padded(number: i64) -> String {
    format!("{number:016}")
}
