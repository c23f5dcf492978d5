//! The part of the document that receivers of webhooks read.

use model::updates::WebhookMessage;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Content, HttpMethod, Paths, PathsBuilder, Ref, RefOr, Required, ResponseBuilder, Schema,
        path::{OperationBuilder, ParameterBuilder, ParameterIn, PathItem},
        request_body::RequestBodyBuilder,
    },
};

use crate::http::operation::text;

const SIGNATURE: &str = "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, for each valid secret; spaces \
                         separate them";

const HEADERS: [(&str, &str); 3] = [
    (
        "webhook-id",
        "The id of the delivery, the same for each attempt",
    ),
    (
        "webhook-timestamp",
        "The instant of this attempt, in seconds since 1970",
    ),
    ("webhook-signature", SIGNATURE),
];

/// The requests that the service sends: one for each event.
pub fn webhooks() -> Paths {
    let message = Content::new(Some(Ref::from_schema_name(WebhookMessage::name())));
    let body = RequestBodyBuilder::new()
        .content("application/json", message)
        .required(Some(Required::True));
    let response = |about: &str| ResponseBuilder::new().description(about);
    let mut operation = OperationBuilder::new()
        .tag("updates")
        .operation_id(Some("webhookMessage"))
        .summary(Some("Tells a receiver of an event"))
        .description(Some(
            "Sent to the URL of each webhook whose `types` have the event, at least once. Verify the signature \
            as Standard Webhooks 1.0 describes. A message has no values of the record: read it at `url`.",
        ))
        .security(utoipa::openapi::SecurityRequirement::default())
        .request_body(Some(body.build()))
        .response("2XX", response("The receiver has the message. Other answers are attempted again"))
        .response("410", response("The receiver is gone. The webhook is disabled"));
    for (name, about) in HEADERS {
        let header = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(about))
            .schema(Some(text()));
        operation = operation.parameter(header);
    }
    let message = PathItem::new(HttpMethod::Post, operation);
    PathsBuilder::new()
        .path("message", message)
        .build()
}

pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let name = WebhookMessage::name().into_owned();
    let mut schemas = vec![(name, WebhookMessage::schema())];
    WebhookMessage::schemas(&mut schemas);
    schemas
}
