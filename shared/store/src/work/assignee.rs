//! Assignees of tasks, service requests and tickets.

use model::{
    base::{Error, Fault, FaultCode, Id, UserId},
    people::User,
};
use table::{AnyKey, Batch, Key};

use crate::{Result, Tenant, key::Keyed};

/// The assignee that a request names, if it names one: an enabled user of the same organization.
#[derive(Clone, Debug)]
pub(crate) struct Assignee(Option<(UserId, Key<User>)>);

impl Assignee {
    pub(crate) fn new(tenant: Tenant, named: Option<&UserId>) -> Self {
        Self(named.map(|id| (*id, id.key(tenant))))
    }

    /// The key that [`fault`](Self::fault) needs.
    pub(crate) fn key(&self) -> Option<AnyKey> {
        self.0
            .as_ref()
            .map(|(_, key)| key.into())
    }

    /// Returns the fault of an assignee who is not in `batch`, or who is disabled and not the
    /// assignee `before`.
    pub(crate) fn fault(&self, batch: &Batch, before: Option<UserId>) -> Option<Fault> {
        let (id, key) = self.0.as_ref()?;
        if !batch.has(key) {
            return Some(Fault::unknown("assigneeId", UserId::NOUN));
        }
        let is_disabled = batch
            .named(key)
            .is_some_and(|user| user.disabled);
        (is_disabled && before != Some(*id)).then(|| {
            let detail = format!("User {id} is disabled. Send the id of an enabled user.");
            Fault::at("assigneeId", FaultCode::Unknown, detail)
        })
    }

    /// 400 for an assignee with a fault.
    pub(crate) fn known(&self, batch: &Batch, before: Option<UserId>) -> Result<()> {
        self.fault(batch, before)
            .map_or(Ok(()), |fault| Err(Error::invalid(fault)))
    }
}
