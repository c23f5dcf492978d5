//! The name by which target systems distinguish this stack from others.

use model::{Error, random};

use super::Agent;
use crate::{
    key,
    record::record,
    records::Stack,
    table::{Batch, OrLeave, Read, Write},
};

record! {
    _stack: Stack = "stack",
    key: key::stack(),
}

impl Agent<'_> {
    /// Returns the stack's name: the known one, or the one in a batch that read it. The first call
    /// creates the name.
    pub(super) async fn stack(&self, batch: &Batch) -> Result<String, Error> {
        if let Some(name) = self.0.stack.known() {
            return Ok(name.to_owned());
        }
        let mut found = batch.get(&key::stack())?;
        let table = self.0.table.name();
        while found.as_ref().is_none_or(|found| found.table != table) {
            let made = Stack {
                name: random::token(),
                table: table.to_owned(),
                restored_to: None,
            };
            let write = Write::create_or_replace(found, made)?;
            // A refused write means that another caller created one.
            self.0.table.write(write).await?.or_leave();
            found = self.0.table.get(&key::stack(), Read::Consistent).await?;
        }
        let name = found.map(|found| found.record.name).unwrap_or_default();
        Ok(self.0.stack.remember(name).to_owned())
    }
}
