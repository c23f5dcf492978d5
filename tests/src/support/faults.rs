//! Faults that a test plans, at the proxy before the table.

use std::{
    any::Any,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use tokio::{sync::watch, time::Instant};

use crate::table_proxy::{Asked, FaultSource, TableProxy};

use super::{PATIENCE, engines};

pub use crate::table_proxy::Fault;

/// For so long nothing may happen before the proxy counts as quiet.
const QUIET: Duration = Duration::from_millis(20);

/// Which requests a lasting fault is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// Requests of this kind, such as `PutItem`.
    Of(&'static str),
    /// Transactions that write to a partition with this ending.
    Writing(&'static str),
    /// Reads by key that are eventually consistent.
    Eventual,
    /// The batch that finds out who calls.
    Authentication,
    /// All others of the service.
    BesideAuthentication,
}

/// Where a function dies: at a request of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Before it is carried out.
    Before,
    /// After it was carried out, before the answer is heard of.
    After,
}

/// The proxy; clones are the same one.
#[derive(Clone, Debug)]
pub struct Faults {
    proxy: TableProxy,
    plan: Arc<Plan>,
}

/// Faults that are planned or striking.
#[derive(Debug, Default)]
struct Plan {
    next: Mutex<Vec<(&'static str, Fault)>>,
    lasting: Mutex<Option<(Requests, Fault)>>,
    /// The requests that wait until it is none.
    held: watch::Sender<Option<Requests>>,
    /// Requests before the unanswered one, and the end of its sender.
    death: Mutex<Option<(usize, Death)>>,
    waiting: Arc<AtomicUsize>,
    under_way: Arc<AtomicUsize>,
    seen: AtomicUsize,
}

impl Requests {
    fn include(self, operation: &str, body: &[u8]) -> bool {
        // Only the tests themselves scan.
        match self {
            Self::Of(name) => name == operation,
            Self::Writing(partition) => {
                let key = format!("{partition}\"");
                operation == "TransactWriteItems" && has(body, key.as_bytes())
            }
            Self::Eventual => {
                let is_by_key = ["GetItem", "BatchGetItem"].contains(&operation);
                is_by_key && !has(body, br#""ConsistentRead":true"#)
            }
            Self::Authentication => authenticates(operation, body),
            Self::BesideAuthentication => {
                let before = names_the_owner(operation, body);
                operation != "Scan" && !before && !authenticates(operation, body)
            }
        }
    }
}

/// Returns whether a request reads a session or a token, whose partition is a user's.
fn authenticates(operation: &str, body: &[u8]) -> bool {
    let of_session = has(body, br#"#SESSION""#) || has(body, br#"#TOKEN""#);
    operation == "BatchGetItem" && of_session
}

/// Returns whether a request reads the owner of a token, before any other request.
fn names_the_owner(operation: &str, body: &[u8]) -> bool {
    operation == "GetItem" && has(body, br#""TOKEN#"#)
}

fn has(body: &[u8], text: &[u8]) -> bool {
    body.windows(text.len())
        .any(|part| part == text)
}

impl Faults {
    /// A proxy on a port of its own.
    pub async fn start() -> Self {
        let plan = Arc::<Plan>::default();
        let proxy = TableProxy::start(engines::engines().await.dynamodb_url(), plan.clone()).await;
        Self { proxy, plan }
    }

    /// Where the proxy listens.
    pub fn url(&self) -> &str {
        self.proxy.url()
    }

    /// Makes the next request of an operation fail, such as `PutItem`; several add up.
    pub fn next(&self, operation: &'static str, fault: Fault) {
        self.plan
            .next
            .lock()
            .unwrap()
            .push((operation, fault));
    }

    /// Makes others outrun an operation until it gives up, after eight of these requests.
    pub fn outrun(&self, operation: &'static str) {
        for _ in 0..8 {
            self.next(operation, Fault::Outrun);
        }
    }

    /// Returns whether every fault has struck.
    pub fn are_over(&self) -> bool {
        self.plan
            .next
            .lock()
            .unwrap()
            .is_empty()
    }

    /// Makes all these requests fail until [`end`](Self::end).
    pub fn begin(&self, requests: Requests, fault: Fault) {
        *self.plan.lasting.lock().unwrap() = Some((requests, fault));
    }

    pub fn end(&self) {
        *self.plan.lasting.lock().unwrap() = None;
    }

    /// Keeps these requests waiting until [`release`](Self::release).
    pub fn hold(&self, requests: Requests) {
        self.plan
            .held
            .send_replace(Some(requests));
    }

    pub fn release(&self) {
        self.plan.held.send_replace(None);
    }

    /// Lets so many requests go by and never answers the next one.
    pub fn dies_at(&self, request: usize, death: Death) {
        *self.plan.death.lock().unwrap() = Some((request, death));
    }

    /// Answers all that comes, from now on.
    pub fn lives(&self) {
        *self.plan.death.lock().unwrap() = None;
    }

    /// Waits until at least so many requests are held and nothing else goes on for a while.
    pub async fn holds(&self, requests: usize) {
        let plan = &self.plan;
        let start = Instant::now();
        loop {
            let waiting = &plan.waiting;
            let under_way = &plan.under_way;
            assert!(
                start.elapsed() < PATIENCE,
                "{waiting:?} of {requests} are held, {under_way:?} are under way"
            );
            let seen = plan.seen.load(Ordering::SeqCst);
            tokio::time::sleep(QUIET).await;
            let waiting = plan.waiting.load(Ordering::SeqCst);
            let is_quiet = plan.under_way.load(Ordering::SeqCst) == waiting
                && plan.seen.load(Ordering::SeqCst) == seen;
            if waiting >= requests && is_quiet {
                return;
            }
        }
    }
}

impl Plan {
    /// Returns the fault of the request that is never answered, if this one is it.
    fn death(&self, operation: &str) -> Option<Fault> {
        let mut death = self.death.lock().unwrap();
        // Only the tests themselves scan.
        let (left, how) = death
            .as_mut()
            .filter(|_| operation != "Scan")?;
        if *left == 0 {
            let fault = match how {
                Death::Before => Fault::Unheard,
                Death::After => Fault::Unanswered,
            };
            *death = None;
            return Some(fault);
        }
        *left -= 1;
        None
    }

    /// The fault of a request that has just come in, after it was kept waiting, if it is to be.
    async fn planned(&self, operation: &str, body: &[u8]) -> Option<Fault> {
        if let Some(fault) = self.death(operation) {
            return Some(fault);
        }
        let mut held = self.held.subscribe();
        let waits = |held: &Option<Requests>| held.is_some_and(|of| of.include(operation, body));
        if waits(&held.borrow()) {
            let _waiting = Counted::on(&self.waiting);
            held.wait_for(|held| !waits(held))
                .await
                .unwrap();
        }
        let lasting = *self.lasting.lock().unwrap();
        if let Some((requests, fault)) = lasting
            && requests.include(operation, body)
        {
            return Some(fault);
        }
        let mut next = self.next.lock().unwrap();
        let place = next
            .iter()
            .position(|(name, _)| *name == operation);
        place.map(|place| next.remove(place).1)
    }
}

impl FaultSource for Plan {
    fn comes_in(&self) -> Box<dyn Any + Send> {
        self.seen.fetch_add(1, Ordering::SeqCst);
        Box::new(Counted::on(&self.under_way))
    }

    fn fault<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Option<Fault>> {
        Box::pin(self.planned(&asked.operation, &asked.body))
    }

    fn silence(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let _waiting = Counted::on(&self.waiting);
            std::future::pending::<()>().await;
        })
    }
}

/// Counts a request for as long as anybody cares for it: who sent it may hang up.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn on(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
