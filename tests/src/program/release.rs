//! Release binaries of the functions before an embedded table that holds some records.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
};

use local::engines::{Engines, KEY, REGION};
use serde_json::{Value, json};
use shared::{
    clock::Clock,
    model::{
        people::Role,
        work::{ActivityCreate, ServiceRequestCreate, TaskCreate},
    },
    store::{base::Store, work::NewTicket},
};
use tokio::process::{Child, Command};

use crate::records;

use super::{Member, RuntimeApi, SECRET, organization};

/// Tasks, activities and requests, of each.
const ROWS: usize = 100;
const COLLEAGUES: usize = 10;
const MESSAGES: usize = 20;

/// An embedded table with an organization in it, and a user's session.
#[derive(Debug)]
pub struct Release {
    engines: Engines,
    cookie: String,
}

impl Release {
    /// Starts the table and fills it.
    pub async fn world() -> Self {
        let engines = Engines::in_memory().await.unwrap();
        let cookie = fill(&engines).await;
        Self { engines, cookie }
    }

    /// Where the table is.
    #[must_use]
    pub fn table_url(&self) -> &str {
        self.engines.dynamodb_url()
    }

    /// Starts the release binary of a function, or any other of that folder. These variables win
    /// over those of every function.
    #[must_use]
    pub fn start(&self, runtime: &RuntimeApi, function: &str, more: &[(&str, &str)]) -> Child {
        start_function(&self.engines, runtime, function, more)
    }

    /// The gateway's event of a request by whoever is signed in.
    #[must_use]
    pub fn event(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        event(method, path, body, &self.cookie)
    }
}

/// An organization with a hundred tasks, activities and requests, a ticket with messages, an alert,
/// and a user's session. A program creates further records through the functions.
async fn fill(engines: &Engines) -> String {
    let clock = Clock::system();
    let store = Store::new(engines.dynamodb(), engines.table_name(), clock.clone());
    let directory = store.directory();
    let tenant = organization(&store).await;
    let ada = ("ada", Role::Admin);
    let now = clock.now();
    let Member { user, cookie } = Member::sign_in(&store, tenant, ada, now).await;
    let new_project = records::project("Billing migration");
    let project = directory
        .create_project(tenant, new_project)
        .await
        .unwrap()
        .id;
    let mut colleagues = Vec::new();
    for number in 0..COLLEAGUES {
        let colleague = records::user(&format!("colleague{number}"), Role::Member, "none");
        colleagues.push(
            directory
                .create_user(tenant, colleague)
                .await
                .unwrap()
                .id,
        );
    }
    let text = "Somebody wrote a few sentences about it. ".repeat(10);
    for (_, assignee) in (0..ROWS).zip(colleagues.iter().cycle()) {
        let task = TaskCreate {
            description: Some(records::text(&text)),
            assignee_id: Some(*assignee),
            ..records::task(project)
        };
        store
            .tasks()
            .create(tenant, task)
            .await
            .unwrap();
        let activity = ActivityCreate {
            description: records::text(&text),
            ..records::activity(Some(project))
        };
        let activities = store.activities();
        activities
            .create(tenant, user.id, activity)
            .await
            .unwrap();
        let request = ServiceRequestCreate {
            description: Some(records::text(&text)),
            ..records::service_request()
        };
        let requests = store.service_requests();
        requests
            .create(tenant, user.id, request)
            .await
            .unwrap();
    }
    let ticket = NewTicket {
        messages: vec![records::message(user.id, &text, Some(now)); MESSAGES],
        ..records::ticket()
    };
    store
        .tickets()
        .create(tenant, ticket)
        .await
        .unwrap();
    let alert = records::alert("payment_failed", now);
    store
        .alerts()
        .record(tenant, alert)
        .await
        .unwrap();
    cookie
}

/// True if the programs run the dev profile's binaries: the option `--dev`.
static IS_DEV: AtomicBool = AtomicBool::new(false);

/// Has all programs of this process run the dev profile's binaries instead of the release's.
pub(super) fn use_dev_binaries() {
    IS_DEV.store(true, Ordering::Relaxed);
}

/// Returns the path of a program's binary in `target/release`; with `--dev`, in `target/debug`.
#[must_use]
pub fn binary(program: &str) -> PathBuf {
    let is_dev = IS_DEV.load(Ordering::Relaxed);
    let folder = if is_dev { "debug" } else { "release" };
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    target.join(folder).join(program)
}

/// Starts the binary of a function on these engines.
#[must_use]
pub fn start_function(
    engines: &Engines,
    runtime: &RuntimeApi,
    function: &str,
    more: &[(&str, &str)],
) -> Child {
    let queues = engines.queues();
    command(function, runtime.address())
        .envs([
            ("AWS_ENDPOINT_URL_DYNAMODB", engines.dynamodb_url()),
            ("AWS_ENDPOINT_URL_SQS", engines.sqs_url()),
            ("TABLE_NAME", engines.table_name()),
            ("QUEUE_URL", &queues.actions.url),
            ("WEBHOOK_QUEUE_URL", &queues.webhooks.url),
            ("MAIL_QUEUE_URL", &queues.mails.url),
            ("SWEEP_QUEUE_URL", &queues.sweeps.url),
            ("CHANGE_DEAD_LETTER_QUEUE_URL", &queues.dead_changes),
            ("SESSION_SECRETS", SECRET),
            ("WEBHOOK_SECRETS", SECRET),
            ("API_URL", "https://api.workdesk.example"),
            ("SECRETS_KEY", KEY),
        ])
        .envs(more.iter().copied())
        .spawn()
        .unwrap_or_else(|error| panic!("{function} does not start, build it first: {error}"))
}

/// Takes the messages out of a queue. Returns their bodies.
pub(crate) async fn bodies(sqs: &aws_sdk_sqs::Client, url: &str) -> Vec<String> {
    let mut bodies = Vec::new();
    loop {
        let receive = sqs.receive_message().queue_url(url);
        let received = receive
            .max_number_of_messages(10)
            .send()
            .await
            .unwrap();
        let messages = received.messages.unwrap_or_default();
        if messages.is_empty() {
            return bodies;
        }
        for message in messages {
            let delete = sqs.delete_message().queue_url(url);
            let delete = delete.set_receipt_handle(message.receipt_handle);
            delete.send().await.unwrap();
            bodies.push(message.body.unwrap());
        }
    }
}

/// Takes the messages out of a queue, as records of an event.
pub async fn messages(engines: &Engines, url: &str) -> Vec<Value> {
    let bodies = bodies(&engines.sqs(), url)
        .await
        .into_iter();
    let message = |(at, body): (usize, String)| json!({"messageId": at.to_string(), "body": body});
    bodies
        .enumerate()
        .map(message)
        .collect()
}

/// The release binary of a function, or any other of that folder, before a runtime API. Its
/// environment is that of every function. It ends with who started it.
#[must_use]
pub fn command(function: &str, runtime: &str) -> Command {
    command_of(&binary(function), function, runtime)
}

/// Starts any binary of a function, at a path.
#[must_use]
pub fn command_of(binary: &Path, function: &str, runtime: &str) -> Command {
    let mut command = Command::new(binary);
    command
        .env_clear()
        .envs([
            ("AWS_LAMBDA_RUNTIME_API", runtime),
            ("AWS_LAMBDA_FUNCTION_NAME", function),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "none"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "none"),
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("RUST_LOG", "error"),
            // As infra/template.yaml sets them.
            ("MALLOC_TRIM_THRESHOLD_", "33554432"),
            ("MALLOC_MMAP_THRESHOLD_", "33554432"),
            ("MALLOC_TOP_PAD_", "1048576"),
        ])
        // Metrics go there.
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command
}

/// The gateway's event of a request with a session cookie of this value. Its answer is not
/// compressed.
#[must_use]
pub fn event(method: &str, path: &str, body: Option<&Value>, cookie: &str) -> Value {
    let event = include_str!("../../events/http_request.json");
    let mut event: Value = serde_json::from_str(event).unwrap();
    let (path, query) = path
        .split_once('?')
        .unwrap_or((path, ""));
    let route = format!("{method} {path}");
    event["routeKey"] = json!(route);
    event["rawPath"] = json!(path);
    event["rawQueryString"] = json!(query);
    event["requestContext"]["routeKey"] = json!(route);
    event["requestContext"]["http"]["method"] = json!(method);
    event["requestContext"]["http"]["path"] = json!(path);
    event["cookies"] = json!([format!("connect.sid={cookie}")]);
    event["headers"]["accept-encoding"] = json!("identity");
    if let Some(body) = body {
        let body = body.to_string();
        event["headers"]["content-type"] = json!("application/json");
        event["headers"]["content-length"] = json!(body.len().to_string());
        event["body"] = json!(body);
    }
    event
}
