//! `DELETE /api/tags/{id}`

use shared::{endpoint::*, model::base::TagId};

/// Deletes a tag and removes it from all tasks and activities.
///
/// Its name is free again at once.
#[utoipa::path(delete, path = "/api/tags/{id}")]
pub async fn delete_tag(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<TagId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let directory = caller.app.store.directory();
    directory
        .delete_tag(caller.write(), id.known()?)
        .await?;
    Ok(NoContent)
}
