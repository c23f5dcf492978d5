//! An organization of some size, and a caller of the functions before it.

use local::engines::Engines;
use serde_json::Value;
use shared::{
    App,
    clock::{Clock, Stopwatch},
    config::{ApiConfig, SigningSecrets},
    queue::Queue,
    serve::router,
    store::{Used, metered},
};
use tests::{
    SECRET,
    support::{Answer, Caller, Gateway, api_config, webhooks},
};
use updates::Updates;

use crate::fill::{Size, fill};

/// An organization and its caller.
pub struct Organization {
    pub size: Size,
    caller: Caller,
    // The table ends with it.
    _engines: Engines,
}

/// The costs of a read.
pub struct Taken {
    pub rows: usize,
    pub used: Used,
    pub milliseconds: f64,
    pub goes_on: bool,
}

impl Organization {
    /// Fills an organization on a table of its own.
    pub async fn start(size: Size) -> Self {
        let engines = Engines::in_memory().await.unwrap();
        let config = ApiConfig {
            session_secrets: SigningSecrets::new([SECRET.to_owned()]).unwrap(),
            allowed_origins: Vec::new(),
            sends_mail: false,
            ..api_config(engines.table_name())
        };
        let app = App::new(engines.dynamodb(), &config, Clock::system());
        let cookie = fill(&engines, &app, size).await;
        let functions = [
            ("milestones", milestones::routes()),
            ("managed-services", managed_services::routes()),
            ("tasks", tasks::routes()),
            ("directory", directory::routes()),
        ];
        let functions = functions.map(|(name, routes)| (name, router(routes, app.clone(), &app)));
        let queue = Queue::new(engines.sqs(), "none");
        let state = Updates::new(app.clone(), queue, webhooks::caller(true));
        let updates = router(updates::routes(), state, &app);
        let functions = functions
            .into_iter()
            .chain([("updates", updates)]);
        let caller = Caller::of(Gateway::new(functions).unchecked());
        Self {
            size,
            caller: caller.with_cookie(format!("connect.sid={cookie}")),
            _engines: engines,
        }
    }

    /// Reads five times; the time is the middle one.
    pub async fn read(&self, path: &str) -> Taken {
        let mut times = Vec::new();
        loop {
            let begin = Stopwatch::start();
            let (answer, used) = metered(self.caller.get(path)).await;
            times.push(begin.elapsed().as_secs_f64() * 1_000.0);
            if times.len() == 5 {
                times.sort_unstable_by(f64::total_cmp);
                return Taken {
                    rows: answer
                        .expect(200)
                        .as_array()
                        .map_or(1, Vec::len),
                    used,
                    milliseconds: times[2],
                    goes_on: answer.next().is_some(),
                };
            }
        }
    }

    /// Sends a request, which must succeed.
    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let body = body.map(Value::to_string);
        let answer = self
            .caller
            .send(method, path, body)
            .await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        answer
    }
}
