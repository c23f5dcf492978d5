use std::sync::Arc;

use axum::extract::FromRef;
use playbooks::Playbooks;
use shared::{
    config,
    endpoint::*,
    queue::Queue,
    runtime::{FromStart, Start},
};
use targets::{Sealer, Targets};

use crate::analyse::{Analyse, by_playbooks};

#[derive(Clone)]
pub struct ResolutionAgent {
    pub(crate) app: App,
    pub(crate) queue: Queue,
    pub(crate) analyse: Analyse,
    pub(crate) targets: Targets,
    pub(crate) sealer: Sealer,
}

impl ResolutionAgent {
    pub fn new(
        app: App,
        queue: Queue,
        playbooks: Playbooks,
        targets: Targets,
        sealer: Sealer,
    ) -> Self {
        let targets = targets.counted_in(app.store.clone());
        Self {
            app,
            queue,
            analyse: by_playbooks(Arc::new(playbooks), targets.clone()),
            targets,
            sealer,
        }
    }

    /// Replaces the analysis by playbooks.
    #[must_use]
    pub fn analysing(self, analyse: Analyse) -> Self {
        Self { analyse, ..self }
    }
}

impl FromStart for ResolutionAgent {
    fn from_start(start: &Start) -> Result<Self, lambda_http::Error> {
        let queue = start.queue(config::ACTIONS)?;
        let (targets, sealer) = (Targets::of(start)?, Sealer::of(start)?);
        let (app, playbooks) = (App::from_start(start)?, Playbooks::shipped()?);
        Ok(Self::new(app, queue, playbooks, targets, sealer))
    }
}

impl FromRef<ResolutionAgent> for App {
    fn from_ref(state: &ResolutionAgent) -> Self {
        state.app.clone()
    }
}
