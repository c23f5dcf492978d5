//! An organization of some size, and the functions before it.

use axum::Router;
use lambda_http::{Adapter, Context, LambdaEvent, Service, request::LambdaRequest};
use local::engines::Engines;
use serde_json::Value;
use shared::{
    App,
    clock::{Clock, Stopwatch},
    config::{ApiConfig, SigningSecrets},
    serve::router,
    store::{Used, metered},
};

use crate::fill::{Size, fill};

/// An organization and who asks for it.
pub struct Organization {
    pub size: Size,
    functions: Vec<(&'static str, Router)>,
    cookie: String,
    // The table ends with it.
    _engines: Engines,
}

/// What a read took.
pub struct Taken {
    pub rows: usize,
    pub used: Used,
    pub milliseconds: f64,
    pub goes_on: bool,
}

/// What a function answered.
pub struct Answer {
    pub body: Value,
    /// Path and query of the next page.
    pub next: Option<String>,
}

impl Organization {
    /// Fills an organization on a table of its own.
    pub async fn start(size: Size) -> Self {
        let engines = Engines::in_memory().await.unwrap();
        let config = ApiConfig {
            table: engines.table_name().to_owned(),
            session_secrets: SigningSecrets::new(["a secret of the benchmark".to_owned()]).unwrap(),
            plain_http: false,
            allowed_origins: Vec::new(),
        };
        let app = App::new(engines.dynamodb(), &config, Clock::system());
        let cookie = fill(&engines, &app, size).await;
        let all = [
            ("/api/projects/1/milestones", milestones::routes()),
            ("/api/managed-services/", managed_services::routes()),
            ("/api/", tasks::routes()),
        ];
        let functions = all.map(|(begin, routes)| (begin, router(routes, app.clone(), &app)));
        Self {
            size,
            functions: functions.into(),
            cookie,
            _engines: engines,
        }
    }

    /// What a read takes; the time is the middle one of five.
    pub async fn read(&self, path: &str) -> Taken {
        let mut times = Vec::new();
        loop {
            let begin = Stopwatch::start();
            let (answer, used) = metered(self.send("GET", path, None)).await;
            times.push(begin.elapsed().as_secs_f64() * 1_000.0);
            if times.len() == 5 {
                times.sort_unstable_by(f64::total_cmp);
                return Taken {
                    rows: answer.body.as_array().map_or(1, Vec::len),
                    used,
                    milliseconds: times[2],
                    goes_on: answer.next.is_some(),
                };
            }
        }
    }

    /// Sends a request through the event that the gateway makes of it, which must succeed.
    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let function = self
            .functions
            .iter()
            .find(|(begin, _)| path.starts_with(begin));
        let (_, function) = function.unwrap();
        let event = tests::event(method, path, body, &self.cookie);
        let request: LambdaRequest = serde_json::from_value(event).unwrap();
        let event = LambdaEvent::new(request, Context::default());
        let answer = Adapter::from(function.clone()).call(event).await.unwrap();
        let answer = serde_json::to_value(answer).unwrap();
        let status = answer["statusCode"].as_u64().unwrap();
        assert!(status < 300, "{method} {path}: {answer}");
        let link = answer["headers"]["link"].as_str();
        let next = link.map(|link| {
            let (_, next) = link.split_once("/api/").unwrap();
            let (next, _) = next.split_once('>').unwrap();
            format!("/api/{next}")
        });
        let body = answer["body"].as_str().unwrap_or_default();
        Answer {
            body: serde_json::from_str(body).unwrap_or_default(),
            next,
        }
    }
}
