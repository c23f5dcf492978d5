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

/// Runs a piece of work and answers with what it used.
pub async fn metered<F: Future>(work: F) -> (F::Output, Used) {
    USED.scope(Cell::default(), async move {
        let output = work.await;
        (output, USED.with(Cell::get))
    })
    .await
}

/// Counts a request that took so many units. Outside of [`metered`] nobody asks.
pub(crate) fn count(units: f64) {
    let _ = USED.try_with(|used| {
        let Used {
            requests,
            units: before,
        } = used.get();
        used.set(Used {
            requests: requests + 1,
            units: before + units,
        });
    });
}
