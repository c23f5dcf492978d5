//! A playbook's reads of target systems.

use std::collections::BTreeMap;

use agent::{Connection, TargetRead};
use serde::Deserialize;
use serde_json::Value;

use super::{obstacle::Obstacle, values::Values};
use crate::template::{Missing, Template};

/// The most reads of an analysis.
pub(crate) const MOST_READS: usize = 5;

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
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) connection: String,
    /// The facts of other reads in its path.
    pub(super) uses: Vec<String>,
    /// The error names the parameter that the alert lacks, or the unknown fact.
    rendered: Result<TargetRead, Missing>,
}

/// The fact that every answer gives: its status code.
pub(super) const HTTP: &str = "http";

impl ReadInFile {
    pub(super) fn render(&self, values: &Values) -> Read {
        let connection = values.name(&self.connection);
        let path = values.path(&self.path);
        let rendered = path.map(|path| TargetRead {
            name: self.name.clone(),
            connection: connection.clone(),
            path,
            facts: self.facts.clone(),
            absent: self.absent.clone(),
        });
        let uses = self.path.placeholders().filter(|name| name.contains('.'));
        Read {
            name: self.name.clone(),
            connection,
            uses: uses.map(str::to_owned).collect(),
            rendered,
        }
    }
}

impl Read {
    /// True if a fact in its path is unknown.
    pub(crate) fn waits_for_a_fact(&self) -> bool {
        matches!(&self.rendered, Err(Missing(name)) if name.contains('.'))
    }

    /// Returns the read with its connection, if it can be sent.
    pub(crate) fn ready<'a>(
        &'a self,
        connections: &'a [Connection],
    ) -> Result<(&'a Connection, &'a TargetRead), Obstacle> {
        let read = self.rendered.as_ref();
        let read = read.map_err(|Missing(name)| Obstacle::missing(name))?;
        let call = read.call();
        match Connection::named(connections, &self.connection) {
            None => Err(Obstacle::NotConnected(self.connection.clone())),
            Some(connection) if !connection.allows(&call.method, &call.path) => {
                Err(Obstacle::NotAllowed(call.summary()))
            }
            Some(connection) => Ok((connection, read)),
        }
    }
}
