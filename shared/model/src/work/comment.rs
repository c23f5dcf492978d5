//! Comments on service requests, activities and tasks.

use serde::{Deserialize, Serialize};

use crate::{
    base::{CommentId, Content, Ids, OrganizationId, ProjectId, Thread, Timestamp, UserId},
    input,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    pub id: CommentId,
    pub organization_id: OrganizationId,
    #[serde(flatten)]
    pub thread: Thread,
    /// The project of the task or activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The text; none after a deletion.
    pub content: Option<Content>,
    pub user_id: UserId,
    /// The comment of the same thread that this one replies to.
    pub parent_id: Option<CommentId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When it was deleted. A deleted comment stays in the thread for its replies, without its
    /// text.
    pub deleted_at: Option<Timestamp>,
}

input! {
    pub struct CommentCreate {
        content: Content,
        /// The comment of the same thread that this one replies to.
        parent_id: Option<CommentId>,
    }
    example {"content": "September agrees to the cent. In October two invoices differ."};

    pub struct CommentFilter {
        /// Comments with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<CommentId>>,
    }

    pub struct CommentUpdate { content: Content }
    example {"content": "September agrees. In October one invoice still differs."};
}

impl Comment {
    pub fn new(
        id: CommentId,
        tenant: OrganizationId,
        thread: Thread,
        author: UserId,
        create: CommentCreate,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization_id: tenant,
            thread,
            project_id: None,
            content: Some(create.content),
            user_id: author,
            parent_id: create.parent_id,
            created_at: now,
            updated_at: now,
            deleted_at: None,
        }
    }

    pub fn edit(&mut self, CommentUpdate { content }: CommentUpdate, now: Timestamp) {
        self.content = Some(content);
        self.touch(now);
    }

    /// Removes the text and marks the comment as deleted.
    pub fn delete(&mut self, now: Timestamp) {
        self.content = None;
        self.deleted_at = Some(self.touch(now));
    }

    /// Sets `updated_at` to `now`, but later than the change before. The latter may be of the same
    /// millisecond, or of a clock ahead.
    fn touch(&mut self, now: Timestamp) -> Timestamp {
        self.updated_at = now.max(self.updated_at.plus(1));
        self.updated_at
    }
}
