use model::base::Error;

/// A write, or a transaction, was refused because a condition failed. Nothing was written.
#[derive(Debug)]
pub struct Refused {
    /// For each write of the transaction, whether its condition failed.
    pub(crate) failed: Vec<bool>,
}

impl Refused {
    /// True if the condition of the write at this index failed.
    pub fn at(&self, index: usize) -> bool {
        self.failed
            .get(index)
            .copied()
            .unwrap_or(false)
    }

    /// True if the condition of the write at this index failed, and no other.
    pub fn only_at(&self, index: usize) -> bool {
        self.at(index)
            && self
                .failed
                .iter()
                .filter(|failed| **failed)
                .count()
                == 1
    }
}

/// Turns a missing record into a 404, after a read or after a write that expected it.
pub trait OrNotFound {
    /// The value if the record is there.
    type Found;

    /// Returns the value. 404 with the record's noun if the record is not there.
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

pub trait OrLeave {
    /// Leaves the item as another writer left it. The caller says why that is right.
    fn or_leave(self);
}

impl OrLeave for Result<(), Refused> {
    fn or_leave(self) {}
}
