//! The journal of a session: an entry for each transition of the session and its actions. Each
//! entry has the hash of the one before it, so that none is changed or removed unnoticed.
//!
//! The session has a chain, and each action has one from its first claim on. Workers that run
//! actions in parallel thus write different chains. A chain's newest hash is its head, stored on
//! the record that the same transaction writes. When a session has ended, its chain names the heads
//! of its actions.
//!
//! The journal detects changes made outside the service. An attacker who can write the whole table
//! and recompute all later hashes is detected by a head stored elsewhere, such as in an export.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{AgentAction, AgentSession, digest::canonical};
use crate::{
    AgentSessionId, JsonObject, JsonText, OrganizationId, Timestamp, UserId, input, sid::digest,
};

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The session.
    pub session_id: AgentSessionId,
    /// The action of the chain; none for the session's own chain.
    pub action_id: Option<String>,
    /// The number within the chain, from 1.
    pub seq: i64,
    /// The instant of the event.
    pub at: Timestamp,
    /// The actor.
    pub actor: JournalActor,
    /// The event.
    pub what: JournalEvent,
    /// The status or state before.
    pub from: Option<String>,
    /// The status or state after.
    pub to: Option<String>,
    /// The digest of the action.
    pub digest: Option<String>,
    /// Details such as digests by action, an excerpt of an answer, or reasons.
    pub detail: Option<JsonText>,
    /// The hash of the entry before it in its chain; empty for the first entry.
    pub previous_hash: String,
    /// SHA-256 of the canonical JSON of the entry without this member, in hexadecimal.
    pub hash: String,
}

/// The newest entry of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalHead {
    /// Its number; 0 for an empty chain.
    pub seq: i64,
    /// Its hash.
    pub hash: String,
}

/// The actor of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalActor {
    /// The type of actor.
    #[serde(rename = "type")]
    pub kind: JournalActorType,
    /// The user, for an actor of type `user`.
    pub user_id: Option<UserId>,
}

/// The type of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalActorType {
    /// A user.
    User,
    /// The component that analyses alerts.
    Engine,
    /// The component that runs actions.
    Worker,
    /// The component that resumes what was left behind.
    Sweeper,
}

/// The event of a journal entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalEvent {
    /// The session was opened.
    Opened,
    /// The analysis began.
    AnalysisBegun,
    /// Actions were proposed.
    Proposed,
    /// The analysis failed.
    AnalysisFailed,
    /// A user approved actions.
    Approved,
    /// A user rejected the proposal.
    Rejected,
    /// A user cancelled the session.
    Cancelled,
    /// The session's time ended.
    Lapsed,
    /// All actions have ended, or an unknown outcome was settled later.
    Settled,
    /// A manual action is done: a user said so, or its service request was resolved.
    DoneByHand,
    /// A user waived a manual action.
    Waived,
    /// A user handed a manual action over, by a service request.
    HandedOver,
    /// The service request of a handover was opened again.
    HandOverReopened,
    /// The service request of a handover was deleted. The action is as before.
    HandOverWithdrawn,
    /// A worker claimed the action.
    Claimed,
    /// The target system answered a step, or did not answer.
    Answered,
    /// The action was released for a later retry.
    Released,
    /// The action has ended.
    Ended,
    /// The target system was checked.
    Looked,
    /// Verification ended: the action had its effect, or it had not.
    Verified,
    /// Reconciliation ended, with or without a result.
    Reconciled,
    /// The alert was resolved.
    AlertResolved,
    /// A user settled an action whose outcome was unknown.
    Verdict,
}

/// The content of a journal entry.
#[derive(Clone, Debug)]
pub struct Note {
    /// The actor.
    pub actor: JournalActor,
    /// The event.
    pub what: JournalEvent,
    /// The status or state before.
    pub from: Option<&'static str>,
    /// The details.
    pub detail: Option<JsonText>,
}

/// An answer of a target system that is not in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer {
    /// The step, from 1.
    pub step: i64,
    /// The instant of the answer or of the failure.
    pub at: Timestamp,
    /// The effect that it tells.
    pub effect: &'static str,
    /// The problem; empty if there is none.
    pub problem: String,
    /// The answer in the form of results.
    pub response: Option<JsonText>,
}

input! {
    /// The period of a journal export.
    pub struct JournalPeriod {
        /// Start of the period, inclusive.
        from: Option<Timestamp>,
        /// End of the period, exclusive.
        to: Option<Timestamp>,
    }
}

impl JournalActor {
    /// Creates the actor of a user; without one, the service itself.
    #[must_use]
    pub const fn user(user_id: Option<UserId>) -> Self {
        Self {
            kind: JournalActorType::User,
            user_id,
        }
    }

    /// Creates an actor without a user.
    #[must_use]
    pub const fn of(kind: JournalActorType) -> Self {
        Self {
            kind,
            user_id: None,
        }
    }
}

impl Note {
    /// Creates a note without details.
    #[must_use]
    pub const fn new(actor: JournalActor, what: JournalEvent, from: Option<&'static str>) -> Self {
        Self {
            actor,
            what,
            from,
            detail: None,
        }
    }

    /// Adds details, which are an object.
    #[must_use]
    pub fn with(mut self, detail: Value) -> Self {
        self.detail = match detail {
            Value::Object(detail) => Some(JsonText(JsonObject(detail))),
            _ => None,
        };
        self
    }
}

impl JournalEntry {
    /// Returns the hash that the entry must have.
    #[must_use]
    pub fn computed_hash(&self) -> String {
        digest(&canonical(&json!({
            "organization": self.organization_id,
            "session": self.session_id,
            "action": self.action_id,
            "seq": self.seq,
            "at": self.at,
            "actor": self.actor,
            "what": self.what,
            "from": self.from,
            "to": self.to,
            "digest": self.digest,
            "detail": self.detail.as_ref().map(|detail| &detail.0),
            "previousHash": self.previous_hash,
        })))
    }

    /// Appends it to its chain as the new head.
    fn chained(mut self, head: &mut JournalHead) -> Self {
        self.seq = head.seq + 1;
        self.previous_hash = std::mem::take(&mut head.hash);
        self.hash = self.computed_hash();
        *head = JournalHead {
            seq: self.seq,
            hash: self.hash.clone(),
        };
        self
    }
}

impl AgentSession {
    /// Creates the entry of a transition that was just made, to be written with it.
    #[must_use]
    pub fn note(&mut self, note: Note, now: Timestamp) -> JournalEntry {
        let entry = JournalEntry {
            organization_id: self.organization_id,
            session_id: self.id,
            action_id: None,
            seq: 0,
            at: now,
            actor: note.actor,
            what: note.what,
            from: note.from.map(str::to_owned),
            to: Some(self.status.name().to_owned()),
            digest: None,
            detail: note.detail,
            previous_hash: String::new(),
            hash: String::new(),
        };
        entry.chained(&mut self.journal)
    }

    /// Returns the digests of some of its actions, by their ids.
    #[must_use]
    pub fn digests<'a>(&self, ids: impl Iterator<Item = &'a String>) -> Value {
        let actions = ids.filter_map(|id| self.proposed(id));
        let digests = actions.map(|action| (action.id.clone(), Value::from(action.digest(self))));
        Value::Object(digests.collect())
    }
}

impl AgentAction {
    /// Creates the entries of new answers and of a transition that was just made, to be written
    /// with it.
    #[must_use]
    pub fn note(&mut self, note: Option<Note>, now: Timestamp) -> Vec<JournalEntry> {
        let digest = self.digest();
        let answers = std::mem::take(&mut self.answers).into_iter();
        let worker = JournalActor::of(JournalActorType::Worker);
        let answers = answers.map(|answer| {
            let note = Note::new(worker, JournalEvent::Answered, None).with(json!({
                "step": answer.step,
                "effect": answer.effect,
                "problem": Some(answer.problem).filter(|problem| !problem.is_empty()),
                "response": answer.response.map(|response| response.0),
            }));
            (note, None, answer.at)
        });
        let looked = self.looked.take().map(|looked| {
            let note = Note::new(worker, JournalEvent::Looked, None).with(looked.detail());
            (note, None, looked.at)
        });
        let to = Some(self.state.name().to_owned());
        let notes = answers.chain(looked);
        let notes = notes.chain(note.map(|note| (note, to, now)));
        let notes: Vec<_> = notes.collect();
        let entries = notes.into_iter().map(|(note, to, at)| {
            let entry = JournalEntry {
                organization_id: self.organization_id,
                session_id: self.session_id,
                action_id: Some(self.action_id.clone()),
                seq: 0,
                at,
                actor: note.actor,
                what: note.what,
                from: note.from.map(str::to_owned),
                to,
                digest: Some(digest.clone()),
                detail: note.detail,
                previous_hash: String::new(),
                hash: String::new(),
            };
            entry.chained(&mut self.journal)
        });
        entries.collect()
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

/// A break in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalBreak {
    /// The action of the chain; null for the session's own chain.
    pub action_id: Option<String>,
    /// The number of the entry.
    pub seq: i64,
    /// The flaw.
    pub why: JournalFlaw,
}

/// The flaw of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalFlaw {
    /// The entry is missing.
    Missing,
    /// The entry was changed.
    Changed,
    /// The entry does not have the hash of the one before it.
    Unchained,
    /// The entry is not the newest one that its record, or the session's chain, names.
    NotTheHead,
}

/// Checks the chains of a session and of its actions.
#[must_use]
pub fn check_journal<'a>(
    session: &AgentSession,
    actions: impl Iterator<Item = &'a AgentAction>,
    entries: &[JournalEntry],
) -> JournalCheck {
    let mut heads: BTreeMap<Option<&str>, &JournalHead> = BTreeMap::new();
    heads.insert(None, &session.journal);
    for action in actions {
        heads.insert(Some(&action.action_id), &action.journal);
    }
    let mut chains: BTreeMap<Option<&str>, Vec<&JournalEntry>> = BTreeMap::new();
    for entry in entries {
        chains
            .entry(entry.action_id.as_deref())
            .or_default()
            .push(entry);
    }
    let named = named_heads(entries);
    let mut all: BTreeSet<Option<&str>> = heads.keys().chain(chains.keys()).copied().collect();
    // An action without record and entries.
    all.extend(named.keys().map(|action| Some(action.as_str())));
    let mut breaks = Vec::new();
    for chain in all {
        let mut found = chains.remove(&chain).unwrap_or_default();
        found.sort_by_key(|entry| entry.seq);
        let head = heads.get(&chain).copied();
        let named = chain.and_then(|action| named.get(action));
        if let Some((seq, why)) = first_break(&found, head, named) {
            let action_id = chain.map(str::to_owned);
            breaks.push(JournalBreak {
                action_id,
                seq,
                why,
            });
        }
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
    let settled = entries
        .iter()
        .filter(|entry| entry.what == JournalEvent::Settled);
    for detail in settled.filter_map(|entry| entry.detail.as_ref()) {
        let heads = detail.0.0.get("heads").and_then(Value::as_object);
        for (action, head) in heads.into_iter().flatten() {
            if let Ok(head) = serde_json::from_value(head.clone()) {
                named.entry(action.clone()).or_default().push(head);
            }
        }
    }
    named
}

/// Returns the first flawed entry of a chain. A chain without a head, since its record is
/// unreadable, is checked as far as its entries go.
fn first_break(
    entries: &[&JournalEntry],
    head: Option<&JournalHead>,
    named: Option<&Vec<JournalHead>>,
) -> Option<(i64, JournalFlaw)> {
    let mut before = "";
    for (seq, entry) in (1..).zip(entries) {
        if entry.seq != seq {
            return Some((seq, JournalFlaw::Missing));
        }
        if entry.computed_hash() != entry.hash {
            return Some((seq, JournalFlaw::Changed));
        }
        if entry.previous_hash != before {
            return Some((seq, JournalFlaw::Unchained));
        }
        before = &entry.hash;
    }
    let heads = head.into_iter().chain(named.into_iter().flatten());
    for JournalHead { seq, hash } in heads {
        let place = usize::try_from(*seq - 1).ok();
        match place.and_then(|place| entries.get(place)) {
            None if *seq > 0 => {
                let next = i64::try_from(entries.len()).unwrap_or(i64::MAX) + 1;
                return Some((next, JournalFlaw::Missing));
            }
            Some(entry) if entry.hash != *hash => return Some((*seq, JournalFlaw::NotTheHead)),
            _ => {}
        }
    }
    let newest = head.map(|head| head.seq)?;
    let behind = entries.iter().find(|entry| entry.seq > newest)?;
    Some((behind.seq, JournalFlaw::NotTheHead))
}
