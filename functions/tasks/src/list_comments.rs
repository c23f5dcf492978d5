//! `GET /api/tasks/{taskId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{CommentFilter, Listing, TaskId, ThreadSort},
    view::TaskComment,
};

/// Lists the comments on a task, replies included, by creation time.
///
/// A deleted comment stays in the list, with empty `content` and a `deletedAt`.
#[utoipa::path(
    get,
    path = "/api/tasks/{taskId}/comments",
    operation_id = "listTaskComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<CommentFilter, ThreadSort>>,
    Path(task): Path<PathId<TaskId>>,
) -> Result<List<TaskComment>, Problem> {
    let (task, pages) = (task.known()?, caller.pages(&app)?);
    let comments = app.store.comments();
    let page = comments.of(
        caller.tenant(),
        task.into(),
        &caller.query.filter,
        caller.query.sort,
        &pages.wanted,
    );
    let view = |one| TaskComment::from_read(task, one);
    Ok(pages.answer(page.await?, view)?)
}
