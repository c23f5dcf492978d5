//! Quotas of callers: who used the table units of ten seconds is refused without a read until some
//! are free.

use serde_json::{Value, json};
use shared::store::metered;
use tests::support::{Answer, Api, Caller, Fault, Log, Requests, Settings, comes, text_of};

/// Milliseconds after which a used quota is free again.
const WINDOW: i64 = 10_000;

/// A user may use 100 units in ten seconds, the organization 400.
async fn with_small_plans() -> Api {
    let settings = Settings {
        units_per_second: Some(40),
        ..Settings::default()
    };
    Api::start_with(settings).await
}

/// Sends reads until one is refused. Returns the refusal and the number of those before it.
async fn loops(caller: &Caller) -> (Answer, usize) {
    for served in 0..300 {
        let answer = caller.get("/api/users").await;
        if answer.status == 429 {
            return (answer, served);
        }
        answer.expect(200);
    }
    panic!("nothing limits the caller");
}

#[tokio::test]
async fn a_noisy_user_is_refused_with_the_time_to_wait() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    let first = max.get("/api/users").await;
    assert_eq!(first.header("ratelimit"), None, "{first:?}");
    let (refused, served) = loops(&max).await;
    assert!((15..60).contains(&served), "{served}");
    refused.expect_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("ratelimit"), Some(r#""user";r=0;t=1"#));
    let policy = Some(r#""user";q=100;w=10;qu="table-units""#);
    assert_eq!(refused.header("ratelimit-policy"), policy);
    max.get("/api/users").await.expect(429);
    api.clock.advance(1_000);
    max.reads("/api/users").await;
}

/// Returns the units and the seconds in a header such as `"user";r=49;t=6`.
fn left(header: &str) -> (u32, u32) {
    let parts = header.split(['=', ';']);
    let mut numbers = parts.filter_map(|part| part.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[tokio::test]
async fn a_user_is_told_once_half_of_the_quota_is_used() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    let mut remaining = Vec::new();
    let mut untold = 0;
    loop {
        let answer = max.get("/api/users").await;
        if answer.status == 429 {
            break;
        }
        answer.expect(200);
        match answer.header("ratelimit") {
            None => untold += 1,
            Some(header) => {
                assert!(header.starts_with(r#""user";r="#), "{header}");
                let policy = answer.header("ratelimit-policy");
                assert_eq!(policy, Some(r#""user";q=100;w=10;qu="table-units""#));
                remaining.push(left(header));
            }
        }
    }
    assert!(untold > 3 && remaining.len() > 3, "{untold} {remaining:?}");
    assert!(remaining[0].0 <= 50 && remaining[0].1 >= 5, "{remaining:?}");
    let mut falls = remaining
        .windows(2)
        .map(|two| two[1].0 <= two[0].0);
    assert!(falls.all(|falls| falls), "{remaining:?}");
    api.clock.advance(WINDOW);
    assert_eq!(
        max.get("/api/users")
            .await
            .header("ratelimit"),
        None
    );
}

/// No burst of a whole quota comes back with each ten seconds: others would feel it.
#[tokio::test]
async fn a_noisy_user_gets_a_tenth_of_the_quota_a_second() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    let (_, burst) = loops(&max).await;
    let mut seconds = Vec::new();
    for _ in 0..12 {
        api.clock.advance(1_000);
        seconds.push(loops(&max).await.1);
    }
    let most = seconds.iter().max().unwrap();
    assert!((1..burst / 4).contains(most), "{burst}, then {seconds:?}");
    let is_a_quota = (burst..burst * 2).contains(&seconds.iter().sum::<usize>());
    assert!(is_a_quota, "{burst}, then {seconds:?}");
    api.clock.advance(2 * WINDOW);
    let (_, again) = loops(&max).await;
    assert!(again + 2 > burst, "{burst}, then {again}");
}

#[tokio::test]
async fn a_noisy_organization_is_refused_while_a_quiet_one_is_served() {
    let api = with_small_plans().await;
    let mut last = None;
    for name in ["ada", "max", "mia", "sue", "vic"] {
        last = Some(loops(&api.sign_in(name).await).await.0);
    }
    let refused = last.unwrap();
    refused.expect_problem(429, "rate_limited");
    let policy = Some(r#""organization";q=400;w=10;qu="table-units""#);
    assert_eq!(refused.header("ratelimit-policy"), policy);
    for name in ["zoe", "zac"] {
        let quiet = api.sign_in(name).await;
        quiet.reads("/api/users").await;
        quiet
            .creates_task(json!({"projectId": 3}))
            .await;
    }
}

#[tokio::test]
async fn users_and_tokens_have_quotas_of_their_own() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    let user = api.user("max").await;
    let script = api.token_of(&user, json!({})).await;
    let other = api.token_of(&user, json!({})).await;
    let (refused, _) = loops(&script).await;
    let policy = Some(r#""token";q=100;w=10;qu="table-units""#);
    assert_eq!(refused.header("ratelimit-policy"), policy);
    other.reads("/api/users").await;
    max.reads("/api/users").await;
    loops(&max).await;
    let again = api.session_of(&user).await;
    again
        .get("/api/users")
        .await
        .expect(429);
    other.reads("/api/users").await;
}

#[tokio::test]
async fn a_refusal_costs_no_request() {
    let api = with_small_plans().await;
    let user = api.user("max").await;
    let max = api.session_of(&user).await;
    let script = api.token_of(&user, json!({})).await;
    loops(&max).await;
    loops(&script).await;
    let before = api.table_dump().await;
    api.counter.take();
    for caller in [&max, &script] {
        for path in ["/api/users", "/api/projects/1/milestones", "/api/tasks/7"] {
            caller
                .get(path)
                .await
                .expect_problem(429, "rate_limited");
        }
        let sent = json!({"name": "urgent"});
        caller
            .post("/api/tags", sent)
            .await
            .expect(429);
    }
    assert_eq!(api.counter.take().total, 0);
    assert_eq!(api.table_dump().await, before);
}

/// An instance learns of the others' use beside the reads of a request, which then has no effect.
#[tokio::test]
async fn instances_share_a_quota() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    loops(&max).await;
    let elsewhere = max
        .clone()
        .before(api.other_instances().await);
    let tag = |name: &str| json!({"name": name});
    let mut served = 0;
    let (at_once, used) = loop {
        api.counter.take();
        let answer = elsewhere
            .post("/api/tags", tag(&served.to_string()))
            .await;
        if answer.status == 429 {
            break (api.counter.at_once(), api.counter.take());
        }
        answer.expect(200);
        served += 1;
    };
    assert!((1..=2).contains(&served), "{served}");
    // The caller, a read and both charges begin at once. Each charge takes a second write, since
    // another instance has charged before.
    assert_eq!((at_once, used.total), (4, 6), "{used:?}");
    let end = api.clock.now().epoch_seconds() + 3_600;
    for sum in api.items_of("used_quota").await {
        assert!(text_of(&sum, "pk").starts_with("ORG#1#"), "{sum:?}");
        assert_eq!(sum["expiresAt"].as_n().unwrap(), &end.to_string());
    }
    api.clock.advance(WINDOW);
    let created = elsewhere
        .post("/api/tags", tag("urgent"))
        .await;
    assert_eq!(created.expect(200)["id"], served + 1);
    assert_eq!(max.get("/api/tags").await.ids().len(), served + 1);
}

/// Its charges are replaced.
#[tokio::test]
async fn an_instance_whose_clock_is_ahead_uses_up_no_quota() {
    let api = with_small_plans().await;
    let max = api.sign_in("max").await;
    api.clock.advance(60_000);
    let (_, served) = loops(&max).await;
    api.clock.advance(-60_000);
    let (_, again) = loops(
        &max.clone()
            .before(api.other_instances().await),
    )
    .await;
    assert!(again + 2 > served, "{again} after {served}");
    let third = max
        .clone()
        .before(api.other_instances().await);
    assert!(loops(&third).await.1 <= 2);
}

/// One write for the user and one for the organization, each after a hundredth of a quota.
#[tokio::test]
async fn a_charge_is_beside_the_reads_and_rare() {
    let settings = Settings {
        units_per_second: Some(4_000),
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let max = api.sign_in("max").await;
    let quiet = async || {
        api.counter.take();
        max.reads("/api/users").await;
        api.counter.take()
    };
    let usual = quiet().await;
    let mut charged = 0;
    let (answered, used) = metered(async {
        let mut answered = 0;
        while charged < 5 && answered < 600 {
            let used = quiet().await;
            assert_eq!(used.in_sequence, usual.in_sequence);
            charged += used.total - usual.total;
            answered += 1;
        }
        answered
    })
    .await;
    // Four charges of the user, and one of the organization, which has four times as much.
    assert!((390.0..430.0).contains(&used.units()), "{used:?}");
    assert!(answered > 100, "{answered}");
}

#[tokio::test]
async fn callers_are_served_when_the_table_takes_no_charge() {
    let settings = Settings {
        units_per_second: Some(40),
        ..Settings::behind_faults().await.0
    };
    let faults = settings.faults.clone().unwrap();
    let api = Api::start_with(settings).await;
    let max = api.sign_in("max").await;
    faults.begin(Requests::Of("UpdateItem"), Fault::Denied);
    for _ in 0..10 {
        max.reads("/api/users").await;
    }
    faults.end();
    faults.hold(Requests::Of("UpdateItem"));
    let late = comes("an answer without a charge", max.get("/api/users"));
    late.await.expect(200);
    faults.release();
}

/// Whoever has an old cookie of a user keeps the user from nothing.
#[tokio::test]
async fn an_ended_session_leaves_its_user_their_quota() {
    let api = with_small_plans().await;
    let user = api.user("max").await;
    let ended = api.session_of(&user).await;
    let live = api.session_of(&user).await;
    ended.triggers("/api/auth/logout").await;
    let mut refused = 0;
    for _ in 0..30_000 {
        let answer = ended
            .get("/api/projects/1/milestones")
            .await;
        if answer.status == 429 {
            refused += 1;
            break;
        }
        answer.expect(401);
    }
    assert_eq!(refused, 1);
    live.reads("/api/users").await;
    let elsewhere = live
        .clone()
        .before(api.other_instances().await);
    elsewhere.reads("/api/users").await;
    // The other way round, too: the user's quota is used, and no cookie of theirs costs a read.
    loops(&live).await;
    api.counter.take();
    ended
        .get("/api/users")
        .await
        .expect(429);
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn a_refused_caller_burns_no_ids() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let ended = api
        .session_of(&api.user("max").await)
        .await;
    ended.triggers("/api/auth/logout").await;
    let tag = |name: &str| json!({"name": name});
    for _ in 0..6 {
        ended
            .post("/api/tags", tag("urgent"))
            .await
            .expect(401);
    }
    let sent = json!({"name": "late"});
    ended
        .post("/api/tokens", sent)
        .await
        .expect(401);
    let vic = api.sign_in("vic").await;
    vic.post("/api/tags", tag("urgent"))
        .await
        .expect(403);
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(
            max.post("/api/tags", tag(name))
                .await
                .expect(200)["id"]
                .clone(),
        );
    }
    ids.sort_by_key(Value::as_i64);
    assert_eq!(json!(ids), json!([1, 2, 3, 4]));
    let token = max
        .post("/api/tokens", json!({"name": "first"}))
        .await;
    assert_eq!(token.expect(200)["id"], 1);
}

/// A user who lacks the permission pays for the reads that had begun.
#[tokio::test]
async fn the_reads_of_a_refused_caller_are_counted() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    let log = Log::begin();
    let sent = json!({"title": "No"});
    vic.patch("/api/tasks/7", sent)
        .await
        .expect(403);
    let [line] = log.take().try_into().unwrap();
    let used = api.counter.take();
    assert_eq!(used.in_sequence, 1);
    assert!(used.total > 1, "{used:?}");
    assert_eq!(line["tableRequests"], used.total, "{line}");
}
