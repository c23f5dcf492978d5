//! The journal of a session: an entry for each of its transitions and of its actions', each with the
//! hash of the one before it, so that none is changed or taken away without a trace.
//!
//! There is a chain of the session, and one of each action from its first claim on: workers that run
//! actions side by side write none of each other's. The newest hash of a chain, its head, stands on
//! the record that is written with it anyway. When a session has ended, its chain names the heads of
//! its actions.
//!
//! It shows what was changed past the service. Who can write all of the table and computes every
//! hash behind a change anew is found by a head that was kept elsewhere, such as in an export.

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
    /// The action whose chain it is of; none for the session's own.
    pub action_id: Option<String>,
    /// From 1 in each chain.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: JournalActor,
    /// What happened.
    pub what: JournalEvent,
    /// Where it stood before.
    pub from: Option<String>,
    /// Where it stands now.
    pub to: Option<String>,
    /// The digest of the action that it concerns.
    pub digest: Option<String>,
    /// What else there is to say: digests by actions, an excerpt of an answer, reasons.
    pub detail: Option<JsonText>,
    /// The hash of the entry before it in its chain; empty for the first.
    pub previous_hash: String,
    /// SHA-256 of the canonical JSON of all of it but this, in hexadecimal.
    pub hash: String,
}

/// The newest entry of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalHead {
    /// Its number; 0 as long as there is none.
    pub seq: i64,
    /// Its hash.
    pub hash: String,
}

/// Who did what an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalActor {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: JournalActorType,
    /// Which user.
    pub user_id: Option<UserId>,
}

/// What an actor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalActorType {
    /// Somebody.
    User,
    /// What analyses alerts.
    Engine,
    /// What runs actions.
    Worker,
    /// What comes by for what was left.
    Sweeper,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalEvent {
    /// The session was opened.
    Opened,
    /// The analysis began.
    AnalysisBegun,
    /// Actions were proposed.
    Proposed,
    /// The analysis came to nothing.
    AnalysisFailed,
    /// Somebody approved actions.
    Approved,
    /// Somebody rejected the proposal.
    Rejected,
    /// Somebody cancelled the session.
    Cancelled,
    /// The session's time was over.
    Lapsed,
    /// All actions have ended, or somebody settled one of them since.
    Settled,
    /// Somebody said that a manual action is done, or the service request for it was resolved.
    DoneByHand,
    /// Somebody said that a manual action need not be done.
    Waived,
    /// Somebody was asked to do a manual action, by a service request.
    HandedOver,
    /// That service request was opened again.
    HandOverReopened,
    /// That service request was deleted, and the action is as it was before.
    HandOverWithdrawn,
    /// A worker took the action.
    Claimed,
    /// The target system answered a step, or did not.
    Answered,
    /// The action was given back for later.
    Released,
    /// The action has ended.
    Ended,
    /// The target system was looked at.
    Looked,
    /// Looks have told whether the action had its effect.
    Verified,
    /// Looks have told what became of a call that was unknown, or told nothing to the last.
    Reconciled,
    /// What the alert is about is put right, and the alert resolved.
    AlertResolved,
    /// Somebody settled an action whose outcome was unknown.
    Verdict,
}

/// What is to be said of a transition.
#[derive(Clone, Debug)]
pub struct Note {
    /// Who.
    pub actor: JournalActor,
    /// What happened.
    pub what: JournalEvent,
    /// Where it stood before.
    pub from: Option<&'static str>,
    /// The rest.
    pub detail: Option<JsonText>,
}

/// An answer of a target system that is not in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAnswer {
    /// The step, from 1.
    pub step: i64,
    /// When it came, or did not.
    pub at: Timestamp,
    /// What it tells.
    pub effect: &'static str,
    /// What was wrong; empty where nothing was.
    pub problem: String,
    /// The answer as results keep it.
    pub response: Option<JsonText>,
}

input! {
    /// Which entries of journals to export.
    pub struct JournalPeriod {
        /// Written at this instant or after it.
        from: Option<Timestamp>,
        /// Written before this instant.
        to: Option<Timestamp>,
    }
}

/// Orders of journals; ties are broken by session, chain and number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum JournalSort {
    /// The oldest first.
    #[default]
    #[serde(rename = "at")]
    OldestFirst,
}

impl JournalActor {
    /// A user; without one, the service itself on behalf of nobody.
    #[must_use]
    pub const fn user(user_id: Option<UserId>) -> Self {
        Self {
            kind: JournalActorType::User,
            user_id,
        }
    }

    /// No user.
    #[must_use]
    pub const fn of(kind: JournalActorType) -> Self {
        Self {
            kind,
            user_id: None,
        }
    }
}

impl Note {
    /// Without a detail.
    #[must_use]
    pub const fn new(actor: JournalActor, what: JournalEvent, from: Option<&'static str>) -> Self {
        Self {
            actor,
            what,
            from,
            detail: None,
        }
    }

    /// With this detail, which is an object.
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
    /// The hash that it has to have.
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

    /// Puts it behind the head of its chain, which it becomes.
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
    /// The entry of a transition that was just made, to be written with it.
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

    /// The digests of some of its actions, by their ids.
    #[must_use]
    pub fn digests<'a>(&self, ids: impl Iterator<Item = &'a String>) -> Value {
        let actions = ids.filter_map(|id| self.proposed(id));
        let digests = actions.map(|action| (action.id.clone(), Value::from(action.digest(self))));
        Value::Object(digests.collect())
    }
}

impl AgentAction {
    /// The entries of the answers that came since the last one, and of a transition that was just
    /// made, to be written with it.
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

/// What a check of a journal comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalCheck {
    /// Whether every chain is whole and unchanged.
    pub verified: bool,
    /// How many entries there are.
    pub entries: i64,
    /// The first break of each chain that has one.
    pub breaks: Vec<JournalBreak>,
    /// The head of the session's chain, to be kept elsewhere.
    pub head: JournalHead,
}

/// Where a chain breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalBreak {
    /// The action whose chain it is; null for the session's own.
    pub action_id: Option<String>,
    /// The number of the entry.
    pub seq: i64,
    /// What is wrong with it.
    pub why: JournalFlaw,
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalFlaw {
    /// It is not there.
    Missing,
    /// It is not what was written.
    Changed,
    /// It does not follow from the one before it.
    Unchained,
    /// It is not the one that its record, or the session's chain, names as the newest.
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
    // An action of which neither record nor entries are left.
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

/// The heads of actions that the session's chain names.
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

/// The first entry of a chain that is not as it has to be. A chain whose record does not say its
/// head, because it does not read, is checked as far as it goes.
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
