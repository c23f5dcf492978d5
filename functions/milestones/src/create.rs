//! `POST /api/milestones`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    input::{Fields, Input, id, instant, one_of, text},
    model::{MilestoneStatus, ProjectId, Timestamp},
    store::NewMilestone,
};
use utoipa::ToSchema;

use crate::view::{MilestoneView, dates_in_order};

/// What a client sends to create a milestone.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CreateMilestone {
    /// 1 to 255 characters.
    title: String,
    /// Up to 50,000 characters.
    description: Option<String>,
    /// A project of the caller's organization.
    project_id: ProjectId,
    /// Not after `dueDate`.
    start_date: Option<Timestamp>,
    /// Not before `startDate`.
    due_date: Option<Timestamp>,
    /// `pending` when absent.
    #[schema(required = false)]
    status: MilestoneStatus,
}

impl Input for CreateMilestone {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let title = body.required("title", text(1..=255));
        let description = body.optional("description", text(0..=50_000));
        let project_id = body.required("projectId", id);
        let start_date = body.optional("startDate", instant);
        let due_date = body.optional("dueDate", instant);
        let status = body.not_null("status", one_of).unwrap_or_default();
        dates_in_order(body, start_date, due_date);
        Some(Self {
            title: title?,
            description,
            project_id: project_id?,
            start_date,
            due_date,
            status,
        })
    }
}

/// Creates a milestone of a project.
#[utoipa::path(
    post, path = "/api/milestones", operation_id = "createMilestone", tag = "milestones",
    request_body = CreateMilestone,
    responses((status = 200, description = "The milestone", body = MilestoneView))
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Body(input): Body<CreateMilestone>,
) -> Result<Json<MilestoneView>, Problem> {
    let new = NewMilestone {
        title: input.title,
        description: input.description,
        project_id: input.project_id,
        start_date: input.start_date,
        due_date: input.due_date,
        status: input.status,
    };
    let milestone = app.store.milestones().create(caller.tenant(), new).await?;
    Ok(Json(milestone.into()))
}
