//! Comments on service requests and activities.

use serde::{Deserialize, Serialize};

use super::{ActivityId, CommentId, Content, OrganizationId, ServiceRequestId, Timestamp, UserId};
use crate::input;

/// A comment, or a reply to one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// Unique id.
    pub id: CommentId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What it is on.
    #[serde(flatten)]
    pub thread: Thread,
    /// What it says.
    pub content: Content,
    /// Author.
    pub user_id: UserId,
    /// The comment of the same thread that this one replies to.
    pub parent_id: Option<CommentId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to comment.
    pub struct CommentCreate {
        content: Content,
        /// The comment of the same thread that this one replies to.
        parent_id: Option<CommentId>,
    }
}

impl Comment {
    /// A comment that somebody writes.
    #[must_use]
    pub fn new(
        id: CommentId,
        tenant: OrganizationId,
        thread: Thread,
        author: UserId,
        create: CommentCreate,
        now: Timestamp,
    ) -> Self {
        let CommentCreate { content, parent_id } = create;
        Self {
            id,
            organization_id: tenant,
            thread,
            content,
            user_id: author,
            parent_id,
            created_at: now,
            updated_at: now,
        }
    }
}

/// What a comment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thread {
    /// A service request.
    #[serde(rename = "serviceRequestId")]
    ServiceRequest(ServiceRequestId),
    /// An activity.
    #[serde(rename = "activityId")]
    Activity(ActivityId),
}

impl From<ServiceRequestId> for Thread {
    fn from(id: ServiceRequestId) -> Self {
        Self::ServiceRequest(id)
    }
}

impl From<ActivityId> for Thread {
    fn from(id: ActivityId) -> Self {
        Self::Activity(id)
    }
}
