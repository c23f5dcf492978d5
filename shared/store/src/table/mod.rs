//! The table's client: typed reads, conditional writes and transactions. Handlers never see an
//! [`AttributeValue`](aws_sdk_dynamodb::types::AttributeValue); only the files of [`super`] do.

mod batch;
mod decode;
mod expression;
mod failure;
mod item;
mod query;
mod reading;
mod refused;
mod transaction;
mod write;
mod writing;

pub(crate) use batch::Batch;
pub(crate) use expression::{Change, Condition};
pub(crate) use failure::is_conflict_at;
pub(crate) use item::{IntoAttribute, Item, Readable, Record, attribute};
pub(crate) use query::{Query, Read};
pub(crate) use refused::{OrLeave, OrNotFound, Refused};
pub(crate) use write::Write;

pub use item::Stored;

use std::{sync::Arc, time::Duration};

use aws_sdk_dynamodb::{Client, types::ConsumedCapacity};
use model::random;

use super::meter;

/// How often a write is tried while others keep writing the same items: for up to two seconds, since
/// a client waits.
const ATTEMPTS: u32 = 8;

/// How often it is tried where nobody waits, and what cannot be written is lost: for three seconds.
const PATIENT_ATTEMPTS: u32 = 14;

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    client: Client,
    name: Arc<str>,
    attempts: u32,
}

impl Table {
    pub(crate) fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.into(),
            attempts: ATTEMPTS,
        }
    }

    /// The same table for somebody who can wait longer while others write the same items.
    pub(crate) fn patient(self) -> Self {
        Self {
            attempts: PATIENT_ATTEMPTS,
            ..self
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Waits a random time that doubles with every attempt: up to 20 ms, then 40, then 80.
async fn back_off(attempt: u32) {
    let most = 10_u64 << attempt.min(6);
    tokio::time::sleep(Duration::from_millis(1 + random::below(most))).await;
}

fn meter(consumed: &[ConsumedCapacity]) {
    let units = consumed.iter().filter_map(ConsumedCapacity::capacity_units);
    meter::count(units.sum());
}
