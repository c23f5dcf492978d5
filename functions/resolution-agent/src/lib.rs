//! The resolution agent: sessions on alerts, in which actions are proposed, approved and executed.

mod cancel;
pub mod engine;
mod execute;
mod get;
mod open;
mod prefer;
mod propose;
mod view;

pub use engine::{Engine, EngineError, PlaybookEngine};

use std::sync::Arc;

use axum::extract::FromRef;
use shared::{App, queue::Queue};
use utoipa_axum::{router::OpenApiRouter, routes};

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
    OpenApiRouter::default()
        // /api/concierge/alerts/{id}/agent-session
        .routes(routes!(open::open))
        // /api/concierge/agent-sessions/{id}
        .routes(routes!(get::get))
        // /api/concierge/agent-sessions/{id}/propose
        .routes(routes!(propose::propose))
        // /api/concierge/agent-sessions/{id}/execute
        .routes(routes!(execute::execute))
        // /api/concierge/agent-sessions/{id}/cancel
        .routes(routes!(cancel::cancel))
}
