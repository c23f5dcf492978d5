//! The chains of a journal: their new entries, and the check that they are complete and unchanged.

use std::collections::{BTreeMap, BTreeSet};

use model::people::{
    JournalFlaw, JournalHead, digest,
    journal::{canonical, first_break},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    action::AgentAction,
    journal::{JournalEntry, JournalEvent},
    session::AgentSession,
};

impl AgentSession {
    /// Returns the hash of its newest analysis and of what was read for it, without excerpts.
    pub fn analysis_hash(&self) -> String {
        let reads = self.analysis.reads.iter().map(|read| {
            json!({
                "name": read.name, "request": read.request, "status": read.status,
                "hash": read.hash, "facts": read.facts.0, "error": read.error,
            })
        });
        let whole = json!({ "analysis": self.analysis.newest, "reads": reads.collect::<Vec<_>>() });
        digest(&canonical(&whole))
    }

    /// Returns the digests of some of its actions, by their ids.
    pub fn digests<'a>(&self, ids: impl Iterator<Item = &'a String>) -> Value {
        let actions = ids.filter_map(|id| self.plan.proposed(id));
        let digests = actions.map(|action| (action.id.clone(), Value::from(action.digest(self))));
        Value::Object(digests.collect())
    }
}

/// The result of a journal check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalCheck {
    /// True if every chain is complete and unchanged.
    pub verified: bool,
    /// Number of entries.
    pub entries: i64,
    /// The first break of each broken chain.
    pub breaks: Vec<JournalBreak>,
    /// The head of the session's chain, for storage elsewhere.
    pub head: JournalHead,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalBreak {
    /// The action of the chain; null for the session's own chain.
    pub action_id: Option<String>,
    pub seq: i64,
    pub why: JournalFlaw,
}

pub fn check_journal<'a>(
    session: &AgentSession,
    actions: impl Iterator<Item = &'a AgentAction>,
    entries: &[JournalEntry],
) -> JournalCheck {
    let heads = actions.map(|action| (Some(&*action.key.action_id), &action.journal));
    let heads: BTreeMap<Option<&str>, &JournalHead> = heads
        .chain([(None, &session.journal)])
        .collect();
    let mut chains: BTreeMap<Option<&str>, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in entries {
        chains
            .entry(entry.action_id.as_deref())
            .or_default()
            .push(entry);
    }
    let named = named_heads(entries);
    let mut chain_names: BTreeSet<Option<&str>> = heads
        .keys()
        .chain(chains.keys())
        .copied()
        .collect();
    // An action without record and entries.
    chain_names.extend(
        named
            .keys()
            .map(|action| Some(action.as_str())),
    );
    let mut breaks = Vec::new();
    for chain in chain_names {
        let mut chain_entries = chains
            .remove(&chain)
            .unwrap_or_default();
        chain_entries.sort_by_key(|entry| entry.seq);
        let head = heads.get(&chain).copied();
        let named = chain.and_then(|action| named.get(action));
        let named = named.map_or(&[][..], Vec::as_slice);
        // A chain without a head, since its record is unreadable, is checked as far as it goes.
        let broken = first_break(&JournalHead::default(), &chain_entries, head, named);
        breaks.extend(broken.map(|(seq, why)| JournalBreak {
            action_id: chain.map(str::to_owned),
            seq,
            why,
        }));
    }
    JournalCheck {
        verified: breaks.is_empty(),
        entries: i64::try_from(entries.len()).unwrap_or(i64::MAX),
        breaks,
        head: session.journal.clone(),
    }
}

/// Returns the heads of actions that the session's chain names.
fn named_heads(entries: &[JournalEntry]) -> BTreeMap<String, Vec<JournalHead>> {
    let mut named: BTreeMap<String, Vec<JournalHead>> = BTreeMap::new();
    let is_settled = |entry: &&JournalEntry| entry.what == JournalEvent::Settled;
    let settled = entries.iter().filter(is_settled);
    for detail in settled.filter_map(|entry| entry.detail.as_ref()) {
        let heads = detail
            .0
            .0
            .get("heads")
            .and_then(Value::as_object);
        for (action, head) in heads.into_iter().flatten() {
            if let Ok(head) = serde_json::from_value(head.clone()) {
                named
                    .entry(action.clone())
                    .or_default()
                    .push(head);
            }
        }
    }
    named
}
