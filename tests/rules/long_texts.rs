//! Long texts, which lie in items of their own.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::store::metered;
use tests::support::{Answer, Api, Caller, Item, key_of, patches, text_of};

/// A text of 50,000 bytes that ends so.
fn long(end: &str) -> String {
    format!("{}{end}", &"word ".repeat(10_000)[end.len()..])
}

/// The attribute of a record that refers to its text.
const REFERENCE: &str = "longText";

/// The keys of the texts that stay.
async fn texts(api: &Api) -> BTreeSet<String> {
    let texts = api.items_of("text").await.into_iter();
    let stay = texts.filter(|text| !text.contains_key("expiresAt"));
    stay.map(|text| text_of(&text, "sk").to_owned())
        .collect()
}

/// Every record finds its text, and no other text stays. Returns their number.
async fn are_sound(api: &Api) -> usize {
    let items = api.items().await;
    let references = items
        .iter()
        .filter_map(|item| item.get(REFERENCE));
    let named = references.map(|reference| {
        let hash = &reference.as_m().unwrap()["hash"];
        hash.as_s().unwrap().clone()
    });
    let named: BTreeSet<_> = named.collect();
    assert_eq!(named, texts(api).await);
    named.len()
}

async fn item(api: &Api, kind: &str) -> Item {
    let mut items = api.items_of(kind).await;
    assert_eq!(items.len(), 1, "{kind}");
    items.remove(0)
}

/// Write and read units of a request that succeeds.
async fn units(request: impl Future<Output = Answer>) -> f64 {
    let (answer, used) = metered(request).await;
    assert!(answer.status < 300, "{}", answer.text);
    used.units()
}

/// Costs in units: those of the document of the table.
#[tokio::test]
async fn a_drag_costs_the_same_whatever_the_length_of_the_text() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"description": "Short"}))
        .await;
    mia.creates_task(json!({"description": long("end")}))
        .await;
    // The instance meets the project of the new tasks, which costs a read.
    mia.reads("/api/tasks/1").await;
    let mut costs = Vec::new();
    for (id, other) in [(1, 2), (2, 1)] {
        let places = json!({"tasks": [{"id": id, "order": id}]});
        costs.push(units(mia.patch("/api/tasks/reorder", places)).await);
        let path = format!("/api/tasks/{id}/move");
        costs.push(units(mia.post(&path, json!({ "after": other }))).await);
    }
    // The answer to a move shows the text, which is read.
    assert_eq!(costs, [6.0, 8.0, 6.0, 8.0 + 6.5]);
}

#[tokio::test]
async fn a_hundred_long_tasks_are_reordered_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..100 {
        mia.creates_task(json!({"description": long("end")}))
            .await;
    }
    mia.reads("/api/tasks/1").await;
    let places = (1..=100).map(|id| json!({"id": id, "order": 1_000 - id}));
    let places = json!({"tasks": places.collect::<Vec<_>>()});
    let used = units(mia.patch("/api/tasks/reorder", places)).await;
    assert!((used - 502.0).abs() < 0.1, "{used}");
    assert_eq!(
        mia.get("/api/projects/1/tasks?limit=1")
            .await
            .ids(),
        [100]
    );
}

/// The path of each kind of record with a long text, that of its creation, and the body.
fn records() -> [(&'static str, &'static str, Value); 5] {
    let titled = json!({"title": "One", "projectId": 1});
    let note = json!({"type": "note", "projectId": 1});
    [
        ("/api/tasks", "/api/tasks", titled.clone()),
        ("/api/milestones", "/api/milestones", titled.clone()),
        ("/api/activities", "/api/activities", note),
        ("/api/projects", "/api/projects", json!({"title": "One"})),
        (
            "/api/service-requests",
            "/api/managed-services/request",
            json!({"title": "One"}),
        ),
    ]
}

/// Creates a record with that text, and returns its path.
async fn created(caller: &Caller, (path, at, body): &(&str, &str, Value), text: &str) -> String {
    let mut body = body.clone();
    body["description"] = json!(text);
    let answer = caller.posts(at, body).await;
    let record = answer
        .get("serviceRequest")
        .unwrap_or(&answer);
    assert_eq!(record["description"], text, "{path}");
    format!("{path}/{}", record["id"])
}

/// Changes a record. Its answer and the record have the text.
async fn changed(caller: &Caller, path: &str, change: &Value, text: &Value) {
    let answer = if path.starts_with("/api/milestones") {
        caller.put(path, change.clone()).await
    } else {
        caller.patch(path, change.clone()).await
    };
    assert!(answer.expect(200)["description"] == *text, "{path}");
    assert!(caller.reads(path).await["description"] == *text, "{path}");
}

#[tokio::test]
async fn a_text_lives_and_goes_with_its_record() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for record in records() {
        let first = json!(long("first"));
        let second = json!(long("second"));
        let path = created(&ada, &record, first.as_str().unwrap()).await;
        assert_eq!(are_sound(&api).await, 1, "{path}");
        // A change of something else keeps the text.
        let is_activity = path.starts_with("/api/activities");
        let other = if is_activity { "subtype" } else { "title" };
        changed(&ada, &path, &json!({ other: "call" }), &first).await;
        for text in [&second, &first, &first] {
            changed(&ada, &path, &json!({ "description": text }), text).await;
            assert_eq!(are_sound(&api).await, 1, "{path}");
        }
        // The beginning of the text is another text.
        let start = json!(&first.as_str().unwrap()[..100]);
        for text in [&start, &second] {
            changed(&ada, &path, &json!({ "description": text }), text).await;
        }
        if !is_activity {
            changed(&ada, &path, &json!({"description": null}), &Value::Null).await;
            assert_eq!(are_sound(&api).await, 0, "{path}");
        }
        changed(&ada, &path, &json!({ "description": first }), &first).await;
        let end = if path.starts_with("/api/projects") {
            ada.patch(&path, json!({"description": "Short"}))
                .await
        } else {
            ada.delete(&path).await
        };
        assert!(end.status < 300, "{}", end.text);
        assert_eq!(are_sound(&api).await, 0, "{path}");
    }
}

#[tokio::test]
async fn lists_show_long_texts() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for record in records() {
        created(&ada, &record, &long("the end")).await;
        created(&ada, &record, "A short one").await;
    }
    for (list, shown) in [
        ("/api/tasks", 1),
        ("/api/tasks?sort=-createdAt", 1),
        ("/api/projects/1/tasks", 1),
        ("/api/projects/1/milestones", 1),
        ("/api/activities", 1),
        ("/api/projects/1/activities", 1),
        ("/api/organizations/1/activities", 1),
        ("/api/projects", 1),
        ("/api/service-requests", 1),
        ("/api/managed-services/search-references", 1),
        ("/api/managed-services/dashboard", 2),
        ("/api/activities/1/comments", 0),
    ] {
        let answer = ada.get(list).await;
        answer.expect(200);
        assert_eq!(
            answer
                .text
                .matches("word the end")
                .count(),
            shown,
            "{list}"
        );
    }
}

#[tokio::test]
async fn a_word_and_a_mention_far_inside_a_text_are_found() {
    let (api, [mia, max]) = Api::signed_in(["mia", "max"]).await;
    for (path, text) in [
        ("/api/tasks", long(" needle for @max")),
        ("/api/tasks/1", long(" needle and pin for @max")),
        ("/api/tasks/1", long(" pin for @max")),
    ] {
        api.clock.advance(1_000);
        let task = json!({"title": "One", "description": text});
        match path {
            "/api/tasks" => drop(mia.creates_task(task).await),
            path => drop(mia.patches(path, task).await),
        }
        api.publishes().await;
    }
    assert_eq!(mia.finds("pin").await.len(), 1);
    assert_eq!(mia.finds("needle").await.len(), 0);
    let rows = mia.reads("/api/search?query=pin").await;
    let excerpt = rows[0]["excerpt"].as_str().unwrap();
    assert!(excerpt.ends_with("pin for @max"), "{excerpt}");
    // Only the first text brought the mention.
    let notifications = max.reads("/api/notifications").await;
    assert_eq!(
        notifications.as_array().unwrap().len(),
        1,
        "{notifications}"
    );
    assert_eq!(notifications[0]["kind"], "mentioned");
    let feed = mia
        .get("/api/changes?cursor=first&type=task")
        .await;
    let feed = feed.expect(200);
    let fields = feed.as_array().unwrap().iter();
    let fields: Vec<_> = fields
        .map(|entry| &entry["fields"])
        .collect();
    let text = json!(["description"]);
    assert_eq!(fields, [&json!([]), &text, &text]);
    // The operator's program finds the same.
    api.search_is_fresh().await;
}

#[tokio::test]
async fn a_change_deep_inside_a_text_is_a_change() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"description": long("one")}))
        .await;
    let change = json!({"description": long("two")});
    mia.patches("/api/tasks/1", change.clone())
        .await;
    mia.patches("/api/tasks/1", change)
        .await;
    let history = mia.reads("/api/tasks/1/history").await;
    assert_eq!(history.as_array().unwrap().len(), 2, "{history}");
    let change = &history[0]["changes"][0];
    assert_eq!(change["field"], "description");
    for text in [&change["from"], &change["to"]] {
        assert_eq!(text.as_str().unwrap(), &long("one")[..500]);
    }
}

/// A reader has a record as it was, and reads the text after it was replaced.
#[tokio::test]
async fn a_reader_gets_the_text_of_the_record_that_it_read() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = json!({"title": "First", "description": long("first")});
    mia.creates_task(task).await;
    let before = item(&api, "task").await;
    patches!(mia, "/api/tasks/1", {"title": "Second", "description": long("second")});
    api.puts([before]).await;
    for path in ["/api/tasks/1", "/api/tasks"] {
        let read = mia.reads(path).await;
        let task = if read.is_array() { &read[0] } else { &read };
        assert!(task["title"] == "First" && task["description"] == long("first"));
    }
}

#[tokio::test]
async fn a_record_without_its_text_does_not_read() {
    let (api, [mia]) = Api::signed_in(["ada"]).await;
    mia.creates_task(json!({"description": long("end")}))
        .await;
    mia.creates_task(json!({})).await;
    let task = &api.items_of("task").await[0];
    api.deletes(&item(&api, "text").await)
        .await;
    let (ids, used) = metered(async { mia.get("/api/tasks").await.ids() }).await;
    assert_eq!(ids, [2]);
    assert_eq!(used.unreadable, BTreeSet::from([key_of(task)]));
    mia.get("/api/tasks/1")
        .await
        .expect(500);
    // It can still be dragged and deleted.
    patches!(mia, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 7}]});
    mia.deletes("/api/tasks/1").await;
}
