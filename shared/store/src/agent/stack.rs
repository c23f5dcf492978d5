//! The name by which target systems distinguish this stack from others.

use model::random;

use super::Agent;
use crate::{prelude::*, records::Stack};

record! {
    _stack: Stack = "stack",
    key: key::stack(),
}

impl Agent<'_> {
    /// Returns the stack's name: the known one, or that of a batch. The first call creates it.
    pub(super) async fn stack(&self, batch: &Batch) -> Result<String> {
        if let Some(name) = self.0.stack.get() {
            return Ok(name.to_owned());
        }
        let (mut found, table) = (batch.get(&key::stack())?, self.0.table.name());
        while found.as_ref().is_none_or(|found| found.table != table) {
            let made = Stack {
                name: random::token(),
                table: table.to_owned(),
                restored_to: None,
            };
            let write = Write::create_or_replace(found, made)?;
            // A refused write means that another caller created one.
            self.0.table.write(write).await?.or_leave();
            found = self.0.read(&key::stack()).await?;
        }
        let name = found.map(|found| found.record.name).unwrap_or_default();
        Ok(self.0.stack.get_or_init(|| name).clone())
    }
}
