//! `GET /api/projects/{projectId}/milestones`

use shared::{
    endpoint::*,
    model::{
        base::ProjectId,
        work::{MilestoneFilter, MilestoneSort},
    },
};

use crate::get::MilestoneWithTasksView;

/// Lists the milestones of a project by due date, with their tasks.
///
/// Milestones without a due date come last. Each has its first 200 tasks.
#[utoipa::path(get, path = "/api/projects/{projectId}/milestones")]
pub async fn list_project_milestones(
    caller: Caller<need::ViewWork, Listing<MilestoneFilter, MilestoneSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<MilestoneWithTasksView>, Problem> {
    let (project, pages) = (project.known()?, caller.pages()?);
    let reader = caller.reader();
    let user = caller.user_id();
    let filter = &caller.query.filter;
    let milestones = caller.app.store.milestones();
    let page = milestones.of_project(&reader, user, project, filter, &pages.wanted);
    Ok(pages.answer(page.await?, |milestone| {
        MilestoneWithTasksView::new(milestone, pages.links())
    })?)
}
