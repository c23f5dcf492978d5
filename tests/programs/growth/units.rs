//! Capacity units, as DynamoDB counts them.

use serde_json::{Map, Value};

/// An item as the wire has it: attributes with their types.
pub type Item = Map<String, Value>;

/// The table, or one of its indexes.
#[derive(Clone, Debug)]
pub struct Index {
    /// `None` is the table.
    pub name: Option<String>,
    /// Attributes of the partition key and of the sort key.
    pub key: [String; 2],
    /// The attributes that it has; `None` is all of an item.
    pub only: Option<Vec<String>>,
}

/// An access to a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub index: Option<String>,
    pub partition: String,
    /// `None` for a query, which reads a range.
    pub sort: Option<String>,
    pub units: f64,
    pub does: Does,
}

/// The effect of an access on its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Read,
    /// Writes a key that was not there.
    Add,
    /// Writes a key that was there, or checks it in a transaction.
    Change,
    Remove,
}

/// An item's entry in the table or an index.
struct Entry {
    partition: String,
    sort: String,
    item: Item,
}

impl Index {
    fn entry(&self, item: &Item) -> Option<Entry> {
        let [partition, sort] = self
            .key
            .each_ref()
            .map(|name| text(item, name));
        let mut item = item.clone();
        if let Some(only) = &self.only {
            item.retain(|name, _| only.contains(name));
        }
        Some(Entry {
            partition: partition?,
            sort: sort?,
            item,
        })
    }

    /// The accesses of a write that leaves `new` in the place of `old`. A transaction costs the
    /// table twice, and an index once.
    pub fn written(
        &self,
        old: Option<&Item>,
        new: Option<&Item>,
        is_transaction: bool,
    ) -> Vec<Access> {
        let entry = |item: Option<&Item>| item.and_then(|item| self.entry(item));
        let old = entry(old);
        let new = entry(new);
        let is_twice = is_transaction && self.name.is_none();
        let times = if is_twice { 2.0 } else { 1.0 };
        let access = |entry: &Entry, units: f64, does| Access {
            index: self.name.clone(),
            partition: entry.partition.clone(),
            sort: Some(entry.sort.clone()),
            units: times * units,
            does,
        };
        let cost = |entry: &Entry| write_units(size(&entry.item));
        match (&old, &new) {
            (None, None) => Vec::new(),
            (None, Some(new)) => vec![access(new, cost(new), Does::Add)],
            (Some(old), None) => vec![access(old, cost(old), Does::Remove)],
            (Some(old), Some(new))
                if (&old.partition, &old.sort) != (&new.partition, &new.sort) =>
            {
                vec![
                    access(old, cost(old), Does::Remove),
                    access(new, cost(new), Does::Add),
                ]
            }
            (Some(old), Some(new)) if self.name.is_some() && old.item == new.item => Vec::new(),
            (Some(old), Some(new)) => {
                vec![access(new, cost(old).max(cost(new)), Does::Change)]
            }
        }
    }
}

/// The text of an attribute.
pub fn text(item: &Item, name: &str) -> Option<String> {
    Some(
        item.get(name)?["S"]
            .as_str()?
            .to_owned(),
    )
}

/// Units of a write of so many bytes, one for each KiB.
pub fn write_units(bytes: usize) -> f64 {
    units(bytes, 1_024)
}

/// Units of a read by key of so many bytes, one for each 4 KiB, or half of it.
pub fn read_units(bytes: usize, is_consistent: bool) -> f64 {
    units(bytes, 4_096) / if is_consistent { 1.0 } else { 2.0 }
}

fn units(bytes: usize, of: usize) -> f64 {
    f64::from(u32::try_from(bytes.div_ceil(of).max(1)).unwrap())
}

/// Bytes of an item: its names and values.
pub fn size(item: &Item) -> usize {
    let sizes = item
        .iter()
        .map(|(name, value)| name.len() + value_size(value));
    sizes.sum()
}

fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value
        .as_object()
        .and_then(|typed| typed.iter().next())
    else {
        return 0;
    };
    let values = || value.as_array().into_iter().flatten();
    let texts = || values().filter_map(Value::as_str);
    match kind.as_str() {
        "S" => value.as_str().map_or(0, str::len),
        "N" => value.as_str().map_or(0, number_size),
        "B" => value.as_str().map_or(0, binary_size),
        "SS" => texts().map(str::len).sum(),
        "NS" => texts().map(number_size).sum(),
        "BS" => texts().map(binary_size).sum(),
        "L" => {
            3 + values()
                .map(|value| 1 + value_size(value))
                .sum::<usize>()
        }
        "M" => {
            let members = value.as_object().into_iter().flatten();
            let sizes = members.map(|(name, value)| name.len() + 1 + value_size(value));
            3 + sizes.sum::<usize>()
        }
        // A boolean or null.
        _ => 1,
    }
}

/// One byte for two digits on each side of the point, without zeros at the ends; one more, and
/// another for a sign.
fn number_size(number: &str) -> usize {
    let digits = number.trim_start_matches('-');
    let (whole, part) = digits
        .split_once('.')
        .unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let part = part.trim_end_matches('0');
    let (whole, part) = match (whole, part) {
        (whole, "") => (whole.trim_end_matches('0'), ""),
        ("", part) => ("", part.trim_start_matches('0')),
        both => both,
    };
    whole.len().div_ceil(2) + part.len().div_ceil(2) + 1 + (number.len() - digits.len())
}

fn binary_size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(value: &Value) -> Item {
        value.as_object().unwrap().clone()
    }

    fn index(name: Option<&str>, key: [&str; 2], only: Option<&[&str]>) -> Index {
        Index {
            name: name.map(str::to_owned),
            key: key.map(str::to_owned),
            only: only.map(|names| {
                names
                    .iter()
                    .map(ToString::to_string)
                    .collect()
            }),
        }
    }

    /// An item of 1,500 bytes or more in a partition of an index.
    fn due(at: &str, bytes: usize) -> Item {
        item(&json!({
            "pk": {"S": "p"}, "sk": {"S": "s"}, "ipk": {"S": "DUE"}, "isk": {"S": at},
            "text": {"S": "x".repeat(bytes)},
        }))
    }

    fn costs(accesses: &[Access]) -> Vec<(Does, f64)> {
        accesses
            .iter()
            .map(|access| (access.does, access.units))
            .collect()
    }

    #[test]
    fn an_item_has_the_bytes_of_its_names_and_values() {
        let item = item(&json!({
            "pk": {"S": "ab"}, "n": {"N": "1200"}, "f": {"N": "-12.5"}, "yes": {"BOOL": true},
            "list": {"L": [{"S": "abc"}, {"NULL": true}]}, "map": {"M": {"k": {"S": "v"}}},
            "tags": {"NS": ["7", "123"]}, "b": {"B": "AAECAw=="},
        }));
        let expected = [
            2 + 2,
            1 + 2,
            1 + 4,
            3 + 1,
            4 + 3 + (1 + 3) + (1 + 1),
            3 + 3 + (1 + 1 + 1),
            4 + 2 + 3,
            1 + 4,
        ];
        assert_eq!(size(&item), expected.iter().sum::<usize>());
    }

    #[test]
    fn units_are_rounded_up_for_each_item() {
        for (bytes, write, read) in [
            (0, 1.0, 1.0),
            (1_024, 1.0, 1.0),
            (1_025, 2.0, 1.0),
            (4_097, 5.0, 2.0),
        ] {
            let is = |actual: f64, wanted: f64| {
                assert!((actual - wanted).abs() < 1e-9, "{bytes}: {actual}");
            };
            is(write_units(bytes), write);
            is(read_units(bytes, true), read);
            is(read_units(bytes, false), read / 2.0);
        }
    }

    #[test]
    fn a_transaction_costs_the_table_twice_and_an_index_once() {
        let new = due("1", 1_500);
        let table = index(None, ["pk", "sk"], None);
        let gsi = index(Some("gsi"), ["ipk", "isk"], None);
        for (index, units) in [(table, 4.0), (gsi, 2.0)] {
            let written = index.written(None, Some(&new), true);
            assert_eq!(costs(&written), [(Does::Add, units)]);
        }
    }

    #[test]
    fn an_entry_that_moves_is_two_writes_and_one_that_stays_is_the_larger_of_both() {
        let gsi = index(Some("gsi"), ["ipk", "isk"], None);
        let old = due("1", 2_500);
        let new = due("2", 500);
        let moved = gsi.written(Some(&old), Some(&new), false);
        assert_eq!(costs(&moved), [(Does::Remove, 3.0), (Does::Add, 1.0)]);
        let changed = gsi.written(Some(&old), Some(&due("1", 500)), false);
        assert_eq!(costs(&changed), [(Does::Change, 3.0)]);
        assert!(
            gsi.written(Some(&old), Some(&old), false)
                .is_empty()
        );
    }

    #[test]
    fn an_index_with_keys_only_costs_nothing_until_a_key_changes() {
        let keys = ["pk", "sk", "ipk", "isk"];
        let gsi = index(Some("gsi"), ["ipk", "isk"], Some(&keys));
        let old = due("1", 9_000);
        let new = due("1", 3_000);
        assert!(
            gsi.written(Some(&old), Some(&new), false)
                .is_empty()
        );
        let moved = gsi.written(Some(&old), Some(&due("2", 9_000)), false);
        assert_eq!(costs(&moved), [(Does::Remove, 1.0), (Does::Add, 1.0)]);
    }
}
