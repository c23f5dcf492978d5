//! The OpenAPI 3.1 document, put together from the functions' routes.

use utoipa::{
    OpenApi,
    openapi::{
        self, Content, Ref, RefOr, ResponseBuilder,
        path::Operation,
        security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
    },
};

use super::problem::ProblemDetails;
use crate::{auth::cookie, model::Fault};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Workdesk",
        version = "1.0.0",
        description = "Work management and managed services: service requests, milestones, tasks, \
                       activities, tickets, and a resolution agent for billing alerts.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(ProblemDetails, Fault))
)]
struct Base;

/// One document of the functions' own: every operation needs the session cookie unless it says
/// otherwise, and may answer the problems that all of them share.
#[must_use]
pub fn document(parts: impl IntoIterator<Item = openapi::OpenApi>) -> openapi::OpenApi {
    let mut whole = Base::openapi();
    for part in parts {
        whole.merge(part);
    }
    let scheme = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
        cookie::NAME,
        "Set by POST /api/auth/login",
    )));
    whole
        .components
        .get_or_insert_default()
        .add_security_scheme("session", scheme);
    for (path, item) in &mut whole.paths.paths {
        let operations = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.patch,
            &mut item.delete,
        ];
        for operation in operations.into_iter().flatten() {
            complete(path, operation);
        }
    }
    whole
}

fn complete(path: &str, operation: &mut Operation) {
    let public = operation.security.is_some();
    if !public {
        let needs_session = SecurityRequirement::new("session", Vec::<String>::new());
        operation.security = Some(vec![needs_session]);
        problem(operation, "401", "Not authenticated");
        problem(operation, "403", "Permission denied");
    }
    problem(operation, "400", "Validation error");
    if path.contains('{') {
        problem(operation, "404", "No such record");
    }
    if operation.request_body.is_some() {
        problem(operation, "413", "The body is over 256 KiB");
        problem(operation, "415", "The body is not declared as JSON");
    }
    problem(operation, "500", "Server error");
    problem(operation, "503", "The service cannot answer at the moment");
}

fn problem(operation: &mut Operation, status: &str, description: &str) {
    operation
        .responses
        .responses
        .entry(status.to_owned())
        .or_insert_with(|| {
            let schema = Ref::from_schema_name("Problem");
            RefOr::T(
                ResponseBuilder::new()
                    .description(description)
                    .content(
                        "application/problem+json",
                        Content::new(Some(RefOr::Ref(schema))),
                    )
                    .build(),
            )
        });
}
