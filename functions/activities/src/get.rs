//! `GET /api/activities/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId, Single},
    model::ActivityId,
};

use crate::view::ActivityWithRefsView;

/// Returns an activity with its creator, project and tags.
#[utoipa::path(get, path = "/api/activities/{id}", operation_id = "getActivity")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ActivityId>>,
) -> Result<Single<ActivityWithRefsView>, Problem> {
    let activities = app.store.activities();
    let activity = activities.get(caller.tenant(), id.known()?).await?;
    Ok(Single(activity.into()))
}
