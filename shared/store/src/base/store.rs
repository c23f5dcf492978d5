//! The store: a table, its ids and a clock. Each resource's file adds its operations.

use std::sync::{Arc, OnceLock};

use aws_sdk_dynamodb::Client;
use model::base::{Cell, Clock, Code, Error, RecordId, Timestamp};
use table::Table;
use tokio::sync::OnceCell;

use crate::{
    Result,
    base::{
        ids::{Ids, Reserved},
        recent::RecentOrganizations,
    },
    key,
};

/// All records, by resource. Cheap to clone; clones share their reserved ids and recent
/// organizations.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) table: Table,
    pub(crate) clock: Clock,
    /// The name by which target systems distinguish this stack from others, once it was read.
    pub(crate) stack: Arc<OnceLock<String>>,
    pub(crate) recent: RecentOrganizations,
    /// True if notifications are mailed, too.
    pub(crate) sends_mail: bool,
    pub(crate) cell: Cell,
    ids: Ids,
}

impl Store {
    pub fn new(client: Client, table: &str, clock: Clock) -> Self {
        Self {
            table: Table::new(client, table, clock.clone()),
            clock,
            stack: Arc::default(),
            recent: RecentOrganizations::default(),
            sends_mail: false,
            cell: Cell::default(),
            ids: Ids::default(),
        }
    }

    /// A store with more attempts while others write the same records. The worker uses it, since
    /// the outcome of a call is stored nowhere else.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.table = self.table.patient();
        self
    }

    /// A store of a deployment that sends mail, or of one that does not.
    #[must_use]
    pub fn sending_mail(self, sends_mail: bool) -> Self {
        Self { sends_mail, ..self }
    }

    /// A store of another cell than 0.
    #[must_use]
    pub fn in_cell(self, cell: Cell) -> Self {
        Self { cell, ..self }
    }

    /// The cell in whose name it makes tokens and session ids.
    pub const fn cell(&self) -> &Cell {
        &self.cell
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Reserves an id for a new record, unique across organizations and instances.
    pub(crate) async fn next_id<I: RecordId>(&self) -> Result<Reserved<I>> {
        self.ids.next(&self.table).await
    }

    /// Returns the id in `reserved`, and reserves one the first time. A write that starts over
    /// keeps its id.
    pub(crate) async fn id_once<I: RecordId>(
        &self,
        reserved: &OnceCell<Reserved<I>>,
    ) -> Result<Reserved<I>> {
        reserved
            .get_or_try_init(|| self.next_id())
            .await
            .cloned()
    }

    /// Returns the last id that was given out, or 0. It may have no record.
    pub(crate) async fn last_id<I: RecordId>(&self) -> Result<i64> {
        let counter = self
            .read(&key::counter(I::TYPE.name()))
            .await?;
        Ok(counter.map_or(0, |counter| counter.last))
    }
}

/// Declares the access to a resource's records, and the method of [`Store`] that gives it.
macro_rules! resource {
    ($(#[doc = $about:literal])* pub $name:ident as $method:ident) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a>(pub(crate) &'a $crate::base::store::Store);

        impl $crate::base::store::Store {
            $(#[doc = $about])*
            #[must_use]
            pub const fn $method(&self) -> $name<'_> {
                $name(self)
            }
        }
    };
}

pub(crate) use resource;

pub(crate) fn id_is_taken(kind: &'static str) -> Error {
    let why = format!("the id of the {kind} is taken");
    Error::internal("writing a new record", why)
}

/// 409 at a `limit`, which names its number.
pub(crate) fn too_many(code: Code, limit: impl std::fmt::Display) -> Error {
    Error::conflict(
        code,
        format!("{limit}, the most allowed. Delete one first."),
    )
}
