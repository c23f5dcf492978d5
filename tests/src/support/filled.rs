//! A filled world: each operation was called, and all that follows from it is done.

use serde_json::json;
use shared::model::base::span;

use super::{Caller, Concierge, Request, World};

impl World {
    /// A world with each kind of item.
    pub async fn filled() -> Self {
        // The future is large.
        let world = Box::pin(Self::start()).await;
        Box::pin(world.fill()).await;
        world
    }

    /// Sends all requests, and does what follows.
    pub async fn fill(&self) {
        let caller_of = async |request: &Request| self.caller_of(request).await;
        Box::pin(
            self.concierge
                .fill(self.requests(), caller_of),
        )
        .await;
        // Its deletion was called as well.
        self.has_provider().await;
    }

    /// Sends all requests, deletes last, and returns them. Each succeeds.
    pub async fn sends_all(&self) -> Vec<Request> {
        let caller_of = async |request: &Request| self.caller_of(request).await;
        sends(self.requests(), caller_of).await
    }
}

async fn sends(
    mut requests: Vec<Request>,
    caller_of: impl AsyncFn(&Request) -> Caller,
) -> Vec<Request> {
    requests.sort_by_key(|request| request.method == "DELETE");
    for request in &requests {
        request
            .succeeds(&caller_of(request).await)
            .await;
    }
    requests
}

impl Concierge {
    /// Sends requests, deletes last, and does what follows.
    pub async fn fill(&self, requests: Vec<Request>, caller_of: impl AsyncFn(&Request) -> Caller) {
        let limits = json!({"limits": {"perSecond": 10}});
        self.connects("billing", limits).await;
        sends(requests, caller_of).await;
        self.follows().await;
        self.api.indexes(self.api.home.id).await;
        let max = self
            .max
            .clone()
            .with_header("idempotency-key", "once");
        let milestone = max.creates_milestone(json!({})).await;
        // Its cleanup is still to come.
        let path = format!("/api/milestones/{milestone}");
        self.max.deletes(&path).await;
    }

    /// Does all that follows from requests within an hour.
    pub async fn follows(&self) {
        self.delivers(&self.worker()).await;
        self.api.cleans_up().await;
        self.api.publishes().await;
        self.api.sends_webhooks().await;
        self.api.clock.advance(span::HOUR);
        self.sweeper().sweep().await;
    }
}
