//! Webhooks: the publisher creates deliveries, the sender attempts them, the sweeper wakes it.

mod health;
mod slow;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::{
    model::{
        base::{OrganizationId, Timestamp, span},
        updates::Webhook,
    },
    store,
};
use tests::support::{
    Api, Caller, Death, Item, creates, number, patches, set, shows, text,
    webhooks::{API_URL, Receiver, caller, handled, message_of, verified},
};

/// The pauses before the second and each further attempt, in seconds.
const PAUSES: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// A webhook of organization 1 that is told of tasks.
struct Told {
    api: Api,
    ada: Caller,
    receiver: Receiver,
    webhook: i64,
    secret: String,
}

impl Told {
    async fn start() -> Self {
        Self::start_in(Api::start().await).await
    }

    async fn start_in(api: Api) -> Self {
        let ada = api.sign_in("ada").await;
        let receiver = Receiver::start().await;
        let (webhook, secret) = api
            .has_webhook(&ada, &receiver.url, &["task.*"])
            .await;
        Self {
            api,
            ada,
            receiver,
            webhook,
            secret,
        }
    }

    /// Creates a task, whose delivery is pending. Returns the delivery's id.
    async fn task(&self) -> String {
        self.api.changes().await;
        let ada = self.session().await;
        ada.creates_task(json!({})).await;
        self.api.publishes().await;
        let newest = self
            .api
            .newest_delivery(&ada, self.webhook)
            .await;
        newest["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Creates a task and attempts its delivery once. Returns the delivery's id.
    async fn attempts_task(&self) -> String {
        let delivery = self.task().await;
        self.attempts(&delivery).await;
        delivery
    }

    /// A new session of ada, whose first one ends with the days.
    async fn session(&self) -> Caller {
        self.api
            .session_of(&self.api.user("ada").await)
            .await
    }

    /// Hands the message of a delivery to the sender.
    async fn attempts(&self, delivery: &str) {
        let message = message_of(self.api.home.id, self.webhook, delivery);
        self.api.sends(vec![message]).await;
    }

    async fn deliveries(&self) -> Vec<Value> {
        let ada = self.session().await;
        self.api
            .deliveries(&ada, self.webhook)
            .await
    }

    fn path(&self) -> String {
        format!("/api/webhooks/{}", self.webhook)
    }

    async fn shown(&self) -> Value {
        self.session()
            .await
            .reads(&self.path())
            .await
    }

    /// Changes the webhook. Returns it.
    async fn changes(&self, body: Value) -> Value {
        self.session()
            .await
            .patches(&self.path(), body)
            .await
    }

    /// The entry of its newest delivery alone.
    async fn delivery(&self) -> Value {
        let [delivery] = self
            .deliveries()
            .await
            .try_into()
            .unwrap();
        delivery
    }

    /// The deliveries that are still to be made.
    async fn pending(&self) -> Vec<Value> {
        let mut deliveries = self.deliveries().await;
        deliveries.retain(|delivery| delivery["status"] == "pending");
        deliveries
    }

    /// Hands the messages of all pending deliveries to the sender.
    async fn all_attempt(&self) {
        let pending = self.pending().await.into_iter();
        let of_one = |delivery: Value| {
            message_of(
                self.api.home.id,
                self.webhook,
                delivery["id"].as_str().unwrap(),
            )
        };
        self.api
            .sends(pending.map(of_one).collect())
            .await;
    }

    /// Sweeps, and has the sender handle what the sweeper sent. Returns the number of messages.
    async fn sweeps(&self) -> usize {
        let swept = self.api.sweeper().await.sweep().await;
        assert_eq!(swept.errors, 0);
        self.api.sends_webhooks().await;
        swept.deliveries
    }
}

fn next_attempt(delivery: &Value) -> Timestamp {
    delivery["nextAttemptAt"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_change_is_told_without_its_values() {
    let told = Told::start().await;
    let delivery = told.task().await;
    assert_eq!(told.api.sends_webhooks().await, 1);
    let [message] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert!(verified(&told.secret, &message));
    assert_eq!(message.header("webhook-id"), delivery);
    assert_eq!(message.header("webhook-timestamp"), "1768478400");
    assert_eq!(message.header("content-type"), "application/json");
    let body = message.json();
    let change = &body["data"]["change"];
    let expected = json!({
        "type": "task.created", "timestamp": "2026-01-15T12:00:00.000Z",
        "data": {"url": format!("{API_URL}/api/tasks/1"), "webUrl": format!("{API_URL}/#/tasks/1"), "change": {
            "id": change["id"], "type": "task", "recordId": 1, "action": "created", "version": 1,
            "parent": {"type": "project", "recordId": 1}, "part": null, "fields": [],
            "at": "2026-01-15T12:00:00.000Z", "writeId": change["writeId"], "actor": change["actor"],
            "userId": null, "kind": null, "subject": null,
        }},
    });
    assert_eq!(body, expected);
    assert_eq!(change["actor"]["username"], "ada");
    let feed = told
        .ada
        .get("/api/changes?cursor=first&type=task")
        .await;
    assert_eq!(feed.expect(200)[0]["id"], change["id"]);
    shows!(told.delivery().await, {"status": "delivered", "attempts": 1, "lastStatusCode": 204});
    shows!(told.shown().await, {"lastSuccessAt": "2026-01-15T12:00:00.000Z"});
}

#[tokio::test]
async fn what_is_delivered_twice_is_created_and_sent_once() {
    let told = Told::start().await;
    told.api.changes().await;
    told.ada.creates_tasks(["a", "b"]).await;
    let changes = told.api.changes().await;
    told.api
        .delivers_changes(&changes)
        .await;
    let messages = told.api.webhook_messages().await;
    assert_eq!(messages.len(), 2);
    told.api.sends(messages.clone()).await;
    told.api
        .sends([messages.clone(), messages].concat())
        .await;
    told.api
        .delivers_changes(&changes[1..])
        .await;
    told.api
        .delivers_changes(&changes)
        .await;
    told.api.sends_webhooks().await;
    assert_eq!(told.deliveries().await.len(), 2);
    assert_eq!(told.receiver.take().await.len(), 2);
}

#[tokio::test]
async fn only_enabled_webhooks_of_the_organization_hear_of_what_they_name() {
    let told = Told::start().await;
    let api = &told.api;
    let zoe = api.sign_in("zoe").await;
    let (abroad, _) = api
        .has_webhook(&zoe, &told.receiver.url, &["*"])
        .await;
    let (off, _) = api
        .has_webhook(&told.ada, &told.receiver.url, &["*"])
        .await;
    patches!(told.ada, "/api/webhooks/{off}", {"enabled": false});
    api.changes().await;
    told.ada.creates_task(json!({})).await;
    creates!(told.ada, "/api/tags", {"name": "urgent"});
    api.publishes().await;
    assert_eq!(told.deliveries().await.len(), 1);
    assert!(
        api.deliveries(&zoe, abroad)
            .await
            .is_empty()
    );
    assert!(
        api.deliveries(&told.ada, off)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_receiver_that_is_down_for_a_day_gets_everything() {
    let told = Told::start().await;
    let api = &told.api;
    let zoe = api.sign_in("zoe").await;
    let abroad = Receiver::start().await;
    api.has_webhook(&zoe, &abroad.url, &["task.*"])
        .await;
    told.receiver.always_answers(503).await;
    api.changes().await;
    for title in ["a", "b", "c"] {
        told.ada
            .creates_task(json!({"title": title}))
            .await;
    }
    zoe.creates_task(json!({"projectId": 3}))
        .await;
    api.publishes().await;
    api.sends_webhooks().await;
    assert_eq!(abroad.take().await.len(), 1);
    for quarter in 0..24 * 4 {
        api.clock.advance(15 * span::MINUTE);
        let has_change = quarter % 4 == 0;
        if has_change {
            zoe.creates_task(json!({"projectId": 3}))
                .await;
            api.publishes().await;
        }
        told.sweeps().await;
        // The other organization is told at once, all day long.
        assert_eq!(abroad.take().await.len(), usize::from(has_change));
    }
    let [a, b, c] = told
        .deliveries()
        .await
        .try_into()
        .unwrap();
    assert_eq!(
        [a, b, c].map(|delivery| delivery["attempts"].clone()),
        [7, 7, 7]
    );
    shows!(told.shown().await, {"failingSince": "2026-01-15T12:00:00.000Z"});
    told.receiver.always_answers(200).await;
    told.receiver.take().await;
    for _ in 0..24 {
        api.clock.advance(span::HOUR);
        told.sweeps().await;
    }
    let deliveries = told.deliveries().await;
    let mut statuses = deliveries
        .iter()
        .map(|delivery| &delivery["status"]);
    let holds = statuses.all(|status| status == "delivered");
    assert!(holds, "{deliveries:?}");
    let mut ids: Vec<_> = told.receiver.take().await;
    ids.sort_by_key(|message| message.header("webhook-id").to_owned());
    ids.dedup_by_key(|message| message.header("webhook-id").to_owned());
    assert_eq!(ids.len(), 3);
    assert!(told.shown().await["failingSince"].is_null());
    assert!(abroad.take().await.is_empty());
}

#[tokio::test]
async fn retries_come_at_the_listed_times_with_jitter() {
    let told = Told::start().await;
    told.receiver.always_answers(500).await;
    let delivery = told.task().await;
    for pause in PAUSES {
        let before = told.api.clock.now();
        told.attempts(&delivery).await;
        let waits = next_attempt(&told.delivery().await).since(before);
        let pause = pause * span::SECOND;
        let with_jitter = pause..=pause + pause / 10;
        assert!(with_jitter.contains(&waits), "{pause}: {waits}");
        // It is not attempted before its time.
        told.api
            .clock
            .advance(waits - 2 * span::SECOND);
        told.receiver.take().await;
        told.attempts(&delivery).await;
        assert!(told.receiver.take().await.is_empty());
        told.api.clock.advance(2 * span::SECOND);
    }
    told.attempts(&delivery).await;
    let failed = told.delivery().await;
    shows!(failed, {"status": "failed", "attempts": 10, "nextAttemptAt": null});
    assert_eq!(told.shown().await["enabled"], true);
}

#[tokio::test]
async fn a_short_pause_is_the_queues_and_a_long_one_the_sweepers() {
    let told = Told::start().await;
    told.receiver.answers(503, &[]).await;
    told.receiver
        .answers(503, &[("retry-after", "7200")])
        .await;
    let delivery = told.task().await;
    told.api.sends_webhooks().await;
    // The queue holds the message of the next attempt back. Its loss costs minutes.
    told.api.clock.advance(5 * span::SECOND);
    assert_eq!(told.sweeps().await, 0);
    told.api.clock.advance(3 * span::MINUTE);
    assert_eq!(told.sweeps().await, 1);
    shows!(told.delivery().await, {"id": delivery, "attempts": 2});
    told.api.clock.advance(span::HOUR);
    assert_eq!(told.sweeps().await, 0);
    told.api.clock.advance(span::HOUR);
    assert_eq!(told.sweeps().await, 1);
    assert_eq!(told.deliveries().await[0]["status"], "delivered");
}

#[tokio::test]
async fn a_receiver_that_is_gone_disables_its_webhook() {
    let told = Told::start().await;
    told.receiver.answers(410, &[]).await;
    let first = told.task().await;
    let second = told.task().await;
    told.attempts(&first).await;
    let webhook = told.shown().await;
    shows!(webhook, {"enabled": false, "disabledReason": "gone"});
    told.receiver.take().await;
    told.attempts(&second).await;
    assert!(told.receiver.take().await.is_empty());
    let deliveries = told.deliveries().await;
    let mut statuses = deliveries
        .iter()
        .map(|delivery| &delivery["status"]);
    assert!(statuses.all(|status| status == "failed"), "{deliveries:?}");
    let entries = told
        .ada
        .get("/api/journal?subject=webhook:1")
        .await;
    let entries = entries.expect(200);
    let last = entries
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(last["actor"]["type"], "service");
    shows!(last, {"after": {"enabled": false, "disabledReason": "gone"}});
    // It begins anew.
    let webhook = told
        .changes(json!({"enabled": true}))
        .await;
    shows!(webhook, {"disabledReason": null, "failingSince": null});
}

#[tokio::test]
async fn five_days_of_failures_alone_disable_a_webhook() {
    let told = Told::start().await;
    told.receiver.always_answers(500).await;
    for _ in 0..4 {
        told.attempts_task().await;
        told.api
            .clock
            .advance(span::DAY + span::HOUR);
    }
    let rest = Webhook::PATIENCE - 4 * (span::DAY + span::HOUR);
    told.api
        .clock
        .advance(rest - span::MINUTE);
    let second = told.attempts_task().await;
    assert_eq!(told.shown().await["enabled"], true);
    told.api.clock.advance(span::MINUTE);
    told.attempts(&second).await;
    shows!(told.shown().await, {"enabled": false, "disabledReason": "failing"});
}

#[tokio::test]
async fn a_success_begins_the_five_days_anew() {
    let told = Told::start().await;
    for status in [500, 500, 500, 200, 500] {
        told.receiver.answers(status, &[]).await;
        told.attempts_task().await;
        told.api
            .clock
            .advance(span::DAY + span::HOUR);
    }
    told.receiver.always_answers(500).await;
    let second = told.attempts_task().await;
    told.api.clock.advance(span::DAY);
    told.attempts(&second).await;
    assert_eq!(told.shown().await["enabled"], true);
}

#[tokio::test]
async fn both_secrets_sign_for_a_day_after_a_rotation() {
    let told = Told::start().await;
    let path = format!("{}/rotate-secret", told.path());
    let rotated = told.ada.triggers(&path).await;
    let newer = rotated["secret"].as_str().unwrap();
    told.attempts_task().await;
    let [message] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert!(verified(newer, &message) && verified(&told.secret, &message));
    told.api.clock.advance(Webhook::OVERLAP);
    told.attempts_task().await;
    let [message] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert!(verified(newer, &message) && !verified(&told.secret, &message));
}

#[tokio::test]
async fn an_attempt_whose_outcome_was_lost_is_made_again() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let told = Told::start_in(api).await;
    let delivery = told.task().await;
    told.api.webhook_messages().await;
    // The sender reads, claims, and dies after the receiver answered.
    faults.dies_at(2, Death::Before);
    let sender = told.api.webhook_sender().await;
    let message = message_of(told.api.home.id, told.webhook, &delivery);
    tokio::select! {
        _ = handled(&sender, vec![message]) => panic!("it should have died"),
        () = faults.holds(1) => {}
    }
    faults.lives();
    let [first] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    told.attempts(&delivery).await;
    let again = told.receiver.take().await;
    assert!(again.is_empty(), "its lease has not ended");
    told.api.clock.advance(3 * span::MINUTE);
    assert_eq!(told.sweeps().await, 1);
    let [second] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(second.body, first.body);
    shows!(told.delivery().await, {"status": "delivered", "attempts": 2});
}

#[tokio::test]
async fn redirects_are_not_followed_and_private_addresses_not_called() {
    let told = Told::start().await;
    let elsewhere = Receiver::start().await;
    let location = [("location", &*elsewhere.url)];
    told.receiver
        .answers(307, &location)
        .await;
    let delivery = told.attempts_task().await;
    assert!(elsewhere.take().await.is_empty());
    shows!(told.delivery().await, {"lastError": "The receiver answered 307. Redirects are not followed."});
    told.receiver.take().await;
    // A deployed sender calls no address of this machine, whatever the record says.
    told.api.clock.advance(span::MINUTE);
    let deployed = told
        .api
        .webhook_sender_with(caller(false))
        .await;
    let message = message_of(told.api.home.id, told.webhook, &delivery);
    handled(&deployed, vec![message]).await;
    assert!(told.receiver.take().await.is_empty());
    shows!(told.delivery().await, {"lastError": "The URL would leave the public internet."});
}

#[tokio::test]
async fn a_message_that_does_not_read_takes_no_other_along() {
    let told = Told::start().await;
    let delivery = told.task().await;
    let mut broken = message_of(told.api.home.id, told.webhook, &delivery);
    broken.body = Some("{}".to_owned());
    broken.message_id = Some("broken".to_owned());
    let good = message_of(told.api.home.id, told.webhook, &delivery);
    let response = handled(&told.api.webhook_sender().await, vec![broken, good]).await;
    let [failed] = &response.batch_item_failures[..] else {
        panic!("{response:?}");
    };
    assert_eq!(failed.item_identifier, "broken");
    assert_eq!(told.receiver.take().await.len(), 1);
}

#[tokio::test]
async fn a_notification_is_an_event_with_its_user() {
    let told = Told::start().await;
    let types = ["notification.created"];
    let url = &told.receiver.url;
    let (webhook, _) = told
        .api
        .has_webhook(&told.ada, url, &types)
        .await;
    told.api.changes().await;
    let mut subject = Item::new();
    set(&mut subject, [("type", text("task")), ("id", number(17))]);
    let mut notification = Item::new();
    let attributes = [
        ("pk", text("ORG#1#USER#1#NOTIFICATION")),
        ("sk", text("n1")),
        ("kind", text("notification")),
        ("version", number(1)),
        ("organizationId", number(1)),
        ("id", text("n1")),
        ("userId", number(told.ada.id())),
        ("at", text("2026-01-15T12:00:00.000Z")),
        ("actor", number(told.ada.id())),
        ("notificationKind", text("commented")),
        ("subject", AttributeValue::M(subject)),
    ];
    set(&mut notification, attributes);
    told.api.puts([notification]).await;
    told.api.publishes().await;
    let deliveries = told
        .api
        .deliveries(&told.ada, webhook)
        .await;
    let [delivery] = &deliveries[..] else {
        panic!("{deliveries:?}");
    };
    assert_eq!(delivery["type"], "notification.created");
    let change = &delivery["change"];
    shows!(change, {"recordId": "n1", "userId": told.ada.id()});
    shows!(change, {"id": null, "/actor/username": "ada"});
    let subject = json!({"type": "task", "id": 17});
    shows!(change, {"kind": "commented", "subject": subject});
    assert_eq!(told.api.sends_webhooks().await, 1);
    let [message] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    let data = &message.json()["data"];
    assert_eq!(data["change"]["subject"], subject);
    assert_eq!(data["webUrl"], format!("{API_URL}/#/tasks/17"));
}

#[tokio::test]
async fn links_lead_to_the_desk_of_the_organization() {
    let told = Told::start().await;
    let own = json!({"webUrl": "https://desk.example.com/halden/"});
    let answer = told
        .ada
        .patch("/api/organizations/1", own)
        .await;
    answer.expect(200);
    told.task().await;
    assert_eq!(told.api.sends_webhooks().await, 1);
    let [message] = told
        .receiver
        .take()
        .await
        .try_into()
        .unwrap();
    let data = &message.json()["data"];
    assert_eq!(data["url"], format!("{API_URL}/api/tasks/1"));
    assert_eq!(data["webUrl"], "https://desk.example.com/halden/#/tasks/1");
}

#[tokio::test]
async fn an_organization_without_webhooks_costs_one_small_read() {
    let api = Api::start().await;
    let entry = json!({
        "type": "task", "recordId": 1, "action": "created", "version": 1, "at": api.clock.now(),
    });
    let event = store::updates::WebhookEvent::of_entry(1, &serde_json::from_value(entry).unwrap());
    let tenant: OrganizationId = api.home.id;
    let (messages, used) = store::metered(
        api.store
            .webhooks()
            .deliver(tenant, vec![event]),
    )
    .await;
    assert!(messages.unwrap().is_empty());
    assert_eq!(used.requests, 1);
    assert!(used.units() <= 0.5, "{used:?}");
}
