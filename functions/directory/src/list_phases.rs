//! `GET /api/projects/{projectId}/phases`

use shared::{
    endpoint::*,
    model::{
        base::ProjectId,
        work::{Phase, PhaseFilter, PhaseSort},
    },
};

/// Lists the phases of a project by `order`, then by id.
#[utoipa::path(get, path = "/api/projects/{projectId}/phases")]
pub async fn list_project_phases(
    caller: Caller<need::ViewWork, Listing<PhaseFilter, PhaseSort>>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<Shown<Phase>>, Problem> {
    let (project, pages) = (project.known()?, caller.pages()?);
    let directory = caller.app.store.directory();
    let reader = caller.reader();
    let filter = &caller.query.filter;
    let page = directory.phases(&reader, project, filter, &pages.wanted);
    Ok(pages.answer(page.await?, Shown::from)?)
}
