//! Schemas and responses of problems in the OpenAPI document.

use model::base::{
    Code,
    input::{Schema, string},
};
use serde_json::{Value, json};
use utoipa::openapi::{
    Content, Header, HeaderBuilder, OneOfBuilder, Ref, Response, ResponseBuilder,
    extensions::ExtensionsBuilder,
    schema::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Type},
};

use super::CHALLENGE;
use crate::http::prefer::APPLIED;

/// The extension of a response that lists the stable codes of its problems.
pub const CODES: &str = "x-codes";

/// The component of the gateway's own 429.
pub const GATEWAY_LIMITED: &str = "GatewayLimited";

/// The schema of bodies that the gateway writes itself.
const GATEWAY_MESSAGE: &str = "GatewayMessage";

pub(in crate::http) fn header(schema: impl Into<Schema>, description: &str) -> Header {
    let header = HeaderBuilder::new().schema(Some(schema));
    header
        .description(Some(description))
        .build()
}

/// Returns the name of a problem's schema, such as `NotFoundProblem`.
fn schema_name(code: Code) -> String {
    let name = format!("{code:?}");
    let short = name
        .strip_suffix("Error")
        .unwrap_or(&name);
    format!("{short}Problem")
}

pub fn schemas(codes: &[Code]) -> impl Iterator<Item = (String, Schema)> {
    codes
        .iter()
        .map(|code| (schema_name(*code), schema(*code)))
}

fn schema(code: Code) -> Schema {
    let only_this = string().enum_values(Some([code.name()]));
    let mut own = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("code", only_this)
        .required("code");
    if code == Code::ValidationError {
        let faults = ArrayBuilder::new()
            .items(Ref::from_schema_name("Fault"))
            .min_items(Some(1));
        own = own
            .property("errors", faults)
            .required("errors");
    }
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name("Problem"))
        .item(own)
        .description(Some(code.about()))
        .examples([example(code)]);
    utoipa::openapi::Schema::from(schema.build()).into()
}

fn example(code: Code) -> Value {
    let mut example = json!({
        "type": format!("urn:workdesk:problem:{}", code.name()),
        "title": code.title(),
        "status": code.status(),
        "detail": code.about(),
        "instance": "/api/tasks/7",
        "code": code.name(),
        "requestId": "JKJaXmPLvHcESHA=",
        "message": code.about(),
    });
    if code == Code::ValidationError {
        let fault = json!({
            "pointer": "/title", "code": "required", "detail": "Send `title`.",
        });
        for copy in ["detail", "message"] {
            example[copy] = fault["detail"].clone();
        }
        example["errors"] = json!([fault]);
    }
    example
}

/// Returns the response of one status with these problems.
pub fn response(codes: &[Code]) -> Response {
    use Code::{Paused, RateLimited, RequestUnderWay, TooManyAttempts, Unavailable};
    let reference = |code: &Code| Ref::from_schema_name(schema_name(*code));
    let schema: Schema = if let [only] = codes {
        reference(only).into()
    } else {
        let references = codes.iter().map(reference);
        let one_of = references.fold(OneOfBuilder::new(), OneOfBuilder::item);
        utoipa::openapi::Schema::from(one_of.build()).into()
    };
    let names: Vec<&str> = codes
        .iter()
        .map(|code| code.name())
        .collect();
    let has = |some: &[Code]| {
        codes
            .iter()
            .any(|code| some.contains(code))
    };
    let mut response = ResponseBuilder::new()
        .description(
            codes
                .first()
                .map_or("", |code| code.title()),
        )
        .content("application/problem+json", Content::new(Some(schema)))
        .extensions(Some(
            ExtensionsBuilder::new()
                .add(CODES, names)
                .build(),
        ));
    if has(&[Code::ValidationError]) {
        let (name, about) = APPLIED;
        response = response.header(name, header(string(), about));
    }
    if has(&[Code::Unauthenticated, Code::InvalidCredentials]) {
        response = response.header("WWW-Authenticate", challenge());
    }
    if has(&[
        TooManyAttempts,
        RateLimited,
        Unavailable,
        Paused,
        RequestUnderWay,
    ]) {
        response = response.header("Retry-After", retry_after());
    }
    if has(&[RateLimited]) {
        for (name, header) in quota_headers() {
            response = response.header(name, header);
        }
    }
    if has(&[TooManyAttempts, RateLimited]) {
        response = response.content("application/json", gateway_content());
    }
    response.build()
}

fn challenge() -> Header {
    let about = "Asks for a token; a session is accepted as well";
    header(string().enum_values(Some([CHALLENGE])), about)
}

fn retry_after() -> Header {
    let seconds = ObjectBuilder::new().schema_type(Type::Integer);
    let about = "Seconds to wait before the next attempt";
    header(seconds.minimum(Some(1)), about)
}

/// Returns the headers of a used quota. The gateway's own 429 has none of them.
fn quota_headers() -> [(&'static str, Header); 2] {
    let text = |pattern: &str, about: &str| header(string().pattern(Some(pattern)), about);
    let policy = text(
        r#"^"(organization|user|token|session)";q=\d+;w=\d+;qu="table-units"$"#,
        "The quota that is used up: its holder, table units `q` and seconds `w`",
    );
    let left = text(
        r#"^"(organization|user|token|session)";r=0;t=\d+$"#,
        "What is left of it: no units, and `t` seconds until some are free",
    );
    [("RateLimit-Policy", policy), ("RateLimit", left)]
}

/// Returns the gateway's response to a client that sends too many requests.
pub fn gateway_limited() -> Response {
    let about = "Too many requests. The gateway limits requests per second, and writes this body \
                 itself: it is not a problem and has no `code`. Wait a second, then retry.";
    ResponseBuilder::new()
        .description(about)
        .content("application/json", gateway_content())
        .build()
}

fn gateway_content() -> Content {
    Content::new(Some(Ref::from_schema_name(GATEWAY_MESSAGE)))
}

/// Returns the schema of bodies that the gateway writes itself, with its name.
pub fn gateway_message() -> (String, Schema) {
    let message = string().description(Some("The reason in words"));
    let schema = ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("An answer of the gateway itself"))
        .property("message", message)
        .required("message")
        .examples([json!({ "message": "Too Many Requests" })]);
    (GATEWAY_MESSAGE.to_owned(), schema.into())
}
