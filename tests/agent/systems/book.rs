//! The records of a double.

use std::collections::BTreeMap;

use serde_json::Value;

/// Records by kind and id.
#[derive(Clone, Debug, Default)]
pub struct Book(BTreeMap<&'static str, BTreeMap<String, Value>>);

impl Book {
    pub fn put(&mut self, kind: &'static str, id: &str, record: Value) {
        self.0
            .entry(kind)
            .or_default()
            .insert(id.to_owned(), record);
    }

    pub fn find(&self, kind: &'static str, id: &str) -> Option<&Value> {
        self.0.get(kind)?.get(id)
    }

    pub fn get(&self, kind: &'static str, id: &str) -> &Value {
        let record = self.find(kind, id);
        record.unwrap_or_else(|| panic!("{kind} {id} is not there"))
    }

    pub fn get_mut(&mut self, kind: &'static str, id: &str) -> &mut Value {
        let record = self
            .0
            .get_mut(kind)
            .and_then(|of_kind| of_kind.get_mut(id));
        record.unwrap_or_else(|| panic!("{kind} {id} is not there"))
    }

    /// The records of a kind that match, the newest first.
    pub fn list(&self, kind: &'static str, is: impl Fn(&Value) -> bool) -> Vec<Value> {
        let records = self
            .0
            .get(kind)
            .into_iter()
            .flat_map(BTreeMap::values);
        records
            .rev()
            .filter(|record| is(record))
            .cloned()
            .collect()
    }
}

/// An integer member of a record.
#[track_caller]
pub fn cents(record: &Value, member: &str) -> i64 {
    let value = &record[member];
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{member}: {record}"))
}

/// A text member of a record.
#[track_caller]
pub fn word<'a>(record: &'a Value, member: &str) -> &'a str {
    let value = &record[member];
    value
        .as_str()
        .unwrap_or_else(|| panic!("{member}: {record}"))
}
