//! `DELETE /api/activities/{id}`

use shared::{endpoint::*, model::base::ActivityId};

/// Deletes an activity and its comments.
///
/// Users may delete the activities that they recorded; other users need the permission
/// `manage_milestones`.
#[utoipa::path(delete, path = "/api/activities/{id}")]
pub async fn delete_activity(
    caller: Caller<need::OwnOr<need::ManageMilestones>>,
    Path(id): Path<PathId<ActivityId>>,
) -> Result<NoContent, Problem> {
    let activities = caller.app.store.activities();
    let may = async |creator| caller.created_or_may(creator).await;
    activities
        .delete(caller.write(), id.known()?, may)
        .await?;
    Ok(NoContent)
}
