//! Retries after conflicts: an operation reads, decides, and writes on the condition of unchanged
//! reads.

use model::base::Error;
use table::back_off;

use crate::Result;

/// Attempts of an operation whose records other requests keep changing. The pauses between them
/// take 1.3 seconds at most, since a client waits.
pub(crate) const ATTEMPTS: u32 = 8;

/// Writes from the `records` that were read. Reads again after a conflict, which is `None` of
/// `write`. 409 after eight conflicts.
pub(crate) async fn retry<F, T, R, W>(
    records: F,
    read: impl Fn() -> R,
    write: impl Fn(F) -> W,
) -> Result<T, Error>
where
    R: Future<Output = Result<F, Error>>,
    W: Future<Output = Result<Option<T>, Error>>,
{
    let written = try_retry(records, read, write).await?;
    written.ok_or_else(Error::contended)
}

/// As [`retry`], but returns `None` after eight conflicts.
pub(crate) async fn try_retry<F, T, R, W>(
    mut records: F,
    read: impl Fn() -> R,
    write: impl Fn(F) -> W,
) -> Result<Option<T>, Error>
where
    R: Future<Output = Result<F, Error>>,
    W: Future<Output = Result<Option<T>, Error>>,
{
    for attempt in 1..ATTEMPTS {
        if let Some(written) = write(records).await? {
            return Ok(Some(written));
        }
        // One conflict is usual, and needs no pause.
        if attempt > 1 {
            back_off(attempt - 1).await;
        }
        records = read().await?;
    }
    write(records).await
}
