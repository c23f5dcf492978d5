//! A comment as the API takes and answers it, on a service request as on an activity.

use model::{
    ActivityId, Comment, CommentId, ServiceRequestId, Thread, Timestamp, UserId, UserRef,
    input::{Fields, Input, id, text},
};
use serde::Serialize;
use store::{CommentWithAuthor, NewComment};
use utoipa::ToSchema;

/// What a client sends to comment.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CreateComment {
    /// 1 to 50,000 characters.
    content: String,
    /// The comment of the same thread that this one replies to.
    parent_id: Option<CommentId>,
}

impl Input for CreateComment {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let content = body.required("content", text(1..=50_000));
        let parent_id = body.optional("parentId", id);
        Some(Self {
            content: content?,
            parent_id,
        })
    }
}

impl CreateComment {
    /// The comment of that author on that record.
    #[must_use]
    pub fn by(self, author: UserId, thread: Thread) -> NewComment {
        NewComment {
            thread,
            author,
            content: self.content,
            parent_id: self.parent_id,
        }
    }
}

/// A comment.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comment)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    id: CommentId,
    content: String,
    /// Only on a comment on a service request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    service_request_id: Option<ServiceRequestId>,
    /// Only on a comment on an activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    activity_id: Option<ActivityId>,
    user_id: UserId,
    parent_id: Option<CommentId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The author, unless the account is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<UserRef>,
}

impl CommentView {
    /// A comment with its author.
    #[must_use]
    pub fn new(comment: Comment, author: Option<UserRef>) -> Self {
        let (service_request_id, activity_id) = match comment.thread {
            Thread::ServiceRequest(id) => (Some(id), None),
            Thread::Activity(id) => (None, Some(id)),
        };
        Self {
            id: comment.id,
            content: comment.content,
            service_request_id,
            activity_id,
            user_id: comment.user_id,
            parent_id: comment.parent_id,
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            user: author,
        }
    }
}

impl From<CommentWithAuthor> for CommentView {
    fn from(CommentWithAuthor { comment, author }: CommentWithAuthor) -> Self {
        Self::new(comment, author)
    }
}
