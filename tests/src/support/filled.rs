//! A filled world: each operation was called, and all that follows from it is done.

use serde_json::json;
use shared::model::span;

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
        let fill = self.concierge.fill(self.requests(), caller_of);
        Box::pin(fill).await;
        // Its deletion was called as well.
        self.has_provider().await;
    }
}

impl Concierge {
    /// Sends requests, deletes last, and does what follows.
    pub async fn fill(&self, requests: Vec<Request>, caller_of: impl AsyncFn(&Request) -> Caller) {
        let limits = json!({"limits": {"perSecond": 10}});
        self.connects("billing", limits).await;
        let mut changes = self.api.stream().await;
        let (deletes, others): (Vec<_>, Vec<_>) = requests
            .into_iter()
            .partition(|request| request.method == "DELETE");
        for request in others.iter().chain(&deletes) {
            let answer = request.by(&caller_of(request).await).await;
            let name = request.operation();
            assert!(answer.status < 400, "{name}: {}", answer.text);
        }
        self.delivers(&self.worker()).await;
        self.api.cleans_up().await;
        self.api.publishes(&mut changes).await;
        self.api.sends_webhooks().await;
        self.api.clock.advance(span::HOUR);
        self.sweeper().sweep().await;
        self.api.indexes(self.api.home.id).await;
        let max = self.max.clone().with_header("idempotency-key", "once");
        let milestone = max.creates_milestone(json!({})).await;
        // Its cleanup is still to come.
        let path = format!("/api/milestones/{milestone}");
        self.max.delete(&path).await.expect(204);
    }
}
