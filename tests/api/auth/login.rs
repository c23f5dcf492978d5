//! `POST /api/auth/login`

use futures::future::join_all;
use serde_json::json;
use shared::model::base::span;
use tests::support::{
    Answer, Api, Caller, Fault, Log, PASSWORD, Requests, refused, shows, snapshot,
};

/// Fails a sign-in with a wrong password.
async fn guesses(client: &Caller, username: &str) {
    refused!(client.logs_in(username, "wrong").await => 401, "invalid_credentials");
}

/// Asserts that an attempt came too early by so many seconds.
#[track_caller]
fn waits(answer: &Answer, seconds: i64) {
    answer.expect_problem(429, "too_many_attempts");
    let seconds = seconds.to_string();
    assert_eq!(answer.header("retry-after"), Some(seconds.as_str()));
}

fn judged(answers: &[Answer]) -> usize {
    let judged = answers
        .iter()
        .filter(|answer| answer.status == 401);
    judged.count()
}

#[tokio::test]
async fn a_sign_in_answers_the_user_and_sets_the_cookie() {
    let (api, _) = Api::with_users(["ada"]).await;
    let answer = api
        .anonymous()
        .logs_in("Ada", PASSWORD)
        .await;
    let user = answer.expect(200);
    let (_, attributes) = answer
        .cookie()
        .split_once("; ")
        .unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Secure");
    let session = api
        .anonymous()
        .with_cookie(answer.session());
    let session = session.reads("/api/auth/session").await;
    assert_eq!(session["user"], user);
    snapshot!(session, @r#"
    {
      "expiresAt": "2026-01-16T12:00:00.000Z",
      "mail": true,
      "organization": {"id": 1, "name": "Halden Services"},
      "permissions": [
        "view_work",
        "view_managed_services",
        "create_service_request",
        "comment_service_request",
        "create_task",
        "update_task",
        "create_activity",
        "comment_activity",
        "tag_activity",
        "reply_ticket",
        "update_service_request",
        "delete_service_request",
        "delete_task",
        "manage_milestones",
        "manage_directory",
        "view_agent_remediation",
        "create_agent_remediation",
        "execute_agent_remediation",
        "manage_signals",
        "manage_tickets",
        "manage_users",
        "manage_organization"
      ],
      "planFeatures": ["agentAI"],
      "user": {
        "email": null,
        "emailVerifiedAt": null,
        "fullName": "Ada Tester",
        "id": 1,
        "organizationId": 1,
        "role": "admin",
        "username": "ada"
      }
    }
    "#);
    // The table holds neither the password nor the id of the session.
    let sid = answer
        .session()
        .strip_prefix("connect.sid=s%3A")
        .unwrap();
    let (sid, _) = sid.split_once('.').unwrap();
    let secret = sid.splitn(3, '-').nth(2).unwrap();
    let items = api.table_dump().await.concat();
    assert!(!items.contains(secret) && !items.contains(PASSWORD));
}

#[tokio::test]
async fn a_wrong_password_an_unknown_user_and_a_disabled_one_are_answered_alike() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.user("ada").await;
    let directory = api.store.directory();
    let disabled = directory.disable_user(api.home.id, mia.user.unwrap(), true);
    disabled.await.unwrap();
    mia.is_signed_out().await;
    let mut bodies = Vec::new();
    for (username, password) in [("ada", "wrong"), ("nobody", "wrong"), ("mia", PASSWORD)] {
        let refused = api
            .anonymous()
            .logs_in(username, password)
            .await;
        let mut problem = refused.expect_problem(401, "invalid_credentials");
        problem["requestId"].take();
        bodies.push(problem);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
}

#[tokio::test]
async fn ten_failures_close_the_door_for_that_account_and_address() {
    let api = Api::start().await;
    for name in ["ada", "mia"] {
        api.user(name).await;
    }
    let nobody = api.anonymous();
    for _ in 0..10 {
        guesses(&nobody, "ada").await;
        api.clock.advance(span::MINUTE);
    }
    waits(&nobody.logs_in("ADA", PASSWORD).await, 300);
    let elsewhere = api.anonymous().at("198.51.100.9");
    elsewhere
        .logs_in("ADA", PASSWORD)
        .await
        .expect(200);
    nobody
        .logs_in("mia", PASSWORD)
        .await
        .expect(200);
    api.clock.advance(5 * span::MINUTE);
    nobody
        .logs_in("ADA", PASSWORD)
        .await
        .expect(200);
}

/// Whoever tries one password on many accounts is held back as well.
#[tokio::test]
async fn thirty_failures_close_the_door_for_a_network() {
    let (api, _) = Api::with_users(["ada"]).await;
    let [guessing, same, other] = ["1::7", "1:ffff::9", "2::7"].map(|client| {
        api.anonymous()
            .at(&format!("2001:db8:0:{client}"))
    });
    for number in 0..30 {
        guesses(&guessing, &format!("somebody{number}")).await;
    }
    waits(&same.logs_in("ada", PASSWORD).await, 900);
    other
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
    api.clock.advance(15 * span::MINUTE);
    guessing
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
}

/// Without the setting or the proxy's secret, such a header is any client's own text.
#[tokio::test]
async fn the_network_is_that_of_a_trusted_proxys_header_alone() {
    const HEADER: &str = "x-forwarded-for";
    let (api, _) = Api::with_users(["ada"]).await;
    let behind = api
        .instances_behind(HEADER, "hush")
        .await;
    let with = |address: &str, secret: &str| {
        let client = api
            .anonymous()
            .with_header(HEADER, address);
        client.with_header("x-proxy-secret", secret)
    };
    let from = |address: &str| with(address, "hush");
    for _ in 0..10 {
        let guessing = from("192.0.2.1, 198.51.100.9").before(behind.clone());
        guesses(&guessing, "ada").await;
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
        let answer = client.logs_in("ada", "wrong").await;
        assert_eq!(answer.status, status, "{address}: {}", answer.text);
        api.clock.advance(span::MINUTE);
    }
    // A stranger's own network counts, whatever addresses it names.
    let strange = |number: usize| {
        let address = format!("203.0.113.{number}");
        let client = [
            with(&address, "guess"),
            api.anonymous()
                .with_header(HEADER, &address),
        ];
        client.map(|client| client.before(behind.clone()))
    };
    let mut statuses = Vec::new();
    for client in (0..30).flat_map(strange) {
        statuses.push(
            client
                .logs_in("nobody", "wrong")
                .await
                .status,
        );
        api.clock.advance(span::SECOND);
    }
    assert_eq!((statuses[0], statuses[59]), (401, 429), "{statuses:?}");
}

/// Guesses at one account from many addresses come slower and slower; its user is not held back
/// where they signed in before.
#[tokio::test]
async fn an_account_that_many_guess_at_is_slow_for_strangers() {
    let (api, _) = Api::with_users(["ada"]).await;
    let home = api.anonymous().at("198.51.100.9");
    home.logs_in("ada", PASSWORD)
        .await
        .expect(200);
    let stranger = |number: usize| {
        api.anonymous()
            .at(&format!("203.0.113.{number}"))
    };
    for number in 0..10 {
        guesses(&stranger(number), "Ada").await;
    }
    for (number, seconds) in (10..).zip([1, 2, 4, 8, 16, 32, 60, 60]) {
        waits(
            &stranger(number)
                .logs_in("ada", PASSWORD)
                .await,
            seconds,
        );
        home.logs_in("ada", PASSWORD)
            .await
            .expect(200);
        api.clock
            .advance(seconds * span::SECOND);
        guesses(&stranger(number), "Ada").await;
    }
    api.clock.advance(span::MINUTE);
    stranger(18)
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_success_forgets_the_failures() {
    let (api, _) = Api::with_users(["ada"]).await;
    let nobody = api.anonymous();
    for _ in 0..2 {
        for _ in 0..9 {
            guesses(&nobody, "ada").await;
        }
        nobody
            .logs_in("ada", PASSWORD)
            .await
            .expect(200);
    }
}

/// The password was right each time, and the session could not be kept.
#[tokio::test]
async fn a_sign_in_that_failed_in_the_table_counts_as_no_failure() {
    let (api, faults, []) = Api::behind_faults([]).await;
    api.user("ada").await;
    let nobody = api.anonymous();
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    for _ in 0..12 {
        nobody
            .logs_in("ada", PASSWORD)
            .await
            .expect(500);
        api.clock.advance(2 * span::SECOND);
    }
    faults.end();
    nobody
        .logs_in("ada", PASSWORD)
        .await
        .expect(200);
}

#[tokio::test]
async fn guesses_that_are_sent_all_at_once_count_before_they_are_judged() {
    let (api, _) = Api::with_users(["ada"]).await;
    let nobody = api.anonymous();
    let guesses = (0..30).map(|_| nobody.logs_in("ada", "wrong"));
    assert!((1..=10).contains(&judged(&join_all(guesses).await)));
}

/// After an account's wait, one guess is verified, however many come at once from wherever.
#[tokio::test]
async fn one_of_many_guesses_at_once_takes_the_accounts_turn() {
    let (api, _) = Api::with_users(["ada"]).await;
    let guess = async |network: usize| {
        let stranger = api
            .anonymous()
            .at(&format!("203.0.113.{network}"));
        stranger.logs_in("ada", "wrong").await
    };
    // At first ten are free, also of those that come at once.
    for (networks, count) in [(0..40, 10), (40..80, 1), (80..120, 1)] {
        let answers = join_all(networks.map(&guess)).await;
        assert_eq!(judged(&answers), count);
        api.clock.advance(span::MINUTE);
    }
}

/// Guesses of a network count before they are verified.
#[tokio::test]
async fn thirty_of_many_guesses_at_once_are_a_networks_share() {
    let (api, _) = Api::with_users(["ada"]).await;
    let client = api.anonymous().at("203.0.113.9");
    let guess = async |number: usize| {
        client
            .logs_in(&format!("somebody{number}"), "wrong")
            .await
    };
    assert_eq!(judged(&join_all((0..60).map(guess)).await), 30);
    // Honest sign-ins leave no mark.
    let office = api.anonymous().at("203.0.113.10");
    for _ in 0..31 {
        office
            .logs_in("ada", PASSWORD)
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn a_sign_in_that_was_refused_is_logged_with_its_address_alone() {
    let api = Api::start().await;
    let mia = api
        .sign_in("mia")
        .await
        .at("198.51.100.7");
    let nobody = api.anonymous().at("198.51.100.9");
    let log = Log::begin();
    for status in [[401; 10].as_slice(), &[429]].concat() {
        nobody
            .logs_in("mia", "a wrong one")
            .await
            .expect(status);
        let [line] = log.take().try_into().unwrap();
        shows!(line, {"address": "198.51.100.9", "route": "/api/auth/login", "status": status});
        let text = line.to_string();
        assert!(!text.contains("mia") && !text.contains("wrong"), "{text}");
    }
    let password = json!({"currentPassword": "a wrong one", "newPassword": "another 12345"});
    // After ten failures, other networks wait for a second.
    api.clock.advance(span::SECOND);
    mia.put("/api/auth/password", password)
        .await
        .expect(400);
    let [line] = log.take().try_into().unwrap();
    assert_eq!(line["address"], "198.51.100.7", "{line}");
    api.clock.advance(2 * span::SECOND);
    mia.logs_in("mia", PASSWORD)
        .await
        .expect(200);
    mia.is_signed_in().await;
    mia.get("/api/tasks/4711")
        .await
        .expect_not_found();
    let lines = log.take();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line.get("address").is_none(), "{line}");
        assert!(line["requestId"].is_string(), "{line}");
    }
}

/// A foreign page could then read what the browser's owner writes.
#[tokio::test]
async fn a_listed_page_alone_signs_a_browser_in_from_another_site() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let forged = "connect.sid=s%3A1-1-1768478400-abc.x";
    for browser in [mia, api.anonymous(), api.anonymous().with_cookie(forged)] {
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ] {
            let page = browser.clone().with_header(name, value);
            refused!(page.logs_in("mia", PASSWORD).await => 403, "cross_site");
            refused!(page.post("/api/auth/login", json!({})).await => 403, "cross_site");
        }
    }
    let page = api
        .anonymous()
        .with_header("sec-fetch-site", "cross-site");
    let page = page.with_header("origin", "https://app.workdesk.example");
    page.logs_in("mia", PASSWORD)
        .await
        .expect(200);
}
