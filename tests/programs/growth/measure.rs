//! Measures the accesses of each operation with all consequences, and of the work that no request
//! waits for.

use std::collections::BTreeMap;

use serde_json::json;
use shared::{model::base::span, store::updates::StreamRecord};
use tests::{
    records,
    support::{Api, CASES, Concierge, PlaybookCase, Settings, World, engines, webhooks::Receiver},
};

use crate::{
    recorder::Recorder,
    tally::Tally,
    units::{Access, Does},
    usage::{self, ACTION, REMINDER},
};

/// The playbook whose only action is counted, and the one to warm the instances up.
const COUNTED: &str = "invoice-not-finalized";
const BEFORE: &str = "customer-out-of-sync";

/// Tasks of the project whose lists are read.
const PAGE: usize = 100;

/// Everything that was measured.
pub struct Measured {
    pub tally: Tally,
    /// The consequences of each operation.
    pub work: BTreeMap<String, Work>,
    /// Bytes of the compressed answer of each operation.
    pub bytes: BTreeMap<String, u32>,
}

/// Measures everything. Each request is the first of its instance, which has to reserve ids.
pub async fn measure() -> Measured {
    let recorder = Recorder::start(engines::engines().await.dynamodb_url()).await;
    let mut by_operation = BTreeMap::new();
    // The futures are large.
    let bytes = Box::pin(requests(&recorder, &mut by_operation)).await;
    by_operation.insert(ACTION.to_owned(), Box::pin(action(&recorder)).await);
    by_operation.insert(REMINDER.to_owned(), Box::pin(reminder(&recorder)).await);
    let work = by_operation
        .iter()
        .map(|(name, (_, work))| (name.clone(), *work));
    let work = work.collect();
    let operations = by_operation.into_iter();
    let operations = operations.map(|(name, (accesses, _))| (name, accesses));
    let operations: BTreeMap<_, _> = operations.collect();
    for name in usage::names() {
        assert!(operations.contains_key(name), "{name} is no operation");
    }
    let others = recorder.mismatches();
    let holds = others.is_empty();
    assert!(holds, "the engine counts other units: {others:#?}");
    Measured {
        tally: Tally::new(operations, &recorder.partitions()),
        work,
        bytes,
    }
}

/// A world behind the recorder.
fn behind(recorder: &Recorder) -> Settings {
    Settings {
        proxy: Some(recorder.url().to_owned()),
        ..Settings::default()
    }
}

/// The accesses of each request of the world, of the publisher after it, of the webhooks that it
/// sends, and of the cleanup after a delete. Returns the bytes of each answer.
async fn requests(
    recorder: &Recorder,
    operations: &mut BTreeMap<String, (Vec<Access>, Work)>,
) -> BTreeMap<String, u32> {
    let mut bytes = BTreeMap::new();
    let world = World::start_in(behind(recorder)).await;
    let api = world.api();
    let receiver = Receiver::start().await;
    let max = world.caller().await;
    for webhook in 1..=2 {
        let path = format!("/api/webhooks/{webhook}");
        let body = json!({"url": receiver.url});
        max.patch(&path, body).await.expect(200);
    }
    let mut followed = Work::default();
    follow(api, &mut followed).await;
    has_tasks(api).await;
    // They are indexed, and no webhook is told of them.
    api.changes().await;
    for request in world.requests() {
        let caller = world.caller_of(&request).await;
        let caller = caller.before(api.other_instances().await.unchecked());
        let caller = caller.with_header("accept-encoding", "gzip");
        follow(api, &mut followed).await;
        followed = Work::default();
        let operation = request.operation();
        let work = async {
            let answer = request.by(&caller).await;
            assert!(answer.status < 400, "{operation}: {}", answer.text);
            bytes.insert(operation.clone(), answer.bytes);
            follow(api, &mut followed).await;
            if request.method == "DELETE" {
                api.cleans_up().await;
                follow(api, &mut followed).await;
            }
        };
        let ((), accesses) = recorder.record(work).await;
        operations.insert(operation, (accesses, followed));
    }
    bytes
}

/// A project with as many tasks as a page of a list shows.
async fn has_tasks(api: &Api) {
    let store = api.store_beside().await;
    for _ in 0..PAGE {
        let task = records::task(api.projects[0].id);
        store
            .tasks()
            .create(api.home.id, task)
            .await
            .unwrap();
    }
    let search = store.search();
    search
        .index_all(api.home.id, |_, _| {})
        .await
        .unwrap();
}

/// The work that follows from an operation, but for its own requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Changes that reach the publisher and the indexer.
    pub published: f64,
    pub indexed: f64,
    /// Messages of webhooks and mails.
    pub deliveries: f64,
    pub mails: f64,
}

/// Publishes the changes, and sends their webhooks. Adds up that work.
async fn follow(api: &Api, work: &mut Work) {
    let changes = Box::pin(api.changes()).await;
    for record in &changes {
        let kinds = ["NewImage", "OldImage"].map(|image| &record["dynamodb"][image]["kind"]["S"]);
        let is_of = |kind: &str| {
            kinds
                .iter()
                .any(|image_kind| **image_kind == kind)
        };
        work.published += count(StreamRecord::published_kinds().any(is_of));
        work.indexed += count(StreamRecord::indexed_kinds().any(is_of));
        work.mails += count(is_of("mail") && kinds[1].is_null());
    }
    // The futures are large.
    Box::pin(api.delivers_all(&changes)).await;
    let sent = Box::pin(api.sends_webhooks()).await;
    work.deliveries += f64::from(u32::try_from(sent).unwrap());
}

fn count(is_one: bool) -> f64 {
    f64::from(u8::from(is_one))
}

/// The accesses of an action: its session is opened, it is proposed, approved, run and verified,
/// and its alert is resolved.
async fn action(recorder: &Recorder) -> (Vec<Access>, Work) {
    let world = Concierge::start_in(behind(recorder)).await;
    let mut followed = Work::default();
    let case = |playbook: &str| {
        let mut cases = CASES.iter();
        cases
            .find(|case| case.playbook == playbook)
            .unwrap()
    };
    completes(recorder, &world, &mut followed, case(BEFORE)).await;
    let accesses = completes(recorder, &world, &mut followed, case(COUNTED)).await;
    (accesses, followed)
}

async fn completes(
    recorder: &Recorder,
    world: &Concierge,
    followed: &mut Work,
    case: &PlaybookCase,
) -> Vec<Access> {
    let api = &world.api;
    let alert = world.alert_of(api.home.id, case).await;
    follow(api, followed).await;
    *followed = Work::default();
    let work = async {
        let session = world.opened(&alert).await;
        let actions = world.proposed(&session).await;
        world
            .executes(&session, &[&actions[0]])
            .await
            .expect(202);
        follow(api, followed).await;
        world.delivers(&world.worker()).await;
        follow(api, followed).await;
        session
    };
    let (session, mut accesses) = recorder.record(work).await;
    accesses.extend(passes(recorder, world, followed, span::MINUTE, 5).await);
    assert_eq!(world.outcome(&session).await.0, "completed");
    let path = format!("/api/concierge/alerts/{}", alert.id);
    let alert = world.max.get(&path).await.expect(200);
    assert_eq!(alert["status"], "resolved", "{alert}");
    accesses
}

/// The accesses of a reminder: a task is given to another user, and is due two days later.
async fn reminder(recorder: &Recorder) -> (Vec<Access>, Work) {
    let world = Concierge::start_in(behind(recorder)).await;
    let api = &world.api;
    let mia = api.sign_in("mia").await;
    let mut followed = Work::default();
    let due = api.clock.now().plus(2 * span::DAY);
    let body = json!({"assigneeId": mia.id()});
    let task = world.max.creates_task(body).await;
    follow(api, &mut followed).await;
    followed = Work::default();
    let path = format!("/api/tasks/{}", task["id"]);
    let work = async {
        let change = json!({"dueDate": due.to_string()});
        world
            .max
            .patch(&path, change)
            .await
            .expect(200);
        follow(api, &mut followed).await;
    };
    let ((), mut accesses) = recorder.record(work).await;
    let later = passes(recorder, &world, &mut followed, 12 * span::HOUR, 5).await;
    assert!(!later.is_empty(), "no reminder came");
    accesses.extend(later);
    (accesses, followed)
}

/// The accesses of the sweeps with work to do, and of their consequences.
async fn passes(
    recorder: &Recorder,
    world: &Concierge,
    followed: &mut Work,
    step: i64,
    sweeps: usize,
) -> Vec<Access> {
    let mut all_accesses = Vec::new();
    for _ in 0..sweeps {
        let work = async {
            world.passes(step).await;
            follow(&world.api, followed).await;
        };
        let ((), accesses) = recorder.record(work).await;
        if accesses
            .iter()
            .any(|access| access.does != Does::Read)
        {
            all_accesses.extend(accesses);
        }
    }
    all_accesses
}
