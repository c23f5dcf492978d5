//! The ledger of answers to clients, and of the records that must therefore exist in the end.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alerts::Class;

/// The ledger of one client.
#[derive(Debug, Default)]
pub struct Ledger {
    pub requests: usize,
    pub made: Vec<Made>,
    pub sessions: Vec<Session>,
    /// Answers that the contract does not allow.
    pub wrong: Vec<String>,
    /// By target system and operation, faults that were counted as strikes and met no call.
    pub unmet: BTreeMap<String, usize>,
}

/// A record that a client wanted created.
#[derive(Debug)]
pub struct Made {
    /// Its kind in the table.
    pub kind: &'static str,
    /// Its unique text, by which it is found.
    pub mark: String,
    /// Sends, and answers as done.
    pub sends: usize,
    pub successes: usize,
    /// All sends had one key, so that they are one.
    pub keyed: bool,
    pub id: Option<i64>,
    pub gone: Gone,
    /// By field, the values that may be there: the last confirmed one, or any sent since.
    pub fields: BTreeMap<&'static str, Vec<Value>>,
    /// The place in the ledger of the record that it goes with.
    pub thread: Option<usize>,
}

/// The deletion of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    No,
    Perhaps,
    Surely,
}

/// A session of the agent.
#[derive(Debug)]
pub struct Session {
    pub id: i64,
    /// The subject of its alert: the number of the entities.
    pub class: Class,
    pub entity: usize,
    /// The actions that a client was told had succeeded.
    pub told: Vec<String>,
}

impl Made {
    pub const fn new(kind: &'static str, mark: String) -> Self {
        Self {
            kind,
            mark,
            sends: 0,
            successes: 0,
            keyed: false,
            id: None,
            gone: Gone::No,
            fields: BTreeMap::new(),
            thread: None,
        }
    }

    /// A value was sent, and answered as written if it is sure.
    pub fn wrote(&mut self, field: &'static str, value: Value, is_sure: bool) {
        if is_sure {
            self.fields.insert(field, vec![value]);
        } else if let Some(values) = self.fields.get_mut(field) {
            values.push(value);
        }
    }

    /// Returns the least and the most of its copies.
    pub fn bounds(&self) -> (usize, usize) {
        let (least, most) = if self.keyed {
            (self.successes.min(1), 1)
        } else {
            (self.successes, self.sends)
        };
        match self.gone {
            Gone::No => (least, most),
            // One of them is, or may be.
            Gone::Perhaps => (least.saturating_sub(1), most),
            Gone::Surely => (least.saturating_sub(1), most.saturating_sub(1)),
        }
    }
}
