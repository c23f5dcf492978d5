//! All key formats of the table. [`super`] lists the access patterns that they serve.
//!
//! Every partition key of a tenant begins with `ORG#<id>`, so that a query of one organization
//! never reaches the records of another. Numbers in sort keys are padded, so that they sort as
//! text.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that makes keys"
)]

mod agent;
mod directory;
mod format;
mod notifications;
mod people;
mod search;
mod tenant;
#[cfg(test)]
mod tests;
mod upkeep;
mod webhooks;
mod work;

pub use table::{AnyKey, Gsi1, Gsi2, Gsi3, Gsi4, Index, Key, Main, RecordList, SortKey};

pub use self::{
    agent::*,
    directory::*,
    format::{Keyed, tenant_prefix},
    people::*,
    work::*,
};
pub(crate) use self::{
    format::{instant, of_image, text},
    notifications::*,
    search::*,
    tenant::{Named, Partition, formless, moved, partitions, partitions_of_user, spelled},
    upkeep::*,
    webhooks::*,
};
