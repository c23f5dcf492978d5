//! Integer ids, reserved in blocks.

use std::{collections::HashMap, sync::Arc};

use model::{Error, Id};
use tokio::sync::Mutex;

use super::{
    key,
    table::{Record, Table},
};

/// The largest block that an instance reserves.
const LARGEST_BLOCK: i64 = 64;

/// Gives out ids. An instance reserves one at first and twice as many each time it runs out, so
/// that a quiet service leaves no gaps and a busy one spends no extra write per record.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids(Arc<Mutex<HashMap<&'static str, Block>>>);

#[derive(Debug)]
struct Block {
    next: i64,
    last: i64,
    size: i64,
}

impl Ids {
    /// An id for a new record of this kind, unique across organizations and instances.
    pub(super) async fn next<T: Record, I: Id>(&self, table: &Table) -> Result<I, Error> {
        let mut blocks = self.0.lock().await;
        let block = blocks.entry(T::KIND).or_insert(Block {
            next: 1,
            last: 0,
            size: 0,
        });
        if block.next > block.last {
            let size = (block.size * 2).clamp(1, LARGEST_BLOCK);
            let last = table.add(key::counter(T::KIND), "last", size).await?;
            *block = Block {
                next: last - size + 1,
                last,
                size,
            };
        }
        let id = I::new(block.next)
            .ok_or_else(|| Error::internal("reserving an id", "no id is left below 2^53"))?;
        block.next += 1;
        Ok(id)
    }
}
