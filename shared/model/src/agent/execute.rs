//! What a client sends to have actions executed.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::{
    ObjectBuilder, RefOr, Schema,
    schema::{AdditionalProperties, Type},
};

use super::{ActionApproval, AgentPolicy};
use crate::{
    ActionId, FaultCode, Reason, Role, Timestamp, UserId, input,
    input::{Defaulted, Field, List, Place, Reading, escaped},
};

input! {
    /// What a client sends to execute actions.
    pub struct ActionsExecute {
        /// Ids of automated actions of the newest proposal; one that stands twice counts once.
        action_ids: List<ActionId, 1, 50>,
        /// Runs actions once more that are not done, for certain. Without it the list that was
        /// approved answers its results, and nothing runs twice.
        again: Defaulted<bool>,
        /// The digests of what was looked at, by the ids of the actions; 409 when one of them is
        /// another now.
        digests: Option<Digests>,
        /// What the approver has to say.
        note: Option<Reason>,
    }
}

input! {
    /// What a client sends to preview actions.
    pub struct ActionsPreview {
        /// Ids of actions of the newest proposal; one that stands twice counts once.
        action_ids: List<ActionId, 1, 50>,
    }
}

/// Digests of actions by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub BTreeMap<String, Digest>);

/// A SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(pub String);

impl ActionsExecute {
    /// The ids, each once.
    #[must_use]
    pub fn distinct(&self) -> Vec<String> {
        distinct(&self.action_ids.0)
    }
}

impl ActionsPreview {
    /// The ids, each once.
    #[must_use]
    pub fn distinct(&self) -> Vec<String> {
        distinct(&self.action_ids.0)
    }
}

fn distinct(sent: &[ActionId]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(sent.len());
    for id in sent {
        if !ids.iter().any(|other| **other == **id) {
            ids.push(id.clone().into());
        }
    }
    ids
}

impl Field for Digest {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::String(text) = value else {
            return place.wrong(value, "a string");
        };
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_hex) {
            return Some(Self(text.clone()));
        }
        let detail = "Expected a SHA-256 in lower-case hexadecimal.";
        place.fault(FaultCode::Pattern, detail)
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^[0-9a-f]{64}$"))
            .into()
    }
}

impl Field for Digests {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::Object(object) = value else {
            return place.wrong(value, "an object");
        };
        if object.len() > 50 {
            return place.fault(FaultCode::Length, "Expected at most 50 digests.");
        }
        let mut digests = BTreeMap::new();
        for (id, digest) in object {
            // As RFC 6901 escapes a name.
            let name = escaped(id);
            if let Some(digest) = Digest::read(digest, &mut place.at(name)) {
                digests.insert(id.clone(), digest);
            }
        }
        (digests.len() == object.len()).then_some(Self(digests))
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::RefOr(Digest::field_schema())))
            .into()
    }
}

/// What somebody approves.
#[derive(Clone, Copy, Debug)]
pub struct Approving<'a> {
    /// The actions, by distinct ids.
    pub ids: &'a [String],
    /// Whether those that are not done, for certain, may run once more.
    pub again: bool,
    /// The digests of what was looked at, as far as they were sent.
    pub digests: Option<&'a Digests>,
    /// What the approver has to say.
    pub note: Option<&'a str>,
    /// Who it is.
    pub by: UserId,
    /// The trace of the request, by which the logs have it.
    pub trace: Option<&'a str>,
}

/// What an approval is judged by, beside the session.
#[derive(Clone, Copy, Debug)]
pub struct Approver<'a> {
    /// The role of who approves; none where nothing is known of them.
    pub role: Option<Role>,
    /// The organization's policy.
    pub policy: &'a AgentPolicy,
}

impl<'a> Approving<'a> {
    /// Of these actions, for the first time, by somebody without a word.
    #[must_use]
    pub const fn of(ids: &'a [String], by: UserId) -> Self {
        Self {
            ids,
            again: false,
            digests: None,
            note: None,
            by,
            trace: None,
        }
    }

    pub(super) fn approval(
        &self,
        role: Option<Role>,
        digest: String,
        now: Timestamp,
    ) -> ActionApproval {
        ActionApproval {
            user_id: self.by,
            role,
            at: now,
            digest: Some(digest),
            note: self.note.map(str::to_owned),
            round: 0,
        }
    }
}
