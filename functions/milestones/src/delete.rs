//! `DELETE /api/milestones/{id}`

use shared::{endpoint::*, model::base::MilestoneId};

/// Deletes a milestone.
///
/// Its tasks stay, and are linked to no milestone.
#[utoipa::path(delete, path = "/api/milestones/{id}")]
pub async fn delete_milestone(
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<NoContent, Problem> {
    let milestones = caller.app.store.milestones();
    milestones
        .delete(caller.write(), id.known()?)
        .await?;
    Ok(NoContent)
}
