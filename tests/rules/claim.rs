//! Authentication beside the operation: whatever that finds or does, who may not call it gets
//! nothing from it and changes nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;
use serde_json::{Value, json};
use shared::model::{base::span, people::Role};
use tests::support::{
    Answer, Api, Caller, Fault, Faults, Request, Requests, Settings, World, example, refused,
};

async fn behind_faults() -> (World, Faults) {
    let (settings, faults) = Settings::behind_faults().await;
    (World::start_in(settings).await, faults)
}

/// Operations that need a caller.
fn of_callers(world: &World) -> Vec<Request> {
    let mut requests = world.requests();
    requests.retain(|request| request.needs.is_some());
    assert!(requests.len() > 30, "{}", requests.len());
    requests
}

/// A caller whose cookie verifies and who may not call, and the status of the refusal they get.
struct Refused {
    who: &'static str,
    status: u16,
    caller: Caller,
}

impl Refused {
    async fn all(world: &World) -> [Self; 6] {
        let api = world.api();
        let long_ago = api.clock.now().plus(-7 * span::DAY);
        let signed_out = api.session_of(&world.max).await;
        signed_out
            .triggers("/api/auth/logout")
            .await;
        let soon = json!({"expiresAt": api.clock.now().plus(1)});
        let expired = api.token_of(&world.max, soon).await;
        api.clock.advance(1);
        let viewer = json!({"permissions": Role::Viewer.permissions()});
        let left = api.user("sue").await;
        let of_disabled = api.session_of(&left).await;
        let directory = api.store.directory();
        let disabled = directory.disable_user(api.home.id, left.id, true);
        disabled.await.unwrap();
        let long_ago = api
            .session_since(&world.max, long_ago)
            .await;
        let viewer = api.token_of(&world.max, viewer).await;
        let cases = [
            ("whose session has ended", 401, signed_out),
            ("whose session is over", 401, long_ago),
            ("who is disabled", 401, of_disabled),
            ("whose token is over", 401, expired),
            ("whose token only lets them view", 403, viewer),
            ("who is a viewer", 403, api.sign_in("vic").await),
        ];
        cases.map(|(who, status, caller)| Self {
            who,
            status,
            caller,
        })
    }

    #[track_caller]
    fn expects(&self, request: &Request, answer: &Answer) {
        let Self { who, status, .. } = self;
        let attempt = format!("somebody {who} asked {} {}", request.method, request.path);
        assert_eq!(answer.status, *status, "{attempt}: {}", answer.text);
        let code = match status {
            401 => "unauthenticated",
            _ => "permission_denied",
        };
        assert_eq!(answer.expect(*status)["code"], code, "{attempt}");
    }

    /// Returns whether an operation refuses them before it reads the record.
    fn concerns(&self, request: &Request) -> bool {
        let held = Role::Viewer.permissions();
        let mut needs = request.needs.iter().flatten();
        self.status == 401
            || needs.any(|need| {
                let permission = serde_json::from_value(Value::from(need.as_str()));
                permission.is_ok_and(|permission| !held.contains(&permission))
            })
    }
}

/// Ways to ask an operation that it would refuse or fail at, if it were not for the caller.
fn hopeless(request: &Request) -> [Request; 4] {
    let with = |id| Request {
        path: example(&request.template, id),
        ..request.clone()
    };
    let malformed = Request {
        path: format!("{}?unknown=1", request.path),
        body: request
            .body
            .as_ref()
            .map(|_| Value::from("no object")),
        ..request.clone()
    };
    [request.clone(), malformed, with("999"), with("abc")]
}

/// Sends requests all at once while the caller is not known yet. Goes on once the operations have
/// done all they can without it. They must not have answered or written by then.
async fn answers(world: &World, faults: &Faults, requests: &[(&Caller, Request)]) -> Vec<Answer> {
    let before = world.api().records().await;
    let released = AtomicBool::new(false);
    let answers = requests
        .iter()
        .map(async |(caller, request)| {
            let answer = request.by(caller).await;
            let operation = request.operation();
            let released = released.load(Ordering::SeqCst);
            assert!(released, "{operation} answers too early: {}", answer.text);
            answer
        });
    faults.hold(Requests::Authentication);
    let meanwhile = async {
        faults.holds(requests.len()).await;
        let rows = world.api().records().await;
        released.store(true, Ordering::SeqCst);
        faults.release();
        rows
    };
    let (answers, meanwhile) = tokio::join!(join_all(answers), meanwhile);
    same(&before, &meanwhile);
    answers
}

/// Asserts that nothing was written. Ids reserved meanwhile are not given out again.
#[track_caller]
fn same(before: &[String], after: &[String]) {
    let only_in = |lines: &[String], others: &[String]| -> Vec<String> {
        let mut rows = lines.to_vec();
        rows.retain(|row| !others.contains(row));
        rows
    };
    let gone = only_in(before, after);
    let new = only_in(after, before);
    let holds = gone.is_empty() && new.is_empty();
    assert!(holds, "was: {gone:#?}\nis: {new:#?}");
}

#[tokio::test]
async fn a_refused_caller_changes_nothing_and_learns_nothing() {
    let (world, faults) = behind_faults().await;
    let requests = of_callers(&world);
    let refused = Refused::all(&world).await;
    let before = world.api().records().await;
    for refused in &refused {
        let concerned = requests
            .iter()
            .filter(|request| refused.concerns(request));
        let attempts = concerned.flat_map(hopeless);
        let attempts: Vec<_> = attempts
            .map(|request| (&refused.caller, request))
            .collect();
        assert!(attempts.len() >= 80, "{} {}", refused.who, attempts.len());
        let answers = answers(&world, &faults, &attempts).await;
        for (answer, (_, request)) in answers.iter().zip(&attempts) {
            refused.expects(request, answer);
        }
    }
    same(&before, &world.api().records().await);
}

#[tokio::test]
async fn a_refusal_of_the_caller_comes_before_a_failure() {
    let (world, faults) = behind_faults().await;
    let requests = of_callers(&world);
    let refused = Refused::all(&world).await;
    let max = world.caller().await;
    let before = world.api().records().await;
    faults.begin(Requests::BesideAuthentication, Fault::Denied);
    // All that they answer was read to find out who calls.
    let of_the_session = ["GET /api/auth/session", "GET /api/organizations/{id}"];
    for request in &requests {
        let answer = request.by(&max).await;
        if !of_the_session.contains(&request.operation().as_str()) {
            answer.expect_problem(500, "internal_error");
        }
        for refused in refused
            .iter()
            .filter(|refused| refused.concerns(request))
        {
            refused.expects(request, &request.by(&refused.caller).await);
        }
    }
    faults.end();
    same(&before, &world.api().records().await);
}

/// Of sessions, and of a token.
#[tokio::test]
async fn nothing_is_answered_or_written_before_the_caller_is_known() {
    for by_token in [false, true] {
        let (world, faults) = behind_faults().await;
        let script = world.script().await;
        let mut requests = of_callers(&world);
        requests.retain(|request| !by_token || request.takes_tokens);
        let mut callers = vec![script; requests.len()];
        for (caller, request) in callers
            .iter_mut()
            .zip(&requests)
            .filter(|_| !by_token)
        {
            *caller = world.caller_of(request).await;
        }
        let attempts: Vec<_> = callers.iter().zip(requests).collect();
        let answers = answers(&world, &faults, &attempts).await;
        for (answer, (_, request)) in answers.iter().zip(&attempts) {
            let operation = request.operation();
            assert!(answer.status < 300, "{operation}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn while_authentication_fails_the_service_is_unavailable() {
    let (world, faults) = behind_faults().await;
    let requests = of_callers(&world);
    let max = world.caller().await;
    let script = world.script().await;
    let before = world.api().records().await;
    faults.begin(Requests::Authentication, Fault::Throttled);
    for caller in [&max, &script] {
        let answers = join_all(
            requests
                .iter()
                .map(|request| request.by(caller)),
        )
        .await;
        for answer in &answers {
            answer.expect_problem(503, "unavailable");
            assert_eq!(answer.header("retry-after"), Some("1"));
        }
    }
    faults.end();
    same(&before, &world.api().records().await);
}

#[tokio::test]
async fn a_cookie_that_does_not_verify_costs_no_request() {
    let world = World::start().await;
    let good = world.caller().await.cookie.unwrap();
    let (sid, _) = good.rsplit_once('.').unwrap();
    let forged = world
        .api()
        .anonymous()
        .with_cookie(format!("{sid}.AAAA"));
    world.api().counter.take();
    for request in of_callers(&world) {
        for request in hopeless(&request) {
            refused!(request.by(&forged).await => 401, "unauthenticated");
        }
    }
    assert_eq!(world.api().counter.take().total, 0);
}

/// A tab that shows one user. Another user has signed in since, in the same browser.
#[tokio::test]
async fn a_credential_of_another_user_than_named_starts_no_operation() {
    let world = World::start().await;
    let api = world.api();
    let refused = Refused::all(&world).await;
    let ada = api.user("ada").await.id.to_string();
    let of_ada = |caller: &Caller| {
        caller
            .clone()
            .with_header("workdesk-user", &ada)
    };
    let max = of_ada(&world.caller().await);
    let script = of_ada(&world.script().await);
    let before = api.records().await;
    for request in of_callers(&world) {
        let requests = hopeless(&request);
        // Authentication alone reads: a session in one request, a token in two.
        for (caller, most) in [(&max, 1), (&script, 2)] {
            api.counter.take();
            for answer in join_all(
                requests
                    .iter()
                    .map(|request| request.by(caller)),
            )
            .await
            {
                refused!(answer => 409, "other_user");
            }
            let read = api.counter.take().total;
            let operation = request.operation();
            assert!(
                read <= most * requests.len(),
                "{operation} read {read} times"
            );
        }
        let callers: Vec<_> = refused
            .iter()
            .map(|refused| of_ada(&refused.caller))
            .collect();
        let answers = join_all(
            callers
                .iter()
                .map(|caller| request.by(caller)),
        )
        .await;
        for (refused, answer) in refused.iter().zip(answers) {
            match refused.status {
                401 => answer.expect_problem(401, "unauthenticated"),
                _ => answer.expect_problem(409, "other_user"),
            };
        }
    }
    same(&before, &api.records().await);
}

#[tokio::test]
async fn a_request_may_name_its_own_user() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let script = api
        .token_of(&api.user("mia").await, json!({}))
        .await;
    for caller in [&mia, &script] {
        let named = caller
            .clone()
            .with_header("workdesk-user", &mia.id().to_string());
        named.creates_task(json!({})).await;
        let malformed = caller
            .clone()
            .with_header("workdesk-user", "mia");
        let answer = malformed
            .post("/api/tasks", json!({"title": "Not made"}))
            .await;
        let problem = answer.expect_problem(400, "validation_error");
        assert_eq!(problem["errors"][0]["pointer"], "Workdesk-User");
    }
    assert_eq!(mia.walk("/api/tasks").await.len(), 2);
    let forged = api
        .anonymous()
        .with_cookie("connect.sid=s%3Asid.x");
    let forged = forged.with_header("workdesk-user", "mia");
    refused!(forged.get("/api/tasks").await => 401, "unauthenticated");
}
