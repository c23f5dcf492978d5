//! `GET /api/activities/{id}`

use shared::endpoint::*;
use shared::model::ActivityId;
use shared::store::ActivityWithRefs;

/// Returns an activity with its creator, project and tags.
#[utoipa::path(get, path = "/api/activities/{id}")]
pub async fn get_activity(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ActivityId>>,
) -> Result<Single<ActivityWithRefs>, Problem> {
    let activities = app.store.activities();
    let activity = activities.get(caller.tenant(), id.known()?).await?;
    Ok(Single(activity))
}
