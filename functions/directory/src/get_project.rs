//! `GET /api/projects/{id}`

use shared::{
    endpoint::*,
    model::{base::ProjectId, work::Project},
};

/// Returns a project.
#[utoipa::path(get, path = "/api/projects/{id}")]
pub async fn get_project(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ProjectId>>,
) -> Result<Single<Shown<Project>>, Problem> {
    let directory = caller.app.store.directory();
    let project = directory
        .project(&caller.reader(), id.known()?)
        .await?;
    Ok(Single(project.into()))
}
