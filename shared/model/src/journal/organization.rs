//! The organization's journal: an entry for each change of users, tokens, plan, policy, connections,
//! pauses, webhooks and alerts.
//!
//! The organization has one chain. An attacker who can write the whole table and recompute all later
//! hashes is detected by a head stored elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    Chained, DigestedMembers, EntryContent, JournalFlaw, JournalHead, Link, OrganizationEvent,
    Personal, canonical, first_break,
    personal::{NAMES, digested, members},
    subject,
};
use crate::{
    AgentSessionId, JournalSubject, JsonObject, JsonText, OrganizationId, Timestamp, Token,
    TokenId, TokenName, UserId, digest, input, names::names, random,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationEntry {
    pub organization_id: OrganizationId,
    pub seq: i64,
    /// The instant of the change, never before that of the entry before it.
    pub at: Timestamp,
    pub actor: EntryActor,
    /// The credential of the request; none for the service itself and the operator.
    pub credential: Option<EntryCredential>,
    pub event: OrganizationEvent,
    /// The changed records, such as `user:7`.
    pub subjects: Vec<String>,
    /// The changed fields before; none for a new record.
    pub before: Option<JsonText>,
    /// The changed fields after; none for a deleted record.
    pub after: Option<JsonText>,
    /// The hash of the entry before it; empty for the first entry.
    pub previous_hash: String,
    /// SHA-256 of the canonical JSON of the entry without this member, in hexadecimal.
    pub hash: String,
    /// Names of persons, until they are erased. The chain has their digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub personal: Option<Personal>,
    /// The erasure of names in the chain. It has the digest of what is left of this entry. The hash no longer
    /// follows from that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_by: Option<ErasedBy>,
    /// The organization in whose journal it was chained, if an import moved it to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chained_as: Option<OrganizationId>,
}

/// The place of an entry of the event `user_erased`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedBy {
    pub seq: i64,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationHead {
    pub organization_id: OrganizationId,
    pub newest: JournalHead,
    pub at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryActor {
    #[serde(rename = "type")]
    pub kind: EntryActorType,
    /// The user, for an actor of type `user`.
    pub user_id: Option<UserId>,
}

names! {
    /// The type of an actor.
    pub enum EntryActorType {
        /// A user.
        User,
        /// The operator of the service, with a program of their own.
        Operator,
        /// The service itself.
        Service,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryCredential {
    #[serde(rename = "type")]
    pub kind: CredentialType,
    /// The token, for a credential of type `token`.
    pub token_id: Option<TokenId>,
    pub token_name: Option<TokenName>,
    /// True for a machine's token. Entries do not have it.
    #[serde(skip)]
    pub is_machine: bool,
}

names! {
    /// The type of a credential.
    pub enum CredentialType {
        /// A session.
        Session,
        /// A token.
        Token,
    }
}

input! {
    pub struct OrganizationJournalFilter {
        /// Start of the period, inclusive.
        from: Option<Timestamp>,
        /// End of the period, exclusive.
        to: Option<Timestamp>,
        /// A changed record, such as `user:7`.
        subject: Option<JournalSubject>,
    }
}

input! {
    /// The start of a check.
    pub struct OrganizationJournalFrom {
        /// The instant of the first entry to check; without it, the check begins with entry 1.
        from: Option<Timestamp>,
    }
}

impl EntryActor {
    pub const fn user(user_id: UserId) -> Self {
        Self {
            kind: EntryActorType::User,
            user_id: Some(user_id),
        }
    }

    pub const fn of(kind: EntryActorType) -> Self {
        Self {
            kind,
            user_id: None,
        }
    }
}

impl EntryCredential {
    pub const fn session() -> Self {
        Self {
            kind: CredentialType::Session,
            token_id: None,
            token_name: None,
            is_machine: false,
        }
    }
}

impl From<&Token> for EntryCredential {
    fn from(token: &Token) -> Self {
        Self {
            kind: CredentialType::Token,
            token_id: Some(token.id),
            token_name: Some(token.name.clone()),
            is_machine: token.is_machine(),
        }
    }
}

impl OrganizationHead {
    pub fn none(organization_id: OrganizationId, now: Timestamp) -> Self {
        Self {
            organization_id,
            newest: JournalHead::default(),
            at: now,
        }
    }

    pub fn append(
        &mut self,
        content: EntryContent,
        (actor, credential): (EntryActor, Option<EntryCredential>),
        now: Timestamp,
    ) -> OrganizationEntry {
        // Clocks of instances differ.
        self.at = self.at.max(now);
        let EntryContent {
            event,
            subjects,
            before,
            after,
        } = content;
        let mut entry = OrganizationEntry {
            organization_id: self.organization_id,
            seq: 0,
            at: self.at,
            actor,
            credential,
            event,
            subjects,
            before,
            after,
            previous_hash: String::new(),
            hash: String::new(),
            personal: None,
            erased_by: None,
            chained_as: None,
        };
        entry.digest_names();
        entry.chained(&mut self.newest)
    }
}

impl OrganizationEntry {
    /// Replaces names by their digests, and keeps them beside the entry.
    fn digest_names(&mut self) {
        let key = random::token();
        let apart = |fields: &mut Option<JsonText>| {
            let mut names = Map::new();
            for (name, value) in members(fields) {
                if NAMES.contains(&name.as_str()) && !value.is_null() {
                    let digested = digested(&key, name, value);
                    names.insert(name.clone(), std::mem::replace(value, digested));
                }
            }
            JsonText(JsonObject(names))
        };
        let (before, after) = (apart(&mut self.before), apart(&mut self.after));
        let has_names = !(before.0.0.is_empty() && after.0.0.is_empty());
        self.personal = has_names.then_some(Personal { key, before, after });
    }

    /// Returns true if the names beside the entry are those of its digests.
    fn has_its_names(&self) -> bool {
        let Some(personal) = &self.personal else {
            return true;
        };
        let fits = |fields: &Option<JsonText>, names: &JsonText| {
            let names = &mut names.0.0.iter();
            names.all(|(name, value)| {
                let own = fields.as_ref().and_then(|fields| fields.0.0.get(name));
                own == Some(&digested(&personal.key, name, value))
            })
        };
        fits(&self.before, &personal.before) && fits(&self.after, &personal.after)
    }

    /// Puts the names that stand beside the entry in place of their digests, to show it.
    pub fn show_names(&mut self) -> Option<DigestedMembers> {
        let Personal { key, before, after } = self.personal.take()?;
        let mut names: Vec<String> = Vec::new();
        for (fields, shown) in [(&mut self.before, before), (&mut self.after, after)] {
            for (name, value) in shown.0.0 {
                if let Some(fields) = fields {
                    fields.0.0.insert(name.clone(), value);
                }
                names.push(name);
            }
        }
        names.sort();
        names.dedup();
        Some(DigestedMembers {
            key,
            members: names,
        })
    }

    /// Erases the names of an entry. Returns the digest of what is left if the entry had names in its chain,
    /// as earlier releases wrote them: its own hash no longer follows from it.
    pub fn erase_names(&mut self) -> Option<String> {
        self.personal = None;
        let mut is_changed = false;
        for fields in [&mut self.before, &mut self.after] {
            for (name, value) in members(fields) {
                if NAMES.contains(&name.as_str()) && value.is_string() {
                    *value = json!({ "erased": true });
                    is_changed = true;
                }
            }
        }
        is_changed.then(|| self.digest_of_rest())
    }

    /// Returns the digest of the entry as it is, by which a later entry names an erased one.
    pub fn digest_of_rest(&self) -> String {
        digest(&canonical(&self.content()))
    }
}

impl Chained for OrganizationEntry {
    fn link(&self) -> Link {
        Link {
            seq: self.seq,
            previous_hash: self.previous_hash.clone(),
            hash: self.hash.clone(),
        }
    }

    fn set_link(&mut self, link: Link) {
        self.seq = link.seq;
        self.previous_hash = link.previous_hash;
        self.hash = link.hash;
    }

    fn computed_hash(&self) -> String {
        // Who checks it compares what is left with the entry that names it.
        if self.erased_by.is_some() {
            return self.hash.clone();
        }
        let content = self.content();
        let names = if self.has_its_names() {
            ""
        } else {
            "changed names"
        };
        digest(&(names.to_owned() + &canonical(&content)))
    }

    fn content(&self) -> Value {
        json!({
            "organization": self.chained_as.unwrap_or(self.organization_id),
            "seq": self.seq,
            "at": self.at,
            "actor": self.actor,
            "credential": self.credential,
            "event": self.event,
            "subjects": self.subjects,
            "before": self.before.as_ref().map(|before| &before.0),
            "after": self.after.as_ref().map(|after| &after.0),
            "previousHash": self.previous_hash,
        })
    }
}

/// The result of a check of the organization's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(examples(json!({
    "verified": true,
    "entries": 2,
    "breaks": [],
    "head": {"seq": 2, "hash": "a3bf4f1b2b0b822cd15d6c15b0f00a089f86d081884c7d659a2feaa0c55ad015"},
    "next": null
})))]
#[serde(rename_all = "camelCase")]
pub struct OrganizationJournalCheck {
    /// True if the checked entries are complete and unchanged.
    pub verified: bool,
    /// Number of checked entries.
    pub entries: i64,
    /// The first break of the chain, if there is one, and each session that is missing.
    pub breaks: Vec<OrganizationJournalBreak>,
    /// The newest checked entry, for storage elsewhere; the journal's head at the end of the check.
    pub head: JournalHead,
    /// Value of `from` that checks the rest; null at the end of the journal.
    pub next: Option<Timestamp>,
}

/// The newest entry of an ended agent session's journal, as an entry of the organization's journal names
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHead {
    pub id: AgentSessionId,
    /// The number of the session's entry.
    pub seq: i64,
    pub at: Timestamp,
    pub hash: String,
}

impl OrganizationEntry {
    pub fn ended_sessions(&self) -> Vec<SessionHead> {
        let after = self
            .after
            .as_ref()
            .filter(|_| self.event == OrganizationEvent::AgentSessionsEnded);
        let heads = after.into_iter().flat_map(|after| after.0.0.values());
        heads
            .filter_map(|head| serde_json::from_value(head.clone()).ok())
            .collect()
    }
}

impl EntryContent {
    /// Notes the erasure of a user's names. `rests` has digests of the entries with names in their chain.
    pub fn user_erased(user: UserId, rests: BTreeMap<String, String>) -> Self {
        let rests = rests.into_iter().map(|(seq, rest)| (seq, rest.into()));
        let after = JsonText(JsonObject(rests.collect()));
        Self {
            event: OrganizationEvent::UserErased,
            subjects: vec![subject::user(user)],
            before: None,
            after: Some(after),
        }
    }

    /// Notes ended agent sessions; none if there are none.
    pub fn sessions_ended(heads: &[SessionHead]) -> Option<Self> {
        let named = heads
            .iter()
            .map(|head| (subject::agent_session(head.id), json!(head)));
        Self::several(OrganizationEvent::AgentSessionsEnded, None, named.collect())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrganizationJournalBreak {
    pub seq: i64,
    /// The agent session without the named entry, as `agent_session:7`.
    pub subject: Option<String>,
    pub why: JournalFlaw,
}

impl OrganizationJournalCheck {
    /// Checks entries, oldest first, that come after `before`. `head` is the journal's head, and
    /// `has_more` says that the entries end before it.
    pub fn of(
        before: Option<&OrganizationEntry>,
        entries: &[OrganizationEntry],
        head: &JournalHead,
        has_more: bool,
    ) -> Self {
        let anchor = before.map(|entry| JournalHead {
            seq: entry.seq,
            hash: entry.hash.clone(),
        });
        let anchor = anchor.unwrap_or_default();
        let all: Vec<&OrganizationEntry> = entries.iter().collect();
        let end = (!has_more).then_some(head);
        let flaw = first_break(&anchor, &all, end, &[]);
        let newest = entries.last().filter(|_| has_more);
        let breaks: Vec<_> = flaw
            .into_iter()
            .map(|(seq, why)| OrganizationJournalBreak {
                seq,
                subject: None,
                why,
            })
            .collect();
        Self {
            verified: breaks.is_empty(),
            entries: i64::try_from(entries.len()).unwrap_or(i64::MAX),
            breaks,
            head: newest.map_or_else(
                || head.clone(),
                |entry| JournalHead {
                    seq: entry.seq,
                    hash: entry.hash.clone(),
                },
            ),
            next: newest.map(|entry| entry.at),
        }
    }

    /// Adds an entry that is not as the chain has it.
    pub fn is_changed(&mut self, seq: i64) {
        self.verified = false;
        self.breaks.push(OrganizationJournalBreak {
            seq,
            subject: None,
            why: JournalFlaw::Changed,
        });
    }

    /// Adds a session without the entry of `seq` in its journal.
    pub fn lacks(&mut self, seq: i64, session: AgentSessionId) {
        self.verified = false;
        self.breaks.push(OrganizationJournalBreak {
            seq,
            subject: Some(subject::agent_session(session)),
            why: JournalFlaw::SessionMissing,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn head() -> OrganizationHead {
        OrganizationHead::none(OrganizationId::new(1).unwrap(), NOW)
    }

    fn password_set() -> EntryContent {
        EntryContent::password_set(UserId::new(1).unwrap())
    }

    fn service() -> (EntryActor, Option<EntryCredential>) {
        (EntryActor::of(EntryActorType::Service), None)
    }

    #[test]
    fn instants_never_go_back() {
        let mut head = head();
        let at = |head: &mut OrganizationHead, millis| {
            head.append(password_set(), service(), Timestamp::from_millis(millis))
                .at
        };
        assert_eq!(at(&mut head, 2_000), Timestamp::from_millis(2_000));
        assert_eq!(at(&mut head, 1_500), Timestamp::from_millis(2_000));
    }

    #[test]
    fn parts_of_a_journal_check_as_the_whole_does() {
        let mut head = head();
        let entries: Vec<_> = (1..=6)
            .map(|at| {
                head.append(
                    password_set(),
                    service(),
                    Timestamp::from_millis(at * 10_000),
                )
            })
            .collect();
        let newest = &head.newest;
        let flaw = |before: usize, entries: &[OrganizationEntry], more| {
            let (before, rest) = entries.split_at(before);
            let check = OrganizationJournalCheck::of(before.last(), rest, newest, more);
            assert_eq!(check.verified, check.breaks.is_empty());
            check.breaks.first().map(|flaw| (flaw.seq, flaw.why))
        };
        assert_eq!(flaw(0, &entries, false), None);
        assert_eq!(flaw(3, &entries, false), None);
        assert_eq!(flaw(2, &entries[..4], true), None);
        assert_eq!(flaw(6, &entries, false), None);
        let (missing, not_the_head) = (JournalFlaw::Missing, JournalFlaw::NotTheHead);
        assert_eq!(flaw(2, &entries[..4], false), Some((5, missing)));
        let mut without = entries.clone();
        without.remove(3);
        assert_eq!(flaw(0, &without, false), Some((4, missing)));
        assert_eq!(flaw(3, &without, false), Some((4, missing)));
        let part = OrganizationJournalCheck::of(None, &entries[..4], newest, true);
        assert_eq!(part.next, Some(entries[3].at));
        assert_eq!((part.head.seq, &part.head.hash), (4, &entries[3].hash));
        // A head that was put back.
        let old = JournalHead {
            seq: 4,
            hash: entries[3].hash.clone(),
        };
        for before in [0, 5, 6] {
            let (before, rest) = entries.split_at(before);
            let check = OrganizationJournalCheck::of(before.last(), rest, &old, false);
            assert_eq!(check.breaks[0].why, not_the_head);
        }
    }
}
