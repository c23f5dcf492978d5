//! `DELETE /api/tags/{id}`

use shared::endpoint::*;
use shared::model::TagId;

/// Deletes a tag and removes it from all tasks and activities.
///
/// Its name is free again at once.
#[utoipa::path(delete, path = "/api/tags/{id}")]
pub async fn delete_tag(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<TagId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let directory = app.store.directory();
    directory
        .delete_tag(caller.pending_write(), id.known()?)
        .await?;
    Ok(NoContent)
}
