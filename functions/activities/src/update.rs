//! `PATCH /api/activities/{id}`

use shared::endpoint::*;
use shared::model::{ActivityId, ActivityUpdate};
use shared::store::TaggedActivity;

/// Updates an activity.
///
/// A new `timestamp` moves it in the lists. Users may update the activities that they recorded;
/// other users need the permission `manage_milestones`.
#[utoipa::path(patch, path = "/api/activities/{id}")]
pub async fn update_activity(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageMilestones>>,
    Path(id): Path<PathId<ActivityId>>,
    Body(update): Body<ActivityUpdate>,
) -> Result<Single<TaggedActivity>, Problem<ConcurrentChange>> {
    let activities = app.store.activities();
    let activity = activities
        .update(
            caller.pending_write(),
            id.known()?,
            update,
            async |creator| caller.created_or_may(creator).await,
        )
        .await?;
    Ok(Single(activity))
}
