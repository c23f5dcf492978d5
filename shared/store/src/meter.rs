//! Counts what a piece of work asks of the table.

use std::cell::Cell;

tokio::task_local! {
    static USED: Cell<Used>;
}

/// What a piece of work asked of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// How many requests.
    pub requests: u32,
    /// How many capacity units they took, of reads and writes together.
    pub units: f64,
}

/// Runs a piece of work and answers with what it used, which the work that it is part of used too.
pub async fn metered<F: Future>(work: F) -> (F::Output, Used) {
    let scope = USED.scope(Cell::default(), async move {
        let output = work.await;
        (output, USED.with(Cell::get))
    });
    let (output, used) = scope.await;
    add(used);
    (output, used)
}

/// Counts a request that took so many units.
pub(crate) fn count(units: f64) {
    add(Used { requests: 1, units });
}

/// Outside of [`metered`] nobody asks.
fn add(more: Used) {
    let _ = USED.try_with(|used| {
        let before = used.get();
        used.set(Used {
            requests: before.requests + more.requests,
            units: before.units + more.units,
        });
    });
}
