//! A playbook's reads of target systems.

use super::values::{Values, missing};
use crate::prelude::*;

pub(crate) const MOST_READS: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadInFile {
    pub(super) name: String,
    pub(super) connection: Template,
    pub(super) path: Template,
    /// The JSON pointer of each fact in the answer.
    pub(super) facts: BTreeMap<String, String>,
    /// Values of facts that the answer lacks. Without one, the fact is unknown.
    #[serde(default)]
    pub(super) absent: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) connection: String,
    /// The reason if no connection plays its role.
    unresolved: Option<String>,
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
            unresolved: values.unresolved(&self.connection),
            uses: uses.map(str::to_owned).collect(),
            rendered,
        }
    }
}

impl Read {
    pub(crate) fn waits_for_a_fact(&self) -> bool {
        matches!(&self.rendered, Err(Missing(name)) if name.contains('.'))
    }

    /// Returns the read with its connection, or why it cannot be sent.
    pub(crate) fn ready<'a>(
        &'a self,
        connections: &'a [Connection],
    ) -> Result<(&'a Connection, &'a TargetRead), String> {
        if let Some(why) = &self.unresolved {
            return Err(why.clone());
        }
        let read = self.rendered.as_ref();
        let read = read.map_err(|Missing(name)| missing(name))?;
        let connection = allowing(connections, &self.connection, &read.call())?;
        Ok((connection, read))
    }
}

/// Returns the connection of that name, or why a call cannot be sent through it.
pub(super) fn allowing<'a>(
    connections: &'a [Connection],
    name: &str,
    call: &ApiCall,
) -> Result<&'a Connection, String> {
    let connection = Connection::named(connections, name);
    let connection = connection.ok_or_else(|| format!("there is no connection {name:?}"))?;
    if !connection.allows(&call.method, &call.path) {
        return Err(format!("{} is not allowed", call.summary()));
    }
    Ok(connection)
}
