//! A copy of an organization's records that follows the change feed alone, held against the table.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::model::base::FeedType;

/// The type and the id of a record.
type Name = (String, i64);

/// A record, as the feed tells of it.
#[derive(Default)]
struct Copied {
    /// The versions, each once, in the order in which the feed has them first.
    versions: Vec<i64>,
    is_deleted: bool,
}

/// Compares the entries of a feed, oldest first, with the records of all its types. Returns a line
/// for each record of which the feed lacks a version, has versions in another order, or ends at
/// another one.
#[must_use]
pub fn differences(entries: &[Value], records: &[Value]) -> Vec<String> {
    let mut copy: BTreeMap<Name, Copied> = BTreeMap::new();
    for entry in entries {
        let copied = copy
            .entry(name(&entry["type"], &entry["recordId"]))
            .or_default();
        copied.is_deleted |= entry["action"] == "deleted";
        let version = entry["version"].as_i64();
        let is_new = |version: &i64| !copied.versions.contains(version);
        copied
            .versions
            .extend(version.filter(is_new));
    }
    let mut lines = Vec::new();
    for (name, Copied { versions, .. }) in &copy {
        let first = versions
            .first()
            .copied()
            .unwrap_or_default();
        let expected: Vec<i64> = (first..).take(versions.len()).collect();
        if *versions != expected {
            lines.push(format!("{name:?} has the versions {versions:?}"));
        }
    }
    let mut present = BTreeSet::new();
    for record in records {
        let name = name(&record["kind"], &record["id"]);
        let copied = copy.get(&name);
        let newest = copied.and_then(|copied| copied.versions.last().copied());
        if newest != record["version"].as_i64() {
            lines.push(format!(
                "{name:?} is {}, and {newest:?} in the feed",
                record["version"]
            ));
        }
        let is_deleted = copied.is_some_and(|copied| copied.is_deleted);
        if is_deleted != record["deletedAt"].is_string() {
            lines.push(format!("{name:?} is deleted in one of them"));
        }
        present.insert(name);
    }
    let gone = copy
        .iter()
        .filter(|(name, _)| !present.contains(*name));
    let gone = gone.filter(|(_, copied)| !copied.is_deleted);
    lines.extend(gone.map(|(name, _)| format!("{name:?} is there in the feed alone")));
    lines
}

/// The kinds of the records.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    FeedType::ALL
        .iter()
        .map(|kind| kind.name())
}

fn name(kind: &Value, id: &Value) -> Name {
    let kind = kind
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (kind, id.as_i64().unwrap_or_default())
}
