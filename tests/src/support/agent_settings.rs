//! Settings of the resolution agent in a test.

use std::{fmt, sync::Arc};

use auth::Auth;
use local::engines::{EngineQueues, KEY};
use playbooks::Playbooks;
use resolution_agent::{Analyse, ResolutionAgent};
use shared::{App, queue::Queue};
use targets::{ProviderCaller, Sealer, Secrets, Targets};

use crate::States;

use super::{engines, webhooks};

/// Settings of the resolution agent.
#[derive(Clone, Default)]
pub struct AgentSettings {
    /// Connections lead to public addresses alone, as those of a deployed stack do.
    pub is_public: bool,
    /// Secrets cannot be encrypted.
    pub without_key: bool,
    /// Where the queue is, if not where it should be.
    pub sqs_url: Option<String>,
    /// Instead of the playbooks.
    pub analyse: Option<Analyse>,
}

impl fmt::Debug for AgentSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentSettings")
            .finish_non_exhaustive()
    }
}

impl AgentSettings {
    /// The states of all API functions.
    pub async fn states(&self, app: &App, queues: &EngineQueues) -> States {
        States {
            app: app.clone(),
            auth: self.auth(app).await,
            agent: self.build(app, queues).await,
            updates: webhooks::updates(app, queues, !self.is_public).await,
        }
    }

    async fn auth(&self, app: &App) -> Auth {
        let secrets = Secrets::new(engines::engines().await.kms().unwrap());
        let caller = ProviderCaller::new(!self.is_public);
        let sealer = sealer(if self.without_key { "none" } else { KEY }).await;
        Auth::new(app.clone(), caller, (secrets, sealer), webhooks::API_URL)
    }

    async fn build(&self, app: &App, queues: &EngineQueues) -> ResolutionAgent {
        let url = match &self.sqs_url {
            Some(url) => url.clone(),
            None => engines::engines()
                .await
                .sqs_url()
                .to_owned(),
        };
        let agent = ResolutionAgent::new(
            app.clone(),
            Queue::new(local::engines::sqs_client(&url), &queues.actions.url),
            Playbooks::shipped().unwrap(),
            self.targets().await,
            sealer(if self.without_key { "none" } else { KEY }).await,
        );
        match &self.analyse {
            Some(analyse) => agent.analysing(Arc::clone(analyse)),
            None => agent,
        }
    }

    /// The client of connections.
    pub(super) async fn targets(&self) -> Targets {
        let kms = engines::engines().await.kms().unwrap();
        Targets::new(Secrets::new(kms), !self.is_public)
    }
}

/// Encrypts the secrets of connections with a key.
pub(super) async fn sealer(key: &str) -> Sealer {
    Sealer::new(engines::engines().await.kms().unwrap(), key)
}
