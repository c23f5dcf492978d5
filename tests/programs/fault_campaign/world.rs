//! A service of release binaries, with an organization in it, whom something befalls.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use local::{
    engines::{EngineQueue, Engines, KEY, Options, TableEngine, dynamodb_client, sqs_client},
    event_source_mapping::EventSourceMapping,
    function::{Functions, Invocation},
    gateway::Gateway,
    schedule::ScheduledRule,
    target_systems::{DemoTargets, FaultMode, InjectedFault},
    template::Template,
};
use secrecy::SecretString;
use serde_json::{Value, json};
use shared::{
    clock::{Clock, Stopwatch},
    model::{
        base::{Id, OrganizationId},
        people::Role,
    },
    store::{base::Store, work::NewTicket},
};
use targets::Sealer;
use tests::{
    Member, SECRET, records,
    table_proxy::{OBSERVER, TableProxy},
};
use tokio::task::{JoinHandle, JoinSet};

use crate::{
    alerts::{self, Class},
    client::Client,
    disk::Disk,
    fates::Fates,
    feed::{self, Unpublished},
    kind::Kind,
    kms,
    lambda::Lambda,
    ledger::Ledger,
    options::Options as Campaign,
    queue,
    receiver::Receiver,
};

/// Batches of messages that are worked on at the same time, as the template has it.
const BATCHES: usize = 5;

/// Faults that wait for calls of target systems.
const WAITING: usize = 12;

/// Pause between closings of the breakers.
const CLOSED_AGAIN: Duration = Duration::from_millis(250);

/// Changes by the actions of the story: the system and its operation.
const CHANGES: [(&str, &str); 5] = [
    ("payments", "POST /payments/{id}/retry"),
    ("notifications", "POST /messages"),
    ("billing", "POST /customers/{id}/sync"),
    ("billing", "POST /invoices/{id}/credit-notes"),
    ("billing", "POST /usage-batches/{id}/reprocess"),
];

/// The most tries to record an alert.
const MOST_TRIES: usize = 100;

/// Pause between runs of the sweeper. Each run counts what is due in all shards, about 85 requests.
const SWEEP: Duration = Duration::from_secs(4);

/// Variables with the seconds of an action's lease and of a call's timeout, while the story is
/// told.
pub const LEASE: (&str, &str) = ("ACTION_LEASE_SECONDS", "4");
pub const STEP_TIMEOUT: (&str, &str) = ("STEP_TIMEOUT_SECONDS", "1");

/// A world that something befalls.
pub struct World {
    pub engines: Engines,
    pub table: aws_sdk_dynamodb::Client,
    pub demo: Arc<DemoTargets>,
    pub fates: Arc<Fates>,
    pub lambda: Arc<Lambda>,
    pub functions: Functions,
    pub shared: Arc<Shared>,
    gateway: Gateway,
    cookies: Vec<String>,
    /// Poll, sweep, and make target systems fail.
    background: Vec<JoinHandle<()>>,
    disk: Option<Disk>,
    /// Records of the stream that a consumer has still to handle.
    pub unpublished: Unpublished,
    /// Where webhooks go.
    pub receiver: Option<Receiver>,
}

/// Records that all clients write to.
pub struct Shared {
    pub store: Store,
    pub tenant: OrganizationId,
    pub project: i64,
    pub request: i64,
    pub ticket: i64,
    pub tag: i64,
    entities: AtomicUsize,
    pub most_entities: usize,
}

impl Shared {
    /// A new alert: the number of its entities, and its id. Each fourth is about the entities of
    /// the one before. None when the target systems have no more of them.
    pub async fn alert(&self) -> Option<(usize, i64)> {
        let number = self
            .entities
            .fetch_add(1, Ordering::SeqCst);
        if number >= self.most_entities {
            return None;
        }
        let number = if number % 4 == 3 { number - 1 } else { number };
        let alerts = self.store.alerts();
        // The table's disk may be full.
        for _ in 0..MOST_TRIES {
            let new = Class::of(number).alert(number);
            if let Ok(alert) = alerts.record(self.tenant, new).await {
                return Some((number, alert.id.get()));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no alert can be recorded");
    }

    /// Returns the number of alerts.
    pub fn alerts(&self) -> usize {
        self.entities
            .load(Ordering::SeqCst)
            .min(self.most_entities)
    }
}

impl World {
    /// A world that these kinds befall, each so often.
    pub async fn start(
        (kinds, each): (&[Kind], usize),
        campaign: &Campaign,
        clock_shift: &str,
    ) -> Self {
        let mut disk = None;
        let mut table_engine = TableEngine::Memory;
        if kinds.contains(&Kind::DiskFull) {
            table_engine = TableEngine::At(
                disk.insert(Disk::start().await)
                    .url()
                    .to_owned(),
            );
        }
        let engines = Engines::start(Options {
            table_engine,
            ..Options::default()
        });
        let engines = engines.await.unwrap();
        let fates = Arc::new(Fates::new(kinds, each, campaign.seed));
        let proxy = TableProxy::start(engines.dynamodb_url(), fates.clone()).await;
        if fates.has(Kind::Stale) {
            proxy
                .lag_behind(engines.table_name())
                .await;
        }
        let most_entities = 400 + campaign.each * 3;
        let demo = Arc::new(DemoTargets::start_with(alerts::entities(most_entities)).unwrap());
        let observer = dynamodb_client(&proxy.url_of(OBSERVER));
        let store = Store::new(observer, engines.table_name(), Clock::system());
        // Target systems are not on a webhook's way.
        let mut receiver = None;
        if kinds.is_empty()
            || kinds
                .iter()
                .any(|kind| !kind.concerns_target_systems())
        {
            receiver = Some(Receiver::start(Duration::ZERO).await);
        }
        let sealer = Sealer::new(engines.kms().unwrap(), KEY);
        let newcomer = Newcomer {
            name: "client",
            clients: campaign.clients,
            entities: 0..most_entities,
            limits: None,
            receiver: receiver.as_ref(),
        };
        let (shared, cookies) = fill(store, &sealer, &demo, newcomer).await;
        let queue = queue::start(engines.sqs_url(), fates.clone()).await;
        let releases = (clock_shift, campaign.former.as_deref());
        let lambda = start_functions(&engines, &proxy, &queue, &fates, releases).await;
        let functions = Functions::at(lambda.url()).unwrap();
        let template = Template::deployed().unwrap();
        let gateway = Gateway::start(0, &template.api, Vec::new(), functions.clone()).unwrap();

        let mut world = Self {
            table: engines.dynamodb(),
            engines,
            demo,
            fates,
            lambda,
            functions,
            shared: Arc::new(shared),
            gateway,
            cookies,
            background: Vec::new(),
            disk,
            unpublished: Unpublished::default(),
            receiver,
        };
        if let Some(disk) = &mut world.disk {
            disk.fill();
        }
        let queues = world.engines.queues().clone();
        world.poll(&queue, "action-worker", queues.actions);
        world.poll(&queue, "webhook-sender", queues.webhooks);
        world.poll(&queue, "sweeper", queues.sweeps);
        world.sweep();
        world.make_targets_fail();
        let publishing = feed::start(
            &world.engines,
            &world.functions,
            &world.fates,
            &world.unpublished,
        );
        world.background.extend(publishing);
        world
    }

    /// Adds an organization. Returns its records and its sessions.
    pub async fn add(&self, newcomer: Newcomer<'_>) -> (Shared, Vec<String>) {
        let sealer = Sealer::new(self.engines.kms().unwrap(), KEY);
        fill(self.shared.store.clone(), &sealer, &self.demo, newcomer).await
    }

    /// Where the API is.
    pub fn url(&self) -> String {
        self.gateway.url().to_owned()
    }

    /// A client with a session of the first organization.
    pub fn client(&self) -> Client {
        let cookie = self.cookies[0].clone();
        Client::new(0, self.gateway.url(), cookie, self.fates.clone())
    }

    /// A queue's messages go to its function. If an invocation fails, all of its messages fail.
    fn poll(&mut self, proxy: &str, function: &'static str, queue: EngineQueue) {
        let functions = self.functions.clone();
        let invoke = move |event: Value| -> Invocation {
            let functions = functions.clone();
            Box::pin(async move {
                let within = Duration::from_mins(1);
                let sent = event.to_string().into();
                let answer = functions
                    .invoke(function, sent, within)
                    .await;
                Ok(answer.unwrap_or_else(|_| {
                    let records = event["Records"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    let failed =
                        records.map(|record| json!({"itemIdentifier": record["messageId"]}));
                    let failed: Vec<_> = failed.collect();
                    json!({"batchItemFailures": failed})
                        .to_string()
                        .into()
                }))
            })
        };
        let sqs = sqs_client(&format!("{proxy}/mapping"));
        let mapping = Arc::new(EventSourceMapping::new(sqs, queue, invoke));
        for _ in 0..BATCHES {
            let mapping = mapping.clone();
            self.background
                .push(tokio::spawn(async move {
                    loop {
                        // The queue may be down.
                        if mapping
                            .poll_once(Duration::from_secs(1))
                            .await
                            .is_err()
                        {
                            tokio::time::sleep(Duration::from_millis(100)).await;
                        }
                    }
                }));
        }
    }

    /// Has the sweeper run now and then.
    fn sweep(&mut self) {
        let schedule = self.schedule();
        let forever = std::future::pending();
        let sweeping = tokio::spawn(async move { schedule.run(forever).await });
        self.background.push(sweeping);
    }

    /// Returns the rule that invokes the sweeper.
    pub fn schedule(&self) -> ScheduledRule<impl Fn(Value) -> Invocation + use<>> {
        let functions = self.functions.clone();
        let invoke = move |event: Value| -> Invocation {
            let functions = functions.clone();
            Box::pin(async move {
                let sent = event.to_string().into();
                let within = Duration::from_mins(1);
                let swept = functions
                    .invoke("sweeper", sent, within)
                    .await;
                // One that was killed is followed by the next.
                Ok(swept.unwrap_or_default())
            })
        };
        ScheduledRule::new("sweeper", SWEEP, invoke)
    }

    /// Has a fault wait in each target system, again and again.
    fn make_targets_fail(&mut self) {
        let modes = [
            (Kind::TargetRefuses, FaultMode::Fail),
            (Kind::TargetHangs, FaultMode::Hang),
            (Kind::TargetGarbage, FaultMode::Garbage),
            (Kind::TargetDrops, FaultMode::Drop),
            (Kind::TargetRedirects, FaultMode::Redirect),
            (Kind::TargetReplays, FaultMode::Fail),
        ];
        let fates = self.fates.clone();
        let demo = self.demo.clone();
        let modes = modes
            .into_iter()
            .filter(move |(kind, _)| fates.has(*kind));
        let modes: Vec<_> = modes.collect();
        if modes.is_empty() {
            return;
        }
        let fates = self.fates.clone();
        let shared = self.shared.clone();
        self.background
            .push(tokio::spawn(async move {
                let connections = shared.store.connections();
                let connected = connections
                    .all(shared.tenant)
                    .await
                    .unwrap();
                let mut turn = 0;
                loop {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    let waiting = demo.waiting_faults();
                    let next = (turn..turn + modes.len()).map(|turn| modes[turn % modes.len()]);
                    let mut next = next.filter(|_| waiting < WAITING);
                    let Some((kind, mode)) = next.find(|(kind, _)| fates.count(*kind)) else {
                        // Systems that always fail are left alone, and then no fault strikes. Their
                        // breakers are closed over and over, until the last fault has met a call.
                        if waiting > 0 {
                            for connection in &connected {
                                let _ = connections
                                    .answered(connection, true)
                                    .await;
                            }
                        }
                        tokio::time::sleep(CLOSED_AGAIN).await;
                        continue;
                    };
                    turn += 1;
                    let place =
                        usize::try_from(fates.below("system", CHANGES.len() as u64)).unwrap();
                    let (system, change) = CHANGES[place];
                    // What comes before a call, and tells what became of it, fails as well.
                    let operation = (fates.below("operation", 2) == 0).then(|| change.to_owned());
                    // The story goes on until nothing of it waits.
                    let status = [500, 503, 429, 409, 400, 502];
                    let status = status[usize::try_from(fates.below("status", 6)).unwrap()];
                    let kept = kind == Kind::TargetReplays;
                    let varies = kind == Kind::TargetRefuses;
                    demo.inject(InjectedFault {
                        status: if varies { status } else { 500 },
                        kept,
                        operation,
                        ..InjectedFault::once(system, mode)
                    });
                }
            }));
    }

    /// All clients work until everything has struck as often as it is to, or until it is late.
    pub async fn story(&self, campaign: &Campaign, with_work: bool) -> Ledger {
        let began = Stopwatch::start();
        let mut clients = JoinSet::new();
        for (number, cookie) in self.cookies.iter().enumerate() {
            let url = self.gateway.url();
            let mut client = Client::new(number, url, cookie.clone(), self.fates.clone());
            let fates = self.fates.clone();
            let shared = self.shared.clone();
            let demo = self.demo.clone();
            let patience = campaign.patience();
            clients.spawn(async move {
                let mut chapter = 0;
                let goes_on = || !fates.are_fulfilled() || demo.waiting_faults() > 0;
                while chapter == 0 || (goes_on() && began.elapsed() < patience) {
                    client.resolves(&shared).await;
                    if with_work || chapter == 0 {
                        client.works(&shared, chapter).await;
                    }
                    chapter += 1;
                }
                client.ledger
            });
        }
        let mut whole = Ledger::default();
        while let Some(ledger) = clients.join_next().await {
            let ledger = ledger.unwrap();
            // The places of threads move along.
            let moved = whole.made.len();
            whole
                .made
                .extend(ledger.made.into_iter().map(|mut made| {
                    made.thread = made.thread.map(|thread| thread + moved);
                    made
                }));
            whole.requests += ledger.requests;
            whole.sessions.extend(ledger.sessions);
            whole.wrong.extend(ledger.wrong);
        }
        self.fates.end();
        whole.unmet = self.waiting_faults();
        self.demo.clear_faults();
        whole
    }

    /// The number of faults that wait for a call, by target system and operation.
    fn waiting_faults(&self) -> BTreeMap<String, usize> {
        let state = self.demo.state();
        let mut waiting = BTreeMap::new();
        for fault in state["faults"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let system = fault["system"]
                .as_str()
                .unwrap_or_default();
            let operation = fault["operation"]
                .as_str()
                .unwrap_or("any call");
            *waiting
                .entry(format!("{system}, {operation}"))
                .or_default() += 1;
        }
        waiting
    }

    /// From now on the disk has room.
    pub async fn calm(&self) {
        if let Some(disk) = &self.disk {
            disk.end().await;
        }
    }

    /// Ends everything.
    pub async fn stop(self) {
        for task in &self.background {
            task.abort();
        }
        self.gateway.stop().await;
        self.lambda.stop().await;
    }
}

async fn start_functions(
    engines: &Engines,
    proxy: &TableProxy,
    queue: &str,
    fates: &Arc<Fates>,
    releases: (&str, Option<&Path>),
) -> Arc<Lambda> {
    let key = engines.kms().unwrap();
    let encrypted = async |name: &str, purpose: &str| {
        let secrets = SecretString::from(format!("{name}={SECRET}"));
        let context = [("purpose", purpose)];
        key.encrypt(KEY, &secrets, &context)
            .await
            .unwrap()
    };
    let session_secrets = encrypted("SESSION_SECRETS", "session").await;
    let webhook_secrets = encrypted("WEBHOOK_SECRETS", "webhook").await;
    let kms = kms::start(engines.kms_url(), fates.clone()).await;
    let proxy = proxy.clone();
    let queue = queue.to_owned();
    let table = engines.table_name().to_owned();
    let queues = engines.queues().clone();
    let environment = move |instance: &str| {
        vec![
            ("AWS_ENDPOINT_URL_DYNAMODB", proxy.url_of(instance)),
            ("AWS_ENDPOINT_URL_SQS", format!("{queue}/{instance}")),
            ("AWS_ENDPOINT_URL_KMS", kms.clone()),
            ("TABLE_NAME", table.clone()),
            ("QUEUE_URL", queues.actions.url.clone()),
            ("WEBHOOK_QUEUE_URL", queues.webhooks.url.clone()),
            ("MAIL_QUEUE_URL", queues.mails.url.clone()),
            ("SWEEP_QUEUE_URL", queues.sweeps.url.clone()),
            ("CHANGE_DEAD_LETTER_QUEUE_URL", queues.dead_changes.clone()),
            ("API_URL", "https://api.workdesk.example".to_owned()),
            ("ENCRYPTED_SESSION_SECRETS", session_secrets.clone()),
            ("ENCRYPTED_WEBHOOK_SECRETS", webhook_secrets.clone()),
            ("SECRETS_KEY", KEY.to_owned()),
            ("LOCAL_TARGETS", "true".to_owned()),
            (LEASE.0, LEASE.1.to_owned()),
            (STEP_TIMEOUT.0, STEP_TIMEOUT.1.to_owned()),
        ]
    };
    Lambda::start(fates.clone(), releases, Box::new(environment)).await
}

/// A new organization.
pub struct Newcomer<'a> {
    /// The beginning of its usernames.
    pub name: &'static str,
    pub clients: usize,
    /// The numbers of its entities.
    pub entities: Range<usize>,
    /// Limits of its connections.
    pub limits: Option<Value>,
    /// Where its webhook goes.
    pub receiver: Option<&'a Receiver>,
}

/// Creates an organization with what all clients write to, and a manager's session for each client.
async fn fill(
    store: Store,
    sealer: &Sealer,
    demo: &DemoTargets,
    newcomer: Newcomer<'_>,
) -> (Shared, Vec<String>) {
    let Newcomer {
        name,
        clients,
        entities,
        limits,
        receiver,
    } = newcomer;
    let directory = store.directory();
    let tenant = tests::organization(&store).await;
    for (system, connection) in demo.connections().as_object().unwrap() {
        let mut connection = connection.clone();
        if let Some(limits) = &limits {
            connection["limits"] = limits.clone();
        }
        records::connection(&store, sealer, tenant, system, &connection).await;
    }
    let new_project = records::project("Billing migration");
    let project = directory
        .create_project(tenant, new_project)
        .await
        .unwrap()
        .id;
    let tag = directory.create_tag(tenant, records::tag("urgent"));
    let tag = tag.await.unwrap().id;
    if let Some(receiver) = receiver {
        let webhook = json!({"url": receiver.url, "types": ["*"]});
        let webhooks = store.webhooks();
        let created = webhooks.create(tenant, records::sent(&webhook));
        created.await.unwrap();
    }
    let now = Clock::system().now();
    let mut members = Vec::new();
    for number in 0..clients {
        let name = format!("{name}{number}");
        members.push(Member::sign_in(&store, tenant, (&name, Role::Manager), now).await);
    }
    let user = members[0].user.id;
    let requests = store.service_requests();
    let request = requests.create(tenant, user, records::service_request());
    let request = request.await.unwrap().id;
    let new_ticket = NewTicket {
        messages: vec![records::message(user, "Where are they?", None)],
        ..records::ticket()
    };
    let ticket = store
        .tickets()
        .create(tenant, new_ticket)
        .await
        .unwrap()
        .id;
    let shared = Shared {
        tenant,
        project: project.get(),
        request: request.get(),
        ticket: ticket.get(),
        tag: tag.get(),
        entities: AtomicUsize::new(entities.start),
        most_entities: entities.end,
        store,
    };
    let cookies = members
        .into_iter()
        .map(|member| member.cookie);
    (shared, cookies.collect())
}
