//! The HTTP side of every function: what each request goes through, how operations are described,
//! and how problems are answered.

mod body;
mod layers;
pub mod openapi;
pub mod operation;
mod path;
pub mod problem;
pub(crate) mod query;
pub mod refusal;

pub use body::Body;
pub use layers::{ClientAddress, Trace, layered};
pub use operation::{Done, List, NoContent, routes};
pub use path::{AccessTo, Path, PathId, denied};
pub use problem::ProblemDetails;
pub use query::Query;

use axum::Router;
use runtime::{Start, telemetry};
use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// Runs a function of that name as a Lambda behind an API Gateway HTTP API.
pub async fn run(
    function: &'static str,
    routes: OpenApiRouter<App>,
) -> Result<(), lambda_http::Error> {
    telemetry::init(function);
    let app = App::from_start(&Start::cold().await?)?;
    serve(routes, app.clone(), &app).await
}

/// Runs a function that has a state of its own beside the application's.
pub async fn serve<S>(
    routes: OpenApiRouter<S>,
    state: S,
    app: &App,
) -> Result<(), lambda_http::Error>
where
    S: Clone + Send + Sync + 'static,
{
    lambda_http::run(router(routes, state, app)).await
}

/// A function's routes within the layers that all functions have.
pub fn router<S>(routes: OpenApiRouter<S>, state: S, app: &App) -> Router
where
    S: Clone + Send + Sync + 'static,
{
    let (routes, _) = routes.split_for_parts();
    layered(routes.with_state(state), app)
}
