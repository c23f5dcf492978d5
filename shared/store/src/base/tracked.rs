//! Records whose changes have further writes in the same transaction.

use model::{
    base::{HistoryOf, ServiceRequestId},
    people::EntryContent,
    work::ActionRef,
};
use table::Record;

use crate::base::{records::Workdesk, scope::Placed};

/// A record whose changes its history records, and the agent follows.
pub(crate) trait Tracked: Record<Workdesk> + Placed {
    fn history(&self) -> Option<HistoryOf> {
        None
    }

    /// True if the organization's journal has its changes.
    const IS_JOURNALED: bool = false;

    /// The entry of a new record in the organization's journal.
    fn entry_of_new(&self) -> Option<EntryContent> {
        None
    }

    /// The entry of a change in the organization's journal; `None` when no field of it changed.
    fn entry_of_change(_before: &Self, _after: &Self) -> Option<EntryContent> {
        None
    }

    /// The manual action that was handed over with the record, if there is one.
    fn hand_over(&self) -> Option<HandOver> {
        None
    }
}

/// A manual action that was handed over with a service request.
#[derive(Clone, Debug)]
pub(crate) struct HandOver {
    pub(crate) action: ActionRef,
    pub(crate) request: ServiceRequestId,
    /// True if the service request is resolved or closed.
    pub(crate) is_over: bool,
}
