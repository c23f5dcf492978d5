//! `POST /api/activities`

use shared::endpoint::*;
use shared::model::ActivityCreate;
use shared::store::TaggedActivity;

/// Records an activity of a project or of the organization.
///
/// An activity of a project is also listed among those of the organization. 404 if the project or
/// the organization is not the caller's. 409 `project_archived` if the project is archived.
#[utoipa::path(post, path = "/api/activities")]
pub async fn create_activity(
    State(app): State<App>,
    caller: Caller<need::CreateActivity>,
    Body(new): Body<ActivityCreate>,
) -> Result<Single<TaggedActivity>, Problem<(NotFound, ProjectArchived)>> {
    let activities = app.store.activities();
    let activity = activities.create(caller.pending_write(), caller.user_id(), new);
    Ok(Single(activity.await?))
}
