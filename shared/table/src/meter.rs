//! Counts the requests of a task, and the unreadable records that it met.

use std::{cell::RefCell, collections::BTreeSet};

use crate::key::AnyKey;

tokio::task_local! {
    static USED: RefCell<Used>;
}

/// Requests of a task, and the unreadable records that it met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// Number of requests.
    pub requests: u32,
    /// Consumed capacity units, reads and writes together.
    pub units: f64,
    /// Keys of unreadable records, as `pk sk`.
    pub unreadable: BTreeSet<String>,
}

impl Used {
    fn add(&mut self, more: Self) {
        self.requests += more.requests;
        self.units += more.units;
        self.unreadable.extend(more.unreadable);
    }
}

/// Runs a task and returns its output with its usage. An enclosing metered task counts the same
/// usage.
pub async fn metered<F: Future>(task: F) -> (F::Output, Used) {
    let scope = USED.scope(RefCell::default(), async move {
        let output = task.await;
        (output, USED.with(RefCell::take))
    });
    let (output, used) = scope.await;
    note(|all| all.add(used.clone()));
    (output, used)
}

/// Counts a request that consumed so many capacity units.
pub(crate) fn count(units: f64) {
    note(|used| {
        used.requests += 1;
        used.units += units;
    });
}

/// Notes an unreadable record.
pub(crate) fn note_unreadable(key: &AnyKey) {
    note(|used| {
        used.unreadable.insert(key.to_string());
    });
}

/// Changes the usage of the task that runs; does nothing outside of [`metered`].
fn note(change: impl FnOnce(&mut Used)) {
    let _ = USED.try_with(|used| change(&mut used.borrow_mut()));
}
