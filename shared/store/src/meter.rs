//! Counts what a piece of work asks of the table, and what it finds damaged there.

use std::{cell::RefCell, collections::BTreeSet};

use super::key::AnyKey;

tokio::task_local! {
    static USED: RefCell<Used>;
}

/// What a piece of work asked of the table, and what it found there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// How many requests.
    pub requests: u32,
    /// How many capacity units they took, of reads and writes together.
    pub units: f64,
    /// The keys of records that do not read, as `pk sk`.
    pub unreadable: BTreeSet<String>,
}

impl Used {
    fn add(&mut self, more: Self) {
        self.requests += more.requests;
        self.units += more.units;
        self.unreadable.extend(more.unreadable);
    }
}

/// Runs a piece of work and answers with what it used, which the work that it is part of used too.
pub async fn metered<F: Future>(work: F) -> (F::Output, Used) {
    let scope = USED.scope(RefCell::default(), async move {
        let output = work.await;
        (output, USED.with(RefCell::take))
    });
    let (output, used) = scope.await;
    note(|all| all.add(used.clone()));
    (output, used)
}

/// Counts a request that took so many units.
pub(crate) fn count(units: f64) {
    note(|used| {
        used.requests += 1;
        used.units += units;
    });
}

/// Notes a record that does not read.
pub(crate) fn note_unreadable(key: &AnyKey) {
    note(|used| {
        used.unreadable.insert(key.to_string());
    });
}

/// Outside of [`metered`] nobody asks.
fn note(change: impl FnOnce(&mut Used)) {
    let _ = USED.try_with(|used| change(&mut used.borrow_mut()));
}
