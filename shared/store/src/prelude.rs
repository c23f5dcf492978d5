//! The names that most files of the store use: `use crate::prelude::*;` imports them.

pub(crate) use ::model::{
    Code, EntryContent, Error, Id, Organization, OrganizationEvent, OrganizationId, RecordType,
    Timestamp, User, UserId,
};
pub(crate) use ::table::{
    AnyKey, Batch, Change, Condition, IntoAttribute, Key, OrLeave, OrNotFound, Read, Readable,
    Record, Stored, Write,
    page::{Page, Wanted},
};

pub(crate) use crate::{
    filter::Filter,
    journal::head_in,
    key,
    pending_write::{PendingWrite, WriteContext},
    record::record,
    records::{ReadHead, Workdesk},
    retry::{retry, try_retry},
    store::{Store, resource},
    tracked::Tracked,
    writes::Writes,
};

/// The result of an operation of the store.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
