//! `POST /api/tasks/{taskId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single},
    model::{CommentCreate, TaskId},
    view::TaskComment,
};

/// Comments on a task.
#[utoipa::path(
    post,
    path = "/api/tasks/{taskId}/comments",
    operation_id = "createTaskComment"
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentActivity>,
    Path(task): Path<PathId<TaskId>>,
    Body(new): Body<CommentCreate>,
) -> Result<Single<TaskComment>, Problem> {
    let task = task.known()?;
    let comments = app.store.comments();
    let comment = comments
        .create(caller.permit(), task.into(), caller.user_id(), new)
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Single(TaskComment::new(task, comment, author)))
}
