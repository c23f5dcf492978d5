//! Consistent reads by key, and writes that give way to others.

use serde::de::DeserializeOwned;

use crate::prelude::*;

impl Store {
    /// Reads a record, if there is one. An unreadable record is an error.
    pub(crate) async fn read<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
    ) -> Result<Option<Stored<R>>> {
        self.table.get(key, Read::Consistent).await
    }

    /// Reads a record to which others refer. An unreadable record does not exist.
    pub(crate) async fn readable<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
    ) -> Result<Option<Stored<R>>> {
        Ok(self.batch([key]).await?.named(key))
    }

    /// Reads the items of several keys with one request.
    pub(crate) async fn batch(
        &self,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
    ) -> Result<Batch> {
        self.table.batch_get(keys, Read::Consistent).await
    }

    /// Overwrites the record that was read, unless another writer changed it meanwhile.
    pub(crate) async fn replace_or_leave<R: Record<Workdesk>>(
        &self,
        record: &Stored<R>,
    ) -> Result<()> {
        let write = Write::replace(record)?;
        self.table.write(write).await?.or_leave();
        Ok(())
    }
}
