//! The HTTP side of every function: what each request goes through, and how errors answer.

mod body;
mod layers;
pub mod openapi;
mod path;
pub mod problem;
pub mod query;

pub use body::Body;
pub use layers::{ClientAddress, Trace, wear};
pub use path::{Path, PathId};
pub use problem::ProblemDetails;
pub use query::{NoQuery, Query};

use axum::Router;
use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// Runs a function's routes as a Lambda behind an API Gateway HTTP API.
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

/// A function's routes with the layers that every function wears.
pub fn router<S>(routes: OpenApiRouter<S>, state: S, app: &App) -> Router
where
    S: Clone + Send + Sync + 'static,
{
    let (routes, _) = routes.split_for_parts();
    wear(routes.with_state(state), app)
}
