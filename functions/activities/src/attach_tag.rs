//! `POST /api/activities/{activityId}/tags`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, NoContent, Path, PathId},
    model::{ActivityId, TagAttach},
};

/// Attaches a tag to an activity, which may carry it already.
#[utoipa::path(
    post,
    path = "/api/activities/{activityId}/tags",
    operation_id = "attachActivityTag"
)]
pub async fn attach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path(activity): Path<PathId<ActivityId>>,
    Body(TagAttach { tag_id }): Body<TagAttach>,
) -> Result<NoContent, Problem> {
    let activities = app.store.activities();
    activities
        .attach_tag(caller.permit(), activity.known()?, tag_id)
        .await?;
    Ok(NoContent)
}
