//! Sign-ins in `GET /api/journal`, and what its check says of them.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::model::span;

use tests::support::{Api, Caller, Item, PASSWORD, shows, text_of};

const EVENTS: [&str; 3] = ["signed_in", "signed_out", "sign_in_refused"];

/// Sends a sign-in of mia from an address, and returns the caller whom it signs in.
async fn signs_in(api: &Api, address: &str, password: &str) -> Caller {
    api.user("mia").await;
    let client = api.anonymous().at(address);
    let sent = json!({"username": "mia", "password": password});
    let answer = client.post("/api/auth/login", sent).await;
    if password == PASSWORD {
        answer.expect(200);
        let (cookie, _) = answer.cookie().split_once("; ").unwrap();
        return client.with_cookie(cookie);
    }
    answer.expect(401);
    client
}

/// The entries of sign-ins: instant, event, and values.
async fn sign_ins(ada: &Caller) -> Vec<Value> {
    let mut entries = ada.walk("/api/journal").await;
    entries.retain(|entry| EVENTS.contains(&entry["event"].as_str().unwrap()));
    for entry in &entries {
        shows!(entry, {"seq": null, "previousHash": ""});
        assert_eq!(entry["before"], Value::Null);
        assert_eq!(entry["hash"].as_str().unwrap().len(), 64);
    }
    let told = entries
        .iter()
        .map(|one| json!([one["at"], one["event"], one["after"]]));
    told.collect()
}

async fn breaks(ada: &Caller) -> Value {
    let check = ada.get("/api/journal/check").await.expect(200);
    assert_eq!(check["verified"], json!(check["breaks"] == json!([])));
    check["breaks"].clone()
}

#[tokio::test]
async fn sign_ins_and_sign_outs_are_in_the_list_by_their_time() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    let mia = signs_in(&api, "198.51.100.77", PASSWORD).await;
    let id = mia.get("/api/auth/sessions").await.expect(200)[0]["id"].clone();
    api.clock.advance(1_000);
    ada.patch("/api/organizations/1", json!({"name": "Renamed"}))
        .await
        .expect(200);
    api.clock.advance(1_000);
    mia.trigger("/api/auth/logout").await.expect(204);
    signs_in(&api, "2001:db8:1:2:3::4", PASSWORD).await;
    let told = sign_ins(&ada).await;
    let first = json!({"method": "password", "network": "198.51.100.0/24", "sessionId": id});
    assert_eq!(
        told[0],
        json!(["2026-01-15T12:00:00.000Z", "signed_in", first])
    );
    assert!(told.contains(&json!([
        "2026-01-15T12:00:02.000Z",
        "signed_out",
        {"sessionId": id}
    ])));
    let networks = told.iter().map(|one| &one[2]["network"]);
    assert!(
        networks.into_iter().any(|one| one == "2001:db8:1::/48"),
        "{told:?}"
    );
    let of_mia = ada
        .get(&format!("/api/journal?subject=user:{}", user.id))
        .await;
    let of_mia = of_mia.expect(200);
    let signed_in = &of_mia.as_array().unwrap()[1];
    shows!(signed_in, {"actor": {"type": "user", "userId": user.id}});
    assert_eq!(signed_in["credential"], Value::Null);
    let events: Vec<_> = ada.walk("/api/journal").await;
    let at = |event: &str| events.iter().position(|entry| entry["event"] == event);
    assert!(at("signed_in") < at("organization_changed"));
    assert!(at("organization_changed") < at("signed_out"));
    assert_eq!(breaks(&ada).await, json!([]));
}

#[tokio::test]
async fn the_sweeper_names_sign_ins_in_the_chain() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for _ in 0..45 {
        signs_in(&api, "198.51.100.9", PASSWORD).await;
        api.clock.advance(1);
    }
    let sweeper = api.sweeper().await;
    let swept = sweeper.sweep().await;
    assert_eq!((swept.chained, swept.errors), (45, 0));
    let entries = ada.walk("/api/journal").await;
    let named: Vec<_> = entries
        .iter()
        .filter(|one| one["event"] == "sign_ins_chained")
        .collect();
    let mut all = Vec::new();
    for entry in &named {
        assert_eq!(entry["actor"]["type"], "service");
        all.extend(entry["after"].as_object().unwrap().clone());
    }
    assert_eq!((named.len(), all.len()), (2, 45));
    for entry in entries.iter().filter(|one| one["event"] == "signed_in") {
        let name = (
            entry["hash"].as_str().unwrap().to_owned(),
            entry["at"].clone(),
        );
        assert!(all.contains(&name), "{entry}");
    }
    // Nothing is left to do.
    assert_eq!(sweeper.sweep().await, sweeper::Swept::default());
    assert_eq!(breaks(&ada).await, json!([]));
}

#[tokio::test]
async fn the_check_names_what_was_done_to_a_sign_in() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    signs_in(&api, "198.51.100.9", PASSWORD).await;
    let [item]: [Item; 1] = api.items_of("sign_in_entry").await.try_into().unwrap();
    let named = async || {
        let entries = ada.walk("/api/journal").await;
        let named = entries
            .iter()
            .find(|one| one["event"] == "sign_ins_chained");
        named.map(|entry| entry["seq"].clone())
    };
    assert_eq!(named().await, None);
    api.sweeper().await.sweep().await;
    let missing = json!([
        {"seq": named().await.unwrap(), "subject": null, "why": "sign_in_missing"},
    ]);
    let [chained]: [Item; 1] = api.items_of("sign_in_entry").await.try_into().unwrap();
    for (name, value) in [
        ("event", "signed_out"),
        ("subjects", "user:99"),
        ("after", "{}"),
    ] {
        let mut changed = chained.clone();
        let text = AttributeValue::S(value.to_owned());
        let value = if name == "subjects" {
            AttributeValue::L(vec![text])
        } else {
            text
        };
        changed.insert(name.to_owned(), value);
        api.puts([changed]).await;
        assert_eq!(breaks(&ada).await, missing, "{name}");
    }
    api.loses(text_of(&item, "pk"), text_of(&item, "sk")).await;
    assert_eq!(breaks(&ada).await, missing);
    // An entry that no other names is found after a day.
    api.puts([chained.clone()]).await;
    let mut more = chained;
    more.insert(
        "sk".to_owned(),
        AttributeValue::S(format!("{}x", text_of(&item, "sk"))),
    );
    more.insert("after".to_owned(), AttributeValue::S("{}".to_owned()));
    api.puts([more]).await;
    assert_eq!(breaks(&ada).await, json!([]));
    api.clock.advance(span::DAY + 1);
    let ada = api.sign_in("ada").await;
    let stray = json!([{"seq": 0, "subject": null, "why": "unchained"}]);
    assert_eq!(breaks(&ada).await, stray);
}

#[tokio::test]
async fn refused_sign_ins_are_one_entry_for_an_account_and_a_quarter_of_an_hour() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    // Of a known network, too.
    signs_in(&api, "198.51.100.1", PASSWORD).await;
    let before = api.items_of("sign_in_entry").await.len();
    for network in 1..=7 {
        signs_in(&api, &format!("198.51.100.{network}"), "wrong").await;
    }
    let unknown = json!({"username": "nobody", "password": "wrong"});
    api.anonymous()
        .post("/api/auth/login", unknown)
        .await
        .expect(401);
    let sweeper = api.sweeper().await;
    sweeper.sweep().await;
    assert_eq!(api.items_of("sign_in_entry").await.len(), before);
    api.clock.advance(16 * span::MINUTE);
    for _ in 0..2 {
        let swept = sweeper.sweep().await;
        assert_eq!(swept.errors, 0);
    }
    let refused = |told: Vec<Value>| -> Vec<Value> {
        told.into_iter()
            .filter(|one| one[1] == "sign_in_refused")
            .collect()
    };
    let at = "2026-01-15T12:15:00.000Z";
    let one = json!([at, "sign_in_refused", {"count": 7}]);
    assert_eq!(refused(sign_ins(&ada).await), [one]);
    let of_mia = ada
        .walk(&format!("/api/journal?subject=user:{}", user.id))
        .await;
    let entry = of_mia
        .iter()
        .find(|one| one["event"] == "sign_in_refused")
        .unwrap();
    assert_eq!(entry["actor"]["type"], "service");
    // A quarter without a refused one leaves none.
    signs_in(&api, "203.0.113.50", PASSWORD).await;
    api.clock.advance(16 * span::MINUTE);
    sweeper.sweep().await;
    assert_eq!(refused(sign_ins(&ada).await).len(), 1);
    assert_eq!(breaks(&ada).await, json!([]));
}

#[tokio::test]
async fn a_sign_in_leaves_the_head_of_the_journal_alone() {
    let api = Api::start().await;
    let before = api.items_of("organization_head").await;
    api.user("mia").await;
    let with_mia = api.items_of("organization_head").await;
    assert_ne!(before, with_mia);
    let mia = signs_in(&api, "198.51.100.9", PASSWORD).await;
    signs_in(&api, "198.51.100.9", "wrong").await;
    mia.trigger("/api/auth/logout").await.expect(204);
    assert_eq!(api.items_of("organization_head").await, with_mia);
    assert_eq!(api.items_of("sign_in_entry").await.len(), 2);
}
