//! `PATCH /api/activities/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{ActivityId, ActivityUpdate},
};

use crate::view::ActivityView;

/// Changes an activity. Who recorded it always may; for others' it takes the permission
/// `manage_milestones`.
#[utoipa::path(patch, path = "/api/activities/{id}", operation_id = "updateActivity")]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageMilestones>>,
    Path(id): Path<PathId<ActivityId>>,
    Body(update): Body<ActivityUpdate>,
) -> Result<Single<ActivityView>, Problem<ConcurrentChange>> {
    let activities = app.store.activities();
    let activity = activities
        .update(caller.permit(), id.known()?, update, async |creator| {
            caller.created_or_may(creator).await
        })
        .await?;
    Ok(Single(activity.into()))
}
