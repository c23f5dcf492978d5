//! The function's state.

use std::sync::Arc;

use axum::extract::FromRef;
use shared::{App, queue::Queue};
use targets::Targets;

use crate::engine::Engine;

/// The function's state. Cheap to clone.
#[derive(Clone)]
pub struct ResolutionAgent {
    pub(crate) app: App,
    pub(crate) queue: Queue,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) targets: Targets,
}

impl ResolutionAgent {
    /// Returns a state of these parts.
    #[must_use]
    pub fn new(app: App, queue: Queue, engine: Arc<dyn Engine>, targets: Targets) -> Self {
        Self {
            app,
            queue,
            engine,
            targets,
        }
    }
}

impl FromRef<ResolutionAgent> for App {
    fn from_ref(state: &ResolutionAgent) -> Self {
        state.app.clone()
    }
}
