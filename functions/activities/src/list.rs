//! `GET /api/activities`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
};

use crate::view::ActivityWithRefsView;

/// Lists the activities of the caller's organization and its projects, newest first.
#[utoipa::path(
    get, path = "/api/activities", operation_id = "listActivities", tag = "activities",
    responses((status = 200, description = "The activities", body = [ActivityWithRefsView]))
)]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
) -> Result<Json<Vec<ActivityWithRefsView>>, Problem> {
    let activities = app.store.activities();
    let activities = activities.of_organization(caller.tenant()).await?;
    Ok(Json(activities.into_iter().map(Into::into).collect()))
}
