//! Leave to write, which is found out while what a write needs is read.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use model::{Error, OrganizationId, UserId};

use super::{
    once::Attempt,
    table::{OrNotFound, Stored},
};

/// Leave to write records of a tenant. A request's comes with its authentication still under way:
/// what a write needs is read [`beside`](Self::beside) it, so that neither waits for the other, and
/// nothing is written before it is [`Given`]. Only ids are reserved meanwhile; those of a write that
/// is not permitted are a gap.
pub struct Permit {
    given: Given,
    /// `None` when it was given already.
    pending: Option<BoxFuture<'static, Result<(), Error>>>,
}

/// Leave that was given, and what the request says of the write: who writes, what it expects the
/// record to be, and whether it may have been sent before.
#[derive(Clone, Debug)]
pub struct Given(Arc<Terms>);

/// On whose behalf something is written, and under which conditions.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Whose records.
    pub tenant: OrganizationId,
    /// Who writes; none where the service itself does.
    pub actor: Option<UserId>,
    /// What the record has to be before it is changed.
    pub expected: Expected,
    /// By what a request is known again that is sent more than once.
    pub attempt: Option<Attempt>,
}

/// The versions that a record may have before it is changed: the header `If-Match` (RFC 9110, 13.1.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// Any; what is changed has to be there anyway.
    #[default]
    Any,
    /// One of these.
    Versions(Vec<i64>),
}

impl Permit {
    /// Leave that resolves to an error when it is not given.
    pub fn pending(
        terms: impl Into<Terms>,
        given: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) -> Self {
        Self {
            given: Given(Arc::new(terms.into())),
            pending: Some(Box::pin(given)),
        }
    }

    /// Whose records may be written.
    #[must_use]
    pub fn tenant(&self) -> OrganizationId {
        self.given.tenant()
    }

    /// Waits until it is given.
    pub async fn given(self) -> Result<Given, Error> {
        if let Some(pending) = self.pending {
            pending.await?;
        }
        Ok(self.given)
    }

    /// Waits until it is given and answers what was read meanwhile. A refusal comes before any
    /// error of the read.
    pub async fn beside<T>(
        self,
        read: impl Future<Output = Result<T, Error>>,
    ) -> Result<(Given, T), Error> {
        let (given, read) = tokio::join!(self.given(), read);
        Ok((given?, read?))
    }
}

impl Given {
    /// Whose records may be written.
    #[must_use]
    pub fn tenant(&self) -> OrganizationId {
        self.0.tenant
    }

    /// Who writes; none where the service itself does.
    #[must_use]
    pub fn actor(&self) -> Option<UserId> {
        self.0.actor
    }

    /// Whether the request says of the record that it is there, in one of some versions.
    pub(crate) fn expects_a_version(&self) -> bool {
        matches!(self.0.expected, Expected::Versions(_))
    }

    pub(crate) fn attempt(&self) -> Option<&Attempt> {
        self.0.attempt.as_ref()
    }

    /// The record that is to be changed, as it was read. 404 when it is not there, 412 when it is not
    /// what the request expects.
    pub(crate) fn current<T>(
        &self,
        found: Option<Stored<T>>,
        noun: &'static str,
    ) -> Result<Stored<T>, Error> {
        let found = found.or_not_found(noun)?;
        match &self.0.expected {
            Expected::Versions(versions) if !versions.contains(&found.version) => {
                Err(Error::PreconditionFailed)
            }
            _ => Ok(found),
        }
    }
}

/// Who acts for the service itself, as the worker does, or checked before, needs no further leave.
impl From<OrganizationId> for Permit {
    fn from(tenant: OrganizationId) -> Self {
        Self {
            given: Given::from(tenant),
            pending: None,
        }
    }
}

impl From<OrganizationId> for Given {
    fn from(tenant: OrganizationId) -> Self {
        Self(Arc::new(tenant.into()))
    }
}

/// The service's own.
impl From<OrganizationId> for Terms {
    fn from(tenant: OrganizationId) -> Self {
        Self {
            tenant,
            actor: None,
            expected: Expected::Any,
            attempt: None,
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("terms", &self.given.0)
            .field("given", &self.pending.is_none())
            .finish()
    }
}
