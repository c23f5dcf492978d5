//! The fields of records, by their names in the table.

use model::base::Error;
use serde::Serialize;
use serde_json::{Map, Value};
use table::REFERENCE;

use crate::Result;

pub(crate) const UPDATED_AT: &str = "updatedAt";

/// The fields with the instant and the author of a change.
const OF_CHANGES: [&str; 2] = [UPDATED_AT, "updatedBy"];

/// Attributes other than a record's fields, or that follow from other changes.
#[rustfmt::skip] // A line for each reason.
const NO_FIELDS: &[&str] = &[
    // Of every item.
    "pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "gsi3pk", "gsi3sk",
    "gsi4pk", "gsi4sk",
    "kind", "version", "writeId", "writtenBy", "words", "expiresAt", REFERENCE,
    // They follow from other changes.
    UPDATED_AT,
    // Of users: their credentials.
    "sessionEpoch", "keptSession", "tokenEpoch", "passwordSetBy", "passwordSetAt",
    // Of users: the projects name their members.
    "memberOf",
    // Of agent sessions: the agent's own notes.
    "analysisKey", "shortfall", "superseded", "journal", "journalAt", "journalNamed", "dueAt",
    "alertCheckAt", "alertChecks",
];

pub(crate) fn is_field(name: &str) -> bool {
    !NO_FIELDS.contains(&name)
}

pub(crate) fn fields(record: &impl Serialize) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::internal(
            "comparing records",
            "a record is no object",
        )),
        Err(error) => Err(Error::internal("comparing records", error)),
    }
}

/// Returns true if two states of a record differ in no more than when and by whom it was changed.
pub(crate) fn is_same<R: Serialize>(before: &R, after: &R) -> Result<bool, Error> {
    let content = |record| {
        let mut fields = fields(record)?;
        fields.retain(|name, _| !OF_CHANGES.contains(&name.as_str()));
        Ok::<_, Error>(fields)
    };
    Ok(content(before)? == content(after)?)
}
