//! `POST /api/managed-services/request`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    input::{Fields, Input, integer, one_of, text},
    model::{MAX_ID, Priority, ReferenceType},
    store::NewServiceRequest,
    view::ServiceRequestView,
};
use utoipa::ToSchema;

/// What a client sends to raise a service request.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CreateServiceRequest {
    /// 1 to 255 characters.
    title: String,
    /// Up to 50,000 characters.
    description: Option<String>,
    /// `medium` when absent.
    #[schema(required = false)]
    priority: Priority,
    /// Up to 100 characters.
    category: Option<String>,
    /// Comes together with `referenceId`.
    reference_type: Option<ReferenceType>,
    /// A project of the caller's organization, or the organization itself.
    reference_id: Option<i64>,
}

impl Input for CreateServiceRequest {
    fn read(body: &mut Fields<'_>) -> Option<Self> {
        let title = body.required("title", text(1..=255));
        let description = body.optional("description", text(0..=50_000));
        let priority = body.not_null("priority", one_of).unwrap_or_default();
        let category = body.optional("category", text(0..=100));
        let reference_type = body.optional("referenceType", one_of);
        let reference_id = body.optional("referenceId", integer(1..=MAX_ID));
        for (one, other) in [
            ("referenceType", "referenceId"),
            ("referenceId", "referenceType"),
        ] {
            if body.has_value(one) && !body.has_value(other) {
                body.fault(other, "required", format!("Send `{other}` with `{one}`."));
            }
        }
        Some(Self {
            title: title?,
            description,
            priority,
            category,
            reference_type,
            reference_id,
        })
    }
}

/// Raises a service request.
#[utoipa::path(
    post, path = "/api/managed-services/request", operation_id = "createServiceRequest", tag = "service-requests",
    request_body = CreateServiceRequest,
    responses((status = 200, description = "The service request", body = ServiceRequestView))
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::CreateServiceRequest>,
    Body(input): Body<CreateServiceRequest>,
) -> Result<Json<ServiceRequestView>, Problem> {
    let new = NewServiceRequest {
        title: input.title,
        description: input.description,
        priority: input.priority,
        category: input.category,
        creator_id: caller.user_id(),
        reference: input.reference_type.zip(input.reference_id),
    };
    let requests = app.store.service_requests();
    let request = requests.create(caller.tenant(), new).await?;
    Ok(Json(request.into()))
}
