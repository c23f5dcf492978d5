//! Waiting with a limit: an event comes in time, or the test fails.

use std::{future::Future, time::Duration};

/// Until then what is waited for has happened, or it does not.
pub const PATIENCE: Duration = Duration::from_secs(50);

/// Lets time pass at once for this test's waits on nothing, such as for an answer that never comes.
/// Servers that the test talks to have clocks of their own.
pub async fn time_passes(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

/// The most pages of a list that a test walks through.
pub const MOST_PAGES: usize = 1_000;

/// Waits for `awaited`; the test fails when it does not come.
pub async fn comes<T>(event: &str, awaited: impl Future<Output = T>) -> T {
    let came = tokio::time::timeout(PATIENCE, awaited).await;
    came.unwrap_or_else(|_| panic!("{event} did not come within {PATIENCE:?}"))
}
