//! `DELETE /api/activities/{activityId}/tags/{tagId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Changed, Path, PathId, refusal::ConcurrentChange},
    model::{ActivityId, TagId},
};

/// Detaches a tag from an activity.
///
/// An activity that does not have the tag stays as it is.
#[utoipa::path(
    delete,
    path = "/api/activities/{activityId}/tags/{tagId}",
    operation_id = "detachActivityTag"
)]
pub async fn detach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path((activity, tag)): Path<(PathId<ActivityId>, PathId<TagId>)>,
) -> Result<Changed, Problem<ConcurrentChange>> {
    let tagging = app.store.tagging();
    let on = activity.known()?.into();
    let version = tagging.detach(caller.pending_write(), on, tag.known()?);
    Ok(Changed(version.await?))
}
