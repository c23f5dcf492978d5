//! The conditions of a write: the versions of its record, and the fields that stay.

use model::base::{Error, Fault, FaultCode, Timestamp, input::Fields};
use serde::Serialize;
use serde_json::Value;
use table::Stored;

use crate::{
    Result,
    base::{
        fields::{UPDATED_AT, fields, is_field},
        texts,
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Versions {
    Any,
    These(Vec<i64>),
}

/// The headers `If-Match` and `If-None-Match` of a write (RFC 9110, 13.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preconditions {
    /// The versions that the record may have; none allows any.
    pub if_match: Option<Versions>,
    /// The versions that the record must not have.
    pub if_none_match: Option<Versions>,
}

impl Preconditions {
    /// 412 unless a record of that version fulfils them. A record has version 0 before its first
    /// write, which `If-None-Match: *` allows.
    pub(crate) fn judge(&self, version: i64) -> Result<()> {
        let may_be = match &self.if_match {
            None | Some(Versions::Any) => true,
            Some(Versions::These(versions)) => versions.contains(&version),
        };
        let is_excluded = match &self.if_none_match {
            None => false,
            Some(Versions::Any) => version != 0,
            Some(Versions::These(versions)) => versions.contains(&version),
        };
        (may_be && !is_excluded)
            .then_some(())
            .ok_or(Error::PreconditionFailed)
    }
}

/// 400 for each field of the record with another value than the client sent. Clients may send back
/// a whole record. Only plain values are compared, and only fields with a public name.
pub(crate) fn keeps<R: Serialize>(sent: &Fields, stored: &Stored<R>) -> Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    let mut record = fields(&stored.record)?;
    record.retain(|name, _| is_field(name) || name == UPDATED_AT);
    // It may lie in an item of its own.
    record.remove(texts::ATTRIBUTE);
    record.insert("version".to_owned(), stored.version.into());
    let fault = |(name, value): (&String, &Value)| {
        let detail = "cannot be changed here, and the record has another value. Leave it out.";
        let is_other = record
            .get(name)
            .is_some_and(|own| differs(value, own));
        is_other.then(|| Fault::at(name, FaultCode::Unchangeable, format!("`{name}` {detail}")))
    };
    let faults: Vec<Fault> = sent.iter().filter_map(fault).collect();
    Error::unless_valid(faults)
}

/// Returns true for plain values that are not the same. Numbers and instants may be written
/// differently.
fn differs(sent: &Value, own: &Value) -> bool {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let instant = |value: &Value| {
        value
            .as_str()?
            .parse::<Timestamp>()
            .ok()
    };
    let is_same = match (sent.as_f64(), own.as_f64()) {
        (Some(sent), Some(own)) => sent.total_cmp(&own).is_eq(),
        _ => sent == own || instant(sent).is_some_and(|sent| Some(sent) == instant(own)),
    };
    is_plain(sent) && is_plain(own) && !is_same
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_are_judged_by_both_headers() {
        let these = |versions: &[i64]| Some(Versions::These(versions.to_vec()));
        for (if_match, if_none_match, version, holds) in [
            (None, None, 3, true),
            (Some(Versions::Any), None, 3, true),
            (these(&[2, 3]), None, 3, true),
            (these(&[2]), None, 3, false),
            (these(&[]), None, 3, false),
            (None, Some(Versions::Any), 3, false),
            (None, Some(Versions::Any), 0, true),
            (None, these(&[3]), 3, false),
            (None, these(&[2]), 3, true),
            (these(&[3]), these(&[3]), 3, false),
        ] {
            let conditions = Preconditions {
                if_match,
                if_none_match,
            };
            let is_fulfilled = conditions.judge(version).is_ok();
            assert_eq!(is_fulfilled, holds, "{conditions:?} {version}");
        }
    }

    #[test]
    fn a_record_may_be_sent_back_as_it_is() {
        let record = json!({
            "id": 7, "projectId": 1, "phaseId": null, "createdAt": "2026-01-15T12:00:00.000Z",
            "metadata": "{}", "sessionEpoch": 3,
        });
        let faults = |sent: Value| {
            let sent = sent.as_object().unwrap();
            let stored = Stored::created(&record);
            let faults = match keeps(sent, &stored) {
                Ok(()) => Vec::new(),
                Err(Error::Invalid(faults)) => faults,
                Err(other) => panic!("{other}"),
            };
            let pointers = faults
                .into_iter()
                .map(|fault| fault.pointer);
            pointers.collect::<Vec<_>>()
        };
        for same in [
            json!({"id": 7.0, "version": 1, "createdAt": "2026-01-15T13:00:00+01:00", "phaseId": null}),
            json!({"metadata": {}, "sessionEpoch": 9, "unknown": 1, "projectId": {"id": 2}}),
        ] {
            assert_eq!(faults(same.clone()), Vec::<String>::new(), "{same}");
        }
        let sent = json!({"projectId": 2, "phaseId": 4, "version": 2, "id": "7", "createdAt": ""});
        let mut differing = faults(sent);
        differing.sort_unstable();
        let pointers = ["/createdAt", "/id", "/phaseId", "/projectId", "/version"];
        assert_eq!(differing, pointers);
    }
}
