//! `GET /api/projects/{id}`

use shared::endpoint::*;
use shared::model::{Project, ProjectId};

/// Returns a project.
#[utoipa::path(get, path = "/api/projects/{id}")]
pub async fn get_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<Single<Shown<Project>>, Problem> {
    let directory = app.store.directory();
    let project = directory.project(caller.tenant(), id.known()?).await?;
    Ok(Single(project.into()))
}
