//! The parts of all reads and writes: commits, conditions, ids, histories and long texts.

pub(crate) mod commit;
pub(crate) mod conditions;
pub(crate) mod crud;
pub(crate) mod fields;
pub(crate) mod filter;
pub(crate) mod history;
pub(crate) mod idempotency;
pub(crate) mod ids;
pub(crate) mod named;
pub(crate) mod pending_write;
pub(crate) mod plan;
pub(crate) mod reads;
pub(crate) mod recent;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod retry;
pub(crate) mod scope;
pub(crate) mod shown;
pub(crate) mod store;
pub(crate) mod texts;
pub(crate) mod tracked;
pub(crate) mod unique;
pub(crate) mod words;
pub(crate) mod writes;

pub use conditions::{Preconditions, Versions};
pub use history::EntryWithActor;
pub use idempotency::IdempotencyKey;
pub use pending_write::{Pending, PendingWrite, WriteContext};
pub use records::{Account, TokenHolder};
pub use scope::{InScope, Reader};
pub use shown::{Answered, Shown, Versioned};
pub use store::Store;
