//! The OpenAPI 3.1 document, merged from the documents of the functions.

mod rules;
mod webhook_message;

use std::collections::{BTreeMap, BTreeSet};

use model::base::{Code, Fault, input::SENT};
use serde_json::Value;
use utoipa::{
    OpenApi,
    openapi::{
        self, ObjectBuilder, Ref, RefOr, Response, Schema,
        schema::{SchemaType, Type},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::{
    auth::cookie,
    http::{
        ProblemDetails,
        operation::{operations_of, text_header},
        problem::document::{CODES, GATEWAY_LIMITED, gateway_limited, gateway_message},
    },
};

/// Marks an object whose members an answer has on demand.
pub(crate) const ON_DEMAND: &str = "x-on-demand";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Workdesk",
        description = "Work management and managed services: service requests, milestones, tasks, \
            activities, tickets, and an agent for billing alerts.\n\n\
            **Sign in** with `POST /api/auth/login`. It sets a session cookie, which every other \
            request carries. A script sends a token instead: `Authorization: Bearer wd_…`. \
            `POST /api/tokens` creates one.\n\n\
            **Bodies** are JSON in camelCase.\n\n\
            - Ids are positive integers up to 2^53-1, unique per kind of record.\n\
            - Times are RFC 3339 with any offset. Answers give them in UTC with milliseconds.\n\
            - An answer has every member; one without a value is null. With `detail=full`, some have \
              members that are not required, too.\n\
            - In a partial update, an absent member keeps its value and null clears it.\n\
            - Unknown members of a body are ignored. Unknown query parameters are refused.\n\
            - A member of the record that an update cannot change is refused if its value differs.\n\
            - Descriptions, contents and messages are CommonMark. They are stored as they are sent; clients \
            render them without raw HTML.\n\
            - A query parameter with several values has them separated by commas, or is repeated. Both mean \
            or. No other parameter may be repeated.\n\
            - While the service is updated, a status, a priority or a type may have a value beyond this \
            document. Treat it as another one.\n\
            - A record of another organization returns the same answer as one that does not exist.\n\n\
            **Problems** are `application/problem+json` (RFC 9457). Each has a stable `code`, a \
            `detail` in words and the `requestId` of its log entries. A validation error lists every \
            fault in `errors`, each with a JSON pointer.\n\n\
            **Webhooks.** `webhooks` describes the messages to receivers.\n\n\
            **Limits.** A caller that used the table units of ten seconds gets 429 `rate_limited`, with \
            `Retry-After`, `RateLimit` and `RateLimit-Policy`. The last two stand on successful answers once half \
            of a quota is used. The gateway limits requests per second \
            too. Its own 429 is not a problem: its body is `{\"message\": …}`.",
        contact(name = "The maintainers of Workdesk"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "The host of this document")),
    tags(
        (name = "auth", description = "Signing in and out, passwords, sessions and tokens"),
        (name = "service-requests", description = "Requests of users to the organization's services"),
        (name = "directory", description = "Organizations, users, projects, phases and tags"),
        (name = "milestones", description = "Milestones of projects"),
        (name = "tasks", description = "Tasks of projects and of the organization"),
        (name = "activities", description = "Records of past events, with comments and tags"),
        (name = "managed-services", description = "The dashboard, support tickets and references"),
        (name = "concierge", description = "The agent: alerts, sessions, actions, connections"),
        (name = "updates", description = "The feed of changes, notifications, and webhooks"),
        (name = "pages", description = "This document, which `/api/docs` shows")
    ),
    components(schemas(ProblemDetails, Fault))
)]
struct Base;

/// Examples by the names of their schemas.
pub type Examples = BTreeMap<String, Value>;

/// Merges the documents of the functions. A schema without an example of its own gets a recorded
/// one.
pub fn document(
    parts: impl IntoIterator<Item = openapi::OpenApi>,
    examples: Examples,
) -> openapi::OpenApi {
    let mut whole = Base::openapi();
    for part in parts {
        whole.merge(part);
    }
    whole.webhooks = Some(webhook_message::webhooks());
    let session = ApiKeyValue::with_description(cookie::NAME, "Set by POST /api/auth/login");
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(session));
    let mut problems = BTreeMap::new();
    for item in whole.paths.paths.values_mut() {
        for (_, operation) in operations_of(item) {
            let name = upper_first(
                operation
                    .operation_id
                    .as_deref()
                    .unwrap_or_default(),
            );
            for (status, response) in &mut operation.responses.responses {
                share(&name, status, response, &mut problems);
            }
        }
    }
    let components = whole.components.get_or_insert_default();
    components.add_security_scheme("session", session);
    components.add_security_scheme("bearer", bearer());
    components.responses.extend(problems);
    let limited = (GATEWAY_LIMITED.to_owned(), gateway_limited().into());
    components.responses.extend([limited]);
    components
        .schemas
        .extend([gateway_message()]);
    components
        .schemas
        .extend(webhook_message::schemas());
    rules::add(&mut components.schemas);
    for (name, description) in EVERY_ANSWER {
        let header = text_header(description).into();
        components
            .headers
            .insert(name.to_owned(), header);
    }
    for schema in components.schemas.values_mut() {
        let on_demand = join_parts(schema);
        require_nullable(schema, &on_demand);
    }
    add_examples(&mut components.schemas, examples);
    whole
}

fn add_examples(schemas: &mut BTreeMap<String, RefOr<Schema>>, examples: Examples) {
    for (name, example) in examples {
        let own = match schemas.get_mut(&name) {
            Some(RefOr::T(Schema::Object(object))) => &mut object.examples,
            Some(RefOr::T(Schema::AllOf(all_of))) => &mut all_of.examples,
            _ => continue,
        };
        if own.is_empty() {
            own.push(example);
        }
    }
}

fn bearer() -> SecurityScheme {
    let form = "wd_, in other cells than 0 the cell and _, and 32 random bytes in base64url";
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format(form)
        .description(Some("For scripts; created by POST /api/tokens"));
    SecurityScheme::Http(scheme.build())
}

pub const EVERY_ANSWER: [(&str, &str); 3] = [
    ("X-Request-Id", "The id of the request in the service's log"),
    ("Cache-Control", "`no-store`: no cache keeps the answer"),
    (
        "X-Content-Type-Options",
        "`nosniff`: browsers do not guess another content type",
    ),
];

/// Adds the headers of every answer to a response. Replaces a problem by a reference to a component
/// that all operations share.
fn share(
    operation: &str,
    status: &str,
    response: &mut RefOr<Response>,
    problems: &mut BTreeMap<String, RefOr<Response>>,
) {
    let RefOr::T(own) = response else { return };
    for (name, _) in EVERY_ANSWER {
        let header = Ref::new(format!("#/components/headers/{name}"));
        own.headers
            .insert(name.to_owned(), RefOr::Ref(header));
    }
    let Some(codes) = own
        .extensions
        .as_ref()
        .and_then(|more| more.get(CODES))
    else {
        return;
    };
    let codes: Vec<Code> = serde_json::from_value(codes.clone()).unwrap_or_default();
    let names: Vec<String> = codes
        .iter()
        .map(|code| format!("{code:?}"))
        .collect();
    let name = match names.as_slice() {
        few @ ([_] | [_, _]) => few.join("Or"),
        // Many codes make no readable name; the operation does.
        _ => format!("{operation}{status}"),
    };
    let reference = Ref::new(format!("#/components/responses/{name}"));
    problems.insert(name, std::mem::replace(response, RefOr::Ref(reference)));
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Joins the parts of a schema to one object, where all of them are objects. A part that another
/// schema shares stays a reference. Returns the names of the members that an answer has on demand.
fn join_parts(schema: &mut RefOr<Schema>) -> BTreeSet<String> {
    let is_object = |part: &RefOr<Schema>| matches!(part, RefOr::T(Schema::Object(_)));
    let mut on_demand = BTreeSet::new();
    let all_of = match schema {
        RefOr::T(Schema::AllOf(all_of)) if all_of.items.iter().all(is_object) => all_of,
        _ => return on_demand,
    };
    let mut whole = ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(all_of.description.take())
        .build();
    for part in std::mem::take(&mut all_of.items) {
        if let RefOr::T(Schema::Object(part)) = part {
            let more = part.extensions.as_ref();
            if more.is_some_and(|more| more.contains_key(ON_DEMAND)) {
                on_demand.extend(part.properties.keys().cloned());
            } else {
                whole.required.extend(part.required);
            }
            whole.properties.extend(part.properties);
        }
    }
    *schema = whole.into();
    on_demand
}

/// Requires members that may be null, since an answer has all of them but those on demand. A body
/// may leave them out.
fn require_nullable(schema: &mut RefOr<Schema>, on_demand: &BTreeSet<String>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            let mark = object
                .extensions
                .as_mut()
                .map(|more| more.remove(SENT));
            if mark.flatten().is_some() {
                object.extensions = object
                    .extensions
                    .take()
                    .filter(|more| !more.is_empty());
                return;
            }
            for (name, schema) in &object.properties {
                let is_there = !object.required.contains(name) && !on_demand.contains(name);
                if may_be_null(schema) && is_there {
                    object.required.push(name.clone());
                }
            }
        }
        Schema::AllOf(all_of) => {
            let parts = all_of.items.iter_mut();
            parts.for_each(|part| require_nullable(part, on_demand));
        }
        _ => {}
    }
}

fn may_be_null(schema: &RefOr<Schema>) -> bool {
    let null = |schema: &RefOr<Schema>| matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null));
    let types = match schema {
        RefOr::T(Schema::Object(object)) => &object.schema_type,
        RefOr::T(Schema::Array(array)) => &array.schema_type,
        RefOr::T(Schema::OneOf(one_of)) => return one_of.items.iter().any(null),
        _ => return false,
    };
    matches!(types, SchemaType::Array(types) if types.contains(&Type::Null))
}
