//! `GET /api/activities`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
};

use crate::view::ActivityWithRefsView;

/// Lists the activities of the caller's organization and its projects, newest first.
#[utoipa::path(get, path = "/api/activities", operation_id = "listActivities")]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
) -> Result<List<ActivityWithRefsView>, Problem> {
    let activities = app.store.activities();
    let activities = activities.of_organization(caller.tenant()).await?;
    Ok(List::of(activities))
}
