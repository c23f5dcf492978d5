//! The functions, each said once. `cargo local`, the tests' harness and programs, and what the
//! tests write follow from this table.

use auth::Auth;
use axum::Router;
use resolution_agent::ResolutionAgent;
use shared::{
    App, Start,
    clock::Clock,
    config::{Environment, Patience},
    http,
    runtime::background::Background,
    serve::{open_router, router, started},
};
use updates::Updates;
use utoipa::openapi::OpenApi;

use self::FunctionRoutes::{OfAgent, OfApp, OfAuth, OfNobody, OfUpdates};
use super::handler::{Handler, StartError, of_background, of_router};

/// A function: a package below `functions`.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name of its package, its binary and its role's policy.
    pub name: &'static str,
    /// Its caller, with the part that answers it.
    role: Role,
    /// Milliseconds in which it has ended, 99 times of a hundred, unless an alarm is due.
    pub ends_within: u32,
}

/// The caller of a function, with the part that answers it.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// The gateway.
    Api(ApiFunction),
    /// A queue, the table's stream or the schedule.
    Background(Patience, fn(&Start) -> Result<Handler, StartError>),
}

/// The part of a function that answers the gateway.
#[derive(Clone, Copy, Debug)]
pub struct ApiFunction {
    pub routes: FunctionRoutes,
    /// Paths of its routes that the document does not have.
    pub pages: &'static [&'static str],
    /// The path of a read that touches the table and needs a session; none where the function is
    /// open to everybody.
    pub read: Option<&'static str>,
    /// The status of the read's answer in the world of the tests' programs.
    pub status: u64,
}

/// A function's routes, by the state that they need.
#[derive(Clone, Copy, Debug)]
pub enum FunctionRoutes {
    /// The application's.
    OfApp(fn() -> http::Routes<App>),
    /// The auth function's.
    OfAuth(fn() -> http::Routes<Auth>),
    /// The resolution agent's.
    OfAgent(fn() -> http::Routes<ResolutionAgent>),
    /// The updates function's.
    OfUpdates(fn() -> http::Routes<Updates>),
    /// None: they have neither table nor callers.
    OfNobody(fn(&Environment) -> http::Routes),
}

/// Every function.
#[rustfmt::skip] // A line each.
pub const FUNCTIONS: &[Function] = &[
    // A provider answers three requests one after another.
    api("auth", OfAuth(auth::routes), "/api/auth/session", 200).ends_within(4_000),
    api("service-requests", OfApp(service_requests::routes), "/api/service-requests/1/comments", 200),
    // It hashes passwords.
    api("directory", OfApp(directory::routes), "/api/users", 200).ends_within(1_500),
    api("milestones", OfApp(milestones::routes), "/api/projects/1/milestones", 200),
    api("tasks", OfApp(tasks::routes), "/api/tasks", 200),
    api("activities", OfApp(activities::routes), "/api/activities", 200),
    api("managed-services", OfApp(managed_services::routes), "/api/managed-services/dashboard", 200),
    // Execute waits up to 20 seconds for the worker.
    api("resolution-agent", OfAgent(resolution_agent::routes), "/api/concierge/agent-sessions/1", 404).ends_within(22_000),
    api("updates", OfUpdates(updates::routes), "/api/changes", 200),
    // The worker's lease is 50 seconds.
    background::<action_worker::Worker>("action-worker").ends_within(45_000),
    background::<publisher::Publisher>("publisher").ends_within(5_000),
    // A hundred records of 500 words each, at most, and then again.
    background::<indexer::Indexer>("indexer").ends_within(40_000),
    // A run ends after 50 seconds.
    background::<sweeper::Sweeper>("sweeper").ends_within(55_000),
    // Two attempts of ten seconds one after another.
    background::<webhook_sender::WebhookSender>("webhook-sender").ends_within(22_000),
    // Attempts begin within 15 seconds, and take 30 at most.
    background::<mailer::Mailer>("mailer").ends_within(45_000),
    // Five requests.
    background::<checker::Checker>("checker").ends_within(10_000),
    open("pages", pages::routes, pages::PAGES),
];

/// The states of the API functions.
#[derive(Clone)]
pub struct States {
    /// The application's.
    pub app: App,
    /// The auth function's.
    pub auth: Auth,
    /// The resolution agent's.
    pub agent: ResolutionAgent,
    /// The updates function's.
    pub updates: Updates,
}

const fn api(
    name: &'static str,
    routes: FunctionRoutes,
    read: &'static str,
    status: u64,
) -> Function {
    let api = ApiFunction {
        routes,
        pages: &[],
        read: Some(read),
        status,
    };
    Function {
        name,
        role: Role::Api(api),
        ends_within: 1_000,
    }
}

const fn open(
    name: &'static str,
    routes: fn(&Environment) -> http::Routes,
    pages: &'static [&'static str],
) -> Function {
    let api = ApiFunction {
        routes: OfNobody(routes),
        pages,
        read: None,
        status: 200,
    };
    Function {
        name,
        role: Role::Api(api),
        ends_within: 1_000,
    }
}

const fn background<F: Background>(name: &'static str) -> Function {
    Function {
        name,
        role: Role::Background(F::PATIENCE, of_background::<F>),
        ends_within: 1_000,
    }
}

impl Function {
    /// Returns whether it has neither table nor callers.
    pub const fn is_open(&self) -> bool {
        let Some(api) = self.api() else {
            return false;
        };
        matches!(api.routes, OfNobody(_))
    }

    /// Returns true if it is a client of the API, without a table.
    pub fn is_client(&self) -> bool {
        self.name == "checker"
    }

    /// Returns the part that answers the gateway; none when a queue, the stream or the schedule
    /// calls it.
    pub const fn api(&self) -> Option<ApiFunction> {
        match self.role {
            Role::Api(api) => Some(api),
            Role::Background(..) => None,
        }
    }

    /// Returns the limits of its requests to AWS.
    pub(super) const fn patience(&self) -> Patience {
        match self.role {
            Role::Api(_) => Patience::Client,
            Role::Background(patience, _) => patience,
        }
    }

    /// Returns its handler after its cold start.
    pub(super) fn handler(&self, start: &Start) -> Result<Handler, StartError> {
        match self.role {
            Role::Api(api) => Ok(of_router(api.started(start)?)),
            Role::Background(_, handler) => handler(start),
        }
    }

    const fn ends_within(mut self, milliseconds: u32) -> Self {
        self.ends_within = milliseconds;
        self
    }
}

/// The API functions with their names.
pub fn api_functions() -> impl Iterator<Item = (&'static str, ApiFunction)> {
    FUNCTIONS
        .iter()
        .filter_map(|function| Some((function.name, function.api()?)))
}

impl ApiFunction {
    /// The document of its own routes.
    pub fn document(&self) -> OpenApi {
        match self.routes {
            OfApp(routes) => routes().into_document(),
            OfAuth(routes) => routes().into_document(),
            OfAgent(routes) => routes().into_document(),
            OfUpdates(routes) => routes().into_document(),
            OfNobody(routes) => routes(&Environment::default()).into_document(),
        }
    }

    /// The function after its cold start.
    fn started(&self, start: &Start) -> Result<Router, StartError> {
        match self.routes {
            OfApp(routes) => started(routes(), start),
            OfAuth(routes) => started(routes(), start),
            OfAgent(routes) => started(routes(), start),
            OfUpdates(routes) => started(routes(), start),
            OfNobody(routes) => Ok(open_router(routes(&start.environment), Clock::system())),
        }
    }

    /// The function, as its binary runs it.
    pub fn router(&self, states: &States) -> Router {
        let States {
            app,
            auth,
            agent,
            updates,
        } = states;
        match self.routes {
            OfApp(routes) => router(routes(), app.clone(), app),
            OfAuth(routes) => router(routes(), auth.clone(), app),
            OfAgent(routes) => router(routes(), agent.clone(), app),
            OfUpdates(routes) => router(routes(), updates.clone(), app),
            OfNobody(routes) => open_router(routes(&Environment::default()), app.clock.clone()),
        }
    }
}
