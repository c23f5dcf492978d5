//! Descriptions of operations, made from the types of a handler's arguments and of its result.
//!
//! | part of the operation | comes from |
//! |---|---|
//! | method, path, id | `#[utoipa::path(…)]` above the handler |
//! | summary | the first paragraph of the handler's doc comment: one sentence of at most 80 characters |
//! | description | the other paragraphs, and one on what the caller needs |
//! | parameters, body, security | the arguments |
//! | problems | the arguments, and the refusals that the error names |
//! | answer | the return type |

use std::collections::{BTreeMap, VecDeque};

use ::http::{Method, StatusCode, header};
use axum::{
    Json,
    extract::State,
    response::{self, IntoResponse},
};
use model::base::{
    Code,
    input::{Schema, string},
};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        self, Content, Header, Ref, RefOr, Required, Response, ResponseBuilder,
        path::{Operation, ParameterBuilder, ParameterIn, PathItem},
        request_body::RequestBodyBuilder,
        security::SecurityRequirement,
    },
};

use crate::{Problem, http::refusal::Refusals};

use super::{
    prefer::APPLIED,
    problem::{ProblemDetails, document},
};

const JSON: &str = "application/json";

pub use super::problem::document::CODES;

/// The extension of an operation with its caller's needs.
pub const NEEDS: &str = "x-needs";

/// The header of a replayed answer.
const REPLAYED: (&str, &str) = (
    "Idempotency-Replayed",
    "`true` when an earlier request with the same Idempotency-Key did it",
);

/// The headers of an answer to a caller who has used half of a quota.
const HALF_USED: [(&str, &str); 2] = [
    (
        "RateLimit-Policy",
        "Once half of a quota is used: its holder, table units `q` and seconds `w`",
    ),
    (
        "RateLimit",
        "What is left of it: `r` units, and all of them in `t` seconds",
    ),
];

/// The description of an operation, while it is built.
pub struct Description {
    pub(super) method: Method,
    /// Parameters of the path, in order. Path arguments take them from the front.
    path_parameters: VecDeque<String>,
    pub(super) names_a_record: bool,
    /// True if the operation takes an idempotency key. Successes that follow have the header of
    /// replays.
    pub(super) may_be_repeated: bool,
    has_caller: bool,
    /// The needs of the caller as a sentence.
    needs: Option<String>,
    /// The preferences that it takes, each with its description.
    preferences: Vec<(&'static str, &'static str)>,
    operation: Operation,
    pub(super) schemas: Vec<(String, Schema)>,
    problems: BTreeMap<u16, Vec<Code>>,
}

pub trait Argument {
    /// Adds its parameters, its body, its needs and its problems.
    fn describe(_: &mut Description) {}
}

/// The result of a handler that succeeds.
pub trait Answer {
    /// Adds its responses.
    fn describe(description: &mut Description);
}

pub trait Handler<Arguments> {
    /// Adds all of its arguments, its refusals and its answer.
    fn describe(description: &mut Description);
}

pub const fn description_of<A, H: Handler<A>>(_: &H) -> fn(&mut Description) {
    H::describe
}

impl Description {
    /// Adds a schema to the document and returns a reference to it.
    pub fn schema<T: ToSchema>(&mut self) -> Schema {
        self.schemas
            .push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(T::name()).into()
    }

    pub fn path_parameter(&mut self, schema: Schema, about: &str) {
        if let Some(name) = self.path_parameters.pop_front() {
            self.parameter(ParameterIn::Path, &name, true, schema, about);
        }
    }

    /// Adds a parameter. Its description is that of the schema or, without one, `about`.
    pub fn parameter(
        &mut self,
        place: ParameterIn,
        name: &str,
        required: bool,
        mut schema: Schema,
        about: &str,
    ) {
        // Commas separate the values of one parameter. A repeated one is understood as well, since
        // many clients repeat it whatever the document says.
        let is_list = matches!(schema, Schema::T(openapi::Schema::Array(_)));
        let explode = (place == ParameterIn::Query && is_list).then_some(false);
        let about = take_description(&mut schema).unwrap_or_else(|| about.to_owned());
        let parameter = ParameterBuilder::new()
            .explode(explode)
            .name(name)
            .description(Some(about))
            .parameter_in(place)
            .required(if required {
                Required::True
            } else {
                Required::False
            })
            .schema(Some(schema))
            .build();
        let parameters = self
            .operation
            .parameters
            .get_or_insert_default();
        parameters.push(parameter.into());
    }

    /// Adds a preference of the header `Prefer`.
    pub fn preference(&mut self, example: &'static str, about: &'static str) {
        self.preferences.push((example, about));
    }

    /// Adds the header of all preferences.
    fn describe_preferences(&mut self) {
        if self.preferences.is_empty() {
            return;
        }
        let (examples, about): (Vec<_>, Vec<_>) = self.preferences.iter().copied().unzip();
        let schema = string().examples(examples);
        self.parameter(
            ParameterIn::Header,
            "Prefer",
            false,
            schema.into(),
            &about.join(" "),
        );
    }

    pub fn body(&mut self, schema: Schema) {
        let body = RequestBodyBuilder::new()
            .content(JSON, Content::new(Some(schema)))
            .required(Some(Required::True))
            .build();
        self.operation.request_body = Some(body.into());
    }

    pub fn problems(&mut self, codes: &[Code]) {
        for code in codes {
            let codes_of_status = self
                .problems
                .entry(code.status())
                .or_default();
            if !codes_of_status.contains(code) {
                codes_of_status.push(*code);
            }
        }
    }

    /// Adds what the caller needs: permissions, plan features, a session.
    pub fn needs(&mut self, needs: Vec<String>) {
        let words: Vec<String> = needs
            .iter()
            .map(|need| in_words(need))
            .collect();
        self.needs = Some(format!("Needs {}.", words.join(" and ")));
        let extensions = self
            .operation
            .extensions
            .get_or_insert_default();
        extensions.insert(NEEDS.to_owned(), needs.into());
    }

    /// Requires a session or, if the operation takes them, a token.
    pub fn needs_caller(&mut self, takes_tokens: bool) {
        self.has_caller = true;
        let token = takes_tokens.then_some("bearer");
        let schemes = ["session"].into_iter().chain(token);
        let either = schemes.map(|scheme| SecurityRequirement::new(scheme, Vec::<String>::new()));
        self.operation.security = Some(either.collect());
    }

    /// Adds a success with its headers by name and meaning.
    pub fn success(
        &mut self,
        status: StatusCode,
        description: &str,
        body: Option<Schema>,
        headers: &[(&str, &str)],
    ) {
        let body = body.map(|schema| (JSON, schema));
        self.answer(status, description, body, headers);
    }

    /// As [`success`](Self::success), with the media type of the body.
    pub(super) fn answer(
        &mut self,
        status: StatusCode,
        description: &str,
        body: Option<(&str, Schema)>,
        headers: &[(&str, &str)],
    ) {
        let mut response = ResponseBuilder::new().description(description);
        if let Some((media_type, schema)) = body {
            response = response.content(media_type, Content::new(Some(schema)));
        }
        let replayed = self.may_be_repeated.then_some(REPLAYED);
        let has_body = self.operation.request_body.is_some();
        let applied = has_body.then_some(APPLIED);
        let quota = HALF_USED
            .iter()
            .filter(|_| self.has_caller);
        for (name, description) in headers
            .iter()
            .chain(&replayed)
            .chain(&applied)
            .chain(quota)
        {
            response = response.header(*name, text_header(description));
        }
        self.respond(status, response);
    }

    fn respond(&mut self, status: StatusCode, response: impl Into<RefOr<Response>>) {
        let responses = &mut self.operation.responses.responses;
        responses.insert(status.as_str().to_owned(), response.into());
    }

    /// Takes an operation out of its place and begins its description.
    pub(super) fn begun(method: Method, path: &str, operation: &mut Operation) -> Self {
        let segments = path.split('/');
        let names = segments.filter_map(|segment| {
            segment
                .strip_prefix('{')?
                .strip_suffix('}')
        });
        let mut description = Self {
            method,
            names_a_record: path.contains('{'),
            may_be_repeated: false,
            has_caller: false,
            needs: None,
            preferences: Vec::new(),
            path_parameters: names.map(str::to_owned).collect(),
            operation: std::mem::take(operation),
            schemas: Vec::new(),
            problems: BTreeMap::new(),
        };
        // Open to everyone, unless an argument says otherwise.
        description.operation.security = Some(Vec::new());
        description
    }

    pub(super) fn finish(mut self) -> (Operation, Vec<(String, Schema)>) {
        use Code::{InternalError, Unavailable, ValidationError};
        // Every operation refuses unknown query parameters and may fail. One that writes refuses
        // requests of other sites.
        self.problems(&[ValidationError, InternalError, Unavailable]);
        if self.method != Method::GET {
            self.problems(&[Code::CrossSite, Code::Paused]);
        }
        self.describe_preferences();
        self.schema::<ProblemDetails>();
        // The gateway limits the requests to every operation.
        let limited = Ref::from_response_name(document::GATEWAY_LIMITED);
        self.respond(StatusCode::TOO_MANY_REQUESTS, limited);
        for (status, codes) in std::mem::take(&mut self.problems) {
            self.schemas
                .extend(document::schemas(&codes));
            if let Ok(status) = StatusCode::from_u16(status) {
                let mut response = document::response(&codes);
                // The record of a replay may be gone.
                if self.may_be_repeated && status == StatusCode::NOT_FOUND {
                    let header = text_header(REPLAYED.1).into();
                    response
                        .headers
                        .insert(REPLAYED.0.to_owned(), header);
                }
                self.respond(status, response);
            }
        }
        let summary = self
            .operation
            .summary
            .as_deref()
            .map(unwrapped);
        self.operation.summary = summary.map(|text| text.trim_end_matches('.').to_owned());
        let about = self
            .operation
            .description
            .as_deref()
            .map(unwrapped);
        let paragraphs: Vec<String> = about
            .into_iter()
            .chain(self.needs)
            .collect();
        self.operation.description = (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n"));
        (self.operation, self.schemas)
    }
}

/// The schema of a text.
pub fn text() -> Schema {
    string().into()
}

pub(crate) fn text_header(description: &str) -> Header {
    document::header(text(), description)
}

/// A need in words, such as "the permission `view_work`".
fn in_words(need: &str) -> String {
    match need.rsplit_once(' ') {
        Some(("plan", feature)) => format!("the plan feature `{feature}`"),
        Some(("its creator, or", permission)) => {
            format!("to be the creator of the record, or the permission `{permission}`")
        }
        Some(_) => need.to_owned(),
        None => format!("the permission `{need}`"),
    }
}

pub(crate) fn with_article(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Joins the lines of each paragraph, which a source file breaks at its margin. Rows of lists and
/// tables stay apart.
fn unwrapped(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    for line in text.lines().map(str::trim) {
        let begins = line.is_empty() || line.starts_with(['-', '|', '*']);
        if !whole.is_empty() {
            let is_apart = begins || whole.ends_with('\n');
            whole.push(if is_apart { '\n' } else { ' ' });
        }
        whole.push_str(line);
    }
    whole
}

fn take_description(schema: &mut Schema) -> Option<String> {
    let text = match schema {
        Schema::Ref(reference) => Some(std::mem::take(&mut reference.description)),
        Schema::T(openapi::Schema::Object(object)) => object.description.take(),
        Schema::T(openapi::Schema::Array(array)) => array.description.take(),
        Schema::T(openapi::Schema::OneOf(one_of)) => one_of.description.take(),
        Schema::T(_) => None,
    };
    let text = text.filter(|text| !text.is_empty())?;
    Some(unwrapped(&text))
}

pub fn operations_of(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::PATCH, &mut item.patch),
        (Method::DELETE, &mut item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

macro_rules! handlers {
    ($(($($argument:ident)*))+) => {$(
        impl<F, Fut, A, R, $($argument),*> Handler<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Fut,
            Fut: Future<Output = Result<A, Problem<R>>>,
            A: Answer,
            R: Refusals,
            $($argument: Argument,)*
        {
            fn describe(description: &mut Description) {
                $($argument::describe(description);)*
                description.problems(&R::codes());
                A::describe(description);
            }
        }
    )+};
}

handlers!(() (T1) (T1 T2) (T1 T2 T3) (T1 T2 T3 T4) (T1 T2 T3 T4 T5) (T1 T2 T3 T4 T5 T6));

impl<S> Argument for State<S> {}

impl<T: ToSchema> Answer for Json<T> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<T>();
        description.success(StatusCode::OK, &about::<T>(), Some(schema), &[]);
    }
}

/// The first line of a schema's description.
pub fn about<T: PartialSchema>() -> String {
    let schema = serde_json::to_value(T::schema()).unwrap_or_default();
    let text = schema["description"]
        .as_str()
        .unwrap_or_default();
    text.lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Declares an answer without a body: its status and its description.
macro_rules! empty {
    ($($(#[doc = $about:literal])+ $name:ident = $status:ident, $description:literal;)+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl IntoResponse for $name {
            fn into_response(self) -> response::Response {
                StatusCode::$status.into_response()
            }
        }

        impl Answer for $name {
            fn describe(description: &mut Description) {
                description.success(StatusCode::$status, $description, None, &[]);
            }
        }
    )+};
}

empty! {
    /// 204 without a body.
    NoContent = NO_CONTENT, "Done";
    /// 202 without a body.
    Accepted = ACCEPTED, "Accepted";
}

/// 200 without a body, and where what it made is found.
#[derive(Clone, Debug)]
pub struct DoneAt(
    /// A path with a fragment.
    pub String,
);

impl IntoResponse for DoneAt {
    fn into_response(self) -> response::Response {
        (StatusCode::OK, [(header::LOCATION, self.0)]).into_response()
    }
}

impl Answer for DoneAt {
    fn describe(description: &mut Description) {
        let location = [("Location", "Where the new record is found")];
        description.success(StatusCode::OK, "Done", None, &location);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        let text = "One sentence\nover two lines.\n\nAnother paragraph:\n- a\n- b";
        let joined = "One sentence over two lines.\n\nAnother paragraph:\n- a\n- b";
        assert_eq!(unwrapped(text), joined);
    }

    #[test]
    fn needs_are_told_in_words() {
        let or = "to be the creator of the record, or the permission `view_work`";
        for (need, words) in [
            ("view_work", "the permission `view_work`"),
            ("plan agentAI", "the plan feature `agentAI`"),
            ("a session", "a session"),
            ("its creator, or view_work", or),
        ] {
            assert_eq!(in_words(need), words);
        }
    }
}
