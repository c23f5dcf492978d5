//! Table requests and units of sign-ins, as infra/COSTS.md has them.

use serde_json::{Value, json};
use shared::{
    model::base::span,
    store::{Used, metered},
};
use tests::{
    File,
    support::{Api, Caller, PASSWORD},
    table,
};

/// The document with the table.
const DOCUMENT: &str = "infra/COSTS.md";

/// Attempts of the flood, each at another account.
const FLOOD: u32 = 300;

/// Sends an attempt and returns what it took of the table.
async fn attempt(client: &Caller, (username, password): (&str, &str), status: u16) -> Used {
    let sent: Value = json!({"username": username, "password": password});
    let (answer, used) = metered(client.post("/api/auth/login", sent)).await;
    answer.expect(status);
    used
}

fn row(label: &str, used: &Used) -> String {
    let requests = used.requests;
    let reads = used.read_units;
    let writes = used.write_units;
    format!("| {label} | {requests} | {reads} | {writes} |")
}

#[tokio::test]
async fn the_costs_in_the_document_are_measured() {
    let (api, _) = Api::with_users(["ada"]).await;
    let at = |address: &str| api.anonymous().at(address);
    let right = ("ada", PASSWORD);
    let wrong = ("ada", "wrong");
    let unknown = ("nobody", "wrong");
    let client = at("198.51.100.7");
    let mut lines = Vec::new();
    for (label, credentials, status) in [
        ("succeeds", right, 200),
        ("fails, for a known account", wrong, 401),
        ("fails, for an unknown account", unknown, 401),
    ] {
        lines.push(row(label, &attempt(&client, credentials, status).await));
    }
    for _ in 0..8 {
        attempt(&client, unknown, 401).await;
    }
    // The account's delay has passed, and the block of account and network has not.
    api.clock.advance(span::MINUTE);
    attempt(&client, unknown, 401).await;
    api.clock.advance(span::MINUTE);
    let blocked = attempt(&client, unknown, 429).await;
    lines.push(row("is blocked, for account and network", &blocked));
    attempt(&at("198.51.100.8"), unknown, 401).await;
    let delayed = attempt(&at("198.51.100.9"), unknown, 429).await;
    lines.push(row("waits for the account's delay", &delayed));

    let flood = at("203.0.113.9");
    let mut total = Used::default();
    let mut judged = 0;
    for number in 0..FLOOD {
        let sent = json!({"username": format!("user{number}"), "password": "wrong"});
        let (answer, used) = metered(flood.post("/api/auth/login", sent)).await;
        judged += usize::from(answer.status == 401);
        total.requests += used.requests;
        total.read_units += used.read_units;
        total.write_units += used.write_units;
        if number + 1 == FLOOD {
            answer.expect(429);
            lines.push(row("is blocked, for the network", &used));
        }
    }
    assert_eq!(judged, 30);
    let each = |sum: f64| format!("{:.1}", sum / f64::from(FLOOD));
    let totals = [
        f64::from(total.requests),
        total.read_units,
        total.write_units,
    ];
    let [requests, reads, writes] = totals.map(each);
    lines.push(format!(
        "| one of {FLOOD} from a network, at {FLOOD} accounts | {requests} | {reads} | {writes} |"
    ));
    let table = table("| attempt | requests | read units | write units |", lines);
    File::open(DOCUMENT)
        .section("sign-in costs", &table)
        .hold();
}
