//! What a write that was refused means.

use model::Error;

/// A write was not done because what it expects does not hold; nothing was written.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Per write of the transaction, whether its condition failed.
    pub(super) failed: Vec<bool>,
}

impl Refused {
    /// Whether the condition of the write at this place failed.
    pub(crate) fn at(&self, place: usize) -> bool {
        self.failed.get(place).copied().unwrap_or(false)
    }

    /// The same, and of no other write.
    pub(crate) fn only_at(&self, place: usize) -> bool {
        self.at(place) && self.failed.iter().filter(|failed| **failed).count() == 1
    }
}

/// What a client hears of when a record is not there: read for, or expected by a write.
pub(crate) trait OrNotFound {
    /// What there is otherwise.
    type Found;

    /// 404 for a record that is called so.
    fn or_not_found(self, noun: &'static str) -> Result<Self::Found, Error>;
}

impl<T> OrNotFound for Option<T> {
    type Found = T;

    fn or_not_found(self, noun: &'static str) -> Result<T, Error> {
        self.ok_or(Error::NotFound(noun))
    }
}

impl OrNotFound for Result<(), Refused> {
    type Found = ();

    fn or_not_found(self, noun: &'static str) -> Result<(), Error> {
        self.map_err(|Refused { .. }| Error::NotFound(noun))
    }
}

/// A write that has done its part even when it is refused.
pub(crate) trait OrLeave {
    /// Leaves the item as somebody else wrote it; the caller says why that is right.
    fn or_leave(self);
}

impl OrLeave for Result<(), Refused> {
    fn or_leave(self) {}
}
