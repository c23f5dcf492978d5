//! CPU time of the functions' binaries: of a request, and of a change by the consumers of the
//! stream.

use std::{collections::BTreeMap, time::Duration};

use local::engines::{Engines, Stream};
use serde_json::{Value, json};
use shared::{
    clock::{Clock, Stopwatch},
    model::{base::OrganizationId, work::TaskCreate},
    store::{base::Store, updates::StreamRecord},
};
use tests::{
    Release, RuntimeApi, cpu_of, messages, records, start_function,
    support::{Operation, example, webhooks::Receiver},
    table,
};
use tokio::process::Child;

use crate::usage::a_day;

/// Runs of a request that are measured, after two others.
const RUNS: u32 = 20;

/// Organizations, and tasks of each.
const ORGANIZATIONS: usize = 20;
const TASKS: usize = 40;

/// Changes of a delivery: one of each organization, or a hundred of one.
const BATCH: [usize; 2] = [ORGANIZATIONS, 100];

/// Operations with their query or body. `$n` is another number each time.
#[rustfmt::skip] // A line each.
const REQUESTS: &[(&str, &str)] = &[
    ("GET /api/auth/session", ""),
    ("POST /api/auth/login", r#"{"username": "nobody", "password": "wrong"}"#),
    ("GET /api/tasks", ""),
    ("GET /api/tasks/{id}", ""),
    ("GET /api/tasks/{taskId}/comments", ""),
    ("GET /api/projects", ""),
    ("GET /api/projects/{projectId}/tasks", ""),
    ("GET /api/projects/{projectId}/milestones", ""),
    ("GET /api/managed-services/dashboard", ""),
    ("GET /api/notifications", ""),
    ("GET /api/notifications/count", ""),
    ("GET /api/activities", ""),
    ("GET /api/search", "query=sentences"),
    ("GET /api/users", ""),
    ("GET /api/tags", ""),
    ("GET /api/changes", "cursor=first"),
    ("GET /api/concierge/alerts", ""),
    ("GET /api/concierge/agent-sessions", ""),
    ("GET /api/service-requests/{serviceRequestId}/comments", ""),
    ("POST /api/tasks", r#"{"title": "Task $n", "projectId": 1}"#),
    ("PATCH /api/tasks/{id}", r#"{"title": "Task $n"}"#),
    ("POST /api/tasks/{taskId}/comments", r#"{"content": "It is number $n."}"#),
    ("POST /api/activities", r#"{"type": "meeting", "subtype": "kick_off", "description": "Number $n.", "projectId": 1}"#),
    ("POST /api/managed-services/request", r#"{"title": "Request $n", "referenceType": "project", "referenceId": 1}"#),
    ("PATCH /api/service-requests/{id}", r#"{"title": "Request $n"}"#),
    ("POST /api/managed-services/tickets", r#"{"title": "Ticket $n", "description": "Since Monday."}"#),
    ("POST /api/managed-services/ticket/{ticketId}/reply", r#"{"content": "It is number $n."}"#),
    ("POST /api/concierge/alerts", r#"{"source": "billing-monitor", "externalId": "stuck-$n", "severity": "error", "signalType": "usage_batch_stuck", "title": "Usage batch $n is stuck", "targetSystem": "billing", "entities": [{"type": "usage_batch", "id": "ub_$n"}], "lifecycle": [{"at": "2026-01-20T08:00:00Z", "state": "processing"}]}"#),
];

/// A function's process.
struct Process {
    runtime: RuntimeApi,
    child: Child,
}

impl Process {
    /// The answer to an event.
    async fn ask(&self, event: Value) -> Value {
        self.runtime.invoke(event);
        self.runtime.answer().await
    }

    fn cpu(&self) -> Duration {
        cpu_of(self.child.id().unwrap())
    }
}

/// The table of milliseconds.
pub async fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    Box::pin(of_requests(&mut lines)).await;
    Box::pin(of_changes(&mut lines)).await;
    table("| function | of | CPU ms | ms |", lines)
}

/// A line: means of CPU time and of time, in milliseconds.
fn line(function: &str, of: &str, cpu: f64, time: f64) -> String {
    format!("| {function} | {of} | {cpu:.2} | {time:.2} |")
}

fn milliseconds(time: Duration, times: usize) -> f64 {
    1_000.0 * time.as_secs_f64() / f64::from(u32::try_from(times).unwrap())
}

/// Requests of each function, each as often as an average organization sends it.
async fn of_requests(lines: &mut Vec<String>) {
    let world = Box::pin(Release::world()).await;
    let mut processes: BTreeMap<&str, Process> = BTreeMap::new();
    let mut sums: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for (name, more) in REQUESTS {
        let (method, path) = name.split_once(' ').unwrap();
        let function = Operation::of(method, path).function;
        if !processes.contains_key(function) {
            let runtime = RuntimeApi::start().await;
            let child = world.start(&runtime, function, &[]);
            processes.insert(function, Process { runtime, child });
        }
        let process = &processes[function];
        let path = example(path, "1");
        let event = |number: u32| {
            let more = more.replace("$n", &number.to_string());
            match method {
                "GET" => world.event(method, &format!("{path}?{more}"), None),
                _ => world.event(method, &path, Some(&serde_json::from_str(&more).unwrap())),
            }
        };
        // An account takes ten failed sign-ins.
        let is_login = path.ends_with("login");
        let runs = if is_login { RUNS / 4 } else { RUNS };
        for number in 0..2 {
            let answer = process.ask(event(number)).await;
            let status = answer["statusCode"].as_u64().unwrap();
            let is_fine = status < 300 || (is_login && status == 401);
            assert!(is_fine, "{name}: {answer}");
        }
        let before = process.cpu();
        let watch = Stopwatch::start();
        for number in 0..runs {
            process
                .runtime
                .invoke(event(2 + number));
            process.runtime.raw_answer().await;
        }
        let runs = usize::try_from(runs).unwrap();
        let time = milliseconds(watch.elapsed(), runs);
        let cpu = milliseconds(process.cpu().saturating_sub(before), runs);
        lines.push(line(function, &format!("`{name}`"), cpu, time));
        let sum = sums.entry(function).or_default();
        for (sum, more) in sum.iter_mut().zip([1.0, cpu, time]) {
            *sum += a_day(name) * more;
        }
    }
    let of = "an average request";
    for (function, [times, cpu, time]) in sums {
        lines.push(line(function, of, cpu / times, time / times));
    }
}

/// Changes of tasks, by deliveries of twenty organizations, of one alone, and of a single change.
/// Each organization has a webhook.
async fn of_changes(lines: &mut Vec<String>) {
    let engines = Engines::in_memory().await.unwrap();
    let store = Store::new(engines.dynamodb(), engines.table_name(), Clock::system());
    let receiver = Receiver::start().await;
    let mut tenants = Vec::new();
    for _ in 0..ORGANIZATIONS {
        let tenant = tests::organization(&store).await;
        let webhook = json!({"url": receiver.url, "types": ["*"]});
        let webhooks = store.webhooks();
        let created = webhooks.create(tenant, records::sent(&webhook));
        created.await.unwrap();
        let new_project = records::project("Billing migration");
        let project = store
            .directory()
            .create_project(tenant, new_project)
            .await;
        tenants.push((tenant, project.unwrap().id));
    }
    let create = async |tenant: OrganizationId, project, number: usize| {
        let words = (0..30).map(|word| format!("word{}", number + word));
        let words: Vec<String> = words.collect();
        let task = TaskCreate {
            description: Some(records::text(&words.join(" "))),
            ..records::task(project)
        };
        store
            .tasks()
            .create(tenant, task)
            .await
            .unwrap();
    };
    let mut stream = engines
        .stream(engines.table_name(), None)
        .unwrap();
    drain(&mut stream).await;
    for number in 0..TASKS {
        for (tenant, project) in &tenants {
            create(*tenant, *project, number).await;
        }
    }
    let of_all = drain(&mut stream).await;
    let (tenant, project) = tenants[0];
    for number in 0..TASKS * 5 {
        create(tenant, project, number).await;
    }
    let of_one = drain(&mut stream).await;
    let more = [("LOCAL_TARGETS", "true")];
    let start = async |function| {
        let runtime = RuntimeApi::start().await;
        let child = start_function(&engines, &runtime, function, &more);
        Process { runtime, child }
    };
    let is_published =
        |kind: &str| StreamRecord::published_kinds().any(|published_kind| published_kind == kind);
    let is_indexed =
        |kind: &str| StreamRecord::indexed_kinds().any(|indexed_kind| indexed_kind == kind);
    let changes: [&[Value]; 2] = [&of_all, &of_one];
    let publisher = start("publisher").await;
    consumed(lines, "publisher", &publisher, changes, is_published).await;
    let indexer = start("indexer").await;
    consumed(lines, "indexer", &indexer, changes, is_indexed).await;
    let sender = start("webhook-sender").await;
    let messages = messages(&engines, &engines.queues().webhooks.url).await;
    let mut rest = messages.chunks(10);
    for chunk in rest.by_ref().take(5) {
        sender
            .ask(json!({"Records": chunk}))
            .await;
    }
    let before = sender.cpu();
    let watch = Stopwatch::start();
    let mut sent = 0;
    for chunk in rest {
        let answer = sender
            .ask(json!({"Records": chunk}))
            .await;
        assert_eq!(answer, json!({"batchItemFailures": []}));
        sent += chunk.len();
    }
    let time = milliseconds(watch.elapsed(), sent);
    let cpu = milliseconds(sender.cpu().saturating_sub(before), sent);
    lines.push(line("webhook-sender", "a delivery", cpu, time));
}

/// Has a consumer handle changes of all organizations by twenties, then of one, and then single
/// ones.
async fn consumed(
    lines: &mut Vec<String>,
    function: &str,
    process: &Process,
    [of_all, of_one]: [&[Value]; 2],
    is_taken: impl Fn(&str) -> bool,
) {
    let of_kinds = |changes: &[Value]| -> Vec<Value> {
        let kind = |change: &Value| change["dynamodb"]["NewImage"]["kind"]["S"].clone();
        let ours = changes.iter();
        let ours = ours.filter(|change| {
            kind(change)
                .as_str()
                .is_some_and(&is_taken)
        });
        ours.cloned().collect()
    };
    let of_all = of_kinds(of_all);
    let of_one = of_kinds(of_one);
    let [of_each, of_same] = BATCH;
    let (warm, rest) = of_all.split_at(2 * of_each);
    let (many, single) = rest.split_at(rest.len() - 5 * of_each);
    deliver(process, warm, of_each).await;
    let of_twenty = "a change, in deliveries of twenty organizations";
    let of_single = "a change, in deliveries of one organization";
    for (of, changes, size) in [
        (of_twenty, many, of_each),
        (of_single, &of_one, of_same),
        ("a change alone", single, 1),
    ] {
        let before = process.cpu();
        let watch = Stopwatch::start();
        deliver(process, changes, size).await;
        let time = milliseconds(watch.elapsed(), changes.len());
        let cpu = milliseconds(process.cpu().saturating_sub(before), changes.len());
        lines.push(line(function, of, cpu, time));
    }
}

async fn deliver(process: &Process, changes: &[Value], size: usize) {
    for chunk in changes.chunks(size) {
        let answer = process
            .ask(json!({"Records": chunk}))
            .await;
        assert_eq!(answer, json!({"batchItemFailures": []}));
    }
}

/// The records of a stream that were not read yet.
async fn drain(stream: &mut Stream) -> Vec<Value> {
    let mut drained = Vec::new();
    loop {
        let records = stream.next(1_000).await.unwrap();
        if records.is_empty() {
            return drained;
        }
        drained.extend(records);
    }
}
