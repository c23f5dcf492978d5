//! Comments on service requests and activities.

use serde::{Deserialize, Serialize};

use super::{ActivityId, CommentId, OrganizationId, ServiceRequestId, Timestamp, UserId};

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
    /// 1 to 50,000 characters.
    pub content: String,
    /// Author.
    pub user_id: UserId,
    /// The comment of the same thread that this one replies to.
    pub parent_id: Option<CommentId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
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
