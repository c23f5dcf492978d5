//! `POST /api/activities`

use axum::{Json, extract::State};
use shared::{
    App, Error, Problem,
    auth::{Caller, need},
    http::{Body, ProblemDetails},
    input::{Fields, Input, id, instant, object, one_of, slug, text},
    model::{ActivityType, Id, JsonText, OrganizationId, ProjectId, Timestamp},
    store::NewActivity,
};
use utoipa::ToSchema;

use crate::view::ActivityView;

/// What a client sends to record an activity: at least one of `projectId` and `organizationId`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CreateActivity {
    /// When it happened; now when absent.
    #[schema(nullable = false)]
    timestamp: Option<Timestamp>,
    /// What kind of thing happened.
    #[schema(rename = "type")]
    kind: ActivityType,
    /// A free name within the type.
    #[schema(pattern = "^[a-z0-9_]{1,64}$")]
    subtype: Option<String>,
    /// 1 to 50,000 characters.
    description: String,
    /// A project of the caller's organization.
    project_id: Option<ProjectId>,
    /// The caller's organization.
    organization_id: Option<OrganizationId>,
    /// Up to 16 KiB and five levels.
    #[schema(value_type = Option<Object>)]
    metadata: Option<JsonText>,
    /// Up to 16 KiB and five levels.
    #[schema(value_type = Option<Object>)]
    evidence: Option<JsonText>,
}

impl Input for CreateActivity {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let timestamp = body.not_null("timestamp", instant);
        let kind = body.required("type", one_of);
        let subtype = body.optional("subtype", slug);
        let description = body.required("description", text(1..=50_000));
        let project_id = body.optional("projectId", id);
        let organization_id = body.optional("organizationId", id);
        let metadata = body.optional("metadata", object).map(JsonText);
        let evidence = body.optional("evidence", object).map(JsonText);
        if !body.has_value("projectId") && !body.has_value("organizationId") {
            let detail = "Send `projectId`, `organizationId` or both.";
            body.fault("projectId", "required", detail);
        }
        Some(Self {
            timestamp,
            kind: kind?,
            subtype,
            description: description?,
            project_id,
            organization_id,
            metadata,
            evidence,
        })
    }
}

/// Records an activity of a project or of the organization; a project's is the organization's too.
#[utoipa::path(
    post, path = "/api/activities", operation_id = "createActivity", tag = "activities",
    request_body = CreateActivity,
    responses(
        (status = 200, description = "The activity", body = ActivityView),
        (status = 404, description = "No such project or organization", body = ProblemDetails, content_type = "application/problem+json")
    )
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::CreateActivity>,
    Body(input): Body<CreateActivity>,
) -> Result<Json<ActivityView>, Problem> {
    let tenant = caller.tenant();
    if input.organization_id.is_some_and(|id| id != tenant) {
        return Err(Error::NotFound(OrganizationId::NOUN).into());
    }
    let new = NewActivity {
        timestamp: input.timestamp,
        kind: input.kind,
        subtype: input.subtype,
        description: input.description,
        project_id: input.project_id,
        creator_id: caller.user_id(),
        metadata: input.metadata,
        evidence: input.evidence,
    };
    let activity = app.store.activities().create(tenant, new).await?;
    Ok(Json(activity.into()))
}
