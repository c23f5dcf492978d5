//! `GET /api/journal`

use serde_json::json;
use tests::support::{Api, column, shows};

#[tokio::test]
async fn entries_come_oldest_first_each_with_the_hash_of_the_one_before() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for name in ["max", "mia", "sue"] {
        api.user(name).await;
    }
    let entries = ada.reads("/api/journal").await;
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 5);
    let mut before = json!("");
    for (number, entry) in (1..).zip(entries) {
        shows!(entry, {"seq": number, "previousHash": before});
        before = entry["hash"].clone();
    }
    assert_eq!(ada.walk("/api/journal?limit=2").await, *entries);
}

#[tokio::test]
async fn a_period_begins_with_its_start_and_ends_before_its_end() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let mut instants = Vec::new();
    for name in ["max", "mia", "sue"] {
        api.clock.advance(1_000);
        instants.push(api.clock.now());
        api.user(name).await;
    }
    let names = async |query: String| {
        let entries = ada
            .walk(&format!("/api/journal?{query}"))
            .await;
        let names = entries
            .iter()
            .map(|entry| entry["after"]["username"].clone());
        names.collect::<Vec<_>>()
    };
    let [max, mia, sue] = instants[..] else {
        panic!()
    };
    assert_eq!(names(format!("from={max}&to={sue}")).await, ["max", "mia"]);
    assert_eq!(names(format!("from={mia}")).await, ["mia", "sue"]);
    assert_eq!(
        names(format!("from={mia}&subject=user:999"))
            .await
            .len(),
        0
    );
    assert_eq!(
        names(format!("from={sue}&to={max}"))
            .await
            .len(),
        0
    );
}

#[tokio::test]
async fn each_organization_has_its_own_journal() {
    let (api, _) = Api::with_users(["mia"]).await;
    let zoe = api.sign_in("zoe").await;
    let entries = zoe.walk("/api/journal").await;
    let events = ["organization_created", "user_created"];
    assert_eq!(column(&entries, "event"), events);
    shows!(entries[1], {"subjects": [format!("user:{}", zoe.id())]});
}
