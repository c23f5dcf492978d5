//! `POST /api/activities/{activityId}/tags`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Changed, Conditional, Path, PathId,
        refusal::{ConcurrentChange, TooManyTags},
    },
    model::{ActivityId, TagAttach},
};

/// Attaches a tag to an activity.
///
/// An activity that has the tag already stays as it is. An activity has at most 50 tags (409
/// `too_many_tags`).
#[utoipa::path(
    post,
    path = "/api/activities/{activityId}/tags",
    operation_id = "attachActivityTag"
)]
pub async fn attach_tag(
    State(app): State<App>,
    _: Conditional,
    caller: Caller<need::TagActivity>,
    Path(activity): Path<PathId<ActivityId>>,
    Body(TagAttach { tag_id }): Body<TagAttach>,
) -> Result<Changed, Problem<(TooManyTags, ConcurrentChange)>> {
    let tagging = app.store.tagging();
    let on = activity.known()?.into();
    let version = tagging.attach(caller.pending_write(), on, tag_id).await?;
    Ok(Changed(version))
}
