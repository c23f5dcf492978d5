//! How an operation is described: from the types of its handler's arguments and of its answer.
//!
//! `#[utoipa::path(…)]` above a handler says the method, the path and the operation's id, its doc
//! comment the summary. The rest is not written down a second time: who may call it, its
//! parameters and body, and which problems it answers follow from its arguments; what it answers
//! follows from its return type.

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use http::{Method, StatusCode};
use model::{Code, input::Schema};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        self, Content, HeaderBuilder, Ref, Required, ResponseBuilder,
        extensions::ExtensionsBuilder,
        path::{Operation, ParameterBuilder, ParameterIn, PathItem},
        request_body::RequestBodyBuilder,
        schema::{AllOfBuilder, ObjectBuilder, Type},
        security::SecurityRequirement,
    },
};

use super::{
    condition,
    problem::{self, ProblemDetails},
    refusal::Refusals,
};
use crate::Problem;

/// The extension of a response that lists the stable codes of its problems.
pub const CODES: &str = "x-codes";

/// The extension of an operation that says what its caller needs.
pub const NEEDS: &str = "x-needs";

/// The header of an answer to a request that was sent before, and what it says.
const REPLAYED: (&str, &str) = (
    "Idempotency-Replayed",
    "`true` when an earlier request with the same Idempotency-Key did it",
);

/// An operation that is being described.
pub struct Description {
    method: Method,
    /// Parameters in the path, in order, which path arguments take from the front.
    path_parameters: Vec<String>,
    names_a_record: bool,
    may_be_repeated: bool,
    operation: Operation,
    schemas: Vec<(String, Schema)>,
    problems: BTreeMap<u16, Vec<Code>>,
}

/// An argument of a handler.
pub trait Argument {
    /// Adds what it means to callers.
    fn describe(_: &mut Description) {}
}

/// What a handler answers when it succeeds.
pub trait Answer {
    /// Adds its responses.
    fn describe(description: &mut Description);
}

/// A handler.
pub trait Handler<Arguments> {
    /// Describes it.
    fn describe(&self, description: &mut Description);
}

impl Description {
    /// The operation's method.
    pub(crate) const fn method(&self) -> &Method {
        &self.method
    }

    /// Whether its path has parameters.
    pub(crate) const fn names_a_record(&self) -> bool {
        self.names_a_record
    }

    /// It knows a request again that was sent before, and says so.
    pub(crate) const fn may_be_repeated(&mut self) {
        self.may_be_repeated = true;
    }

    /// A schema by reference, which the document then has.
    pub fn schema<T: ToSchema>(&mut self) -> Schema {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(T::name()).into()
    }

    /// Schemas that are referred to.
    pub fn schemas(&mut self, add: impl FnOnce(&mut Vec<(String, Schema)>)) {
        add(&mut self.schemas);
    }

    /// The next parameter of the path.
    pub fn path_parameter(&mut self, schema: Schema) {
        if self.path_parameters.is_empty() {
            return;
        }
        let name = self.path_parameters.remove(0);
        self.parameter(ParameterIn::Path, &name, true, schema);
    }

    /// A parameter of the query, or a header.
    pub fn parameter(&mut self, stands: ParameterIn, name: &str, required: bool, schema: Schema) {
        // Several values of one parameter are separated by commas.
        let is_list = matches!(schema, Schema::T(openapi::Schema::Array(_)));
        let explode = (stands == ParameterIn::Query && is_list).then_some(false);
        let parameter = ParameterBuilder::new()
            .explode(explode)
            .name(name)
            .parameter_in(stands)
            .required(if required {
                Required::True
            } else {
                Required::False
            })
            .schema(Some(schema))
            .build();
        let parameters = self.operation.parameters.get_or_insert_default();
        parameters.push(parameter.into());
    }

    /// The JSON body that it takes.
    pub fn body(&mut self, schema: Schema) {
        let body = RequestBodyBuilder::new()
            .content("application/json", Content::new(Some(schema)))
            .required(Some(Required::True))
            .build();
        self.operation.request_body = Some(body.into());
    }

    /// Problems that it may answer.
    pub fn problems(&mut self, codes: &[Code]) {
        for code in codes {
            let status = problem::status(*code).as_u16();
            let all = self.problems.entry(status).or_default();
            if !all.contains(code) {
                all.push(*code);
            }
        }
    }

    /// What its caller needs: permissions and plan features, for people.
    pub fn needs(&mut self, needs: Vec<String>) {
        let all = self.operation.extensions.get_or_insert_default();
        all.insert(NEEDS.to_owned(), needs.into());
    }

    /// Who signed in calls it, by a session or, where it takes them, by a token.
    pub fn needs_caller(&mut self, takes_tokens: bool) {
        let schemes: &[&str] = if takes_tokens {
            &["session", "bearer"]
        } else {
            &["session"]
        };
        let either = schemes
            .iter()
            .map(|scheme| SecurityRequirement::new(*scheme, Vec::<String>::new()));
        self.operation.security = Some(either.collect());
    }

    /// A success; its headers by name and meaning.
    pub fn success(
        &mut self,
        status: StatusCode,
        description: &str,
        body: Option<Schema>,
        headers: &[(&str, &str)],
    ) {
        let mut response = ResponseBuilder::new().description(description);
        if let Some(schema) = body {
            response = response.content("application/json", Content::new(Some(schema)));
        }
        self.answer(status, response, headers);
    }

    /// A success with a body of another media type.
    pub fn success_of(
        &mut self,
        status: StatusCode,
        description: &str,
        media_type: &str,
        body: Schema,
        headers: &[(&str, &str)],
    ) {
        let response = ResponseBuilder::new()
            .description(description)
            .content(media_type, Content::new(Some(body)));
        self.answer(status, response, headers);
    }

    fn answer(
        &mut self,
        status: StatusCode,
        mut response: ResponseBuilder,
        headers: &[(&str, &str)],
    ) {
        let replayed = self.may_be_repeated.then_some(REPLAYED);
        for (name, description) in headers.iter().chain(&replayed) {
            let header = HeaderBuilder::new()
                .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
                .description(Some(*description))
                .build();
            response = response.header(*name, header);
        }
        self.respond(status, response);
    }

    fn respond(&mut self, status: StatusCode, response: ResponseBuilder) {
        let responses = &mut self.operation.responses.responses;
        responses.insert(status.as_str().to_owned(), response.into());
    }

    /// Of an operation, which is taken out of its place, by its method and path.
    pub(super) fn begun(method: Method, path: &str, operation: &mut Operation) -> Self {
        let segments = path.split('/');
        let names = segments.filter_map(|one| one.strip_prefix('{')?.strip_suffix('}'));
        let mut description = Self {
            method,
            names_a_record: condition::names_a_record(path),
            may_be_repeated: false,
            path_parameters: names.map(str::to_owned).collect(),
            operation: std::mem::take(operation),
            schemas: Vec::new(),
            problems: BTreeMap::new(),
        };
        // Open to everybody, unless an argument says otherwise.
        description.operation.security = Some(Vec::new());
        description
    }

    /// The operation, and the schemas that it refers to.
    pub(super) fn finish(mut self) -> (Operation, Vec<(String, Schema)>) {
        // Every operation refuses query parameters that it does not know and, where it changes
        // something, the sessions of other sites, and may fail.
        self.problems(&[
            Code::ValidationError,
            Code::InternalError,
            Code::Unavailable,
        ]);
        if self.method != Method::GET {
            self.problems(&[Code::CrossSite]);
        }
        self.schema::<ProblemDetails>();
        for (status, codes) in std::mem::take(&mut self.problems) {
            if let Ok(status) = StatusCode::from_u16(status) {
                self.respond(status, problem_response(&codes));
            }
        }
        (self.operation, self.schemas)
    }
}

/// The operations of a path.
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

/// A response with one of these problems.
fn problem_response(codes: &[Code]) -> ResponseBuilder {
    let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names.clone()));
    let one_of_these = ObjectBuilder::new().property("code", code).required("code");
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name("Problem"))
        .item(one_of_these);
    let mut response = ResponseBuilder::new()
        .description(codes.first().map_or("", |code| problem::title(*code)))
        .content(
            "application/problem+json",
            Content::new(Some(utoipa::openapi::Schema::from(schema.build()))),
        )
        .extensions(Some(ExtensionsBuilder::new().add(CODES, names).build()));
    if codes.contains(&Code::Unauthenticated) || codes.contains(&Code::InvalidCredentials) {
        let challenge = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some([problem::CHALLENGE]));
        let header = HeaderBuilder::new()
            .schema(Some(challenge))
            .description(Some("A token is asked for; a session will do as well"));
        response = response.header("WWW-Authenticate", header.build());
    }
    let passing = [
        Code::TooManyAttempts,
        Code::Unavailable,
        Code::RequestUnderWay,
    ];
    if codes.iter().any(|code| passing.contains(code)) {
        let seconds = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1));
        let header = HeaderBuilder::new()
            .schema(Some(seconds))
            .description(Some("Seconds after which to come back"))
            .build();
        response = response.header("Retry-After", header);
    }
    response
}

macro_rules! handlers {
    ($($argument:ident)*) => {
        impl<F, Fut, A, R, $($argument),*> Handler<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Fut,
            Fut: Future<Output = Result<A, Problem<R>>>,
            A: Answer,
            R: Refusals,
            $($argument: Argument,)*
        {
            fn describe(&self, description: &mut Description) {
                $($argument::describe(description);)*
                description.problems(&R::codes());
                A::describe(description);
            }
        }
    };
}

handlers!();
handlers!(T1);
handlers!(T1 T2);
handlers!(T1 T2 T3);
handlers!(T1 T2 T3 T4);
handlers!(T1 T2 T3 T4 T5);
handlers!(T1 T2 T3 T4 T5 T6);

impl<S> Argument for State<S> {}

impl<T: ToSchema> Answer for Json<T> {
    fn describe(description: &mut Description) {
        let schema = description.schema::<T>();
        let about = about::<T>();
        description.success(StatusCode::OK, &about, Some(schema), &[]);
    }
}

/// What a schema says of itself, in its first line.
#[must_use]
pub fn about<T: PartialSchema>() -> String {
    let schema = serde_json::to_value(T::schema()).unwrap_or_default();
    let text = schema["description"].as_str().unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

/// 204: it is done, and there is nothing to say.
#[derive(Clone, Copy, Debug)]
pub struct NoContent;

impl axum::response::IntoResponse for NoContent {
    fn into_response(self) -> axum::response::Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl Answer for NoContent {
    fn describe(description: &mut Description) {
        description.success(StatusCode::NO_CONTENT, "Done", None, &[]);
    }
}

/// 200 without a body.
#[derive(Clone, Copy, Debug)]
pub struct Done;

impl axum::response::IntoResponse for Done {
    fn into_response(self) -> axum::response::Response {
        StatusCode::OK.into_response()
    }
}

impl Answer for Done {
    fn describe(description: &mut Description) {
        description.success(StatusCode::OK, "Done", None, &[]);
    }
}
