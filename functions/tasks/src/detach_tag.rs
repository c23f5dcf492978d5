//! `DELETE /api/tasks/{taskId}/tags/{tagId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Changed, Path, PathId, refusal::ConcurrentChange},
    model::{TagId, TaskId},
};

/// Detaches a tag from a task.
///
/// A task that does not have the tag stays as it is.
#[utoipa::path(
    delete,
    path = "/api/tasks/{taskId}/tags/{tagId}",
    operation_id = "detachTaskTag"
)]
pub async fn detach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path((task, tag)): Path<(PathId<TaskId>, PathId<TagId>)>,
) -> Result<Changed, Problem<ConcurrentChange>> {
    let tagging = app.store.tagging();
    let on = task.known()?.into();
    let version = tagging.detach(caller.pending_write(), on, tag.known()?);
    Ok(Changed(version.await?))
}
