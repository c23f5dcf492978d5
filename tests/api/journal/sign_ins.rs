//! Sign-ins in `GET /api/journal`, and what its check says of them.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, Caller, Item, PASSWORD, patches, rows_where, shows, text_of};

use super::{breaks, broken, changed};

const EVENTS: [&str; 3] = ["signed_in", "signed_out", "sign_in_refused"];

/// Sends a sign-in of mia from an address, and returns the caller whom it signs in.
async fn signs_in(api: &Api, address: &str, password: &str) -> Caller {
    api.user("mia").await;
    let client = api.anonymous().at(address);
    let answer = client.logs_in("mia", password).await;
    if password == PASSWORD {
        answer.expect(200);
        return client.with_cookie(answer.session());
    }
    answer.expect(401);
    client
}

/// The entries of sign-ins: instant, event, and values.
async fn sign_ins(ada: &Caller) -> Vec<Value> {
    let mut entries = ada.walk("/api/journal").await;
    entries.retain(|entry| EVENTS.contains(&entry["event"].as_str().unwrap()));
    for entry in &entries {
        shows!(entry, {"seq": null, "previousHash": "", "before": null});
        assert_eq!(entry["hash"].as_str().unwrap().len(), 64);
    }
    let rows = entries
        .iter()
        .map(|entry| json!([entry["at"], entry["event"], entry["after"]]));
    rows.collect()
}

#[tokio::test]
async fn sign_ins_and_sign_outs_are_in_the_list_by_their_time() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    let mia = signs_in(&api, "198.51.100.77", PASSWORD).await;
    let id = mia.reads("/api/auth/sessions").await[0]["id"].clone();
    api.clock.advance(1_000);
    patches!(ada, "/api/organizations/1", {"name": "Renamed"});
    api.clock.advance(1_000);
    mia.triggers("/api/auth/logout").await;
    signs_in(&api, "2001:db8:1:2:3::4", PASSWORD).await;
    let rows = sign_ins(&ada).await;
    let first = json!({"method": "password", "network": "198.51.100.0/24", "sessionId": id});
    let expected = json!(["2026-01-15T12:00:00.000Z", "signed_in", first]);
    assert_eq!(rows[0], expected);
    let out = json!(["2026-01-15T12:00:02.000Z", "signed_out", {"sessionId": id}]);
    assert!(rows.contains(&out), "{rows:?}");
    let mut networks = rows
        .iter()
        .map(|entry| &entry[2]["network"]);
    assert!(
        networks.any(|network| network == "2001:db8:1::/48"),
        "{rows:?}"
    );
    let of_mia = format!("/api/journal?subject=user:{}", user.id);
    let signed_in = ada.reads(&of_mia).await[1].clone();
    shows!(signed_in, {"actor": {"type": "user", "userId": user.id}, "credential": null});
    let events: Vec<_> = ada.walk("/api/journal").await;
    let at = |event: &str| {
        events
            .iter()
            .position(|entry| entry["event"] == event)
    };
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
    let named = rows_where(&entries, "event", "sign_ins_chained");
    let mut chained = Vec::new();
    for entry in &named {
        assert_eq!(entry["actor"]["type"], "service");
        chained.extend(entry["after"].as_object().unwrap());
    }
    assert_eq!((named.len(), chained.len()), (2, 45));
    for entry in rows_where(&entries, "event", "signed_in") {
        let is_sign_in =
            |(hash, at): &(&String, &Value)| entry["hash"] == **hash && entry["at"] == **at;
        assert!(chained.iter().any(is_sign_in), "{entry}");
    }
    // Nothing is left to do.
    assert_eq!(sweeper.sweep().await, sweeper::Swept::default());
    assert_eq!(breaks(&ada).await, json!([]));
}

#[tokio::test]
async fn the_check_names_what_was_done_to_a_sign_in() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    signs_in(&api, "198.51.100.9", PASSWORD).await;
    let naming = async || {
        let mut entries = ada.walk("/api/journal").await;
        entries.retain(|entry| entry["event"] == "sign_ins_chained");
        entries
    };
    assert!(naming().await.is_empty());
    api.sweeper().await.sweep().await;
    let missing = broken(naming().await[0]["seq"].clone(), "sign_in_missing");
    let [chained]: [Item; 1] = api
        .items_of("sign_in_entry")
        .await
        .try_into()
        .unwrap();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for (name, value) in [
        ("event", text("signed_out")),
        ("subjects", AttributeValue::L(vec![text("user:99")])),
        ("after", text("{}")),
    ] {
        api.puts([changed(&chained, name, value)])
            .await;
        assert_eq!(breaks(&ada).await, missing, "{name}");
    }
    let sk = text_of(&chained, "sk");
    api.loses(text_of(&chained, "pk"), sk)
        .await;
    assert_eq!(breaks(&ada).await, missing);
    // An entry that no other names is found after a day.
    api.puts([chained.clone()]).await;
    let more = changed(&chained, "sk", text(&format!("{sk}x")));
    api.puts([changed(&more, "after", text("{}"))])
        .await;
    assert_eq!(breaks(&ada).await, json!([]));
    api.clock.advance(span::DAY + 1);
    let ada = api.sign_in("ada").await;
    assert_eq!(breaks(&ada).await, broken(0, "unchained"));
}

#[tokio::test]
async fn refused_sign_ins_are_one_entry_for_an_account_and_a_quarter_of_an_hour() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let user = api.user("mia").await;
    // Of a known network, too.
    signs_in(&api, "198.51.100.1", PASSWORD).await;
    let before = api
        .items_of("sign_in_entry")
        .await
        .len();
    for network in 1..=7 {
        signs_in(&api, &format!("198.51.100.{network}"), "wrong").await;
    }
    api.anonymous()
        .logs_in("nobody", "wrong")
        .await
        .expect(401);
    let sweeper = api.sweeper().await;
    sweeper.sweep().await;
    assert_eq!(
        api.items_of("sign_in_entry")
            .await
            .len(),
        before
    );
    api.clock.advance(16 * span::MINUTE);
    for _ in 0..2 {
        assert_eq!(sweeper.sweep().await.errors, 0);
    }
    let refused = async || {
        let mut rows = sign_ins(&ada).await;
        rows.retain(|entry| entry[1] == "sign_in_refused");
        rows
    };
    let expected = json!(["2026-01-15T12:15:00.000Z", "sign_in_refused", {"count": 7}]);
    assert_eq!(refused().await, [expected]);
    let journal_path = format!("/api/journal?subject=user:{}", user.id);
    let of_mia = ada.walk(&journal_path).await;
    let [entry] = rows_where(&of_mia, "event", "sign_in_refused")[..] else {
        panic!("{of_mia:?}");
    };
    assert_eq!(entry["actor"]["type"], "service");
    // A quarter without a refused one leaves none.
    signs_in(&api, "203.0.113.50", PASSWORD).await;
    api.clock.advance(16 * span::MINUTE);
    sweeper.sweep().await;
    assert_eq!(refused().await.len(), 1);
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
    mia.triggers("/api/auth/logout").await;
    assert_eq!(api.items_of("organization_head").await, with_mia);
    assert_eq!(
        api.items_of("sign_in_entry")
            .await
            .len(),
        2
    );
}
