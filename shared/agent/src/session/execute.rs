//! Bodies of the requests that preview and execute actions.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::policy::{ActionApproval, AgentPolicy, Approvers};
use model::{
    ActionId, FaultCode, Reason, Timestamp, User, UserId, input,
    input::{Defaulted, Field, List, Place, Reading, Schema, escaped, map_of, string},
};

input! {
    pub struct ActionsExecute {
        /// Ids of automated actions of the newest proposal. A repeated id counts once.
        action_ids: List<ActionId, 1, 50>,
        /// Runs actions again that are certainly not done. Without it, the approved list returns
        /// its results, and nothing runs again.
        again: Defaulted<bool>,
        /// Digests of the reviewed content, by action id. 409 if one of them has changed.
        digests: Option<Digests>,
        /// The approver's note.
        note: Option<Reason>,
    }
    example {"actionIds": ["s3-p1-a1"], "note": "Checked with the customer."};
}

input! {
    pub struct ActionsPreview {
        /// Ids of actions of the newest proposal. A repeated id counts once.
        action_ids: List<ActionId, 1, 50>,
    }
    example {"actionIds": ["s3-p1-a1"]};
}

/// Digests of actions by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub BTreeMap<String, Digest>);

/// A SHA-256 in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(pub String);

impl ActionsExecute {
    pub fn distinct(&self) -> Vec<String> {
        distinct(&self.action_ids.0)
    }
}

impl ActionsPreview {
    /// Returns the ids without repeats.
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
        let text = place.text(value)?;
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_hex) {
            return Some(Self(text.to_owned()));
        }
        place.must(FaultCode::Pattern, "be a SHA-256 in lower-case hexadecimal")
    }

    fn field_schema() -> Schema {
        string().pattern(Some("^[0-9a-f]{64}$")).into()
    }
}

impl Field for Digests {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let object = place.object(value)?;
        if object.len() > 50 {
            return place.must(FaultCode::Length, "have at most 50 digests");
        }
        let mut digests = BTreeMap::new();
        for (id, digest) in object {
            if let Some(digest) = Digest::read(digest, &mut place.at(escaped(id))) {
                digests.insert(id.clone(), digest);
            }
        }
        (digests.len() == object.len()).then_some(Self(digests))
    }

    fn field_schema() -> Schema {
        map_of(Digest::field_schema()).into()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Approving<'a> {
    /// The distinct ids of the actions.
    pub ids: &'a [String],
    /// Permits actions to run again that are certainly not done.
    pub again: bool,
    /// The digests of the reviewed content, as far as they were sent.
    pub digests: Option<&'a Digests>,
    pub note: Option<&'a str>,
    pub by: UserId,
    /// The request's trace id, as in the logs.
    pub trace: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Approver<'a> {
    pub user: &'a User,
    pub policy: &'a AgentPolicy,
    /// Of the users who approved before, those who still may.
    pub others: &'a Approvers,
}

impl<'a> Approving<'a> {
    /// Creates a first approval of these actions, without a note.
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

    pub(crate) fn approval(&self, by: &User, digest: String, now: Timestamp) -> ActionApproval {
        ActionApproval {
            digest: Some(digest),
            note: self.note.map(str::to_owned),
            ..ActionApproval::by(by, now)
        }
    }
}
