//! The count of reads of target systems.

use std::pin::Pin;

use model::{Error, Timestamp};

use crate::connection::Connection;

pub type Counting<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Counts reads for the limit of calls per second and for the breaker of their connection. The store
/// counts in the table, which the calls of target systems do not know.
pub trait ReadCounter: Send + Sync {
    /// Returns when each of so many reads may begin. An error is the instant of a retry: the breaker is
    /// open, or the limit of calls leaves no time.
    fn read_slots<'a>(
        &'a self,
        connection: &'a Connection,
        count: usize,
    ) -> Counting<'a, Result<Vec<Timestamp>, Timestamp>>;

    /// Records an unclear answer, which may open the breaker.
    fn unclear<'a>(&'a self, connection: &'a Connection) -> Counting<'a, ()>;

    fn now(&self) -> Timestamp;
}
