//! `GET /api/projects`

use shared::endpoint::*;
use shared::model::{ProjectFilter, ProjectSort};

use crate::view::ProjectView;

/// Lists the projects of the caller's organization by title.
///
/// Archived projects are listed only with `status=archived`.
#[utoipa::path(get, path = "/api/projects", operation_id = "listProjects")]
pub async fn list_projects(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<ProjectFilter, ProjectSort>>,
) -> Result<List<ProjectView>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, filter) = (caller.tenant(), &caller.query.filter);
    let directory = app.store.directory();
    let page = directory.projects(tenant, caller.user_id(), filter, &pages.wanted);
    Ok(pages.answer(page.await?, ProjectView::from)?)
}
