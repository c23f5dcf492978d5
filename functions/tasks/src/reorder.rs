//! `PATCH /api/tasks/reorder`

use std::collections::HashSet;

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    input::{Fields, Input, id, integer},
    model::{MAX_ID, TaskId},
    store::TaskPlace,
};
use utoipa::ToSchema;

/// What a client sends to reorder tasks.
#[derive(ToSchema)]
pub struct ReorderTasks {
    /// The tasks that move; each at most once.
    #[schema(min_items = 1, max_items = 100)]
    tasks: Vec<PlaceOfTask>,
}

/// A task and its new place.
#[derive(ToSchema)]
pub struct PlaceOfTask {
    id: TaskId,
    /// Ascending; ties are broken by id.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    order: i64,
}

impl Input for ReorderTasks {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let tasks = body.objects("tasks", 1..=100, |task| {
            let id = task.required("id", id);
            let order = task.required("order", integer(0..=MAX_ID));
            Some(PlaceOfTask {
                id: id?,
                order: order?,
            })
        })?;
        let mut seen = HashSet::with_capacity(tasks.len());
        for (at, task) in tasks.iter().enumerate() {
            if !seen.insert(task.id) {
                let detail = "This task stands in the list twice.";
                body.fault(&format!("tasks/{at}/id"), "repeated", detail);
            }
        }
        Some(Self { tasks })
    }
}

/// Gives up to 100 tasks new places, all or none.
#[utoipa::path(
    patch, path = "/api/tasks/reorder", operation_id = "reorderTasks", tag = "tasks",
    request_body = ReorderTasks,
    responses(
        (status = 204, description = "All have their new places"),
        (status = 404, description = "There is no such task; none was moved",
            body = shared::http::ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn reorder(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Body(input): Body<ReorderTasks>,
) -> Result<StatusCode, Problem> {
    let place = |PlaceOfTask { id, order }| TaskPlace { id, order };
    let places: Vec<TaskPlace> = input.tasks.into_iter().map(place).collect();
    app.store.tasks().reorder(caller.tenant(), &places).await?;
    Ok(StatusCode::NO_CONTENT)
}
