//! `PATCH /api/tasks/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    input::{Fields, Input, Patch, id, instant, integer, one_of, text},
    model::{MAX_ID, MilestoneId, PhaseId, Priority, Task, TaskId, TaskStatus, Timestamp, UserId},
    store::TaskPatch,
};
use utoipa::ToSchema;

/// What a client sends to change a task, at least one field of it: an absent field is kept, a null
/// one cleared.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct UpdateTask {
    /// 1 to 255 characters.
    #[schema(nullable = false)]
    title: Option<String>,
    /// Up to 50,000 characters.
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    /// A milestone of the task's project.
    #[schema(value_type = Option<MilestoneId>)]
    milestone_id: Patch<MilestoneId>,
    /// A phase of the task's project.
    #[schema(value_type = Option<PhaseId>)]
    phase_id: Patch<PhaseId>,
    /// A user of the organization.
    #[schema(value_type = Option<UserId>)]
    assignee_id: Patch<UserId>,
    /// Any change is legal.
    #[schema(nullable = false)]
    status: Option<TaskStatus>,
    /// How pressing it is.
    #[schema(nullable = false)]
    priority: Option<Priority>,
    /// When it should be done.
    #[schema(value_type = Option<Timestamp>)]
    due_date: Patch<Timestamp>,
    /// Place within the list, ascending; ties are broken by id.
    #[schema(nullable = false, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    order: Option<i64>,
}

impl UpdateTask {
    const FIELDS: [&str; 9] = [
        "title",
        "description",
        "milestoneId",
        "phaseId",
        "assigneeId",
        "status",
        "priority",
        "dueDate",
        "order",
    ];
}

impl Input for UpdateTask {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        if !body.has_any(&Self::FIELDS) {
            let detail = format!("Send at least one of {}.", Self::FIELDS.join(", "));
            body.fault("", "required", detail);
        }
        Some(Self {
            title: body.not_null("title", text(1..=255)),
            description: body.patch("description", text(0..=50_000)),
            milestone_id: body.patch("milestoneId", id),
            phase_id: body.patch("phaseId", id),
            assignee_id: body.patch("assigneeId", id),
            status: body.not_null("status", one_of),
            priority: body.not_null("priority", one_of),
            due_date: body.patch("dueDate", instant),
            order: body.not_null("order", integer(0..=MAX_ID)),
        })
    }
}

/// Changes a task.
#[utoipa::path(
    patch, path = "/api/tasks/{id}", operation_id = "updateTask", tag = "tasks",
    params(("id" = TaskId, Path)),
    request_body = UpdateTask,
    responses(
        (status = 200, description = "The task", body = Task),
        (status = 409, description = "Others kept changing the task at the same time",
            body = shared::http::ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(input): Body<UpdateTask>,
) -> Result<Json<Task>, Problem> {
    let patch = TaskPatch {
        title: input.title,
        description: input.description,
        milestone_id: input.milestone_id,
        phase_id: input.phase_id,
        assignee_id: input.assignee_id,
        status: input.status,
        priority: input.priority,
        due_date: input.due_date,
        order: input.order,
    };
    let tasks = app.store.tasks();
    let task = tasks.update(caller.tenant(), id.known()?, patch).await?;
    Ok(Json(task))
}
