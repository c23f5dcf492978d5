//! `GET /api/activities/{id}`

use shared::{endpoint::*, model::base::ActivityId, store::work::ActivityWithRefs};

/// Returns an activity with its creator, project and tags.
#[utoipa::path(get, path = "/api/activities/{id}")]
pub async fn get_activity(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ActivityId>>,
) -> Result<Single<ActivityWithRefs>, Problem> {
    let activities = caller.app.store.activities();
    let activity = activities
        .get(&caller.reader(), id.known()?)
        .await?;
    Ok(Single(activity))
}
