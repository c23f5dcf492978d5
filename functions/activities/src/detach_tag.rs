//! `DELETE /api/activities/{activityId}/tags/{tagId}`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{ActivityId, TagId},
};

/// Detaches a tag from an activity, which need not carry it.
#[utoipa::path(
    delete, path = "/api/activities/{activityId}/tags/{tagId}", operation_id = "detachActivityTag", tag = "activities",
    params(("activityId" = ActivityId, Path), ("tagId" = TagId, Path)),
    responses((status = 204, description = "Detached"))
)]
pub async fn detach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path((activity, tag)): Path<(PathId<ActivityId>, PathId<TagId>)>,
) -> Result<StatusCode, Problem> {
    app.store
        .activities()
        .detach_tag(caller.tenant(), activity.known()?, tag.known()?)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
