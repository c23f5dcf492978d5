//! Comments on service requests, activities and tasks.

use serde::{Deserialize, Serialize};

use super::{
    ActivityId, CommentId, Content, OrganizationId, ServiceRequestId, TaskId, Timestamp, UserId,
};
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
    /// What it says; nothing once it is deleted.
    pub content: Option<Content>,
    /// Author.
    pub user_id: UserId,
    /// The comment of the same thread that this one replies to.
    pub parent_id: Option<CommentId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was deleted. It keeps its place for its replies, and says nothing any more.
    pub deleted_at: Option<Timestamp>,
}

input! {
    /// What a client sends to comment.
    pub struct CommentCreate {
        content: Content,
        /// The comment of the same thread that this one replies to.
        parent_id: Option<CommentId>,
    }
}

input! {
    /// What a client sends to change what a comment says.
    pub struct CommentUpdate {
        content: Content,
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
            content: Some(content),
            user_id: author,
            parent_id,
            created_at: now,
            updated_at: now,
            deleted_at: None,
        }
    }

    /// Changes what it says.
    pub fn edit(&mut self, CommentUpdate { content }: CommentUpdate, now: Timestamp) {
        self.content = Some(content);
        self.touch(now);
    }

    /// Forgets what it says; it keeps its place.
    pub fn delete(&mut self, now: Timestamp) {
        self.content = None;
        self.deleted_at = Some(self.touch(now));
    }

    /// A change is later than the one before it, also within a millisecond and by a clock that is
    /// behind.
    fn touch(&mut self, now: Timestamp) -> Timestamp {
        self.updated_at = now.max(self.updated_at.plus(1));
        self.updated_at
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
    /// A task.
    #[serde(rename = "taskId")]
    Task(TaskId),
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

impl From<TaskId> for Thread {
    fn from(id: TaskId) -> Self {
        Self::Task(id)
    }
}
