//! Comments as answers.

use model::{ActivityId, Comment, CommentId, ServiceRequestId, TaskId, Timestamp, UserId, UserRef};
use serde::Serialize;
use store::{CommentWithAuthor, Stored};
use utoipa::ToSchema;

/// A comment, or a reply to one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comment, examples(json!({
    "id": 9,
    "content": "September agrees to the cent. In October two invoices differ.",
    "userId": 1,
    "parentId": null,
    "createdAt": "2026-01-14T09:30:00.000Z",
    "updatedAt": "2026-01-14T09:30:00.000Z",
    "deletedAt": null,
    "version": 1,
    "user": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}
})))]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    id: CommentId,
    /// The text; empty once the comment is deleted.
    content: String,
    user_id: UserId,
    parent_id: Option<CommentId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Time of deletion. A deleted comment keeps its place for its replies.
    deleted_at: Option<Timestamp>,
    /// Raised by every write.
    version: i64,
    /// The author; null if the account is gone.
    user: Option<UserRef>,
}

crate::versioned!(CommentView);

impl CommentView {
    fn new(stored: Stored<Comment>, user: Option<UserRef>) -> Self {
        let Stored {
            record: comment,
            version,
            ..
        } = stored;
        Self {
            version,
            id: comment.id,
            content: comment.content.map(String::from).unwrap_or_default(),
            user_id: comment.user_id,
            parent_id: comment.parent_id,
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            deleted_at: comment.deleted_at,
            user,
        }
    }
}

impl From<CommentWithAuthor> for CommentView {
    fn from(CommentWithAuthor { comment, author }: CommentWithAuthor) -> Self {
        Self::new(comment, author)
    }
}

macro_rules! comments {
    ($($(#[doc = $doc:literal])* $name:ident on $field:ident: $id:ty;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $field: $id,
            #[serde(flatten)]
            comment: CommentView,
        }

        $crate::versioned!($name: comment);

        impl $name {
            /// Returns a comment that its author just wrote.
            #[must_use]
            pub fn new(on: $id, comment: Stored<Comment>, author: UserRef) -> Self {
                Self {
                    $field: on,
                    comment: CommentView::new(comment, Some(author)),
                }
            }

            /// Returns a comment of a thread.
            #[must_use]
            pub fn from_read(on: $id, comment: CommentWithAuthor) -> Self {
                Self {
                    $field: on,
                    comment: comment.into(),
                }
            }
        }
    )*};
}

comments! {
    /// A comment on a service request.
    ServiceRequestComment on service_request_id: ServiceRequestId;
    /// A comment on an activity.
    ActivityComment on activity_id: ActivityId;
    /// A comment on a task.
    TaskComment on task_id: TaskId;
}
