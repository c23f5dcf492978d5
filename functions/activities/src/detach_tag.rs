//! `DELETE /api/activities/{activityId}/tags/{tagId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{NoContent, Path, PathId},
    model::{ActivityId, TagId},
};

/// Detaches a tag from an activity, which need not carry it.
#[utoipa::path(
    delete,
    path = "/api/activities/{activityId}/tags/{tagId}",
    operation_id = "detachActivityTag"
)]
pub async fn detach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path((activity, tag)): Path<(PathId<ActivityId>, PathId<TagId>)>,
) -> Result<NoContent, Problem> {
    let activities = app.store.activities();
    activities
        .detach_tag(caller.permit(), activity.known()?, tag.known()?)
        .await?;
    Ok(NoContent)
}
