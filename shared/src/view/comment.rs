//! Comments as the API answers them, on whatever they are on.

use model::{ActivityId, Comment, CommentId, ServiceRequestId, TaskId, Timestamp, UserId, UserRef};
use serde::Serialize;
use store::{CommentWithAuthor, Stored};
use utoipa::ToSchema;

/// A comment, or a reply to one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comment)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    id: CommentId,
    /// What it says; empty once it is deleted.
    content: String,
    user_id: UserId,
    parent_id: Option<CommentId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// When it was deleted. It keeps its place for its replies.
    deleted_at: Option<Timestamp>,
    /// Raised by every write.
    version: i64,
    /// The author; null when the account is gone.
    user: Option<UserRef>,
}

impl CommentView {
    fn new(stored: Stored<Comment>, user: Option<UserRef>) -> Self {
        let Stored {
            record: comment,
            version,
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
            /// One that its author just wrote.
            #[must_use]
            pub fn new(on: $id, comment: Stored<Comment>, author: UserRef) -> Self {
                Self {
                    $field: on,
                    comment: CommentView::new(comment, Some(author)),
                }
            }

            /// One of a thread.
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
