//! Integer ids, reserved in blocks.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use model::base::{Error, RecordId};
use table::{Table, UpdateExpression};

use crate::{Result, key};

/// The largest block that an instance reserves.
const LARGEST_BLOCK: i64 = 64;

/// Gives out ids. An instance reserves one id at first, and twice as many each time it runs out. So
/// a quiet service leaves no gaps, and a busy one needs no extra write per record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids(Arc<Mutex<HashMap<&'static str, Arc<OfKind>>>>);

/// The ids of one kind. Each kind has its own lock, so that kinds do not wait for each other.
#[derive(Debug, Default)]
struct OfKind {
    block: tokio::sync::Mutex<Block>,
    /// Ids that were given out and came back.
    returned: Mutex<Vec<i64>>,
}

#[derive(Debug, Default)]
struct Block {
    left: Range<i64>,
    size: i64,
}

/// An id for a new record. It goes to another record unless [`used`](Self::used) took it: a caller
/// who is refused leaves no gap. Only a request that is dropped while it reserves leaves one.
#[derive(Clone, Debug)]
pub(crate) struct Reserved<I>(I, Arc<Given>);

#[derive(Debug)]
struct Given {
    number: i64,
    is_used: AtomicBool,
    from: Arc<OfKind>,
}

impl<I: Copy> Reserved<I> {
    pub(crate) fn used(&self) -> I {
        self.1
            .is_used
            .store(true, Ordering::Relaxed);
        self.0
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        if !self.is_used.load(Ordering::Relaxed) {
            lock(&self.from.returned).push(self.number);
        }
    }
}

impl Ids {
    pub(crate) async fn next<I: RecordId>(&self, table: &Table) -> Result<Reserved<I>> {
        let kind = I::TYPE.name();
        let of_kind = lock(&self.0)
            .entry(kind)
            .or_default()
            .clone();
        let returned = lock(&of_kind.returned).pop();
        let number = match returned {
            Some(number) => number,
            None => {
                of_kind
                    .block
                    .lock()
                    .await
                    .next(table, kind)
                    .await?
            }
        };
        let no_id_left = || Error::internal("reserving an id", "no id is left below 2^53");
        let id = I::new(number).ok_or_else(no_id_left)?;
        let reservation = Given {
            number,
            is_used: AtomicBool::new(false),
            from: of_kind,
        };
        Ok(Reserved(id, Arc::new(reservation)))
    }
}

impl Block {
    async fn next(&mut self, table: &Table, kind: &'static str) -> Result<i64> {
        if self.left.is_empty() {
            let size = (self.size * 2).clamp(1, LARGEST_BLOCK);
            let key = key::counter(kind);
            let last = table
                .add(key, "last", size, UpdateExpression::default())
                .await?;
            *self = Self {
                left: last - size + 1..last + 1,
                size,
            };
        }
        let number = self.left.start;
        self.left.start += 1;
        Ok(number)
    }
}

/// Locks, also after a panic: no change of what is locked can be half done.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock()
        .unwrap_or_else(PoisonError::into_inner)
}
