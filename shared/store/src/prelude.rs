//! The names of the store's files: `use crate::prelude::*;` imports them.
//!
//! Contains the records with their ids, and what writes and reads them. A name of two crates is
//! listed beside the `*` of the crate whose type it means here.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) use ::agent::{
    action::*, alert::*, check::*, connection::*, journal::*, policy::*, session::*,
};
pub(crate) use ::model::*;
pub(crate) use ::table::{
    AnyKey, Batch, COPIED, Change, Condition, Gsi1, Gsi2, Index, IntoAttribute, KeptText, Key,
    List, LongText, OrLeave, OrNotFound, REFERENCE, RawItem, Read, Readable, Record, Refused,
    Stored, Table, TextReference, Write, attribute, back_off, new_write_id, note_write,
    page::{Page, Place, Row, Wanted},
    unavailable,
};
pub(crate) use serde::{Deserialize, Serialize, de::DeserializeOwned};
pub(crate) use utoipa::ToSchema;

pub(crate) use crate::{
    conditions::Preconditions,
    filter::Filter,
    idempotency::{Created, IdempotencyKey, id_of},
    ids::Reserved,
    journal::head_in,
    key::{self, Keyed},
    named::{Named, Names},
    pending_write::{Pending, PendingWrite, WriteContext},
    reads::in_first_index,
    record::{any_keys, record},
    retry::{retry, try_retry},
    shown::Shown,
    store::{Store, id_is_taken, resource, too_many},
    tracked::Tracked,
    versioned,
    writes::Writes,
};

pub(crate) use super::records::{Deletion, Part, *};

/// The result of an operation of the store.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// The organization whose records an operation reads and writes.
pub(crate) type Tenant = OrganizationId;
