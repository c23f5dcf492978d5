//! `DELETE /api/phases/{id}`

use shared::endpoint::*;
use shared::model::PhaseId;

/// Deletes a phase.
///
/// Its tasks stay, and are in no phase.
#[utoipa::path(delete, path = "/api/phases/{id}")]
pub async fn delete_phase(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<PhaseId>>,
) -> Result<NoContent, Problem> {
    let directory = app.store.directory();
    directory
        .delete_phase(caller.pending_write(), id.known()?)
        .await?;
    Ok(NoContent)
}
