use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, OrganizationId, QueueMessage, Timestamp, WebhookId,
        attempts::{DELIVERY, LONGEST_DELAY, SKEW, attempted},
        span,
    },
    input, names,
    people::digest,
};

use super::EventChange;

/// The pauses before the second and each further attempt, in milliseconds.
const PAUSES: [i64; 9] = [
    5 * span::SECOND,
    5 * span::MINUTE,
    30 * span::MINUTE,
    2 * span::HOUR,
    5 * span::HOUR,
    10 * span::HOUR,
    14 * span::HOUR,
    20 * span::HOUR,
    24 * span::HOUR,
];

/// The longest pause that a receiver may ask for by `Retry-After`, in milliseconds.
const LONGEST_PAUSE: i64 = span::DAY;

/// The part of a pause by which it may be longer: a tenth.
const JITTER: i64 = 10;

/// Milliseconds until a delivery of a suspended organization is tried again. The sweeper sends its
/// message.
const SUSPENDED: i64 = LONGEST_DELAY + span::MINUTE;

/// The least and the most milliseconds for which a delivery waits while its receiver is slow.
const WAIT: (i64, i64) = (15 * span::SECOND, 2 * span::MINUTE);

/// The milliseconds of an attempt. Longer than an answer may take, so that two attempts seldom
/// overlap.
const LEASE: i64 = 30 * span::SECOND;

/// A delivery of an event to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// Id, which every attempt sends as `webhook-id`.
    pub id: String,
    pub organization_id: OrganizationId,
    pub webhook_id: WebhookId,
    #[serde(rename = "type")]
    pub event: String,
    pub change: EventChange,
    pub status: DeliveryStatus,
    /// Attempts since it was created or sent again by a user.
    #[schema(minimum = 0, maximum = 10)]
    pub attempts: i64,
    /// Status of the last answer; null without one.
    #[schema(minimum = 100, maximum = 599)]
    pub last_status_code: Option<i64>,
    /// Problem of the last attempt; null after a success.
    pub last_error: Option<String>,
    /// Instant of the next attempt; null when there is none to come.
    pub next_attempt_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// The end of the running attempt.
    pub leased_until: Option<Timestamp>,
    /// The instant from which the sweeper sends a message for it; none when no attempt is to come.
    pub due_at: Option<Timestamp>,
}

names! {
    /// The status of a delivery.
    pub enum DeliveryStatus = "a status" {
        Pending: "An attempt is to come.",
        Delivered: "The receiver answered with 2xx.",
        Failed: "No further attempt is to come.",
    }
}

input! {
    pub struct WebhookDeliveryFilter { status: Option<AnyOf<DeliveryStatus>> }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAttempt {
    /// The status; none without an answer.
    pub status: Option<u16>,
    pub problem: String,
    /// The milliseconds of `Retry-After`.
    pub retry_after: Option<i64>,
}

impl WebhookDelivery {
    pub const NOUN: &str = "delivery";

    /// Milliseconds for which a delivery is kept.
    pub const KEPT: i64 = 7 * span::DAY;

    /// Creates the delivery of a change, which is to be attempted at once. Two deliveries of one
    /// change to one webhook have the same id.
    pub fn new(
        tenant: OrganizationId,
        webhook: WebhookId,
        change: EventChange,
        now: Timestamp,
    ) -> Self {
        let event = change.event_type();
        Self {
            id: id(tenant, webhook, &change),
            organization_id: tenant,
            webhook_id: webhook,
            event,
            change,
            status: DeliveryStatus::Pending,
            attempts: 0,
            last_status_code: None,
            last_error: None,
            next_attempt_at: Some(now),
            created_at: now,
            leased_until: None,
            due_at: Some(now.plus(DELIVERY)),
        }
    }

    /// Returns the beginning of the ids of changes at an instant.
    pub fn id_beginning(at: Timestamp) -> String {
        format!("evt_{:013}", at.millis())
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        now.since(self.created_at) >= Self::KEPT
    }

    /// Ends an attempt that the receiver answered with 2xx.
    pub fn succeed(&mut self, status: u16) {
        self.end(DeliveryStatus::Delivered);
        self.last_status_code = Some(status.into());
        self.last_error = None;
    }

    /// Ends an attempt that failed. Plans the next one, after a pause with a `jitter` of 0 to 1,000
    /// thousandths, unless it was the last.
    pub fn fail(&mut self, failed: &FailedAttempt, jitter: i64, now: Timestamp) {
        self.last_status_code = failed.status.map(i64::from);
        self.last_error = Some(failed.problem.clone());
        let Some(pause) = self.pause() else {
            return self.end(DeliveryStatus::Failed);
        };
        let jitter = pause / JITTER * jitter / 1_000;
        let asked = failed
            .retry_after
            .unwrap_or_default()
            .min(LONGEST_PAUSE);
        self.go_on(now.plus((pause + jitter).max(asked)), now);
    }

    /// Puts the next attempt off, since the receiver is slow and another message has its turn. A
    /// `jitter` of 0 to 1,000 thousandths spreads the deliveries that wait.
    pub fn wait(&mut self, jitter: i64, now: Timestamp) {
        let (least, most) = WAIT;
        self.plan(now.plus(least + (most - least) * jitter / 1_000));
    }

    /// Puts the next attempt off while the organization is suspended.
    pub fn hold(&mut self, now: Timestamp) {
        self.plan(now.plus(SUSPENDED));
    }

    fn plan(&mut self, next: Timestamp) {
        self.next_attempt_at = Some(next);
        self.due_at = Some(next.plus(DELIVERY));
    }

    pub fn give_up(&mut self, problem: &str) {
        self.end(DeliveryStatus::Failed);
        self.last_error = Some(problem.to_owned());
    }

    /// Plans the first attempt once more, at once.
    pub fn send_again(&mut self, now: Timestamp) {
        self.status = DeliveryStatus::Pending;
        self.attempts = 0;
        self.plan(now);
    }

    /// The message for the next attempt. `None` when there is none to come, and when the sweeper is
    /// to send it.
    pub fn message(&self, now: Timestamp) -> Option<DeliveryMessage> {
        Some(DeliveryMessage {
            organization_id: self.organization_id,
            webhook_id: self.webhook_id,
            delivery_id: self.id.clone(),
            delay: self.delay(now)?,
        })
    }
}

attempted!(
    WebhookDelivery,
    DeliveryStatus,
    DeliveryMessage,
    LEASE,
    PAUSES
);

/// The id of a change's delivery to a webhook: the instant of the change, and a hash.
fn id(tenant: OrganizationId, webhook: WebhookId, change: &EventChange) -> String {
    let record = serde_json::to_string(&change.record_id).unwrap_or_default();
    // What has no version is told apart by its entry.
    let version = change
        .version
        .map(|version| version.to_string());
    let version = version
        .or_else(|| change.id.clone())
        .unwrap_or_default();
    let event = change.event_type();
    let hash = digest(&format!("{tenant} {webhook} {event} {record} {version}"));
    let beginning = WebhookDelivery::id_beginning(change.at);
    format!("{beginning}_{}", &hash[..24])
}

/// A message of the webhook queue: the delivery to attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryMessage {
    pub organization_id: OrganizationId,
    pub webhook_id: WebhookId,
    pub delivery_id: String,
    /// The time for which the queue holds the message back.
    #[serde(skip)]
    pub delay: Duration,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::Id;

    fn change(version: i64) -> EventChange {
        let change = json!({
            "type": "task", "recordId": 17, "action": "updated", "version": version, "fields": [],
            "at": "2026-01-15T12:00:00.000Z",
        });
        serde_json::from_value(change).unwrap()
    }

    fn delivery(now: Timestamp) -> WebhookDelivery {
        let tenant = OrganizationId::new(1).unwrap();
        let webhook = WebhookId::new(1).unwrap();
        WebhookDelivery::new(tenant, webhook, change(4), now)
    }

    fn failed(retry_after: Option<i64>) -> FailedAttempt {
        FailedAttempt {
            status: Some(500),
            problem: "The receiver answered 500.".to_owned(),
            retry_after,
        }
    }

    #[test]
    fn retries_come_after_the_pauses_and_end_with_the_last() {
        let mut now = Timestamp::from_millis(0);
        let mut delivery = delivery(now);
        for pause in PAUSES {
            assert!(delivery.may_begin(now));
            delivery.begin(now);
            assert!(!delivery.may_begin(now));
            delivery.fail(&failed(None), 0, now);
            assert!(!delivery.may_begin(now.plus(pause - 2 * SKEW)));
            now = now.plus(pause);
            assert_eq!(delivery.next_attempt_at, Some(now));
        }
        delivery.begin(now);
        delivery.fail(&failed(None), 0, now);
        assert_eq!(delivery.status, DeliveryStatus::Failed);
        assert_eq!((delivery.next_attempt_at, delivery.due_at), (None, None));
        assert_eq!(delivery.attempts, 10);
        delivery.send_again(now);
        assert!(delivery.may_begin(now) && delivery.attempts == 0);
    }

    #[test]
    fn a_pause_grows_by_a_tenth_at_most_or_to_what_the_receiver_asks() {
        let now = Timestamp::from_millis(0);
        for (retry_after, jitter, pause) in [
            (None, 1_000, 5_500),
            (None, 500, 5_250),
            (Some(2_000), 0, 5_000),
            (Some(span::HOUR), 0, span::HOUR),
            (Some(9 * span::DAY), 0, span::DAY),
        ] {
            let mut delivery = delivery(now);
            delivery.begin(now);
            delivery.fail(&failed(retry_after), jitter, now);
            assert_eq!(delivery.next_attempt_at, Some(now.plus(pause)));
            let by_queue = delivery.message(now).is_some();
            assert_eq!(by_queue, pause <= LONGEST_DELAY);
            let due = if by_queue { pause + DELIVERY } else { pause };
            assert_eq!(delivery.due_at, Some(now.plus(due)));
        }
    }

    #[test]
    fn an_attempt_that_was_lost_is_due_after_its_lease() {
        let now = Timestamp::from_millis(0);
        let mut delivery = delivery(now);
        let late = now.plus(DELIVERY);
        delivery.begin(late);
        assert_eq!(delivery.due_at, Some(late.plus(LEASE)));
        assert!(!delivery.may_begin(late.plus(LEASE - 1)));
        assert!(delivery.may_begin(late.plus(LEASE)));
    }

    #[test]
    fn an_id_is_that_of_the_change_and_the_webhook() {
        let now = Timestamp::from_millis(0);
        assert_eq!(delivery(now).id, delivery(now.plus(1)).id);
        assert!(
            delivery(now)
                .id
                .starts_with("evt_1768478400000_")
        );
        let tenant = OrganizationId::new(1).unwrap();
        let of = |webhook, version| {
            let webhook = WebhookId::new(webhook).unwrap();
            WebhookDelivery::new(tenant, webhook, change(version), now).id
        };
        assert_ne!(of(1, 4), of(2, 4));
        assert_ne!(of(1, 4), of(1, 5));
    }

    #[test]
    fn a_message_reads_as_it_was_written() {
        let now = Timestamp::from_millis(0);
        let message = delivery(now).message(now).unwrap();
        let read = DeliveryMessage::from_text(&message.to_text().unwrap());
        assert_eq!(read.unwrap(), message);
        let other = r#"{"version":2,"organizationId":1,"webhookId":1,"deliveryId":"x"}"#;
        assert!(DeliveryMessage::from_text(other).is_err());
    }
}
