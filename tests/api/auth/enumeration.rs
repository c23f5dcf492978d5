//! Known and unknown names, by answers and times.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use shared::{auth::password, clock::Stopwatch, model::people::Role};
use tests::{
    records,
    support::{Answer, Api, Caller, PASSWORD},
};

/// Names of each sort.
const NAMES: usize = 1_000;

/// Operations that take a name from anyone.
const OPERATIONS: [&str; 4] = ["login", "forgot", "sign-in", "accept"];

async fn asked(client: &Caller, operation: &str, name: &str) -> Answer {
    let body = match operation {
        "login" => json!({"username": name, "password": "wrong"}),
        "forgot" => json!({"username": name}),
        "accept" => json!({
            "token": "a token of another day", "username": name, "fullName": "Someone",
            "password": "four words of your own",
        }),
        _ => {
            let path = format!("/api/auth/sign-in?username={name}");
            return client.get(&path).await;
        }
    };
    client
        .post(&format!("/api/auth/{operation}"), body)
        .await
}

/// The answer without what differs between any two requests.
fn shape(answer: &Answer) -> String {
    let mut body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        members.remove("requestId");
    }
    format!("{} {body}", answer.status)
}

fn figures(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

/// Each request comes from a network of its own, so that no counter refuses it.
#[tokio::test]
#[ignore = "measures 8,000 requests for minutes"]
async fn a_name_that_exists_is_answered_as_one_that_does_not() {
    let api = Api::start().await;
    let hash = password::hash(PASSWORD.into())
        .await
        .unwrap();
    let directory = api.store.directory();
    for number in 0..NAMES {
        let user = records::user(&format!("known{number}"), Role::Viewer, hash.clone());
        directory
            .create_user(api.home.id, user)
            .await
            .unwrap();
    }
    let mut network = 0;
    for operation in OPERATIONS {
        let mut times = [Vec::new(), Vec::new()];
        let mut shapes = BTreeSet::new();
        for number in 0..NAMES {
            for (times, sort) in times.iter_mut().zip(["known", "other"]) {
                network += 1;
                let address = format!("10.{}.{}.7", network / 250, network % 250);
                let client = api.anonymous().at(&address);
                let time = Stopwatch::start();
                let answer = asked(&client, operation, &format!("{sort}{number}")).await;
                times.push(time.elapsed());
                shapes.insert(shape(&answer));
            }
        }
        assert_eq!(shapes.len(), 1, "{operation}: {shapes:?}");
        let [known_times, other] = times
            .each_mut()
            .map(|times| figures(times));
        println!("{operation}: median and p95 of known {known_times:?}, of others {other:?}");
        let ratio = known_times.0.as_secs_f64() / other.0.as_secs_f64();
        assert!((0.9..1.1).contains(&ratio), "{operation}: {ratio}");
    }
}
