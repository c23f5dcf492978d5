//! Records of the demo target systems. Amounts are in the currency's minor unit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A record by its members.
pub(crate) type Record = Map<String, Value>;

/// All state that survives a restart.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Records {
    pub(crate) messages: Vec<Value>,
    pub(crate) effects: Vec<RecordedEffect>,
    /// Answers by system and idempotency key.
    pub(crate) stored_answers: BTreeMap<String, StoredAnswer>,
    /// The records of systems by kind and id.
    #[serde(flatten)]
    pub(crate) by_kind: BTreeMap<String, BTreeMap<String, Record>>,
}

/// A kind of records.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Kind {
    pub(crate) noun: String,
    /// Members that a record has unless it says otherwise.
    #[serde(default)]
    defaults: Record,
}

/// The kinds by name.
pub(crate) type Kinds = BTreeMap<String, Kind>;

impl Records {
    /// Returns the records with the members that they lack.
    pub(crate) fn complete(mut self, kinds: &Kinds) -> Self {
        for (name, kind) in kinds {
            for record in self
                .by_kind
                .entry(name.clone())
                .or_default()
                .values_mut()
            {
                *record = kind.complete(std::mem::take(record));
            }
        }
        self
    }

    pub(crate) fn get(&self, kind: &str, id: &str) -> Option<&Record> {
        self.by_kind.get(kind)?.get(id)
    }

    pub(crate) fn get_mut(&mut self, kind: &str, id: &str) -> Option<&mut Record> {
        self.by_kind.get_mut(kind)?.get_mut(id)
    }

    /// Returns the records of a kind with their ids.
    pub(crate) fn all(&self, kind: &str) -> impl Iterator<Item = (&String, &Record)> {
        self.by_kind
            .get(kind)
            .into_iter()
            .flatten()
    }
}

impl Kind {
    /// Returns a record with the members that it lacks.
    pub(crate) fn complete(&self, given: Record) -> Record {
        let mut record = self.defaults.clone();
        record.extend(given);
        record
    }
}

/// A change that took place in a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedEffect {
    /// Id, counted from 1.
    pub id: u64,
    /// `billing`, `payments` or `notifications`.
    pub system: String,
    /// Method and path template, such as `POST /invoices/{id}/void`.
    pub operation: String,
    /// Id of the changed or created entity.
    pub entity: String,
    /// Idempotency key of the call, even if the system ignores it.
    pub idempotency_key: Option<String>,
    /// Instant of the change, RFC 3339.
    pub at: String,
}

/// An answer for calls with the same idempotency key: of a call with an effect, or of a fault with
/// `kept`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredAnswer {
    /// Path of the answered request; a key belongs to one request.
    pub(crate) path: String,
    pub(crate) request: Value,
    pub(crate) status: u16,
    pub(crate) body: Value,
}
