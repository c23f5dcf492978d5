//! `POST /api/tasks/{taskId}/tags`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Changed, Conditional, Path, PathId,
        refusal::{ConcurrentChange, TooManyTags},
    },
    model::{TagAttach, TaskId},
};

/// Attaches a tag to a task.
///
/// A task that has the tag already stays as it is. A task has at most 50 tags (409
/// `too_many_tags`).
#[utoipa::path(
    post,
    path = "/api/tasks/{taskId}/tags",
    operation_id = "attachTaskTag"
)]
pub async fn attach_tag(
    State(app): State<App>,
    _: Conditional,
    caller: Caller<need::TagActivity>,
    Path(task): Path<PathId<TaskId>>,
    Body(TagAttach { tag_id }): Body<TagAttach>,
) -> Result<Changed, Problem<(TooManyTags, ConcurrentChange)>> {
    let tagging = app.store.tagging();
    let on = task.known()?.into();
    let version = tagging.attach(caller.pending_write(), on, tag_id).await?;
    Ok(Changed(version))
}
