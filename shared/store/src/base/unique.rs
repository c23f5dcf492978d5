//! Items whose key only one record of an organization may hold: a name, a domain.

use std::collections::HashSet;

use model::base::Error;
use table::{AnyKey, Condition, Record, Write};

use crate::{
    Result,
    base::{records::Workdesk, writes::Writes},
};

/// Takes the items of `new` for a record, and releases those of `had` that it gives up. An item of
/// both stays as it is. The condition `is_free_or_own` fails for an item of another record, with
/// the error `taken`.
pub(crate) fn take_keys<K: Record<Workdesk>>(
    new: &[K],
    had: &[K],
    is_free_or_own: &Condition,
    taken: impl Fn() -> Error,
) -> Result<Writes> {
    let keys = |items: &[K]| -> HashSet<AnyKey> {
        let keys = items
            .iter()
            .map(|item| item.key().into());
        keys.collect()
    };
    let wanted = keys(new);
    let held = keys(had);
    let mut writes = Writes::default();
    for item in new {
        if !held.contains(&item.key().into()) {
            writes.push_or(Write::put_where(item, is_free_or_own.clone())?, taken());
        }
    }
    for item in had {
        if !wanted.contains(&item.key().into()) {
            writes.push_or(Write::delete(item.key(), is_free_or_own.clone()), taken());
        }
    }
    Ok(writes)
}
