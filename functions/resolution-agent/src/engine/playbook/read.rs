//! A playbook's reads of target systems.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use shared::agent::{Connection, TargetRead};

use super::{obstacle::Obstacle, values::Values};
use crate::engine::template::{Missing, Template};

/// The most reads of an analysis.
pub(in crate::engine) const MOST_READS: usize = 5;

/// A read in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadInFile {
    /// The prefix of its facts.
    pub(super) name: String,
    pub(super) connection: Template,
    pub(super) path: Template,
    /// The JSON pointer of each fact in the answer.
    pub(super) facts: BTreeMap<String, String>,
    /// Values of facts that the answer lacks. Without one, the fact is unknown.
    #[serde(default)]
    pub(super) absent: BTreeMap<String, Value>,
}

/// A read for one alert.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::engine) struct Read {
    pub(in crate::engine) name: String,
    pub(in crate::engine) connection: String,
    /// The error names the parameter that the alert lacks.
    rendered: Result<TargetRead, Missing>,
}

/// A sample idempotency key, to check a path against a connection's allowed calls.
pub(super) const ANY_KEY: &str = "key";

/// The fact that every answer gives: its status code.
pub(super) const HTTP: &str = "http";

impl ReadInFile {
    pub(super) fn render(&self, values: &Values) -> Read {
        let connection = values.text(&self.connection);
        let path = values.path(&self.path);
        let rendered = path.map(|path| TargetRead {
            name: self.name.clone(),
            connection: connection.clone(),
            path,
            facts: self.facts.clone(),
            absent: self.absent.clone(),
        });
        Read {
            name: self.name.clone(),
            connection,
            rendered,
        }
    }
}

impl Read {
    /// Returns the read with its connection, if it can be sent.
    pub(in crate::engine) fn ready<'a>(
        &'a self,
        connections: &'a [Connection],
    ) -> Result<(&'a Connection, &'a TargetRead), Obstacle> {
        let read = self.rendered.as_ref();
        let read = read.map_err(|Missing(name)| Obstacle::missing(name))?;
        let call = read.call().with_key(ANY_KEY);
        match Connection::named(connections, &self.connection) {
            None => Err(Obstacle::NotConnected(self.connection.clone())),
            Some(connection) if !connection.allows(&call.method, &call.path) => {
                Err(Obstacle::NotAllowed(call.summary()))
            }
            Some(connection) => Ok((connection, read)),
        }
    }
}
