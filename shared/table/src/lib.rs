//! A client of one DynamoDB table.
//!
//! - [`Key`] and [`RecordList`] carry the type of their record, so that a key of another record does not
//!   compile.
//! - [`Table`] reads by key, in batches and in pages, and writes conditionally, alone or in
//!   transactions.
//! - [`metered`] counts the requests and capacity units of a task.
//!
//! The crate knows no record. The crate above it implements [`Record`] for each type that it keeps,
//! and owns all key formats. Callers never see the SDK's requests and answers, only attribute
//! values where they build a condition from one.
//!
//! Every item carries the attributes `kind` and `version`. A write sets or raises `version`, and
//! [`Write::replace`] expects the version that was read.

mod attribute;
mod batch;
mod batch_write;
mod client;
mod decode;
mod expression;
mod failure;
mod form;
mod item;
mod key;
mod list;
mod meter;
pub mod page;
mod query;
mod raw;
mod reading;
mod record;
mod refused;
mod text;
mod transaction;
mod whole;
mod write;
mod write_id;
mod writing;

pub use attribute::{IntoAttribute, attribute};
pub use batch::Batch;
pub use client::{Table, back_off};
pub use expression::{Condition, UpdateExpression};
pub use failure::{is_conflict_at, is_refusal, unavailable};
pub use item::{Readable, Stored};
pub use key::{AnyKey, Gsi1, Gsi2, Gsi3, Gsi4, Index, Key, Main, SortKey, padded};
pub use list::RecordList;
pub use meter::{Used, bounded, metered, note_write, stop_reading, units_so_far};
pub use query::Read;
pub use raw::{COPIED, RawItem, RawPage};
pub use reading::warm_up;
pub use record::Record;
pub use refused::{OrLeave, OrNotFound, Refused};
pub use text::{KeptText, LongText, REFERENCE, TextReference};
pub use write::Write;
pub use write_id::{new_write_id, of_request};
