//! The entries of a session's journal, and what the organization's journal notes of
//! records.

mod entry;

pub use entry::{JournalActor, JournalActorType, JournalEntry, JournalEvent, JournalPeriod, Note};

use model::people::{
    Journaled,
    journal::{rename, seal, subject},
};
use serde_json::{Map, Value, json};

use crate::{
    alert::Alert,
    connection::{AgentPause, Connection},
};

impl Journaled for AgentPause {
    const UNNOTED: &'static [&'static str] = &[
        "by",       // The actor of the entry.
        "restored", // `table_restored` has it.
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::AGENT.to_owned()]
    }

    fn in_entries(&self, fields: &mut Map<String, Value>) {
        fields.insert("reason".to_owned(), json!(self.reason()));
    }
}

impl Journaled for Connection {
    const UNNOTED: &'static [&'static str] = &[
        "name",     // The subject of the entry.
        "revision", // It rises with a change of other fields.
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::connection(&self.name)]
    }

    fn in_entries(&self, fields: &mut Map<String, Value>) {
        rename(fields, "systemKind", "kind");
        seal(fields, "secret");
    }
}

impl Journaled for Alert {
    const UNNOTED: &'static [&'static str] = &[
        // The content of the first report, which never changes. `source` and `externalId` name it.
        "title",
        "description",
        "targetSystem",
        "entities",
        "labels",
        "metric",
        "amountAtRisk",
        "lifecycle",
        "occurredAt",
        // Further reports: many, and none is a decision.
        "lastOccurredAt",
        "count",
        // The instant of the entry with the status.
        "resolvedAt",
        // Its agent sessions have a journal of their own.
        "recurrence",
        "agentSessionId",
        // The actor of the first entry, and its credential.
        "createdBy",
        "recordedByMachine",
    ];

    fn subjects(&self) -> Vec<String> {
        vec![subject::alert(self.id)]
    }
}
