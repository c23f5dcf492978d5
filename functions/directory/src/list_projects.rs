//! `GET /api/projects`

use shared::{
    endpoint::*,
    model::work::{Project, ProjectFilter, ProjectSort},
};

/// Lists the projects of the caller's organization, sorted by title.
///
/// Archived projects are listed only with `status=archived`.
#[utoipa::path(get, path = "/api/projects")]
pub async fn list_projects(
    caller: Caller<need::ViewWork, Listing<ProjectFilter, ProjectSort>>,
) -> Result<List<Shown<Project>>, Problem> {
    let pages = caller.pages()?;
    let reader = caller.reader();
    let filter = &caller.query.filter;
    let directory = caller.app.store.directory();
    let page = directory.projects(&reader, caller.user_id(), filter, &pages.wanted);
    Ok(pages.answer(page.await?, Shown::from)?)
}
