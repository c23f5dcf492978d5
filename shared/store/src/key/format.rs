use model::base::{Id, RecordId, RecordType, Timestamp, unique_name, words::plain};
use table::{AnyKey, KeptText, Key, SortKey, padded};

use crate::Tenant;

/// Declares keys and lists by their partition, and the keys of single items by their sort key, too.
/// A key in a list stands as `list => sort key`.
macro_rules! keys {
    ($(
        $(#[$about:meta])*
        $vis:vis fn $name:ident($($argument:ident: $type:ty),*) -> $key:ident $(<$($of:ty),+>)?
            = $($part:expr),+ $(=> $place:expr)?;
    )*) => {$(
        $(#[$about])*
        $vis fn $name($($argument: $type),*) -> $key $(<$($of),+>)? {
            keys!(@of $key ($($part),+) $($place)?)
        }
    )*};
    (@of $key:ident ($($part:expr),+)) => { $key::new($($part),+) };
    (@of $key:ident ($list:expr) $place:expr) => { $list.at($place) };
}

pub(super) use keys;

/// The prefix of all partition keys of an organization, except that of its own record.
pub fn tenant_prefix(tenant: Tenant) -> String {
    format!("ORG#{tenant}#")
}

/// The partition of all records of a type, by id or in an index.
pub(super) fn partition(tenant: Tenant, kind: RecordType) -> String {
    format!("ORG#{tenant}#{}", kind.facts().key)
}

/// The partition of what belongs to a record.
pub(super) fn below(tenant: Tenant, kind: RecordType, id: impl Id, part: &str) -> String {
    format!("{}#{}#{part}", partition(tenant, kind), id.get())
}

/// The partition of the records of a type that name a record.
pub(super) fn of_record<I: RecordId>(tenant: Tenant, id: I, kind: RecordType) -> String {
    below(tenant, I::TYPE, id, kind.facts().key)
}

/// An id by which alone the table keeps a record of an organization.
pub trait Keyed: RecordId {
    type Record;

    fn key(self, tenant: Tenant) -> Key<Self::Record> {
        record_of(tenant, Self::TYPE, self)
    }
}

pub(super) fn record_of<R>(tenant: Tenant, kind: RecordType, id: impl Id) -> Key<R> {
    Key::new(partition(tenant, kind), padded(id.get()))
}

pub(super) fn name(kind: RecordType, id: impl Id) -> String {
    format!("{}#{}", kind.facts().key, padded(id.get()))
}

pub(crate) fn of_image(pk: &str, sk: &str) -> AnyKey {
    AnyKey::new(pk, sk)
}

/// A long text of a record by the record's own key.
pub(crate) fn text(of: &AnyKey, hash: &str) -> Key<KeptText> {
    let id = of.sk().trim_start_matches('0');
    Key::new(format!("{}#{id}#TEXT", of.pk()), hash)
}

/// The sort key before all records of that instant, and after all earlier ones.
pub(crate) fn instant<I>(at: Timestamp) -> SortKey<I> {
    SortKey::new(at.to_string())
}

/// An instant, then the id for ties.
pub(super) fn instant_then_id<I>(at: Timestamp, id: impl Id) -> SortKey<I> {
    SortKey::new(format!("{at}#{}", padded(id.get())))
}

/// A due date, then the id for ties. Records without a due date come last.
pub(super) fn due_then_id<I>(due: Option<Timestamp>, id: impl Id) -> SortKey<I> {
    // `~` sorts after every digit.
    let due = due.map_or_else(|| "~".to_owned(), |due| due.to_string());
    SortKey::new(format!("{due}#{}", padded(id.get())))
}

/// A name without case and accents, then with its accents, then the id for ties. The names are cut
/// to fit.
pub(super) fn name_then_id<I>(name: &str, id: impl Id) -> SortKey<I> {
    // A tab sorts before whatever else stands in a name, so that `Move` comes before `Move on`.
    let id = format!("\t{}", padded(id.get()));
    let mut name = format!("{}\t{}", plain(name), unique_name::key(name));
    name.truncate(name.floor_char_boundary(LONGEST_SORT - id.len()));
    SortKey::new(name + &id)
}

/// The longest sort key, in bytes.
pub(super) const LONGEST_SORT: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;
    use ::table::Gsi1;
    use model::base::TagId;

    #[test]
    fn names_sort_without_regard_to_case_and_within_a_key() {
        let place =
            |name: &str, id| name_then_id::<Gsi1>(name, TagId::new(id).unwrap()).into_text();
        let sorted = [
            place("apple", 1),
            place("Äther", 1),
            place("move", 2),
            place("Move", 3),
            place("MOVE on", 1),
            place("Moves", 1),
            place("resume", 2),
            place("résumé", 1),
            place("Resumes", 1),
            place("zebra", 1),
        ];
        assert!(sorted.is_sorted(), "{sorted:?}");
        // It has four bytes a character.
        let long = place(&"\u{20000}".repeat(255), 1);
        assert!(
            (1_000..=LONGEST_SORT).contains(&long.len()),
            "{}",
            long.len()
        );
        assert!(long.ends_with("\t0000000000000001"));
    }
}
