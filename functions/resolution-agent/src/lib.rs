//! The resolution agent: sessions on alerts, in which actions are proposed, approved and executed.

mod cancel;
pub mod engine;
mod execute;
mod get;
mod list;
mod list_alerts;
mod open;
mod prefer;
mod propose;
mod view;

pub use engine::{Engine, EngineError, PlaybookEngine};

use std::sync::Arc;

use axum::extract::FromRef;
use shared::{App, http, operation, queue::Queue, utoipa_axum::router::OpenApiRouter};

/// The state of this function. Cheap to clone.
#[derive(Clone)]
pub struct ResolutionAgent {
    app: App,
    queue: Queue,
    engine: Arc<dyn Engine>,
}

impl ResolutionAgent {
    /// From its parts.
    #[must_use]
    pub fn new(app: App, queue: Queue, engine: Arc<dyn Engine>) -> Self {
        Self { app, queue, engine }
    }
}

impl FromRef<ResolutionAgent> for App {
    fn from_ref(state: &ResolutionAgent) -> Self {
        state.app.clone()
    }
}

/// The function's routes.
pub fn routes() -> OpenApiRouter<ResolutionAgent> {
    http::routes(
        "concierge",
        [
            operation!(list_alerts::list_alerts),
            operation!(open::open),
            operation!(list::list),
            operation!(get::get),
            operation!(propose::propose),
            operation!(execute::execute),
            operation!(cancel::cancel),
        ],
    )
}
