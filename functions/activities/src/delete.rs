//! `DELETE /api/activities/{id}`

use shared::endpoint::*;
use shared::model::ActivityId;

/// Deletes an activity and its comments.
///
/// Users may delete the activities that they recorded; other users need the permission
/// `manage_milestones`.
#[utoipa::path(delete, path = "/api/activities/{id}")]
pub async fn delete_activity(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageMilestones>>,
    Path(id): Path<PathId<ActivityId>>,
) -> Result<NoContent, Problem> {
    let activities = app.store.activities();
    activities
        .delete(caller.pending_write(), id.known()?, async |creator| {
            caller.created_or_may(creator).await
        })
        .await?;
    Ok(NoContent)
}
