//! `PUT /api/milestones/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Error, Problem,
    auth::{Caller, need},
    error::Fault,
    http::{Body, Path, PathId},
    input::{Fields, Input, Patch, instant, one_of, text},
    model::{Milestone, MilestoneId, MilestoneStatus, Timestamp},
};
use utoipa::ToSchema;

use crate::view::{MilestoneView, dates_in_order};

/// What a client sends to change a milestone: an absent field is kept, a null one cleared.
#[derive(Clone, ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct UpdateMilestone {
    /// 1 to 255 characters.
    #[schema(nullable = false)]
    title: Option<String>,
    /// Up to 50,000 characters.
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    /// Not after `dueDate`.
    #[schema(value_type = Option<Timestamp>)]
    start_date: Patch<Timestamp>,
    /// Not before `startDate`.
    #[schema(value_type = Option<Timestamp>)]
    due_date: Patch<Timestamp>,
    /// Any change is legal.
    #[schema(nullable = false)]
    status: Option<MilestoneStatus>,
}

impl Input for UpdateMilestone {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let title = body.not_null("title", text(1..=255));
        let description = body.patch("description", text(0..=50_000));
        let start_date = body.patch("startDate", instant);
        let due_date = body.patch("dueDate", instant);
        let status = body.not_null("status", one_of);
        dates_in_order(body, start_date.value().copied(), due_date.value().copied());
        Some(Self {
            title,
            description,
            start_date,
            due_date,
            status,
        })
    }
}

impl UpdateMilestone {
    fn apply(self, milestone: &mut Milestone) -> Result<(), Error> {
        if let Some(title) = self.title {
            milestone.title = title;
        }
        if let Some(status) = self.status {
            milestone.status = status;
        }
        self.description.apply(&mut milestone.description);
        let moved = if self.due_date.is_sent() {
            "dueDate"
        } else {
            "startDate"
        };
        self.start_date.apply(&mut milestone.start_date);
        self.due_date.apply(&mut milestone.due_date);
        if milestone.dates_are_in_order() {
            Ok(())
        } else {
            let detail = "The start must not be after the due date.";
            Err(Error::invalid(Fault::at(moved, "order", detail)))
        }
    }
}

/// Changes a milestone.
#[utoipa::path(
    put, path = "/api/milestones/{id}", operation_id = "updateMilestone", tag = "milestones",
    params(("id" = MilestoneId, Path)),
    request_body = UpdateMilestone,
    responses((status = 200, description = "The milestone", body = MilestoneView))
)]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::ManageMilestones>,
    Path(id): Path<PathId<MilestoneId>>,
    Body(input): Body<UpdateMilestone>,
) -> Result<Json<MilestoneView>, Problem> {
    let milestone = app
        .store
        .milestones()
        .update(caller.tenant(), id.known()?, |milestone| {
            input.clone().apply(milestone)
        })
        .await?;
    Ok(Json(milestone.into()))
}
