//! The organization's journal: an entry for each change of users, tokens, plan, policy,
//! connections, pauses, webhooks and alerts.
//!
//! The organization has one chain. An attacker who can write the whole table and recompute all
//! later hashes is detected by a head stored elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Not,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::{
    base::{
        AgentSessionId, JournalSubject, JsonObject, JsonText, OrganizationId, Timestamp, TokenId,
        TokenName, UserId, random, span,
    },
    input, names,
    people::{Session, SignInMethod, Token, digest},
};

use super::{
    ChainLink, Chained, EntryContent, JournalFlaw, JournalHead, OrganizationEvent, canonical,
    first_break, subject,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationEntry {
    pub organization_id: OrganizationId,
    /// The number, from 1; 0 for an entry beside the chain.
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
    /// The erasure of names in the chain. It has the digest of what is left of this entry. The hash
    /// no longer follows from that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_by: Option<ErasedBy>,
    /// The organization in whose journal it was chained, if an import moved it to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chained_as: Option<OrganizationId>,
    /// True if the change guards the organization, so that its admins are notified. The hash leaves
    /// it out.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub guards: bool,
}

/// Members of `before` and `after` that name a person. The chain has a digest of each. The value
/// and the key of the digest stand beside the entry until they are erased. Then all values are
/// equally likely.
const NAMES: [&str; 3] = ["email", "fullName", "username"];

/// The names of an entry, and the key of their digests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Personal {
    pub key: String,
    pub before: JsonText,
    pub after: JsonText,
}

/// The members of an entry whose hash covers their digests: `{"digest": …}` has the SHA-256 of the
/// canonical JSON of `[key, member, value]`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DigestedMembers {
    pub key: String,
    /// Their names, sorted.
    pub members: Vec<String>,
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
        User: "A user.",
        Operator: "The operator of the service, with a program of their own.",
        Service: "The service itself.",
    }

    /// The type of a credential.
    pub enum CredentialType {
        Session: "A session.",
        Token: "A token.",
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
    /// The sign-in of a session. Entries do not have it.
    #[serde(skip)]
    pub signed_in_at: Option<Timestamp>,
    /// The method of a session's sign-in. Entries do not have it.
    #[serde(skip)]
    pub method: Option<SignInMethod>,
    /// The [id](Session::public_id) of a session. Entries do not have it.
    #[serde(skip)]
    pub session_id: Option<String>,
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
            signed_in_at: None,
            method: None,
            session_id: None,
        }
    }
}

impl From<&Session> for EntryCredential {
    fn from(session: &Session) -> Self {
        Self {
            signed_in_at: Some(session.signed_in_at()),
            method: Some(session.method),
            session_id: Some(session.public_id()),
            ..Self::session()
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
            ..Self::session()
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
        by: (EntryActor, Option<EntryCredential>),
        now: Timestamp,
    ) -> OrganizationEntry {
        // Clocks of instances differ.
        self.at = self.at.max(now);
        OrganizationEntry::unlinked(self.organization_id, content, by, self.at)
            .chained(&mut self.newest)
    }
}

impl OrganizationEntry {
    fn unlinked(
        organization_id: OrganizationId,
        content: EntryContent,
        (actor, credential): (EntryActor, Option<EntryCredential>),
        at: Timestamp,
    ) -> Self {
        let mut entry = Self {
            organization_id,
            seq: 0,
            at,
            actor,
            credential,
            event: content.event,
            subjects: content.subjects,
            before: content.before,
            after: content.after,
            previous_hash: String::new(),
            hash: String::new(),
            personal: None,
            erased_by: None,
            chained_as: None,
            guards: false,
        };
        entry.digest_names();
        entry
    }

    /// An entry beside the chain.
    pub(super) fn apart(
        organization_id: OrganizationId,
        content: EntryContent,
        by: (EntryActor, Option<EntryCredential>),
        at: Timestamp,
    ) -> Self {
        let mut entry = Self::unlinked(organization_id, content, by, at);
        entry.hash = entry.computed_hash();
        entry
    }

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
        let before = apart(&mut self.before);
        let after = apart(&mut self.after);
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
                let own = fields
                    .as_ref()
                    .and_then(|fields| fields.0.0.get(name));
                own == Some(&digested(&personal.key, name, value))
            })
        };
        fits(&self.before, &personal.before) && fits(&self.after, &personal.after)
    }

    /// Puts the names that stand beside the entry in place of their digests, to show it.
    pub fn show_names(&mut self) -> Option<DigestedMembers> {
        let Personal { key, before, after } = self.personal.take()?;
        let mut names = BTreeSet::new();
        for (fields, shown) in [(&mut self.before, before), (&mut self.after, after)] {
            for (name, value) in shown.0.0 {
                if let Some(fields) = fields {
                    fields.0.0.insert(name.clone(), value);
                }
                names.insert(name);
            }
        }
        let members = names.into_iter().collect();
        Some(DigestedMembers { key, members })
    }

    /// The texts of a member before and after the change, such as usernames, as far as they are not
    /// erased.
    pub fn texts_of<'a>(&'a self, member: &'a str) -> impl Iterator<Item = &'a str> {
        let personal = self.personal.as_ref();
        let beside = personal.map(|personal| [&personal.before, &personal.after]);
        let in_chain = self.before.iter().chain(&self.after);
        let objects = in_chain.chain(beside.into_iter().flatten());
        objects.filter_map(move |fields| fields.0.0.get(member)?.as_str())
    }

    /// Erases the names of an entry. Returns the digest of what is left if the entry had names in
    /// its chain, as earlier releases wrote them: its own hash no longer follows from it.
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

    pub fn ended_sessions(&self) -> Vec<SessionHead> {
        let heads = self.named_by(OrganizationEvent::AgentSessionsEnded);
        let read = heads.filter_map(|(_, head)| serde_json::from_value(head.clone()).ok());
        read.collect()
    }

    /// The entries of sign-ins that it names.
    pub fn named_sign_ins(&self) -> Vec<NamedSignIn> {
        let named = self.named_by(OrganizationEvent::SignInsChained);
        let read = named.filter_map(|(hash, at)| {
            let (at, hash) = (serde_json::from_value(at.clone()).ok()?, hash.clone());
            Some(NamedSignIn { at, hash })
        });
        read.collect()
    }

    /// The members of `after`; none for an entry of another event.
    fn named_by(&self, event: OrganizationEvent) -> impl Iterator<Item = (&String, &Value)> {
        let after = self
            .after
            .as_ref()
            .filter(|_| self.event == event);
        after
            .into_iter()
            .flat_map(|after| &after.0.0)
    }

    fn head(&self) -> JournalHead {
        JournalHead {
            seq: self.seq,
            hash: self.hash.clone(),
        }
    }
}

fn members(fields: &mut Option<JsonText>) -> impl Iterator<Item = (&String, &mut Value)> {
    fields
        .iter_mut()
        .flat_map(|fields| fields.0.0.iter_mut())
}

fn digested(key: &str, name: &str, value: &Value) -> Value {
    json!({ "digest": digest(&canonical(&json!([key, name, value]))) })
}

impl Chained for OrganizationEntry {
    fn link(&self) -> ChainLink {
        ChainLink {
            seq: self.seq,
            previous_hash: self.previous_hash.clone(),
            hash: self.hash.clone(),
        }
    }

    fn set_link(&mut self, link: ChainLink) {
        self.seq = link.seq;
        self.previous_hash = link.previous_hash;
        self.hash = link.hash;
    }

    fn computed_hash(&self) -> String {
        // Who checks it compares what is left with the entry that names it.
        if self.erased_by.is_some() {
            return self.hash.clone();
        }
        let content = canonical(&self.content());
        if self.has_its_names() {
            digest(&content)
        } else {
            digest(&format!("changed names{content}"))
        }
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

/// The newest entry of an ended agent session's journal, as an entry of the organization's journal
/// names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHead {
    pub id: AgentSessionId,
    /// The number of the session's entry.
    pub seq: i64,
    pub at: Timestamp,
    pub hash: String,
}

impl EntryContent {
    /// Notes the erasure of a user's names. `rests` has digests of the entries with names in their
    /// chain.
    pub fn user_erased(user: UserId, rests: BTreeMap<String, String>) -> Self {
        let rests = rests
            .into_iter()
            .map(|(seq, rest)| (seq, rest.into()));
        let values = [Value::Null, Value::Object(rests.collect())];
        let subjects = vec![subject::user(user)];
        Self::noted(OrganizationEvent::UserErased, subjects, values)
    }

    /// Notes ended agent sessions; none if there are none.
    pub fn sessions_ended(heads: &[SessionHead]) -> Option<Self> {
        let name_and_head = |head: &SessionHead| (subject::agent_session(head.id), json!(head));
        let named = heads.iter().map(name_and_head);
        Self::several(OrganizationEvent::AgentSessionsEnded, None, named.collect())
    }
}

/// The entry of a sign-in, as an entry of the chain names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSignIn {
    pub at: Timestamp,
    pub hash: String,
}

/// Returns the entries of sign-ins older than a day without another entry to name them. The entries
/// go up to `end`.
fn strays(
    entries: &[OrganizationEntry],
    end: Timestamp,
) -> impl Iterator<Item = &OrganizationEntry> {
    let named = entries
        .iter()
        .flat_map(OrganizationEntry::named_sign_ins);
    let named: BTreeSet<String> = named.map(|named| named.hash).collect();
    entries.iter().filter(move |entry| {
        let is_old = end.since(entry.at) > span::DAY;
        entry.event.is_apart() && is_old && !named.contains(&entry.computed_hash())
    })
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OrganizationJournalBreak {
    pub seq: i64,
    /// The agent session without the named entry, as `agent_session:7`.
    pub subject: Option<String>,
    pub why: JournalFlaw,
}

impl OrganizationJournalCheck {
    /// Checks entries, oldest first, that come after the chain's entry `before`. `head` is the
    /// journal's head, and `has_more` says that the entries end before it.
    pub fn of(
        before: Option<&OrganizationEntry>,
        entries: &[OrganizationEntry],
        head: &JournalHead,
        has_more: bool,
        now: Timestamp,
    ) -> Self {
        let anchor = before
            .map(OrganizationEntry::head)
            .unwrap_or_default();
        let chained = entries
            .iter()
            .filter(|entry| !entry.event.is_apart());
        let chained: Vec<_> = chained.collect();
        let flaw = first_break(&anchor, &chained, (!has_more).then_some(head), &[]);
        let last = entries.last().filter(|_| has_more);
        let strays = strays(entries, last.map_or(now, |entry| entry.at));
        let strays = strays.map(|entry| (entry.seq, JournalFlaw::Unchained));
        let newest = chained
            .last()
            .map_or(anchor, |entry| entry.head());
        let mut check = Self {
            verified: true,
            entries: i64::try_from(entries.len()).unwrap_or(i64::MAX),
            breaks: Vec::new(),
            head: if has_more { newest } else { head.clone() },
            next: last.map(|entry| entry.at),
        };
        for (seq, why) in flaw.into_iter().chain(strays) {
            check.breaks_at(seq, None, why);
        }
        check
    }

    /// Adds a break at an entry, which may name a session.
    pub fn breaks_at(&mut self, seq: i64, session: Option<AgentSessionId>, why: JournalFlaw) {
        self.verified = false;
        let subject = session.map(subject::agent_session);
        let journal_break = OrganizationJournalBreak { seq, subject, why };
        self.breaks.push(journal_break);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Id;

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
        let at = |number: i64| Timestamp::from_millis(number * 10_000);
        let entries = (1..=6).map(|number| head.append(password_set(), service(), at(number)));
        let entries: Vec<_> = entries.collect();
        let newest = &head.newest;
        let flaw = |before: usize, entries: &[OrganizationEntry], more| {
            let (before, rest) = entries.split_at(before);
            let check = OrganizationJournalCheck::of(before.last(), rest, newest, more, NOW);
            assert_eq!(check.verified, check.breaks.is_empty());
            check
                .breaks
                .first()
                .map(|flaw| (flaw.seq, flaw.why))
        };
        assert_eq!(flaw(0, &entries, false), None);
        assert_eq!(flaw(3, &entries, false), None);
        assert_eq!(flaw(2, &entries[..4], true), None);
        assert_eq!(flaw(6, &entries, false), None);
        let missing = JournalFlaw::Missing;
        let not_the_head = JournalFlaw::NotTheHead;
        assert_eq!(flaw(2, &entries[..4], false), Some((5, missing)));
        let mut without = entries.clone();
        without.remove(3);
        assert_eq!(flaw(0, &without, false), Some((4, missing)));
        assert_eq!(flaw(3, &without, false), Some((4, missing)));
        let part = OrganizationJournalCheck::of(None, &entries[..4], newest, true, NOW);
        assert_eq!(part.next, Some(entries[3].at));
        assert_eq!((part.head.seq, &part.head.hash), (4, &entries[3].hash));
        // A head that was put back.
        let old = entries[3].head();
        for before in [0, 5, 6] {
            let (before, rest) = entries.split_at(before);
            let check = OrganizationJournalCheck::of(before.last(), rest, &old, false, NOW);
            assert_eq!(check.breaks[0].why, not_the_head);
        }
    }
}
