//! `POST /api/activities`

use shared::{
    endpoint::*,
    http::refusal::{NotFound, ProjectArchived},
    model::work::ActivityCreate,
    store::work::TaggedActivity,
};

/// Records an activity of a project or of the organization.
///
/// An activity of a project is also listed among those of the organization. 404 if the project or
/// the organization is not the caller's. 409 `project_archived` if the project is archived.
#[utoipa::path(post, path = "/api/activities")]
pub async fn create_activity(
    caller: Caller<need::CreateActivity>,
    Body(new): Body<ActivityCreate>,
) -> Result<Single<TaggedActivity>, Problem<(NotFound, ProjectArchived)>> {
    let activities = caller.app.store.activities();
    let activity = activities.create(caller.write(), caller.user_id(), new);
    Ok(Single(activity.await?))
}
