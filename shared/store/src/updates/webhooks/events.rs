//! Events, of changes of the table's stream.

use std::collections::HashMap;

use model::{
    base::{OrOther, RecordType, Timestamp, UserId},
    people::UserRef,
    updates::{EventChange, EventRecordId, EventSubject, FeedAction, FeedEntry, NotificationKind},
};
use serde::Deserialize;

use crate::updates::UnlistedChange;

/// An event that webhooks may be told of.
#[derive(Clone, Debug)]
pub struct WebhookEvent {
    /// The change, without its actor.
    pub(super) change: EventChange,
    pub(super) actor: Option<UserId>,
}

/// The attributes of a notification that its event shows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Notified {
    id: String,
    user_id: UserId,
    notification_kind: OrOther<NotificationKind>,
    subject: EventSubject,
    at: Timestamp,
    cause_write: Option<String>,
    actor: Option<UserId>,
}

impl WebhookEvent {
    pub fn of_entry(number: i64, entry: &FeedEntry) -> Self {
        Self {
            change: EventChange {
                id: Some(number.to_string()),
                kind: entry.of.kind.name().to_owned(),
                record_id: EventRecordId::Number(entry.of.record_id),
                parent: entry.parent,
                part: entry.part.clone(),
                action: entry.action,
                version: entry.version,
                fields: entry.fields.clone(),
                at: entry.at,
                write_id: entry.write_id.clone(),
                actor: None,
                user_id: None,
                notification_kind: None,
                subject: None,
            },
            actor: entry.actor,
        }
    }

    /// The event of a change that the feed does not have: a new notification. `None` for other
    /// changes.
    pub fn of_unlisted(change: &UnlistedChange) -> Option<Self> {
        if change.kind != RecordType::Notification || change.before::<Notified>().is_some() {
            return None;
        }
        let notified: Notified = change.after()?;
        Some(Self {
            change: EventChange {
                id: None,
                kind: EventChange::NOTIFICATION.to_owned(),
                record_id: EventRecordId::Text(notified.id),
                parent: None,
                part: None,
                action: FeedAction::Created,
                version: Some(change.version),
                fields: Vec::new(),
                at: notified.at,
                write_id: notified.cause_write,
                actor: None,
                user_id: Some(notified.user_id),
                notification_kind: Some(notified.notification_kind),
                subject: Some(notified.subject),
            },
            actor: notified.actor,
        })
    }

    pub(super) fn shown(mut self, actors: &HashMap<UserId, UserRef>) -> EventChange {
        self.change.actor = self
            .actor
            .and_then(|id| actors.get(&id).cloned());
        self.change
    }
}
