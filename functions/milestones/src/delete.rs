//! `DELETE /api/milestones/{id}`

use shared::endpoint::*;
use shared::model::MilestoneId;

/// Deletes a milestone.
///
/// Its tasks stay, and are linked to no milestone.
#[utoipa::path(delete, path = "/api/milestones/{id}")]
pub async fn delete_milestone(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<NoContent, Problem> {
    let milestones = app.store.milestones();
    milestones
        .delete(caller.pending_write(), id.known()?)
        .await?;
    Ok(NoContent)
}
