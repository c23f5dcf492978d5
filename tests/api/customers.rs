//! `/api/customers`, and the field `customerId` of projects, tickets and service requests

use futures::future::join_all;
use serde_json::{Value, json};
use tests::support::{Api, Caller, creates, patches, posts, refused};

/// The paths that create a record for a customer, and the record with this id.
const RECORDS: [(&str, &str); 3] = [
    ("/api/projects", "/api/projects"),
    (
        "/api/managed-services/tickets",
        "/api/managed-services/ticket",
    ),
    ("/api/managed-services/request", "/api/service-requests"),
];

/// The lists with the filter `customerId`.
const LISTS: [&str; 3] = [
    "/api/projects",
    "/api/managed-services/tickets",
    "/api/service-requests",
];

async fn has_customers(max: &Caller) -> [i64; 2] {
    let ferro = json!({"name": "Ferro Robotics", "domains": ["ferro.example"]});
    [
        max.creates("/api/customers", ferro)
            .await,
        creates!(max, "/api/customers", {"name": "Longhaul Imports"}),
    ]
}

#[tokio::test]
async fn a_customer_is_created_read_changed_and_listed_by_name() {
    let (api, [max, vic]) = Api::signed_in(["max", "vic"]).await;
    let now = api.clock.now();
    let domains = json!(["ferro.test", "ferro.example", "ferro.test"]);
    let created = posts!(max, "/api/customers", {"name": "Ferro Robotics", "domains": domains});
    let ferro = json!({
        "id": 1, "name": "Ferro Robotics", "domains": ["ferro.example", "ferro.test"],
        "archived": false, "createdAt": now, "updatedAt": now, "version": 1,
    });
    assert_eq!(created, ferro);
    assert_eq!(vic.reads("/api/customers/1").await, ferro);
    creates!(max, "/api/customers", {"name": "alto"});
    let names_of = async |path: &str| {
        let rows = vic.walk(path).await;
        rows.iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names_of("/api/customers").await, ["alto", "Ferro Robotics"]);
    assert_eq!(
        names_of("/api/customers?query=rob").await,
        ["Ferro Robotics"]
    );
    let changed = patches!(max, "/api/customers/1", {"archived": true, "domains": []});
    assert_eq!(changed["domains"], json!([]));
    assert_eq!(changed["version"], 2);
    assert_eq!(names_of("/api/customers").await, ["alto"]);
    assert_eq!(
        names_of("/api/customers?archived=true").await,
        ["Ferro Robotics"]
    );
    let history = vic
        .reads("/api/customers/1/history")
        .await;
    assert_eq!(
        history[0]["changes"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(history[1]["what"], "created");
    refused!(vic.post("/api/customers", json!({"name": "Mine"})).await => 403, "permission_denied");
    max.get("/api/customers/9")
        .await
        .expect_not_found();
}

#[tokio::test]
async fn names_and_domains_are_of_one_customer_only() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    has_customers(&max).await;
    let taken = max.post("/api/customers", json!({"name": "FERRO  robotics"}));
    refused!(taken.await => 409, "name_taken");
    let of_other = json!({"name": "Other", "domains": ["other.example", "ferro.example"]});
    refused!(max.post("/api/customers", of_other).await => 409, "domain_taken");
    let rename = max.patch("/api/customers/2", json!({"name": "Ferro Robotics"}));
    refused!(rename.await => 409, "name_taken");
    // A customer keeps what it has, and a name and a domain that are given up are free.
    let renamed = json!({"name": "Ferro", "domains": ["ferro.test"]});
    max.patch("/api/customers/1", renamed)
        .await
        .expect(200);
    let of_other = json!({"name": "Ferro Robotics", "domains": ["ferro.example"]});
    max.patch("/api/customers/2", of_other)
        .await
        .expect(200);
    // Nothing of a refused customer is left.
    creates!(max, "/api/customers", {"name": "Other", "domains": ["other.example"]});
    for domain in [
        "Ferro.example",
        "localhost",
        "a..example",
        "-a.example",
        "a.1",
        "",
    ] {
        let body = json!({"name": "Wrong", "domains": [domain]});
        let answer = max.post("/api/customers", body).await;
        assert_eq!(answer.status, 400, "{domain}");
    }
}

#[tokio::test]
async fn one_of_many_requests_for_a_domain_gets_it() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let wishes = (0..8).map(|number| {
        let max = max.clone();
        let body = json!({"name": format!("Customer {number}"), "domains": ["ferro.example"]});
        tokio::spawn(async move { max.post("/api/customers", body).await })
    });
    let answers = join_all(wishes).await;
    let created = answers
        .iter()
        .filter(|answer| answer.as_ref().unwrap().status == 200);
    assert_eq!(created.count(), 1);
    assert_eq!(max.walk("/api/customers").await.len(), 1);
}

#[tokio::test]
async fn records_have_a_customer_and_lists_find_them_by_it() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let [ferro, longhaul] = has_customers(&max).await;
    for (create, _) in RECORDS {
        for (title, customer) in [
            ("of Ferro", json!(ferro)),
            ("of Longhaul", json!(longhaul)),
            ("of none", Value::Null),
        ] {
            let body = json!({"title": title, "customerId": customer});
            let created = max.post(create, body).await;
            assert_eq!(created.expect(200)["customerId"], customer, "{create}");
        }
    }
    for list in LISTS {
        for (query, expected) in [
            ("customerId=1", &["of Ferro"][..]),
            ("customerId=1,2", &["of Ferro", "of Longhaul"]),
            ("customerId=none", &["of none"]),
            ("customerId=9", &[]),
        ] {
            let rows = max
                .walk(&format!("{list}?{query}"))
                .await;
            let mut titles: Vec<_> = rows
                .iter()
                .map(|row| row["title"].as_str().unwrap())
                .filter(|title| title.starts_with("of "))
                .collect();
            titles.sort_unstable();
            assert_eq!(titles, expected, "{list} {query}");
        }
    }
}

#[tokio::test]
async fn a_customer_comes_and_goes_and_the_lists_follow() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let [ferro, _] = has_customers(&max).await;
    for ((create, record), list) in RECORDS.into_iter().zip(LISTS) {
        let id = creates!(max, create, {"title": "Moves"});
        let path = format!("{record}/{id}");
        let of_ferro = format!("{list}?customerId={ferro}");
        for (customer, expected) in [(json!(ferro), 1), (Value::Null, 0)] {
            let changed = max.patch(&path, json!({"customerId": customer}));
            assert_eq!(changed.await.expect(200)["customerId"], customer);
            assert_eq!(max.walk(&of_ferro).await.len(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn an_archived_customer_keeps_its_records_and_gets_no_new_ones() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let [ferro, longhaul] = has_customers(&max).await;
    let mut kept = Vec::new();
    for (create, record) in RECORDS {
        let id = creates!(max, create, {"title": "Old", "customerId": ferro});
        kept.push(format!("{record}/{id}"));
    }
    patches!(max, "/api/customers/1", {"archived": true});
    for ((create, record), kept) in RECORDS.iter().zip(&kept) {
        let new = json!({"title": "New", "customerId": ferro});
        refused!(max.post(create, new).await => 409, "customer_archived");
        // What it has is changed as before.
        let same = json!({"title": "Renamed", "customerId": ferro});
        max.patch(kept, same).await.expect(200);
        let other = creates!(max, create, {"title": "Other", "customerId": longhaul});
        let moved = json!({"customerId": ferro});
        let path = format!("{record}/{other}");
        refused!(max.patch(&path, moved).await => 409, "customer_archived");
    }
}

#[tokio::test]
async fn a_customer_of_another_organization_is_unknown() {
    let (_, [max, zoe]) = Api::signed_in(["max", "zoe"]).await;
    has_customers(&max).await;
    for (create, record) in RECORDS {
        let body = json!({"title": "Theirs", "customerId": 1});
        refused!(zoe.post(create, body).await => [("/customerId", "unknown")]);
        let own = creates!(zoe, create, {"title": "Own"});
        let path = format!("{record}/{own}");
        let body = json!({"customerId": 1});
        refused!(zoe.patch(&path, body).await => [("/customerId", "unknown")]);
    }
    zoe.get("/api/customers/1")
        .await
        .expect_not_found();
    let renamed = json!({"name": "Mine"});
    zoe.patch("/api/customers/1", renamed)
        .await
        .expect_not_found();
    for list in ["/api/customers", "/api/projects?customerId=1"] {
        assert!(zoe.walk(list).await.is_empty(), "{list}");
    }
}

#[tokio::test]
async fn the_feed_has_the_changes_of_customers() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    has_customers(&max).await;
    patches!(max, "/api/customers/1", {"name": "Ferro"});
    api.publishes().await;
    let entries = max
        .reads("/api/changes?cursor=first&type=customer")
        .await;
    let told = |entry: &Value| json!([entry["recordId"], entry["action"], entry["fields"]]);
    let told: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(told)
        .collect();
    assert_eq!(
        json!(told),
        json!([
            [1, "created", []],
            [2, "created", []],
            [1, "updated", ["name"]]
        ])
    );
}
