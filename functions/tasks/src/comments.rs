//! `GET /api/tasks/{taskId}/comments`
//! `POST /api/tasks/{taskId}/comments`
//! `PATCH /api/tasks/{taskId}/comments/{commentId}`
//! `DELETE /api/tasks/{taskId}/comments/{commentId}`

use shared::{
    comments::{CommentOn, CommentView},
    endpoint::*,
    model::base::TaskId,
};

/// A comment on a task.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskComment {
    task_id: TaskId,
    #[serde(flatten)]
    comment: CommentView,
}

versioned!(TaskComment: comment);

impl CommentOn for TaskComment {
    type Record = TaskId;
    type Write = need::CommentActivity;
    type Refusals = ();

    const PATH: &'static str = "/api/tasks/{taskId}/comments";

    fn new(task_id: TaskId, comment: CommentView) -> Self {
        Self { task_id, comment }
    }
}
