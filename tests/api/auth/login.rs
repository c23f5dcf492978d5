//! `POST /api/auth/login`

use futures::future::join_all;
use serde_json::json;
use shared::model::{Role, span};
use tests::{
    records,
    support::{Api, Fault, Log, PASSWORD, Requests, shows},
};

#[tokio::test]
async fn a_sign_in_answers_the_user_and_sets_the_cookie() {
    let api = Api::start().await;
    let ada = api.user("ada").await;
    let answer = api
        .anonymous()
        .post(
            "/api/auth/login",
            json!({"username": "Ada", "password": PASSWORD}),
        )
        .await;
    let body = answer.expect(200);
    assert_eq!(
        body,
        json!({
            "id": ada.id, "username": "ada", "fullName": "Ada Tester", "email": null,
            "emailVerifiedAt": null, "organizationId": 1, "role": "admin",
        })
    );
    let (value, attributes) = answer.cookie().split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Secure");
    assert!(value.starts_with("connect.sid=s%3A"));
    let session = api
        .anonymous()
        .with_cookie(value)
        .get("/api/auth/session")
        .await
        .expect(200);
    assert_eq!(session["user"], body);
    shows!(session, {"organization": {"id": 1, "name": "Halden Services"}});
    assert_eq!(session["planFeatures"], json!(["agentAI"]));
    assert_eq!(session["permissions"].as_array().unwrap().len(), 22);
    assert_eq!(session["expiresAt"], "2026-01-16T12:00:00.000Z");
}

#[tokio::test]
async fn the_table_holds_neither_password_nor_session_id() {
    let api = Api::start().await;
    api.user("ada").await;
    let answer = api
        .anonymous()
        .post(
            "/api/auth/login",
            json!({"username": "ada", "password": PASSWORD}),
        )
        .await;
    let cookie = answer.cookie().to_owned();
    let sid = cookie.strip_prefix("connect.sid=s%3A").unwrap();
    let secret = sid
        .split('.')
        .next()
        .unwrap()
        .splitn(3, '-')
        .nth(2)
        .unwrap();
    let items = api.table_dump().await.concat();
    assert!(!items.contains(secret));
    assert!(!items.contains(PASSWORD));
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_user_answer_alike() {
    let api = Api::start().await;
    api.user("ada").await;
    let nobody = api.anonymous();
    let mut bodies = Vec::new();
    for username in ["ada", "nobody"] {
        let body = json!({"username": username, "password": "wrong"});
        let mut problem = nobody
            .post("/api/auth/login", body)
            .await
            .expect_problem(401, "invalid_credentials");
        problem["requestId"].take();
        bodies.push(problem);
    }
    assert_eq!(bodies[0], bodies[1]);
}

#[tokio::test]
async fn a_disabled_user_cannot_sign_in_and_is_signed_out() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let user = api.user("mia").await;
    let directory = api.store.directory();
    directory
        .disable_user(user.organization_id, user.id, true)
        .await
        .unwrap();
    mia.get("/api/auth/session")
        .await
        .expect_problem(401, "unauthenticated");
    api.anonymous()
        .post(
            "/api/auth/login",
            json!({"username": "mia", "password": PASSWORD}),
        )
        .await
        .expect_problem(401, "invalid_credentials");
}

#[tokio::test]
async fn ten_failures_close_the_door_for_that_account_and_address() {
    let api = Api::start().await;
    for name in ["ada", "mia"] {
        api.user(name).await;
    }
    let nobody = api.anonymous();
    let wrong = json!({"username": "ada", "password": "wrong"});
    let right = json!({"username": "ADA", "password": PASSWORD});
    for _ in 0..10 {
        nobody
            .post("/api/auth/login", wrong.clone())
            .await
            .expect(401);
        api.clock.advance(span::MINUTE);
    }
    let refused = nobody.post("/api/auth/login", right.clone()).await;
    refused.expect_problem(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("300"));
    let elsewhere = api.anonymous().at("198.51.100.9");
    elsewhere
        .post("/api/auth/login", right.clone())
        .await
        .expect(200);
    let mia = json!({"username": "mia", "password": PASSWORD});
    nobody.post("/api/auth/login", mia).await.expect(200);
    api.clock.advance(5 * span::MINUTE);
    nobody.post("/api/auth/login", right).await.expect(200);
}

/// Whoever tries one password on many accounts is held back as well.
#[tokio::test]
async fn thirty_failures_close_the_door_for_a_network() {
    let api = Api::start().await;
    api.user("ada").await;
    let right = json!({"username": "ada", "password": PASSWORD});
    let (network, same, other) = ("2001:db8:0:1::7", "2001:db8:0:1:ffff::9", "2001:db8:0:2::7");
    let guessing = api.anonymous().at(network);
    for number in 0..30 {
        let wrong = json!({"username": format!("somebody{number}"), "password": "wrong"});
        let refused = guessing.post("/api/auth/login", wrong).await;
        refused.expect_problem(401, "invalid_credentials");
    }
    let refused = api.anonymous().at(same);
    let refused = refused.post("/api/auth/login", right.clone()).await;
    assert_eq!(refused.header("retry-after"), Some("900"));
    refused.expect_problem(429, "too_many_attempts");
    let other = api.anonymous().at(other);
    other
        .post("/api/auth/login", right.clone())
        .await
        .expect(200);
    api.clock.advance(15 * span::MINUTE);
    guessing
        .post("/api/auth/login", right.clone())
        .await
        .expect(200);
}

/// Without the setting or the proxy's secret, such a header is any client's own text.
#[tokio::test]
async fn the_network_is_that_of_a_trusted_proxys_header_alone() {
    const HEADER: &str = "x-forwarded-for";
    let api = Api::start().await;
    api.user("ada").await;
    let behind = api.instances_behind(HEADER, "hush").await;
    let wrong = json!({"username": "ada", "password": "wrong"});
    let with = |address: &str, secret: &str| {
        let client = api.anonymous().with_header(HEADER, address);
        client.with_header("x-proxy-secret", secret)
    };
    let from = |address: &str| with(address, "hush");
    for _ in 0..10 {
        let guessing = from("192.0.2.1, 198.51.100.9").before(behind.clone());
        let refused = guessing.post("/api/auth/login", wrong.clone()).await;
        refused.expect_problem(401, "invalid_credentials");
    }
    // The delay of the account is over, and the block of the network is not.
    api.clock.advance(span::MINUTE);
    for (address, is_behind, status) in [
        ("192.0.2.2, 198.51.100.9", true, 429),
        ("198.51.100.9, 198.51.100.10", true, 401),
        ("198.51.100.9", false, 401),
        // Not an address: the gateway's counts.
        ("unknown", true, 401),
    ] {
        let mut client = from(address);
        if is_behind {
            client = client.before(behind.clone());
        }
        let answer = client.post("/api/auth/login", wrong.clone()).await;
        assert_eq!(answer.status, status, "{address}: {}", answer.text);
        api.clock.advance(span::MINUTE);
    }
    // A stranger's own network counts, whatever addresses it names.
    let strange = |number: usize| {
        let address = format!("203.0.113.{number}");
        let client = [
            with(&address, "guess"),
            api.anonymous().with_header(HEADER, &address),
        ];
        client.map(|client| client.before(behind.clone()))
    };
    let mut statuses = Vec::new();
    for client in (0..30).flat_map(strange) {
        let guess = json!({"username": "nobody", "password": "wrong"});
        statuses.push(client.post("/api/auth/login", guess).await.status);
        api.clock.advance(span::SECOND);
    }
    assert_eq!((statuses[0], statuses[59]), (401, 429), "{statuses:?}");
}

/// Guesses at one account from many addresses come slower and slower; its user is not held back where
/// they signed in before.
#[tokio::test]
async fn an_account_that_many_guess_at_is_slow_for_strangers() {
    let api = Api::start().await;
    api.user("ada").await;
    let wrong = json!({"username": "Ada", "password": "wrong"});
    let right = json!({"username": "ada", "password": PASSWORD});
    let home = api.anonymous().at("198.51.100.9");
    home.post("/api/auth/login", right.clone())
        .await
        .expect(200);
    let stranger = |number: i32| api.anonymous().at(&format!("203.0.113.{number}"));
    for number in 0..10 {
        let refused = stranger(number)
            .post("/api/auth/login", wrong.clone())
            .await;
        refused.expect_problem(401, "invalid_credentials");
    }
    for (number, seconds) in [
        (10, 1),
        (11, 2),
        (12, 4),
        (13, 8),
        (14, 16),
        (15, 32),
        (16, 60),
        (17, 60),
    ] {
        let early = stranger(number)
            .post("/api/auth/login", right.clone())
            .await;
        assert_eq!(
            early.header("retry-after"),
            Some(seconds.to_string().as_str())
        );
        early.expect_problem(429, "too_many_attempts");
        home.post("/api/auth/login", right.clone())
            .await
            .expect(200);
        api.clock.advance(seconds * span::SECOND);
        let refused = stranger(number)
            .post("/api/auth/login", wrong.clone())
            .await;
        refused.expect_problem(401, "invalid_credentials");
    }
    api.clock.advance(span::MINUTE);
    stranger(18)
        .post("/api/auth/login", right)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_success_forgets_the_failures() {
    let api = Api::start().await;
    api.user("ada").await;
    let nobody = api.anonymous();
    for _ in 0..2 {
        for _ in 0..9 {
            let wrong = json!({"username": "ada", "password": "wrong"});
            nobody.post("/api/auth/login", wrong).await.expect(401);
        }
        let right = json!({"username": "ada", "password": PASSWORD});
        nobody.post("/api/auth/login", right).await.expect(200);
    }
}

/// The password was right each time, and the session could not be kept.
#[tokio::test]
async fn a_sign_in_that_failed_in_the_table_counts_as_no_failure() {
    let (api, faults, []) = Api::behind_faults([]).await;
    api.user("ada").await;
    let nobody = api.anonymous();
    let right = json!({"username": "ada", "password": PASSWORD});
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    for _ in 0..12 {
        nobody
            .post("/api/auth/login", right.clone())
            .await
            .expect(500);
        api.clock.advance(2 * span::SECOND);
    }
    faults.end();
    nobody.post("/api/auth/login", right).await.expect(200);
}

#[tokio::test]
async fn guesses_that_are_sent_all_at_once_count_before_they_are_judged() {
    let api = Api::start().await;
    api.user("ada").await;
    let nobody = api.anonymous();
    let wrong = json!({"username": "ada", "password": "wrong"});
    let guesses = (0..30).map(|_| nobody.post("/api/auth/login", wrong.clone()));
    let answers = join_all(guesses).await;
    let judged = answers.iter().filter(|answer| answer.status == 401);
    assert!((1..=10).contains(&judged.count()));
}

/// After an account's wait, one guess is verified, however many come at once from wherever.
#[tokio::test]
async fn one_of_many_guesses_at_once_takes_the_accounts_turn() {
    let api = Api::start().await;
    api.user("ada").await;
    let wrong = json!({"username": "ada", "password": "wrong"});
    let guess = async |network: usize| {
        let stranger = api.anonymous().at(&format!("203.0.113.{network}"));
        stranger.post("/api/auth/login", wrong.clone()).await.status
    };
    let judged = async |networks: std::ops::Range<usize>| {
        let statuses = join_all(networks.map(&guess)).await;
        statuses.into_iter().filter(|status| *status == 401).count()
    };
    // At first ten are free, also of those that come at once.
    assert_eq!(judged(0..40).await, 10);
    for from in [40, 80] {
        api.clock.advance(span::MINUTE);
        assert_eq!(judged(from..from + 40).await, 1);
    }
}

/// Guesses of a network count before they are verified.
#[tokio::test]
async fn thirty_of_many_guesses_at_once_are_a_networks_share() {
    let api = Api::start().await;
    api.user("ada").await;
    let client = api.anonymous().at("203.0.113.9");
    let guesses = (0..60).map(|number| {
        let wrong = json!({"username": format!("somebody{number}"), "password": "wrong"});
        client.post("/api/auth/login", wrong)
    });
    let answers = join_all(guesses).await;
    let judged = answers.iter().filter(|answer| answer.status == 401);
    assert_eq!(judged.count(), 30);
    // Honest sign-ins leave no mark.
    let office = api.anonymous().at("203.0.113.10");
    let right = json!({"username": "ada", "password": PASSWORD});
    for _ in 0..31 {
        office
            .post("/api/auth/login", right.clone())
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn a_sign_in_that_was_refused_is_logged_with_its_address_alone() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await.at("198.51.100.7");
    let nobody = api.anonymous().at("198.51.100.9");
    let log = Log::begin();
    let right = json!({"username": "mia", "password": PASSWORD});
    let wrong = json!({"username": "mia", "password": "a wrong one"});
    for status in [[401; 10].as_slice(), &[429]].concat() {
        let answer = nobody.post("/api/auth/login", wrong.clone()).await;
        answer.expect(status);
        let [line] = log.take().try_into().unwrap();
        assert_eq!(line["address"], "198.51.100.9", "{line}");
        shows!(line, {"route": "/api/auth/login", "status": status});
        let text = line.to_string();
        assert!(!text.contains("mia") && !text.contains("wrong"), "{text}");
    }
    let password = json!({"currentPassword": "a wrong one", "newPassword": "another 12345"});
    // After ten failures, other networks wait for a second.
    api.clock.advance(span::SECOND);
    mia.put("/api/auth/password", password).await.expect(400);
    let [line] = log.take().try_into().unwrap();
    assert_eq!(line["address"], "198.51.100.7", "{line}");
    api.clock.advance(2 * span::SECOND);
    mia.post("/api/auth/login", right).await.expect(200);
    mia.get("/api/auth/session").await.expect(200);
    mia.get("/api/tasks/4711").await.expect(404);
    let lines = log.take();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line.get("address").is_none(), "{line}");
        assert!(line["requestId"].is_string(), "{line}");
    }
}

#[tokio::test]
async fn accounts_are_unique_in_the_service() {
    let api = Api::start().await;
    api.user("mia").await;
    let new = records::user("MIA", Role::Viewer, "none");
    let error = api
        .store
        .directory()
        .create_user(api.abroad.id, new)
        .await
        .unwrap_err();
    assert!(matches!(error, shared::Error::Conflict { .. }), "{error}");
}

/// A foreign page could then read what the browser's owner writes.
#[tokio::test]
async fn a_foreign_page_cannot_sign_a_browser_in() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let body = json!({"username": "mia", "password": PASSWORD});
    let forged = api
        .anonymous()
        .with_cookie("connect.sid=s%3A1-1-1768478400-abc.x");
    for browser in [mia, api.anonymous(), forged] {
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ] {
            let page = browser.clone().with_header(name, value);
            let answer = page.post("/api/auth/login", body.clone()).await;
            answer.expect_problem(403, "cross_site");
            let nothing = page.post("/api/auth/login", json!({})).await;
            nothing.expect_problem(403, "cross_site");
        }
    }
}

#[tokio::test]
async fn a_listed_page_of_another_site_can_sign_a_browser_in() {
    let api = Api::start().await;
    api.user("mia").await;
    let body = json!({"username": "mia", "password": PASSWORD});
    let page = api.anonymous();
    let page = page.with_header("origin", "https://app.workdesk.example");
    let page = page.with_header("sec-fetch-site", "cross-site");
    page.post("/api/auth/login", body).await.expect(200);
}
