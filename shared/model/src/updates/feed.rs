//! The change feed of an organization: an entry for each change of a record.

use std::ops::Not;

use serde::{Deserialize, Serialize};

use crate::{
    base::{AnyOf, Cursor, FeedType, ProjectId, RecordName, Timestamp, UserId, Whole},
    input, names,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeedEntry {
    #[serde(flatten)]
    pub of: RecordName,
    /// The record that it belongs to: the subject of a comment or a message; the project of a task,
    /// a milestone or a phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RecordName>,
    pub action: FeedAction,
    /// The version that the change led to; `None` for the change of a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// For the change of a part that has no type of its own: its id and version, as `a1@3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The names of the changed fields, at most [`MOST_FIELDS`](Self::MOST_FIELDS). Empty for a
    /// record that was created or deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    pub at: Timestamp,
    /// The user who made the change; `None` for the service itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<UserId>,
    /// The id of the write. Those of requests begin with the request's id. `None` in entries of
    /// earlier releases, and for records that were removed with another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_id: Option<String>,
    /// True for an internal note, which takes the permission to manage tickets or to reply to them.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub internal: bool,
    /// The project of the record, or the project itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}

impl FeedEntry {
    pub const MOST_FIELDS: usize = 50;

    /// Returns true for two entries of one change.
    pub fn is_of_same_change(&self, other: &Self) -> bool {
        let change = |entry: &Self| (entry.of, entry.version, entry.action);
        change(self) == change(other) && self.part == other.part
    }
}

names! {
    /// The kind of a change in the change feed.
    pub enum FeedAction {
        Created: "The record was created.",
        Updated: "The record changed.",
        Deleted: "The record was deleted.",
    }
}

input! {
    pub struct FeedQuery {
        /// The end of the entries that were read, from the `Link` header of the answer before;
        /// `first` for the oldest entry. Without it, the feed begins now.
        cursor: Option<Cursor>,
        /// The most entries; 200 without it.
        limit: Option<Whole<1, 1_000>>,
        r#type: Option<AnyOf<FeedType>>,
        project_id: Option<AnyOf<ProjectId>>,
    }
}

impl FeedQuery {
    /// The cursor of the oldest entry.
    pub const OLDEST: &'static str = "first";

    pub fn most(&self) -> usize {
        self.limit.map_or(200, Whole::count)
    }

    pub fn types(&self) -> &[FeedType] {
        self.r#type
            .as_ref()
            .map_or(FeedType::ALL, |types| &types.0)
    }
}
