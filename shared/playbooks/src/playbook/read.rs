//! A playbook's reads of target systems.

use std::collections::BTreeMap;

use agent::{
    check::{Derived, Facts, ListFact, Sum, TargetRead, WholeList},
    connection::{ApiCall, Connection},
};
use serde::Deserialize;
use serde_json::Value;

use crate::template::{Missing, Template, is_unseen, plain};

use super::values::{Values, missing};

pub(crate) const MOST_READS: usize = 6;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadInFile {
    pub(super) name: String,
    pub(super) connection: Template,
    pub(super) path: Template,
    /// Members of the query.
    #[serde(default)]
    pub(super) query: BTreeMap<String, Template>,
    /// The JSON pointer of each fact in the answer.
    #[serde(default)]
    pub(super) facts: BTreeMap<String, String>,
    /// Values of facts that the answer lacks. Without one, the fact is unknown. Such a value proves
    /// nothing: no condition of an action with money may hold by it.
    #[serde(default)]
    pub(super) absent: BTreeMap<String, Value>,
    /// Values of facts for which the answer gives null: the system says that there is none.
    #[serde(default)]
    pub(super) nulls: BTreeMap<String, Value>,
    /// Sums of facts of this read.
    #[serde(default)]
    pub(super) sums: BTreeMap<String, Sum>,
    /// Facts over the rows of a list.
    #[serde(default)]
    pub(super) lists: BTreeMap<String, ListFact>,
    /// The sign of an answer with all rows.
    pub(super) whole: Option<WholeList>,
    /// Facts that are instants.
    #[serde(default)]
    pub(super) times: Vec<String>,
    /// Facts that are amounts in the currency's smallest unit.
    #[serde(default)]
    pub(super) amounts: BTreeMap<String, Basis>,
    /// The fact with the currency of the amounts.
    pub(super) currency: Option<String>,
}

/// The basis of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Basis {
    /// Without tax.
    Net,
    /// With tax.
    Gross,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) connection: String,
    /// The reason if no connection plays its role.
    unresolved: Option<String>,
    /// The facts of other reads in its path and query.
    pub(super) uses: Vec<String>,
    /// The id that was asked for: the last value in the path.
    requested: Option<String>,
    /// The error names the parameter that the alert lacks, or the unknown fact.
    rendered: Result<TargetRead, Missing>,
}

/// The fact that every answer gives: its status code.
pub(super) const HTTP: &str = "http";

/// The fact with the id of the record that was read.
pub(super) const ID: &str = "id";

impl ReadInFile {
    pub(super) fn render(&self, values: &Values) -> Read {
        let connection = values.name(&self.connection);
        let rendered = self.target(values, &connection);
        let placeholders = self
            .placeholders()
            .filter(|name| name.contains('.'));
        let last = self.path.placeholders().last();
        let requested = last
            .and_then(|name| values.parameter(name))
            .map(plain);
        Read {
            name: self.name.clone(),
            connection,
            unresolved: values.unresolved(&self.connection),
            uses: placeholders
                .map(str::to_owned)
                .collect(),
            requested: requested.filter(|_| self.path.ends_with_placeholder()),
            rendered,
        }
    }

    fn target(&self, values: &Values, connection: &str) -> Result<TargetRead, Missing> {
        let members = self.query.iter();
        let members = members.map(|(name, value)| Ok((name.clone(), values.id(value)?)));
        Ok(TargetRead {
            name: self.name.clone(),
            connection: connection.to_owned(),
            path: values.path(&self.path)?,
            query: members.collect::<Result<_, Missing>>()?,
            facts: self.facts.clone(),
            absent: self.absent.clone(),
            derived: Derived {
                nulls: self.nulls.clone(),
                sums: self.sums.clone(),
                lists: self.lists.clone(),
                whole: self.whole.clone(),
                times: self.times.clone(),
                amounts: self.amounts().cloned().collect(),
                currency: self.currency.clone(),
            },
        })
    }

    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        let in_query = self
            .query
            .values()
            .flat_map(Template::placeholders);
        self.path.placeholders().chain(in_query)
    }

    /// Returns the facts that are amounts, with sums of amounts.
    fn amounts(&self) -> impl Iterator<Item = &String> {
        let sums = self
            .sums
            .keys()
            .filter(|sum| self.basis(sum).is_some());
        self.amounts.keys().chain(sums)
    }

    /// True if an answer can give the fact.
    pub(super) fn gives(&self, fact: &str) -> bool {
        fact == HTTP
            || self.facts.contains_key(fact)
            || self.sums.contains_key(fact)
            || self.lists.contains_key(fact)
    }

    /// Returns the basis of an amount: its own, or that of the terms of its sum. None for another
    /// fact.
    pub(super) fn basis(&self, fact: &str) -> Option<Basis> {
        if let Some(basis) = self.amounts.get(fact) {
            return Some(*basis);
        }
        let mut terms = self
            .sums
            .get(fact)?
            .facts()
            .map(|term| self.basis(term));
        let first = terms.next()??;
        terms
            .all(|basis| basis == Some(first))
            .then_some(first)
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

    /// Returns the fact of another read that it lacks for its request; none if it lacks none.
    pub(crate) fn lacks(&self) -> Option<&str> {
        let Err(Missing(name)) = self.rendered.as_ref() else {
            return None;
        };
        name.contains('.').then_some(name)
    }

    /// Returns the requested id and the answered one, if they are of two records. Two spellings of
    /// one id differ in case and leading zeros alone.
    pub(crate) fn other_record(&self, facts: &Facts) -> Option<(&str, String)> {
        let requested = self.requested.as_deref()?;
        let answered = plain(
            facts
                .get(&format!("{}.{ID}", self.name))?
                .clone(),
        );
        // Such an answer names no record that a person could tell from another.
        if answered.contains(is_unseen) {
            return None;
        }
        let spelled = |id: &str| {
            id.trim_start_matches('0')
                .to_lowercase()
        };
        (spelled(requested) != spelled(&answered)).then_some((requested, answered))
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
