use std::{os::unix::process::ExitStatusExt, sync::Arc};

use axum::{
    Router,
    extract::{Path, State},
    routing::{get, post},
};
use http::HeaderMap;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::{Mutex, mpsc},
};

use crate::lambda::MAX_PAYLOAD;

use super::*;

/// A double of `cargo lambda watch`.
struct Watch {
    url: String,
    invocations: mpsc::UnboundedSender<String>,
    answers: mpsc::UnboundedReceiver<(String, String, Value)>,
}

type Side = (
    Arc<Mutex<mpsc::UnboundedReceiver<String>>>,
    mpsc::UnboundedSender<(String, String, Value)>,
);

impl Watch {
    async fn start() -> Self {
        let (invocations, waiting) = mpsc::unbounded_channel();
        let (answered, answers) = mpsc::unbounded_channel();
        let routes = Router::new()
            .route("/.rt/f/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/.rt/f/2018-06-01/runtime/invocation/{id}/{what}",
                post(answer),
            )
            .with_state((Arc::new(Mutex::new(waiting)), answered));
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let url = format!("http://{}/.rt/f", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self {
            url,
            invocations,
            answers,
        }
    }
}

async fn next(State((waiting, _)): State<Side>) -> ([(&'static str, String); 1], &'static str) {
    let id = waiting
        .lock()
        .await
        .recv()
        .await
        .unwrap();
    (
        [("lambda-runtime-aws-request-id", id)],
        "{\"an\": \"event\"}",
    )
}

async fn answer(
    State((_, answered)): State<Side>,
    Path((id, kind)): Path<(String, String)>,
    body: String,
) {
    let content = serde_json::from_str(&body).unwrap();
    answered
        .send((id, kind, content))
        .unwrap();
}

fn invocation(id: &str) -> Invocation {
    let mut headers = HeaderMap::new();
    headers.insert("lambda-runtime-aws-request-id", id.parse().unwrap());
    headers.insert("content-length", "7".parse().unwrap());
    Invocation {
        id: id.to_owned(),
        headers,
        event: "{}".into(),
    }
}

#[tokio::test]
async fn an_invocation_whose_process_ends_is_answered_at_once() {
    let mut watch = Watch::start().await;
    let mut invocations = Invocations::of(&watch.url).unwrap();
    let mut api = RuntimeApi::start().await.unwrap();
    let mut function = Command::new("sleep")
        .arg("1000")
        .spawn()
        .unwrap();
    let process = function
        .id()
        .and_then(|id| Pid::from_raw(id.try_into().unwrap()));
    let killer = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        kill_process(process.unwrap(), Signal::KILL).unwrap();
    });
    let ended = carry_out(&invocation("one"), &mut function, &mut api, &invocations).await;
    assert_eq!(
        ended
            .unwrap()
            .unwrap()
            .unwrap()
            .signal(),
        Some(9)
    );
    killer.await.unwrap();
    let (id, kind, content) = watch.answers.recv().await.unwrap();
    assert_eq!((id.as_str(), kind.as_str()), ("one", "error"));
    assert_eq!(content["errorType"], EXIT_ERROR);

    // Invocations before the restart are answered too, and later ones are not lost.
    watch
        .invocations
        .send("two".to_owned())
        .unwrap();
    let soon = Instant::now() + Duration::from_millis(200);
    refuse(&mut invocations, soon)
        .await
        .unwrap();
    assert_eq!(watch.answers.recv().await.unwrap().0, "two");
    watch
        .invocations
        .send("three".to_owned())
        .unwrap();
    assert_eq!(invocations.next().await.unwrap().id, "three");
}

#[tokio::test]
async fn a_process_that_ends_says_how() {
    let watch = Watch::start().await;
    let mut invocations = Invocations::of(&watch.url).unwrap();
    let ended = run_once(OsStr::new("false"), &mut invocations).await;
    assert_eq!(ended.unwrap().code(), Some(1));
    let absent = run_once(OsStr::new("/no/such/program"), &mut invocations).await;
    assert!(
        absent
            .unwrap_err()
            .to_string()
            .contains("/no/such/program")
    );
}

#[tokio::test]
async fn the_function_sees_lambdas_runtime_api() {
    let mut api = RuntimeApi::start().await.unwrap();
    let base = format!("http://{}/2018-06-01/runtime/invocation", api.address());
    let http = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap();
    let function = tokio::spawn(async move {
        let mut statuses = Vec::new();
        for answer in ["{\"ok\": true}".to_owned(), "x".repeat(MAX_PAYLOAD + 1)] {
            let next = http
                .get(format!("{base}/next"))
                .send()
                .await
                .unwrap();
            let id = next.headers()["lambda-runtime-aws-request-id"]
                .to_str()
                .unwrap();
            let url = format!("{base}/{id}/response");
            let sent = http
                .post(url)
                .body(answer)
                .send()
                .await
                .unwrap();
            statuses.push(sent.status().as_u16());
        }
        statuses
    });
    let first = api.carry_out(&invocation("1")).await;
    assert!(matches!(first, invocations::Answer::Result(body) if body == "{\"ok\": true}"));
    let second = api.carry_out(&invocation("2")).await;
    assert!(matches!(second, invocations::Answer::TooLarge(_)));
    assert_eq!(function.await.unwrap(), [202, 413]);

    // The caller, such as the gateway, gets an error instead.
    let mut watch = Watch::start().await;
    let invocations = Invocations::of(&watch.url).unwrap();
    invocations
        .answer("2", second)
        .await
        .unwrap();
    let (id, kind, content) = watch.answers.recv().await.unwrap();
    assert_eq!((id.as_str(), kind.as_str()), ("2", "error"));
    assert_eq!(content["errorType"], "Function.ResponseSizeTooLarge");
}
