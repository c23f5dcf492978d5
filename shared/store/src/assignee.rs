//! Who service requests and tickets are assigned to.

use model::{Error, Fault, Id, OrganizationId, UserId};

use super::{
    key::{self, AnyKey},
    table::Batch,
};

/// Who is to work on something, if it is said: a user of the same organization.
#[derive(Clone, Debug)]
pub(super) struct Assignee(Option<AnyKey>);

impl Assignee {
    pub(super) fn new(tenant: OrganizationId, named: Option<&UserId>) -> Self {
        Self(named.map(|id| key::user(tenant, *id).into()))
    }

    /// What has to be read to know them.
    pub(super) fn key(&self) -> Option<AnyKey> {
        self.0.clone()
    }

    /// 400 for a user who is not among what was found.
    pub(super) fn known(&self, found: &Batch) -> Result<(), Error> {
        match &self.0 {
            Some(key) if !found.has(key) => {
                Err(Error::invalid(Fault::unknown("assigneeId", UserId::NOUN)))
            }
            _ => Ok(()),
        }
    }
}
