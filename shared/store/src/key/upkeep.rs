//! Keys of ids, cleanups and due work.

use model::base::{Deleted, Id, OrganizationId, RecordType, Timestamp, quota::QuotaHolder};
use table::{AnyKey, Gsi4, Key, Record, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{Cleanup, Counter, FeedBatch, FeedStart, Workdesk},
};

use super::format::{keys, name, partition};

keys! {
    /// The last id given out for a kind of record, for all organizations.
    pub(crate) fn counter(kind: &str) -> Key<Counter> = format!("COUNTER#{kind}"), "COUNTER";
    /// The calls of an organization with a wait from the ten seconds after that instant.
    pub(crate) fn waiting_calls(tenant: Tenant, window: Timestamp) -> AnyKey
        = format!("ORG#{tenant}#USED_QUOTA"), format!("WAITING#{window}");
    /// An organization's change feed: batches by the number of their first entry.
    pub(crate) fn feed(tenant: Tenant) -> RecordList<FeedBatch> = format!("ORG#{tenant}#FEED");
    pub(crate) fn feed_start(tenant: Tenant) -> Key<FeedStart> = format!("ORG#{tenant}"), "FEED";
    /// A key in [`feed`].
    pub(crate) fn feed_batch(tenant: Tenant, first: i64) -> Key<FeedBatch>
        = feed(tenant) => feed_number(first);
    /// A sort key in [`feed`].
    pub(crate) fn feed_number(number: i64) -> SortKey = padded(number);
}

pub(crate) fn used_quota(tenant: Tenant, of: &QuotaHolder) -> AnyKey {
    let holder = match of {
        QuotaHolder::Organization(_) => RecordType::Organization
            .facts()
            .key
            .to_owned(),
        QuotaHolder::User(user) => format!("{}#{user}", RecordType::User.facts().key),
        QuotaHolder::Token(hash) => format!("{}#{hash}", RecordType::Token.facts().key),
        QuotaHolder::Session(hash) => format!("SESSION#{hash}"),
    };
    AnyKey::new(format!("ORG#{tenant}#USED_QUOTA"), holder)
}

/// The work that is left to do after a delete.
pub(crate) fn cleanup(tenant: Tenant, of: Deleted) -> Key<Cleanup> {
    deletion(tenant, of)
}

/// A deletion. Its item takes the place of its [`cleanup`] when that is done.
pub(crate) fn deletion<R>(tenant: Tenant, of: Deleted) -> Key<R> {
    Key::new(partition(tenant, RecordType::Cleanup), name(of.kind, of.id))
}

/// Shards of the due work of all organizations.
pub(crate) const SHARDS: u8 = 16;

/// The due records of a kind in a shard, by the instant from which they are due. The index is
/// sparse and has keys only: the sweeper reads it.
pub(crate) fn due_in<R: Record<Workdesk>>(shard: u8) -> RecordList<R, Gsi4> {
    RecordList::new(format!("DUE#{}#{shard}", R::KIND))
}

/// A key in [`due_in`] the shard of an organization.
pub(crate) fn due<R: Record<Workdesk>>(
    organization: OrganizationId,
    at: Timestamp,
) -> Key<R, Gsi4> {
    due_in(shard_of(organization)).at(SortKey::new(at.to_string()))
}

/// The key of a record that has been overdue since an instant, and is visited again at another.
pub(crate) fn overdue<R: Record<Workdesk>>(
    organization: OrganizationId,
    at: Timestamp,
    since: Timestamp,
) -> Key<R, Gsi4> {
    due_in(shard_of(organization)).at(SortKey::new(format!("{at}#{since}")))
}

/// The last key in [`due_in`] of an instant, overdue records included.
pub(crate) fn due_by(at: Timestamp) -> SortKey<Gsi4> {
    // It sorts after `#`.
    SortKey::new(format!("{at}~"))
}

/// Returns the instant of a key in [`due_in`], and since when its record has been overdue.
pub(crate) fn due_instants(sort: &str) -> (Option<Timestamp>, Option<Timestamp>) {
    let (at, since) = sort
        .split_once('#')
        .unwrap_or((sort, ""));
    (at.parse().ok(), since.parse().ok())
}

/// The shard of an organization. Ids are consecutive, so the remainder spreads them evenly.
pub(crate) fn shard_of(organization: OrganizationId) -> u8 {
    u8::try_from(organization.get() % i64::from(SHARDS)).unwrap_or_default()
}
