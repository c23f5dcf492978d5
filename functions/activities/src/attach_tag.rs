//! `POST /api/activities/{activityId}/tags`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    input::{Fields, Input, id},
    model::{ActivityId, TagId},
};
use utoipa::ToSchema;

/// What a client sends to attach a tag.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct AttachTag {
    /// A tag of the caller's organization.
    tag_id: TagId,
}

impl Input for AttachTag {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let tag_id = body.required("tagId", id)?;
        Some(Self { tag_id })
    }
}

/// Attaches a tag to an activity, which may carry it already.
#[utoipa::path(
    post, path = "/api/activities/{activityId}/tags", operation_id = "attachActivityTag", tag = "activities",
    params(("activityId" = ActivityId, Path)),
    request_body = AttachTag,
    responses((status = 204, description = "Attached"))
)]
pub async fn attach_tag(
    State(app): State<App>,
    caller: Caller<need::TagActivity>,
    Path(activity): Path<PathId<ActivityId>>,
    Body(AttachTag { tag_id }): Body<AttachTag>,
) -> Result<StatusCode, Problem> {
    app.store
        .activities()
        .attach_tag(caller.tenant(), activity.known()?, tag_id)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
