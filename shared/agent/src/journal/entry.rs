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

use model::{
    base::{AgentSessionId, JsonObject, JsonText, OrganizationId, Timestamp, UserId},
    input, names,
    people::journal::{ChainLink, Chained},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::connection::Excerpt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    pub organization_id: OrganizationId,
    pub session_id: AgentSessionId,
    /// Action whose chain the entry belongs to; null for the session's chain.
    pub action_id: Option<String>,
    /// Number in its chain, from 1.
    pub seq: i64,
    pub at: Timestamp,
    pub actor: JournalActor,
    pub what: JournalEvent,
    /// State of the session or action before.
    pub from: Option<String>,
    /// State of the session or action after.
    pub to: Option<String>,
    pub digest: Option<String>,
    /// Details such as digests by action, the status and excerpt hash of an answer, or reasons.
    #[schema(ignore)]
    pub detail: Option<JsonText>,
    /// The excerpt that the details name, while it exists. It is stored apart from the entry, and
    /// the entry's hash does not cover it.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
    /// Hash of the entry before it in its chain; empty for the first.
    pub previous_hash: String,
    /// SHA-256 of the canonical JSON of the entry without this field and `excerpt`, in
    /// hexadecimal.
    pub hash: String,
    /// The organization in whose journal it was chained, if an import moved it to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chained_as: Option<OrganizationId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalActor {
    #[serde(rename = "type")]
    pub kind: JournalActorType,
    /// The user, for an actor of type `user`.
    pub user_id: Option<UserId>,
}

names! {
    /// The type of an actor.
    pub enum JournalActorType {
        /// A user.
        User,
        /// The component that analyses alerts.
        Engine,
        /// The component that runs actions.
        Worker,
        /// The component that resumes abandoned work.
        Sweeper,
    }
}

names! {
    /// The event of a journal entry.
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
        Checked as "looked",
        /// Verification ended: the action had its effect, or it had not.
        Verified,
        /// Reconciliation ended, with or without a result.
        Reconciled,
        /// The alert was resolved.
        AlertResolved,
        /// A user settled an action whose outcome was unknown.
        Verdict,
    }
}

#[derive(Clone, Debug)]
pub struct Note {
    pub actor: JournalActor,
    pub what: JournalEvent,
    /// The status or state before.
    pub from: Option<&'static str>,
    pub detail: Option<JsonText>,
}

input! {
    pub struct JournalPeriod {
        /// Start of the period, inclusive.
        from: Option<Timestamp>,
        /// End of the period, exclusive.
        to: Option<Timestamp>,
    }
}

impl JournalActor {
    /// Creates the actor of a user; without one, the service itself.
    pub const fn user(user_id: Option<UserId>) -> Self {
        Self {
            kind: JournalActorType::User,
            user_id,
        }
    }

    pub const fn of(kind: JournalActorType) -> Self {
        Self {
            kind,
            user_id: None,
        }
    }
}

impl Note {
    pub const fn new(actor: JournalActor, event: JournalEvent, from: Option<&'static str>) -> Self {
        Self {
            actor,
            what: event,
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

    /// Returns its entry in a session's chain, before it is linked.
    pub(crate) fn entry(
        self,
        organization_id: OrganizationId,
        session_id: AgentSessionId,
        at: Timestamp,
    ) -> JournalEntry {
        JournalEntry {
            organization_id,
            session_id,
            action_id: None,
            seq: 0,
            at,
            actor: self.actor,
            what: self.what,
            from: self.from.map(str::to_owned),
            to: None,
            digest: None,
            detail: self.detail,
            excerpt: None,
            previous_hash: String::new(),
            hash: String::new(),
            chained_as: None,
        }
    }
}

impl JournalEntry {
    pub fn excerpt_hash(&self) -> Option<&str> {
        let JsonText(detail) = self.detail.as_ref()?;
        detail
            .0
            .get("response")?
            .get("excerpt")?
            .as_str()
    }
}

impl Chained for JournalEntry {
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

    fn content(&self) -> Value {
        json!({
            "organization": self.chained_as.unwrap_or(self.organization_id),
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
        })
    }
}
