use model::{
    base::{Error, Id},
    people::EntryContent,
};
use table::{Refused, Write};

/// Writes of one transaction, and the meaning of each one's refusal.
///
/// A write is refused when its condition does not hold. That is a conflict: the operation reads
/// again, unless the write has an error of its own.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    all: Vec<(Write, Option<Error>)>,
    entries: Vec<EntryContent>,
    made: Option<i64>,
}

/// The meaning of each write's refusal, by its place in the transaction.
#[derive(Debug)]
pub(crate) struct Refusals {
    errors: Vec<Option<Error>>,
    /// The id of the record that the writes make.
    pub(crate) made: Option<i64>,
}

impl Writes {
    /// Adds a write whose refusal is a conflict.
    pub(crate) fn push(&mut self, write: Write) {
        self.all.push((write, None));
    }

    /// Adds a write whose refusal is this error.
    pub(crate) fn push_or(&mut self, write: Write, error: Error) {
        self.all.push((write, Some(error)));
    }

    /// Names the record of the writes by its id. A replay loads it.
    pub(crate) fn making(mut self, id: impl Id) -> Self {
        self.made = Some(id.get());
        self
    }

    /// Adds an entry of the organization's journal, if there is one.
    pub(crate) fn note(&mut self, entry: impl Into<Option<EntryContent>>) {
        self.entries.extend(entry.into());
    }

    /// As [`note`](Self::note), of writes as they are built.
    pub(crate) fn noting(mut self, entry: impl Into<Option<EntryContent>>) -> Self {
        self.note(entry);
        self
    }

    pub(crate) fn append(&mut self, others: Self) {
        self.all.extend(others.all);
        self.entries.extend(others.entries);
    }

    /// Returns true if they change no item, and have no entry for the journal.
    pub(crate) fn change_nothing(&self) -> bool {
        self.entries.is_empty()
            && self
                .all
                .iter()
                .all(|(write, _)| write.is_check())
    }

    /// Drops all of them, but says which record they make.
    pub(crate) fn into_nothing(self) -> Self {
        Self {
            made: self.made,
            ..Self::default()
        }
    }

    pub(crate) fn split(self) -> (Vec<Write>, Vec<EntryContent>, Refusals) {
        let (writes, errors) = self.all.into_iter().unzip();
        let made = self.made;
        (writes, self.entries, Refusals { errors, made })
    }
}

impl Refusals {
    /// The error of a refused transaction; `None` for a conflict, which comes before any error.
    pub(crate) fn of(self, refused: &Refused) -> Option<Error> {
        let places = self.errors.into_iter().enumerate();
        let of_refused = places.filter(|(place, _)| refused.at(*place));
        let errors: Option<Vec<Error>> = of_refused
            .map(|(_, error)| error)
            .collect();
        errors?.into_iter().next()
    }
}

impl Extend<Write> for Writes {
    fn extend<I: IntoIterator<Item = Write>>(&mut self, writes: I) {
        self.all.extend(
            writes
                .into_iter()
                .map(|write| (write, None)),
        );
    }
}

impl From<Vec<Write>> for Writes {
    fn from(writes: Vec<Write>) -> Self {
        let mut collected = Self::default();
        collected.extend(writes);
        collected
    }
}

impl From<Write> for Writes {
    fn from(write: Write) -> Self {
        vec![write].into()
    }
}
