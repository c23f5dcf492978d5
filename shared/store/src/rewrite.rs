//! Writing what follows from what was read.

use model::Error;

use super::{Given, Permit};

/// The most often that a read, changed and written back record is tried again because somebody
/// else wrote it in between.
const REWRITES: u32 = 5;

/// Writes what follows from what was `found`; when that is no longer so, reads again and starts
/// over. `write` answers `None` when it was refused because somebody else wrote in between: 409 when
/// that happened every time.
pub(crate) async fn rewrite<F, T, R, W>(
    found: F,
    read: impl Fn() -> R,
    write: impl Fn(F) -> W,
) -> Result<T, Error>
where
    R: Future<Output = Result<F, Error>>,
    W: Future<Output = Result<Option<T>, Error>>,
{
    let written = try_rewrite(found, read, write).await?;
    written.ok_or_else(Error::contended)
}

/// As [`rewrite`], for who has another answer when somebody else wrote in between every time: `None`.
pub(crate) async fn try_rewrite<F, T, R, W>(
    mut found: F,
    read: impl Fn() -> R,
    write: impl Fn(F) -> W,
) -> Result<Option<T>, Error>
where
    R: Future<Output = Result<F, Error>>,
    W: Future<Output = Result<Option<T>, Error>>,
{
    for _ in 1..REWRITES {
        if let Some(written) = write(found).await? {
            return Ok(Some(written));
        }
        found = read().await?;
    }
    write(found).await
}

impl Permit {
    /// Reads while it waits to be given, and then [rewrites](rewrite); `write` also hears what was
    /// given.
    pub(crate) async fn rewrite<F, T, R, W>(
        self,
        read: impl Fn() -> R,
        write: impl Fn(Given, F) -> W,
    ) -> Result<T, Error>
    where
        R: Future<Output = Result<F, Error>>,
        W: Future<Output = Result<Option<T>, Error>>,
    {
        let (given, found) = self.beside(read()).await?;
        rewrite(found, read, |found| write(given.clone(), found)).await
    }
}
