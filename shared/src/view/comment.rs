//! Comments as the API answers them, on a service request and on an activity.

use model::{
    ActivityId, Comment, CommentId, Content, ServiceRequestId, Timestamp, UserId, UserRef,
};
use serde::Serialize;
use store::CommentWithAuthor;
use utoipa::ToSchema;

/// A comment, or a reply to one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comment)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    id: CommentId,
    content: Content,
    user_id: UserId,
    parent_id: Option<CommentId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The author; null when the account is gone.
    user: Option<UserRef>,
}

/// A comment on a service request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequestComment {
    service_request_id: ServiceRequestId,
    #[serde(flatten)]
    comment: CommentView,
}

/// A comment on an activity.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivityComment {
    activity_id: ActivityId,
    #[serde(flatten)]
    comment: CommentView,
}

impl CommentView {
    fn new(comment: Comment, user: Option<UserRef>) -> Self {
        Self {
            id: comment.id,
            content: comment.content,
            user_id: comment.user_id,
            parent_id: comment.parent_id,
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            user,
        }
    }
}

impl From<CommentWithAuthor> for CommentView {
    fn from(CommentWithAuthor { comment, author }: CommentWithAuthor) -> Self {
        Self::new(comment, author)
    }
}

impl ServiceRequestComment {
    /// One that its author just wrote.
    #[must_use]
    pub fn new(on: ServiceRequestId, comment: Comment, author: UserRef) -> Self {
        Self {
            service_request_id: on,
            comment: CommentView::new(comment, Some(author)),
        }
    }

    /// One of a thread.
    #[must_use]
    pub fn from_read(on: ServiceRequestId, comment: CommentWithAuthor) -> Self {
        Self {
            service_request_id: on,
            comment: comment.into(),
        }
    }
}

impl ActivityComment {
    /// One that its author just wrote.
    #[must_use]
    pub fn new(on: ActivityId, comment: Comment, author: UserRef) -> Self {
        Self {
            activity_id: on,
            comment: CommentView::new(comment, Some(author)),
        }
    }

    /// One of a thread.
    #[must_use]
    pub fn from_read(on: ActivityId, comment: CommentWithAuthor) -> Self {
        Self {
            activity_id: on,
            comment: comment.into(),
        }
    }
}
