//! `GET /api/milestones/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::MilestoneId,
};

use crate::view::MilestoneWithTasksView;

/// Reads a milestone with its tasks.
#[utoipa::path(get, path = "/api/milestones/{id}", operation_id = "getMilestone")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<Json<MilestoneWithTasksView>, Problem> {
    let milestones = app.store.milestones();
    let milestone = milestones.get(caller.tenant(), id.known()?).await?;
    let links = caller.links(&app);
    Ok(Json(MilestoneWithTasksView::new(milestone, &links)))
}
