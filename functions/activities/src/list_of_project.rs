//! `GET /api/projects/{projectId}/activities`

use shared::{
    endpoint::*,
    http::{AccessTo, denied},
    model::{
        base::ProjectId,
        work::{ActivityFilter, ActivitySort},
    },
    store::work::ActivityWithRefs,
};

use crate::list::query;

/// Lists the activities of a project.
///
/// The newest come first unless `sort` says otherwise. 403 `access_denied` if the caller's
/// organization has no such project.
#[utoipa::path(get, path = "/api/projects/{projectId}/activities")]
pub async fn list_project_activities(
    caller: Caller<need::ViewWork, Listing<ActivityFilter, ActivitySort>>,
    Path(project): Path<AccessTo<ProjectId>>,
) -> Result<List<ActivityWithRefs>, Problem> {
    let (project, pages) = (project.known()?, caller.pages()?);
    let activities = caller.app.store.activities();
    let reader = caller.reader();
    let page = activities.of_project(&reader, project, query(&caller, &pages));
    Ok(pages.answer(page.await.map_err(denied)?, |activity| activity)?)
}
