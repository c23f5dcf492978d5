//! The part of the document that receivers of webhooks read.

use model::WebhookMessage;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Content, HttpMethod, ObjectBuilder, Paths, PathsBuilder, Ref, RefOr, Required,
        ResponseBuilder, Schema,
        path::{OperationBuilder, ParameterBuilder, ParameterIn, PathItem},
        request_body::RequestBodyBuilder,
        schema::Type,
    },
};

const HEADERS: [(&str, &str); 3] = [
    (
        "webhook-id",
        "The id of the delivery, the same for each attempt",
    ),
    (
        "webhook-timestamp",
        "The instant of this attempt, in seconds since 1970",
    ),
    (
        "webhook-signature",
        "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, for each valid secret; spaces separate them",
    ),
];

/// The requests that the service sends: one for each event.
pub fn webhooks() -> Paths {
    let mut operation = OperationBuilder::new()
        .tag("updates")
        .operation_id(Some("webhookMessage"))
        .summary(Some("Tells a receiver of an event"))
        .description(Some(
            "Sent to the URL of each webhook whose `types` have the event, at least once. Verify the signature \
            as Standard Webhooks 1.0 describes. A message has no values of the record: read it at `url`.",
        ))
        .security(utoipa::openapi::SecurityRequirement::default())
        .request_body(Some(
            RequestBodyBuilder::new()
                .content(
                    "application/json",
                    Content::new(Some(Ref::from_schema_name(WebhookMessage::name()))),
                )
                .required(Some(Required::True))
                .build(),
        ))
        .response(
            "2XX",
            ResponseBuilder::new().description("The receiver has the message. Other answers are attempted again"),
        )
        .response(
            "410",
            ResponseBuilder::new().description("The receiver is gone. The webhook is disabled"),
        );
    for (name, about) in HEADERS {
        let header = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(about))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
        operation = operation.parameter(header);
    }
    let message = PathItem::new(HttpMethod::Post, operation);
    PathsBuilder::new().path("message", message).build()
}

pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    let mut all = vec![(
        WebhookMessage::name().into_owned(),
        WebhookMessage::schema(),
    )];
    WebhookMessage::schemas(&mut all);
    all
}
