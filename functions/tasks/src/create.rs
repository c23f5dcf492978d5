//! `POST /api/tasks`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    input::{Fields, Input, id, instant, one_of, text},
    model::{
        MilestoneId, OrganizationId, PhaseId, Priority, ProjectId, Task, TaskStatus, Timestamp,
        UserId,
    },
    store::NewTask,
};
use utoipa::ToSchema;

/// What a client sends to create a task: at least one of `projectId` and `organizationId`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CreateTask {
    /// 1 to 255 characters.
    title: String,
    /// Up to 50,000 characters.
    description: Option<String>,
    /// A project of the caller's organization.
    project_id: Option<ProjectId>,
    /// The caller's organization.
    organization_id: Option<OrganizationId>,
    /// A milestone of the project.
    milestone_id: Option<MilestoneId>,
    /// A phase of the project.
    phase_id: Option<PhaseId>,
    /// A user of the organization.
    assignee_id: Option<UserId>,
    /// `todo` when absent.
    #[schema(required = false)]
    status: TaskStatus,
    /// `medium` when absent.
    #[schema(required = false)]
    priority: Priority,
    /// When it should be done.
    due_date: Option<Timestamp>,
}

impl Input for CreateTask {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let title = body.required("title", text(1..=255));
        let description = body.optional("description", text(0..=50_000));
        let project_id = body.optional("projectId", id);
        let organization_id = body.optional("organizationId", id);
        let milestone_id = body.optional("milestoneId", id);
        let phase_id = body.optional("phaseId", id);
        let assignee_id = body.optional("assigneeId", id);
        let status = body.not_null("status", one_of).unwrap_or_default();
        let priority = body.not_null("priority", one_of).unwrap_or_default();
        let due_date = body.optional("dueDate", instant);
        if !body.has_value("projectId") && !body.has_value("organizationId") {
            let detail = "Send `projectId`, `organizationId` or both.";
            body.fault("projectId", "required", detail);
        }
        Some(Self {
            title: title?,
            description,
            project_id,
            organization_id,
            milestone_id,
            phase_id,
            assignee_id,
            status,
            priority,
            due_date,
        })
    }
}

/// Creates a task in a project, at the end of its list, or in the organization at large.
#[utoipa::path(
    post, path = "/api/tasks", operation_id = "createTask", tag = "tasks",
    request_body = CreateTask,
    responses((status = 200, description = "The task", body = Task))
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::CreateTask>,
    Body(input): Body<CreateTask>,
) -> Result<Json<Task>, Problem> {
    let new = NewTask {
        title: input.title,
        description: input.description,
        project_id: input.project_id,
        organization_id: input.organization_id,
        milestone_id: input.milestone_id,
        phase_id: input.phase_id,
        assignee_id: input.assignee_id,
        status: input.status,
        priority: input.priority,
        due_date: input.due_date,
    };
    Ok(Json(app.store.tasks().create(caller.tenant(), new).await?))
}
