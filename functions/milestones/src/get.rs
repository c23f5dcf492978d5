//! `GET /api/milestones/{id}`

use shared::endpoint::*;
use shared::model::MilestoneId;

use crate::view::MilestoneWithTasksView;

/// Returns a milestone with its first 200 tasks.
#[utoipa::path(get, path = "/api/milestones/{id}")]
pub async fn get_milestone(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<MilestoneId>>,
) -> Result<Single<MilestoneWithTasksView>, Problem> {
    let milestones = app.store.milestones();
    let milestone = milestones.get(caller.tenant(), id.known()?).await?;
    let links = caller.links(&app);
    Ok(Single(MilestoneWithTasksView::new(milestone, &links)))
}
