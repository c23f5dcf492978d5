//! `GET /api/projects/{id}`

use shared::endpoint::*;
use shared::model::ProjectId;

use crate::view::ProjectView;

/// Returns a project.
#[utoipa::path(get, path = "/api/projects/{id}", operation_id = "getProject")]
pub async fn get_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<Single<ProjectView>, Problem> {
    let directory = app.store.directory();
    let project = directory.project(caller.tenant(), id.known()?).await?;
    Ok(Single(project.into()))
}
