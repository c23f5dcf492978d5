//! Release binaries of the API functions before an embedded table that holds some records.

use std::path::Path;

use local::engines::{Engines, REGION};
use serde_json::{Value, json};
use shared::{
    auth::{SessionCookie, Sid},
    clock::Clock,
    config::SigningSecrets,
    model::{ActivityCreate, PlanFeature, Role, ServiceRequestCreate, TaskCreate},
    store::Store,
};
use tokio::process::{Child, Command};

use crate::{RuntimeApi, records};

const ROWS: usize = 100;
const SECRET: &str = "a secret of the benchmark";

/// An embedded table with an organization in it, and somebody's session.
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

    /// Starts the release binary of a function, or any other of that folder.
    #[must_use]
    pub fn start(&self, runtime: &RuntimeApi, function: &str) -> Child {
        start(&self.engines, runtime, function)
    }

    /// The gateway's event of a read by whoever is signed in.
    #[must_use]
    pub fn event(&self, path: &str) -> Value {
        event(path, &self.cookie)
    }
}

/// An organization with a hundred tasks, activities and requests, and somebody's session.
async fn fill(engines: &Engines) -> String {
    let clock = Clock::system();
    let store = Store::new(engines.dynamodb(), engines.table_name(), clock.clone());
    let directory = store.directory();
    let plan = vec![PlanFeature::AgentAi];
    let tenant = directory
        .create_organization("Halden Services".into(), plan)
        .await
        .unwrap()
        .id;
    let user = records::user("ada", Role::Admin, "none");
    let user = directory.create_user(tenant, user).await.unwrap();
    let project = records::project("Billing migration");
    let project = directory.create_project(tenant, project).await.unwrap().id;
    let text = "Somebody wrote a few sentences about it. ".repeat(10);
    for _ in 0..ROWS {
        let task = TaskCreate {
            description: Some(records::text(&text)),
            assignee_id: Some(user.id),
            ..records::task(project)
        };
        store.tasks().create(tenant, task).await.unwrap();
        let activity = ActivityCreate {
            description: records::text(&text),
            ..records::activity(Some(project))
        };
        let activities = store.activities();
        activities.create(tenant, user.id, activity).await.unwrap();
        let request = ServiceRequestCreate {
            description: Some(records::text(&text)),
            ..records::service_request()
        };
        let requests = store.service_requests();
        requests.create(tenant, user.id, request).await.unwrap();
    }
    let sid = Sid::generate(tenant, user.id);
    let session = records::session(&sid, &user, clock.now());
    store.sign_in().begin(&session).await.unwrap();
    let secrets = SigningSecrets::new([SECRET.to_owned()]).unwrap();
    SessionCookie::new(secrets, true).sign(&sid.to_string())
}

fn start(engines: &Engines, runtime: &RuntimeApi, function: &str) -> Child {
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release");
    Command::new(release.join(function))
        .env_clear()
        .envs([
            ("AWS_LAMBDA_RUNTIME_API", runtime.address()),
            ("AWS_LAMBDA_FUNCTION_NAME", function),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "none"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "none"),
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("AWS_ENDPOINT_URL_DYNAMODB", engines.dynamodb_url()),
            ("AWS_ENDPOINT_URL_SQS", engines.sqs_url()),
            ("TABLE_NAME", engines.table_name()),
            ("QUEUE_URL", &engines.queues().action_url),
            ("SESSION_SECRETS", SECRET),
            ("TARGET_SYSTEMS", "{}"),
            ("RUST_LOG", "error"),
        ])
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{function} does not start, build it first: {error}"))
}

fn event(path: &str, cookie: &str) -> Value {
    let mut event: Value =
        serde_json::from_str(include_str!("../events/http_request.json")).unwrap();
    let route = format!("GET {path}");
    event["routeKey"] = json!(route);
    event["rawPath"] = json!(path);
    event["requestContext"]["routeKey"] = json!(route);
    event["requestContext"]["http"]["path"] = json!(path);
    event["cookies"] = json!([format!("connect.sid={cookie}")]);
    event
}
