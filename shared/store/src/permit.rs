//! Leave to write, which is found out while what a write needs is read.

use std::fmt;

use futures::future::BoxFuture;
use model::{Error, OrganizationId};

/// Leave to write records of a tenant. A request's comes with its authentication still under way:
/// what a write needs is read [`beside`](Self::beside) it, so that neither waits for the other, and
/// nothing is written before it is given. Only ids are reserved meanwhile; those of a write that is
/// not permitted are a gap.
pub struct Permit {
    tenant: OrganizationId,
    /// `None` when it was given already.
    pending: Option<BoxFuture<'static, Result<(), Error>>>,
}

impl Permit {
    /// Leave that resolves to an error when it is not given.
    pub fn pending(
        tenant: OrganizationId,
        given: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) -> Self {
        Self {
            tenant,
            pending: Some(Box::pin(given)),
        }
    }

    /// Whose records may be written.
    #[must_use]
    pub const fn tenant(&self) -> OrganizationId {
        self.tenant
    }

    /// Waits until it is given, and answers whose records may be written from then on.
    pub async fn given(self) -> Result<OrganizationId, Error> {
        if let Some(pending) = self.pending {
            pending.await?;
        }
        Ok(self.tenant)
    }

    /// Waits until it is given and answers what was read meanwhile. A refusal comes before any
    /// error of the read.
    pub async fn beside<T>(self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let (given, read) = tokio::join!(self.given(), read);
        given?;
        read
    }
}

/// Who acts for the service itself, as the worker does, or checked before, needs no further leave.
impl From<OrganizationId> for Permit {
    fn from(tenant: OrganizationId) -> Self {
        Self {
            tenant,
            pending: None,
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("tenant", &self.tenant)
            .field("given", &self.pending.is_none())
            .finish()
    }
}
