//! Engines, target systems, sessions, and the workers that are killed.

use std::{
    collections::BTreeMap,
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::join_all;
use local::{
    engines::{Engines, KEY, REGION},
    event_source_mapping::EventSourceMapping,
    function::Invocation,
    target_systems::{DemoTargets as Demo, Fault, FaultMode},
};
use playbooks::Playbooks;
use serde_json::{Map, Value, json};
use shared::{
    agent::{ActionKey, ActionState, ActionType, Approving, Case, Message},
    clock::Clock,
    model::{AgentSessionId, OrganizationId, QueueMessage, Role, Stopwatch, UserId, span},
    queue::Queue,
    store::{Approval, Shard, Store},
};
use sweeper::{Queues, Sweeper};
use targets::Sealer;
use tempfile::TempDir;
use tests::{RuntimeApi, records, unwary};
use tokio::process::{Child, Command};

use crate::PATIENCE;

/// Lease of a worker.
const LEASE: Duration = Duration::from_secs(2);

/// Lead of the sweeper's clock over the workers', so that it need not be waited for.
const AHEAD: i64 = 5 * span::MINUTE;

/// Workers that take messages side by side.
const WORKERS: usize = 2;

/// Everything that takes part.
pub struct World {
    engines: Engines,
    demo: Demo,
    store: Store,
    playbooks: Playbooks,
    tenant: OrganizationId,
    /// Opens the sessions and approves.
    approver: UserId,
    /// Of the workers that are killed.
    doomed: RuntimeApi,
    /// Of those that work off what is left.
    runtimes: Vec<Arc<RuntimeApi>>,
    sweepers_clock: Clock,
    /// Messages that were delivered, by session.
    delivered: Arc<Delivered>,
    /// Where the demo keeps its state.
    _folder: TempDir,
}

type Delivered = Mutex<BTreeMap<AgentSessionId, usize>>;

/// A target system by its idempotency keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Honours keys: invoices are credited.
    Keyed,
    /// Ignores keys: customers are sent messages.
    Unkeyed,
}

/// An action that was approved.
pub struct Approved {
    /// Which of the target systems it is for.
    pub kind: Kind,
    session: AgentSessionId,
    action: String,
    /// The invoice or the customer.
    record: String,
}

/// Builds the program that is killed. It takes the features of the workspace's build, so that nothing is
/// compiled twice.
pub async fn build_worker() {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bins"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status();
    assert!(
        built.await.unwrap().success(),
        "action-worker does not build"
    );
}

fn invoice(record: usize) -> String {
    format!("inv_{record}")
}

fn customer(record: usize) -> String {
    format!("cus_{record}")
}

/// Seed of the target systems: an invoice and a customer for each record.
fn seed(records: usize) -> Value {
    let invoices: Map<String, Value> = (0..records)
        .map(|record| {
            let customer = customer(record);
            let invoice_state = json!({
                "customerId": customer, "number": record.to_string(), "amountDue": 100_000,
                "currency": "usd", "state": "paid",
            });
            (invoice(record), invoice_state)
        })
        .collect();
    let customers: Map<String, Value> = (0..records)
        .map(|record| {
            let state = json!({
                "name": "Halden Mills", "email": "billing@halden.example", "plan": "scale",
                "syncState": "in_sync", "missingUsageEvents": 0,
            });
            (customer(record), state)
        })
        .collect();
    json!({"customers": customers, "invoices": invoices, "usageBatches": {}, "payments": {}})
}

impl World {
    /// With so many records in the target systems.
    pub async fn start(records: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("targets.json");
        std::fs::write(&state, seed(records).to_string()).unwrap();
        let engines = Engines::in_memory().await.unwrap();
        let demo = Demo::start(0, Some(&state)).unwrap();
        let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
        let tenant = tests::organization(&store).await;
        let sealer = Sealer::new(engines.kms().unwrap(), KEY);
        records::connected(&store, &sealer, tenant, &demo).await;
        let approver = records::user("ada", Role::Admin, "none");
        let approver = store.directory().create_user(tenant, approver).await;
        let runtimes = (0..WORKERS).map(async |_| Arc::new(RuntimeApi::start().await));
        let runtimes = join_all(runtimes).await;
        Self {
            engines,
            demo,
            store,
            playbooks: Playbooks::shipped().unwrap(),
            tenant,
            approver: approver.unwrap().record.id,
            doomed: RuntimeApi::start().await,
            runtimes,
            sweepers_clock: Clock::fixed(Clock::system().now()),
            delivered: Arc::default(),
            _folder: folder,
        }
    }

    fn queue(&self) -> Queue {
        Queue::new(self.engines.sqs(), &self.engines.queues().actions.url)
    }

    /// A worker as Lambda starts it, with a short lease.
    fn worker(&self, runtime: &RuntimeApi) -> Child {
        let beside = std::env::current_exe().unwrap();
        let binary = beside.with_file_name("action-worker");
        tests::command_of(&binary, "action-worker", runtime.address())
            .envs([
                ("AWS_ENDPOINT_URL_DYNAMODB", self.engines.dynamodb_url()),
                ("AWS_ENDPOINT_URL_SQS", self.engines.sqs_url()),
                ("AWS_ENDPOINT_URL_KMS", self.engines.kms_url()),
                ("TABLE_NAME", self.engines.table_name()),
                ("QUEUE_URL", &self.engines.queues().actions.url),
                ("LOCAL_TARGETS", "true"),
                ("ACTION_LEASE_SECONDS", &LEASE.as_secs().to_string()),
                ("STEP_TIMEOUT_SECONDS", "1"),
                ("RUST_LOG", "off"),
            ])
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap()
    }

    /// A session on an alert of its own about a record, with its action approved. `turn` tells the
    /// sessions of a record apart.
    pub async fn approve(&self, record: usize, turn: usize) -> Approved {
        let (kind, name) = if record.is_multiple_of(2) {
            (Kind::Keyed, invoice(record))
        } else {
            (Kind::Unkeyed, customer(record))
        };
        let payment = format!("pay_{record}");
        let (class, entities, wanted) = match kind {
            Kind::Keyed => {
                let entities = vec![("invoice", &name)];
                ("invoice_duplicated", entities, ActionType::IssueCreditNote)
            }
            Kind::Unkeyed => {
                let entities = vec![("payment", &payment), ("customer", &name)];
                ("payment_failed", entities, ActionType::NotifyCustomer)
            }
        };
        let entities = entities.into_iter().map(|(kind, id)| (kind, id.as_str()));
        let more = json!({
            "externalId": format!("{record}-{turn}"),
            "entities": records::entities(entities),
            "amountAtRisk": {"minorUnits": 1, "currency": "USD"},
        });
        let new = records::alert_with(class, Clock::system().now(), &more);
        let alert = self.store.alerts().record(self.tenant, new).await.unwrap();
        let agent = self.store.agent();
        let session = agent
            .open(self.tenant, alert.id, self.approver)
            .await
            .unwrap()
            .id;
        let analyse = async |case: &Case| Ok(unwary::proposal(&self.playbooks, case));
        let proposed = agent.propose(self.tenant, session, analyse, "It failed.");
        let (proposed, _) = Box::pin(proposed).await.unwrap();
        let mut actions = proposed.proposed_actions.iter();
        let action = actions
            .find(|action| action.content.action_type == wanted)
            .unwrap();
        let approving = Approving::of(std::slice::from_ref(&action.id), self.approver);
        let approval = agent.approve(self.tenant, session, &approving).await;
        assert!(matches!(approval.unwrap(), Approval::Queued(..)));
        Approved {
            kind,
            session,
            action: action.id.clone(),
            record: name,
        }
    }

    fn message(&self, one: &Approved) -> Message {
        Message::RunAction(ActionKey::new(self.tenant, one.session, &*one.action))
    }

    /// Puts an action's message into the queue, so many times.
    pub async fn send(&self, one: &Approved, times: usize) {
        let messages = vec![self.message(one); times];
        let sent = self.queue().send(&messages).await;
        assert!(sent.iter().all(Result::is_ok));
    }

    /// Delivers an action's message to a worker, and kills it once the effect shows, long before
    /// the answer comes. Answers whether the record does not know of it.
    pub async fn kill_after_the_call(&self, one: &Approved) -> bool {
        let system = match one.kind {
            Kind::Keyed => "billing",
            Kind::Unkeyed => "notifications",
        };
        self.demo.inject(Fault {
            delay_ms: 30_000,
            ..Fault::once(system, FaultMode::Delay)
        });
        let mut worker = self.worker(&self.doomed);
        let body = self.message(one).to_text().unwrap();
        let record = json!({
            "messageId": "killed", "receiptHandle": "killed", "body": body, "eventSource": "aws:sqs",
            "attributes": {"ApproximateReceiveCount": "1"}, "messageAttributes": {},
            "awsRegion": REGION,
        });
        let event = json!({"Records": [record]});
        count(&self.delivered, &event);
        self.doomed.invoke(event);
        let began = Stopwatch::start();
        while self.effects(one) == 0 {
            assert!(began.elapsed() < PATIENCE, "no effect of {}", one.action);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // SIGKILL, and the process is gone when this returns.
        worker.kill().await.unwrap();
        let (_, state) = self.state(one).await;
        state == Some(ActionState::Running)
    }

    /// Works everything off after crashes: messages come, the sweeper sends others, other workers
    /// take over, until all of these actions have ended.
    pub async fn work_off(&self, actions: impl IntoIterator<Item = &Approved>) {
        let actions: Vec<&Approved> = actions.into_iter().collect();
        let workers = self.runtimes.iter().map(|runtime| self.worker(runtime));
        let _workers: Vec<Child> = workers.collect();
        let store = Store::new(
            self.engines.dynamodb(),
            self.engines.table_name(),
            self.sweepers_clock.clone(),
        );
        let queues = Queues {
            actions: self.queue(),
            webhooks: self.queue(),
            sweeps: self.queue(),
        };
        let sweeper = Sweeper::new(store, queues);
        let began = Stopwatch::start();
        loop {
            self.drain().await;
            let mut all_ended = true;
            for one in &actions {
                all_ended = all_ended && self.state(one).await.0;
            }
            if all_ended {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "something is left hanging");
            // The leases of those that were killed end by the workers' clock, which nobody moves.
            tokio::time::sleep(LEASE / 4).await;
            self.sweepers_clock.advance(AHEAD);
            for shard in Shard::all() {
                sweeper.sweep(shard).await;
            }
        }
    }

    /// Hands messages to the workers until the queue has none.
    async fn drain(&self) {
        let mappings = self.runtimes.iter().map(|runtime| {
            let (runtime, delivered) = (runtime.clone(), self.delivered.clone());
            let invoke = move |event: Value| -> Invocation {
                let (runtime, delivered) = (runtime.clone(), delivered.clone());
                Box::pin(async move {
                    count(&delivered, &event);
                    runtime.invoke(event);
                    Ok(runtime.raw_answer().await)
                })
            };
            let queue = self.engines.queues().actions.clone();
            EventSourceMapping::new(self.engines.sqs(), queue, invoke)
        });
        let mappings: Vec<_> = mappings.collect();
        loop {
            let polls = mappings.iter().map(|one| one.poll_once(Duration::ZERO));
            let mut received = 0;
            for outcome in join_all(polls).await {
                let outcome = outcome.unwrap();
                assert_eq!(outcome.failed, 0);
                received += outcome.received;
            }
            if received == 0 {
                return;
            }
        }
    }

    /// Returns the number of delivered messages of an action.
    pub fn delivered(&self, one: &Approved) -> usize {
        let delivered = self.delivered.lock().unwrap();
        delivered.get(&one.session).copied().unwrap_or_default()
    }

    /// Returns the number of effects of an action on its record, whichever session asked for it.
    pub fn effects(&self, one: &Approved) -> usize {
        let state = self.demo.state();
        match one.kind {
            Kind::Keyed => state["invoices"][&one.record]["creditNotes"]
                .as_array()
                .map_or(0, Vec::len),
            Kind::Unkeyed => {
                let messages = state["messages"].as_array().unwrap().iter();
                let to_it = messages.filter(|message| message["customerId"] == *one.record);
                to_it.count()
            }
        }
    }

    /// Returns whether the session has ended, and the state of its action.
    pub async fn state(&self, one: &Approved) -> (bool, Option<ActionState>) {
        let agent = self.store.agent();
        let whole = agent.get(self.tenant, one.session).await.unwrap();
        (!whole.session.works(), whole.state(&one.action))
    }
}

/// Counts the messages of an event.
fn count(delivered: &Delivered, event: &Value) {
    for record in event["Records"].as_array().into_iter().flatten() {
        let (Message::RunAction(ActionKey { session_id, .. })
        | Message::LookAtAction(ActionKey { session_id, .. })
        | Message::CheckAlert { session_id, .. }) =
            Message::from_text(record["body"].as_str().unwrap()).unwrap();
        *delivered.lock().unwrap().entry(session_id).or_default() += 1;
    }
}
