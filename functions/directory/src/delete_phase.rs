//! `DELETE /api/phases/{id}`

use shared::{endpoint::*, model::base::PhaseId};

/// Deletes a phase.
///
/// Its tasks stay, and are in no phase.
#[utoipa::path(delete, path = "/api/phases/{id}")]
pub async fn delete_phase(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<PhaseId>>,
) -> Result<NoContent, Problem> {
    let directory = caller.app.store.directory();
    directory
        .delete_phase(caller.write(), id.known()?)
        .await?;
    Ok(NoContent)
}
