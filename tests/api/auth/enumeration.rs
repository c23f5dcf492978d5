//! Names that exist and names that do not, by the answers and the times of `POST /api/auth/login`.

use std::time::Duration;

use serde_json::{Value, json};
use shared::{auth::password, clock::Stopwatch, model::Role};

use tests::{
    records,
    support::{Api, PASSWORD},
};

/// Names of each sort.
const NAMES: usize = 1_000;

/// The answer without what differs between any two requests.
fn shape(mut problem: Value) -> Value {
    problem.as_object_mut().unwrap().remove("requestId");
    problem
}

fn figures(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

/// Each attempt comes from a network of its own, so that no counter refuses it.
#[tokio::test]
#[ignore = "measures 2,000 sign-ins for minutes"]
async fn a_name_that_exists_is_answered_as_one_that_does_not() {
    let api = Api::start().await;
    let hash = password::hash(PASSWORD.into()).await.unwrap();
    let directory = api.store.directory();
    for number in 0..NAMES {
        let user = records::user(&format!("known{number}"), Role::Viewer, hash.clone());
        directory.create_user(api.home.id, user).await.unwrap();
    }
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let mut shapes = Vec::new();
    for number in 0..NAMES {
        for (sort, times) in [("known", &mut known), ("other", &mut unknown)] {
            let place = number * 2 + usize::from(sort == "known");
            let address = format!("10.{}.{}.7", place / 250, place % 250);
            let sent = json!({"username": format!("{sort}{number}"), "password": "wrong"});
            let client = api.anonymous().at(&address);
            let time = Stopwatch::start();
            let answer = client.post("/api/auth/login", sent).await;
            times.push(time.elapsed());
            let problem = shape(answer.expect_problem(401, "invalid_credentials"));
            if !shapes.contains(&problem) {
                shapes.push(problem);
            }
        }
    }
    assert_eq!(shapes.len(), 1, "{shapes:?}");
    let ((known, late), (unknown, late_unknown)) = (figures(&mut known), figures(&mut unknown));
    println!("known: median {known:?}, p95 {late:?}");
    println!("unknown: median {unknown:?}, p95 {late_unknown:?}");
    let ratio = known.as_secs_f64() / unknown.as_secs_f64();
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
}
