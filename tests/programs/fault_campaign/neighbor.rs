//! The times of a quiet organization, alone and beside one that makes noise. No fault strikes.
//!
//! The noisy organization has deleted tasks, has actions wait for a slow connection, and has a
//! webhook whose receiver does not answer in time. It floods the API beyond its plan.
//!
//! The embedded queue hands messages out in the order of their sending. It does not prefer the
//! groups of few messages, as fair queues of SQS do: there, approved actions and webhooks wait
//! less.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream};
use reqwest::{Method, header};
use serde_json::{Value, json};
use shared::{
    clock::Stopwatch,
    model::base::{OrganizationId, quota::UnitsPerSecond},
    store::people::PlanChange,
};
use tests::support::{number, scan};
use tokio::task::JoinHandle;

use crate::{
    alerts::Class,
    client::Client,
    options::Options,
    receiver::Receiver,
    world::{Newcomer, Shared, World},
};

/// Rounds of the quiet organization, and the reads of each.
const ROUNDS: usize = 50;
const READS: usize = 60;

/// Tasks to delete at once, and the number of repetitions. The last cleanup is waited for.
const DELETED: usize = 5;
const CLEANUPS: usize = 4;

/// Clients of the noisy organization.
const NOISY_CLIENTS: usize = 16;

/// Tasks for the noisy organization to delete, and actions that it has waiting. Its connection
/// takes one call a second.
const NOISY_DELETES: usize = 200;
const NOISY_ACTIONS: usize = 100;

/// Table units a second of the noisy organization's plan, and the pause between requests of its
/// flood.
const UNITS: u32 = 100;
const FLOOD: Duration = Duration::from_millis(40);

/// Time in which instances start for the noise, before anything is timed.
const STARTS: Duration = Duration::from_secs(10);

/// Time after which the noisy organization's receiver answers.
const SLOW: Duration = Duration::from_secs(20);

/// Time after which nothing is waited for any longer. What takes longer is counted with this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// Times of requests, approved actions, cleanups and webhooks.
#[derive(Default)]
struct Times {
    requests: Vec<Duration>,
    actions: Vec<Duration>,
    cleanups: Vec<Duration>,
    webhooks: Vec<Duration>,
}

/// Times the quiet organization alone and beside the noise, and prints both.
pub async fn measure(options: &Options, clock_shift: &str) {
    let world = World::start((&[], 0), options, clock_shift).await;
    let mut quiet = world.client();
    eprintln!("cold starts");
    time(&world, &mut quiet, 2, 1).await;
    eprintln!("alone");
    let alone = time(&world, &mut quiet, ROUNDS, CLEANUPS).await;
    eprintln!("the noise begins");
    let noise = Noise::start(&world).await;
    tokio::time::sleep(STARTS).await;
    eprintln!("beside the noise");
    let beside = time(&world, &mut quiet, ROUNDS, CLEANUPS).await;
    let (sent, refused) = noise.stop();
    world.stop().await;
    println!("| | times | alone: median, p99 | beside the noise: median, p99 | ratio of p99 |");
    println!("|---|---|---|---|---|");
    print("request", alone.requests, beside.requests);
    print("approved action", alone.actions, beside.actions);
    print("cleanup", alone.cleanups, beside.cleanups);
    print("webhook", alone.webhooks, beside.webhooks);
    println!("\n{sent} requests of the flood, of which {refused} were refused");
}

fn print(label: &str, mut alone: Vec<Duration>, mut beside: Vec<Duration>) {
    alone.sort_unstable();
    beside.sort_unstable();
    let count = alone.len();
    let median = |times: &[Duration]| times[times.len() / 2].as_millis();
    let p99 = |times: &[Duration]| times[(times.len() * 99).div_ceil(100) - 1];
    let ratio = p99(&beside).as_secs_f64() / p99(&alone).as_secs_f64();
    println!(
        "| {label} | {count} | {} ms, {} ms | {} ms, {} ms | {ratio:.2} |",
        median(&alone),
        p99(&alone).as_millis(),
        median(&beside),
        p99(&beside).as_millis(),
    );
}

/// Works as the quiet organization.
async fn time(world: &World, client: &mut Client, rounds: usize, cleanups: usize) -> Times {
    let shared = &world.shared;
    let mut times = Times::default();
    for _ in 0..rounds {
        for _ in 0..READS {
            let began = Stopwatch::start();
            client
                .get("/api/tasks?limit=20")
                .await
                .unwrap();
            times.requests.push(began.elapsed());
        }
        let (path, approval) = proposed(client, shared).await;
        let began = Stopwatch::start();
        let is_accepted = executed(client, &path, &approval).await;
        assert!(is_accepted, "an approval of the quiet one is refused");
        until(async || client.get(&path).await.unwrap()["status"] != "executing").await;
        times.actions.push(began.elapsed());
        let began = Stopwatch::start();
        let task = created(client, shared).await;
        let change = format!("\"task\" {task} 1 \"created\"");
        until(async || {
            world
                .receiver
                .as_ref()
                .unwrap()
                .has_told(&change)
        })
        .await;
        times.webhooks.push(began.elapsed());
    }
    for _ in 0..cleanups {
        let mut tasks = Vec::new();
        for _ in 0..DELETED {
            tasks.push(commented(client, shared).await);
        }
        let began = Stopwatch::start();
        for task in tasks {
            deleted(client, task).await;
        }
        until(async || world.cleanups(shared.tenant).await == 0).await;
        times.cleanups.push(began.elapsed());
    }
    times
}

/// Has an action proposed that processes a usage batch. Returns the session's path, and the
/// approval.
async fn proposed(client: &mut Client, shared: &Shared) -> (String, Value) {
    let alert = loop {
        let (entity, alert) = shared.alert().await.unwrap();
        if Class::of(entity) == Class::Batch {
            break alert;
        }
    };
    let path = format!("/api/concierge/alerts/{alert}/agent-session");
    let outcome = client.asks(&path, None).await;
    let opened = client
        .expected("open", outcome, &[])
        .unwrap();
    let path = format!("/api/concierge/agent-sessions/{}", opened["session"]["id"]);
    let outcome = client
        .asks(&format!("{path}/propose"), None)
        .await;
    let proposed = client
        .expected("propose", outcome, &[])
        .unwrap();
    let actions = proposed["session"]["proposedActions"]
        .as_array()
        .unwrap();
    let automated = actions
        .iter()
        .find(|action| action["isAutomated"] == true);
    (path, json!({"actionIds": [automated.unwrap()["id"]]}))
}

/// Approves the actions. Returns whether that was accepted: a request of the noisy organization may
/// be refused.
async fn executed(client: &mut Client, path: &str, approval: &Value) -> bool {
    let path = format!("{path}/execute");
    let executed = client.asks(&path, Some(approval)).await;
    client
        .expected("execute", executed, &[])
        .is_some()
}

async fn created(client: &mut Client, shared: &Shared) -> i64 {
    let body = json!({"title": "Short-lived", "projectId": shared.project});
    let outcome = client
        .asks("/api/tasks", Some(&body))
        .await;
    let task = client
        .expected("create", outcome, &[])
        .unwrap();
    task["id"].as_i64().unwrap()
}

/// Creates a task with a comment, which a cleanup deletes.
async fn commented(client: &mut Client, shared: &Shared) -> i64 {
    let task = created(client, shared).await;
    let comment = json!({"content": "Soon gone"});
    let path = format!("/api/tasks/{task}/comments");
    let comment = client.asks(&path, Some(&comment)).await;
    client
        .expected("comment", comment, &[])
        .unwrap();
    task
}

async fn deleted(client: &mut Client, task: i64) {
    let path = format!("/api/tasks/{task}");
    client
        .change(Method::DELETE, &path, &json!({}))
        .await;
}

async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let began = Stopwatch::start();
    while began.elapsed() < PATIENCE && !holds().await {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The flood of the noisy organization.
struct Noise {
    flood: JoinHandle<()>,
    sent: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

impl Noise {
    async fn start(world: &World) -> Self {
        let receiver = Receiver::start(SLOW).await;
        let first = world.shared.most_entities / 2;
        let newcomer = Newcomer {
            name: "noisy",
            clients: NOISY_CLIENTS,
            entities: first..world.shared.most_entities,
            limits: Some(json!({"perSecond": 1})),
            receiver: Some(&receiver),
        };
        let (shared, cookies) = world.add(newcomer).await;
        let shared = Arc::new(shared);
        let clients = cookies
            .iter()
            .enumerate()
            .map(|(number, cookie)| {
                let world = &*world;
                let shared = &shared;
                let cookie = cookie.clone();
                async move {
                    let fates = world.fates.clone();
                    let mut client = Client::new(number + 100, &world.url(), cookie, fates);
                    let mut tasks = Vec::new();
                    for _ in 0..NOISY_DELETES / NOISY_CLIENTS {
                        tasks.push(commented(&mut client, shared).await);
                    }
                    let mut approvals = Vec::new();
                    for _ in 0..NOISY_ACTIONS / NOISY_CLIENTS {
                        approvals.push(proposed(&mut client, shared).await);
                    }
                    (client, tasks, approvals)
                }
            });
        let ready: Vec<_> = stream::iter(clients)
            .buffer_unordered(4)
            .collect()
            .await;
        for (mut client, tasks, approvals) in ready {
            tokio::spawn(async move {
                for (path, approval) in approvals {
                    executed(&mut client, &path, &approval).await;
                }
                for task in tasks {
                    deleted(&mut client, task).await;
                }
            });
        }
        let directory = shared.store.directory();
        let plan = PlanChange {
            units_per_second: UnitsPerSecond::new(UNITS),
            ..PlanChange::default()
        };
        let planned = directory.change_plan(shared.tenant, plan);
        planned.await.unwrap();
        Self::flood(&world.url(), &cookies[0])
    }

    /// Sends a request at a time, whether others are answered or not.
    fn flood(url: &str, cookie: &str) -> Self {
        let (sent, refused) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let list = format!("{url}/api/tasks?limit=200");
        let cookie = format!("connect.sid={cookie}");
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(PATIENCE);
        let http = http.build().unwrap();
        let counts = (sent.clone(), refused.clone());
        let flood = tokio::spawn(async move {
            loop {
                let request = http
                    .get(&list)
                    .header(header::COOKIE, &cookie)
                    .send();
                let (sent, refused) = counts.clone();
                tokio::spawn(async move {
                    sent.fetch_add(1, Ordering::SeqCst);
                    let status = request
                        .await
                        .map(|answer| answer.status().as_u16());
                    refused.fetch_add(usize::from(status.ok() == Some(429)), Ordering::SeqCst);
                });
                tokio::time::sleep(FLOOD).await;
            }
        });
        Self {
            flood,
            sent,
            refused,
        }
    }

    /// Ends the flood. Returns the number of its requests, and of those that were refused.
    fn stop(self) -> (usize, usize) {
        self.flood.abort();
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        (count(&self.sent), count(&self.refused))
    }
}

impl World {
    /// Returns the number of cleanups of an organization that have not ended.
    async fn cleanups(&self, tenant: OrganizationId) -> usize {
        let mut items = scan(&self.table, self.engines.table_name(), &["cleanup"], None).await;
        items.retain(|item| item["organizationId"] == number(tenant));
        items.len()
    }
}
