//! The name by which target systems tell this stack from others.

use std::sync::{Arc, OnceLock};

use model::{Error, random};
use serde::{Deserialize, Serialize};

use super::Agent;
use crate::{
    key::{self, Key},
    table::{Batch, OrLeave, Read, Record, Stored, Write},
};

/// A random name, which idempotency keys carry: a second stack before the same target systems
/// begins its ids at 1 again, and must not be answered what the first one was. A table that was
/// restored under another name is a second one, too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stack {
    name: String,
    /// The table that it was made for.
    table: String,
}

impl Record for Stack {
    const KIND: &'static str = "stack";

    fn key(&self) -> Key<Self> {
        key::stack()
    }
}

/// The name, once it is known to this instance.
#[derive(Clone, Debug, Default)]
pub(crate) struct StackName(Arc<OnceLock<String>>);

impl StackName {
    /// Whether it has to be read.
    pub(super) fn is_unknown(&self) -> bool {
        self.0.get().is_none()
    }
}

impl Agent<'_> {
    /// The stack's name, as far as it is not known from a batch that asked for it; it is made on
    /// the first need.
    pub(super) async fn stack(&self, batch: &Batch) -> Result<String, Error> {
        if let Some(name) = self.0.stack.0.get() {
            return Ok(name.clone());
        }
        let mut found = batch.get(&key::stack())?;
        let table = self.0.table.name();
        while found.as_ref().is_none_or(|found| found.table != table) {
            let made = Stack {
                name: random::token(),
                table: table.to_owned(),
            };
            let write = match found {
                None => Write::create(&made)?,
                Some(Stored { version, .. }) => Write::replace(&Stored {
                    record: made,
                    version,
                })?,
            };
            // Refused means that somebody else made one in the same instant.
            self.0.table.write(write).await?.or_leave();
            found = self.0.table.get(&key::stack(), Read::Consistent).await?;
        }
        let name = found.map(|found| found.record.name).unwrap_or_default();
        Ok(self.0.stack.0.get_or_init(|| name).clone())
    }
}
