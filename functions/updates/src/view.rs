//! Views of changes and notifications.

use serde::Serialize;
use shared::{
    auth::Identity,
    model::{
        FeedAction, NotificationKind, RecordName, RecordType, SubjectType, Timestamp, UserRef,
    },
    store::{JoinedNotification, NumberedEntry},
};
use utoipa::ToSchema;

/// A change of a record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change, examples(json!({
    "id": "1768478400012",
    "type": "task",
    "recordId": 17,
    "parent": {"type": "project", "recordId": 1},
    "action": "updated",
    "version": 4,
    "fields": ["status"],
    "at": "2026-01-15T12:00:00.000Z",
    "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}
})))]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Unique in the organization, increasing.
    id: String,
    #[serde(rename = "type")]
    kind: RecordType,
    record_id: i64,
    /// Subject of a comment or a message; project of a task, a milestone or a phase.
    parent: Option<RecordName>,
    action: FeedAction,
    /// Version that the change led to; null for records without one.
    version: Option<i64>,
    /// Names of the changed fields, at most 50; empty for created and deleted records.
    fields: Vec<String>,
    /// Instant of the change.
    at: Timestamp,
    /// User who made the change; null for the service itself.
    actor: Option<UserRef>,
}

impl From<NumberedEntry> for ChangeView {
    fn from(
        NumberedEntry {
            number,
            entry,
            actor,
        }: NumberedEntry,
    ) -> Self {
        Self {
            id: number.to_string(),
            kind: entry.of.kind,
            record_id: entry.of.record_id,
            parent: entry.parent,
            action: entry.action,
            version: entry.version,
            fields: entry.fields,
            at: entry.at,
            actor,
        }
    }
}

/// A notification of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Notification, examples(json!({
    "id": "1768478400000-comment-5-1",
    "kind": "commented",
    "at": "2026-01-15T12:00:00.000Z",
    "actor": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"},
    "subject": {"type": "task", "id": 17, "title": "Compare the invoices of both systems"},
    "excerpt": "September agrees to the cent. In October two invoices differ.",
    "readAt": null
})))]
#[serde(rename_all = "camelCase")]
pub struct NotificationView {
    /// Unique for the caller. Ids sort by time.
    id: String,
    kind: NotificationKind,
    /// Instant at which it was made.
    at: Timestamp,
    /// User who acted; null for the service itself.
    actor: Option<UserRef>,
    subject: SubjectView,
    /// Beginning of the text, up to 200 characters on one line.
    excerpt: Option<String>,
    /// Instant at which the caller read it; null for an unread one.
    read_at: Option<Timestamp>,
}

/// The record that a notification is about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NotificationSubject, examples(json!({
    "type": "task", "id": 17, "title": "Compare the invoices of both systems"
})))]
pub struct SubjectView {
    #[serde(rename = "type")]
    kind: SubjectType,
    id: i64,
    /// Null if the record is gone, or if the caller may no longer read it.
    title: Option<String>,
}

impl NotificationView {
    /// Returns the notification as its user sees it now.
    pub fn seen_by(viewer: &Identity, joined: JoinedNotification) -> Self {
        let JoinedNotification {
            notification,
            actor,
            title,
        } = joined;
        let subject = notification.subject;
        let may_read = viewer.may(subject.kind.permission());
        let may_quote = may_read && (!notification.internal || viewer.sees_notes());
        Self {
            id: notification.id,
            kind: notification.kind,
            at: notification.at,
            actor,
            subject: SubjectView {
                kind: subject.kind,
                id: subject.id,
                title: title.filter(|_| may_read),
            },
            excerpt: notification.excerpt.filter(|_| may_quote),
            read_at: notification.read_at,
        }
    }
}
