use axum::extract::FromRef;
use shared::{
    config,
    endpoint::*,
    queue::Queue,
    runtime::{FromStart, Start},
};
use targets::webhooks::WebhookCaller;

#[derive(Clone, Debug)]
pub struct Updates {
    pub(crate) app: App,
    pub(crate) queue: Queue,
    pub(crate) webhooks: WebhookCaller,
}

impl Updates {
    pub const fn new(app: App, queue: Queue, webhooks: WebhookCaller) -> Self {
        Self {
            app,
            queue,
            webhooks,
        }
    }
}

impl FromStart for Updates {
    fn from_start(start: &Start) -> Result<Self, lambda_http::Error> {
        let queue = start.queue(config::WEBHOOKS)?;
        let app = App::from_start(start)?;
        Ok(Self::new(app, queue, WebhookCaller::of(start)?))
    }
}

impl FromRef<Updates> for App {
    fn from_ref(state: &Updates) -> Self {
        state.app.clone()
    }
}
