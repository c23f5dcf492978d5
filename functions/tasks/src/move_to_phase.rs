//! `PATCH /api/tasks/{taskId}/phase`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    input::{Fields, Input, Patch, id},
    model::{PhaseId, TaskId},
    store::TaskPatch,
};
use utoipa::ToSchema;

/// What a client sends to move a task to a phase.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct MoveToPhase {
    /// A phase of the task's project; null removes the task from its phase.
    #[schema(value_type = Option<PhaseId>, required = true)]
    phase_id: Patch<PhaseId>,
}

impl Input for MoveToPhase {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        if !body.has_any(&["phaseId"]) {
            body.fault("phaseId", "required", "Send `phaseId`, an id or null.");
        }
        Some(Self {
            phase_id: body.patch("phaseId", id),
        })
    }
}

/// Moves a task to a phase of its project, or out of its phase.
#[utoipa::path(
    patch, path = "/api/tasks/{taskId}/phase", operation_id = "moveTaskToPhase", tag = "tasks",
    params(("taskId" = TaskId, Path)),
    request_body = MoveToPhase,
    responses(
        (status = 204, description = "Moved"),
        (status = 409, description = "Others kept changing the task at the same time",
            body = shared::http::ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn move_to_phase(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(input): Body<MoveToPhase>,
) -> Result<StatusCode, Problem> {
    let patch = TaskPatch {
        phase_id: input.phase_id,
        ..TaskPatch::default()
    };
    let tasks = app.store.tasks();
    tasks.update(caller.tenant(), id.known()?, patch).await?;
    Ok(StatusCode::NO_CONTENT)
}
