//! The log line of a request: the caller, the operation, and its use of the table.

use std::{collections::BTreeSet, fs};

use local::mail_receiver::MailReceiver;
use serde_json::{Value, json};
use tests::{
    files, path,
    support::{Api, Log, PASSWORD, World, puts, shows, webhooks::Receiver},
};

#[tokio::test]
async fn a_request_is_logged_with_who_asked_and_what_it_took_of_the_table() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    let log = Log::begin();
    api.counter.take();
    max.reads("/api/milestones/1").await;
    let [line] = log.take().try_into().unwrap();
    shows!(line, {"method": "GET", "route": "/api/milestones/{id}", "status": 200});
    // No share is set, so that all are logged.
    shows!(line, {"logShare": 1.0, "userId": max.id(), "organizationId": 1});
    assert_eq!(line["tableRequests"], api.counter.take().total);
    let units = |line: &Value| ["readUnits", "writeUnits"].map(|name| line[name].as_f64().unwrap());
    let [read, written] = units(&line);
    // Each item that is read takes half a unit at least, and those of the caller are read whole.
    assert!((2.0..20.0).contains(&read), "{line}");
    assert!(written.abs() < f64::EPSILON, "{line}");

    puts!(max, "/api/milestones/1", {"title": "Renamed"});
    let [line] = log.take().try_into().unwrap();
    assert_eq!(line["tableRequests"], api.counter.take().total);
    let [read, written] = units(&line);
    assert!(read > 0.0 && written > 0.0, "{line}");

    max.get("/api/milestones/2")
        .await
        .expect(404);
    let [line] = log.take().try_into().unwrap();
    shows!(line, {"status": 404, "cause": null});
}

#[tokio::test]
async fn a_request_is_logged_under_the_trace_of_its_client() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (header, logged) in [
        (format!("00-{trace}-00f067aa0ba902b7-01"), json!(trace)),
        (format!("00-{trace}\"-00f067aa0ba902b7-01"), Value::Null),
    ] {
        let traced = max
            .clone()
            .with_header("traceparent", &header);
        let log = Log::begin();
        traced.reads("/api/auth/session").await;
        let [line] = log.take().try_into().unwrap();
        assert_eq!(line["clientTraceId"], logged, "{line}");
        let own = line["traceId"].as_str().unwrap();
        assert!(own.starts_with("1-"), "{line}");
    }
}

/// The names of all ids in lines that are numbers.
const NUMBERS: [&str; 4] = ["organizationId", "userId", "webhookId", "sessionId"];

/// The only value of a field in lines.
#[track_caller]
fn value(lines: &[Value], name: &str) -> String {
    let values = lines
        .iter()
        .filter_map(|line| line[name].as_str());
    let values: BTreeSet<&str> = values.collect();
    let values = Vec::from_iter(values);
    let [value] = values[..] else {
        panic!("{name}: {values:?} in {lines:?}");
    };
    value.to_owned()
}

#[tokio::test]
async fn a_request_is_followed_to_its_webhook_by_one_id() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let receiver = Receiver::start().await;
    let (webhook, _) = api
        .has_webhook(&ada, &receiver.url, &["task.*"])
        .await;
    api.publishes().await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let traced = ada
        .clone()
        .with_header("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"))
        .with_header("idempotency-key", "once");
    let log = Log::begin();

    let task = json!({"title": "Follow it", "projectId": 1});
    let created = traced
        .post("/api/tasks", task.clone())
        .await;
    let request = created
        .header("x-request-id")
        .unwrap()
        .to_owned();
    let id = created.expect(200)["id"]
        .as_i64()
        .unwrap();
    let [line] = log.take().try_into().unwrap();
    shows!(line, {"requestId": request, "clientTraceId": trace});
    let write = line["writeId"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(write.starts_with(&format!("{request}.")), "{write}");

    api.publishes().await;
    assert_eq!(value(&log.take(), "writeIds"), write);
    let feed = ada
        .reads("/api/changes?cursor=first&type=task")
        .await;
    let newest = feed.as_array().unwrap().last().unwrap();
    shows!(newest, {"recordId": id, "action": "created", "writeId": write});
    let delivery = api.newest_delivery(&ada, webhook).await;
    assert_eq!(delivery["change"]["writeId"], write);
    log.take();
    api.sends_webhooks().await;
    let sent = log.take();
    assert_eq!(value(&sent, "writeId"), write);
    assert_eq!(value(&sent, "deliveryId"), delivery["id"]);
    let [message] = receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert_eq!(message.json()["data"]["change"]["writeId"], write);

    // A replay names the write of the first request, and a refusal none.
    log.take();
    let replay = traced.post("/api/tasks", task).await;
    assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    traced
        .get("/api/tasks/999")
        .await
        .expect(404);
    let [replayed, refused] = log.take().try_into().unwrap();
    shows!(replayed, {"route": "/api/tasks", "writeId": write});
    assert_eq!(refused["writeId"], Value::Null);

    // So is the delete of a record, of which no item is left.
    ada.deletes(&format!("/api/tasks/{id}"))
        .await;
    let deleting = value(&log.take(), "writeId");
    assert_ne!(deleting, write);
    api.publishes().await;
    assert_eq!(value(&log.take(), "writeIds"), deleting);
    let delivery = api.deliveries(&ada, webhook).await;
    let change = delivery
        .iter()
        .map(|delivery| &delivery["change"]);
    let mut deleted = change.filter(|change| change["action"] == "deleted");
    shows!(deleted.next().unwrap(), {"recordId": id, "writeId": deleting});
}

#[tokio::test]
async fn a_sign_in_is_logged_with_its_user() {
    let (api, [max]) = Api::with_users(["max"]).await;
    let nobody = api.anonymous();
    let log = Log::begin();
    let sign_in = |password: &str| json!({"username": "max", "password": password});
    nobody
        .posts("/api/auth/login", sign_in(PASSWORD))
        .await;
    nobody
        .post("/api/auth/login", sign_in("wrong"))
        .await
        .expect(401);
    let [signed_in, refused] = log.take().try_into().unwrap();
    shows!(signed_in, {"userId": max.id, "organizationId": 1, "address": null});
    shows!(refused, {"userId": null, "organizationId": null});
}

/// The notification of a change names the write of the change, and not its own.
#[tokio::test]
async fn a_notification_is_followed_from_the_request_that_caused_it() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let max = api.user("max").await;
    let receiver = Receiver::start().await;
    let events = ["notification.created"];
    let (webhook, _) = api
        .has_webhook(&ada, &receiver.url, &events)
        .await;
    let log = Log::begin();
    ada.creates_task(json!({"assigneeId": max.id}))
        .await;
    let write = value(&log.take(), "writeId");
    // The notification is a change of its own.
    api.publishes().await;
    api.publishes().await;
    let [delivery] = api
        .deliveries(&ada, webhook)
        .await
        .try_into()
        .unwrap();
    shows!(delivery, {"type": "notification.created", "/change/writeId": write});
}

#[tokio::test]
async fn ids_are_numbers_in_the_lines_of_all_functions() {
    let log = Log::begin();
    let world = World::filled().await;
    let mails = MailReceiver::start().unwrap();
    world.api().sends_mails(&mails).await;
    let lines = log.take();
    let mut seen = BTreeSet::new();
    for line in &lines {
        for name in NUMBERS {
            assert!(line[name].is_null() || line[name].is_i64(), "{line}");
            seen.extend(line[name].is_i64().then_some(name));
        }
    }
    assert_eq!(seen, NUMBERS.into());
    // A line of each consumer is among them.
    for of_consumer in ["published", "notified", "deliveryId", "mailId"] {
        let has_it = |line: &Value| !line[of_consumer].is_null() && line["organizationId"].is_i64();
        assert!(lines.iter().any(has_it), "{of_consumer}");
    }
}

/// Reads the sources, since no test makes functions log each line: `%` and `?` turn an id into a
/// text.
#[test]
fn no_line_has_an_id_as_its_text() {
    let sources = ["functions", "shared"].map(|folder| files(&path(folder), &[".rs"]));
    let mut ids = 0;
    // `%organization_id` is a text under another name.
    let texts = [
        "%organization",
        "%webhook_id",
        "%user_id",
        "%session_id",
        "%tenant",
    ];
    for source in sources.iter().flatten() {
        let text = fs::read_to_string(source).unwrap();
        for line in text.lines() {
            let has_text = texts
                .iter()
                .any(|text| line.contains(text));
            assert!(!has_text, "{}: {line}", source.display());
            let field = NUMBERS
                .iter()
                .find_map(|name| line.split_once(&format!("{name} = ")));
            let Some((_, value)) = field else {
                continue;
            };
            ids += 1;
            let is_text = value.starts_with(['%', '?']) || value.contains("to_string");
            assert!(!is_text, "{}: {line}", source.display());
        }
    }
    assert!(ids > 10, "{ids}");
}
