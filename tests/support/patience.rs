//! What a test waits for comes, or the test fails.

use std::{future::Future, time::Duration};

/// Until then what is waited for has happened, or it does not.
pub const PATIENCE: Duration = Duration::from_secs(50);

/// The most pages of a list that a test walks through.
pub const MOST_PAGES: usize = 1_000;

/// Waits for `awaited`; the test fails when it does not come.
pub async fn comes<T>(what: &str, awaited: impl Future<Output = T>) -> T {
    let came = tokio::time::timeout(PATIENCE, awaited).await;
    came.unwrap_or_else(|_| panic!("{what} did not come within {PATIENCE:?}"))
}
