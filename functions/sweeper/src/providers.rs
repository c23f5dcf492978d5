//! The discovery documents and keys of organizations' providers, which sign-ins read from the
//! table.

use futures::{StreamExt, stream};
use model::base::{Error, OrganizationId};
use tokio::time::timeout;

use crate::{CONCURRENCY, Started, Sweeper};

impl Sweeper {
    /// Reads the discovery documents that are due. The rest after the time limit waits for the next
    /// minute.
    pub(crate) async fn discover(&self, started: &mut Started) {
        let due = match self
            .store
            .providers()
            .due_discoveries()
            .await
        {
            Ok(due) => due,
            Err(error) => return started.failed(&error),
        };
        let mut read = stream::iter(due)
            .map(async |organization| self.discover_of(organization).await)
            .buffer_unordered(CONCURRENCY);
        let each = async {
            while let Some(read) = read.next().await {
                match read {
                    Ok(is_read) => started.providers += usize::from(is_read),
                    Err(error) => started.failed(&error),
                }
            }
        };
        // What is left stays due.
        let _ = timeout(self.budget, each).await;
    }

    /// Reads the discovery document of an organization's provider. Returns false if there was none
    /// to read.
    async fn discover_of(&self, organization: OrganizationId) -> Result<bool, Error> {
        let providers = self.store.providers();
        if !providers
            .begin_discovery(organization)
            .await?
        {
            return Ok(false);
        }
        let provider = match providers.get(organization).await {
            // It was deleted meanwhile.
            Err(Error::NotFound(_)) => return Ok(false),
            provider => provider?,
        };
        match self
            .providers
            .discover(&provider.issuer)
            .await
        {
            Ok(discovery) => {
                providers
                    .keep_discovery(&provider, &discovery)
                    .await?;
                Ok(true)
            }
            Err(fault) => {
                // The stored one serves until the provider answers again.
                fault.log(organization);
                Ok(false)
            }
        }
    }
}
