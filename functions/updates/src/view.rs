//! Views of changes, found records and notifications.

use serde::Serialize;
use shared::{
    auth::Identity,
    model::{
        FeedAction, NotificationKind, ProjectId, RecordName, RecordType, SearchedType, SubjectType,
        Timestamp, UserRef,
    },
    store::{FoundRecord, JoinedNotification, NumberedEntry},
};
use utoipa::ToSchema;

/// A change of a record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change, examples(json!({
    "id": "1768478400012",
    "type": "task",
    "recordId": 17,
    "parent": {"type": "project", "recordId": 1},
    "part": null,
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
    /// Subject of a comment or a message; project of a task, a milestone, a phase or an activity.
    parent: Option<RecordName>,
    /// Action of an agent session that changed, with its version, as `a1@3`; null for other changes.
    #[schema(examples("a1@3"))]
    part: Option<String>,
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
            part: entry.part,
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
    "subject": {
        "type": "task", "id": 17, "title": "Compare the invoices of both systems",
        "path": "/api/tasks/17"
    },
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
    /// Beginning of the text, up to 200 characters on one line. Of a proposal, its actions and the end of
    /// the time for approvals.
    excerpt: Option<String>,
    /// Instant at which the caller read it; null for an unread one.
    read_at: Option<Timestamp>,
}

/// The record that a notification is about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NotificationSubject, examples(json!({
    "type": "task", "id": 17, "title": "Compare the invoices of both systems",
    "path": "/api/tasks/17"
})))]
pub struct SubjectView {
    #[serde(rename = "type")]
    kind: SubjectType,
    id: i64,
    /// Null if the record is gone, or if the caller may no longer read it.
    title: Option<String>,
    /// Path of the record in this API; null without a title.
    path: Option<String>,
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
        let title = title.filter(|_| may_read);
        let may_quote = may_read && (!notification.internal || viewer.sees_notes());
        Self {
            id: notification.id,
            kind: notification.kind,
            at: notification.at,
            actor,
            subject: SubjectView {
                kind: subject.kind,
                id: subject.id,
                path: title.as_ref().and_then(|_| subject.path()),
                title,
            },
            excerpt: notification.excerpt.filter(|_| may_quote),
            read_at: notification.read_at,
        }
    }
}

/// A found record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundRecord, examples(json!({
    "type": "comment",
    "id": 31,
    "title": "Move the invoices",
    "excerpt": "September agrees to the cent. In October two invoices differ.",
    "projectId": null,
    "status": null,
    "updatedAt": "2026-01-15T12:00:00.000Z",
    "parent": {"type": "task", "recordId": 17}
})))]
#[serde(rename_all = "camelCase")]
pub struct FoundView {
    #[serde(rename = "type")]
    kind: SearchedType,
    id: i64,
    /// Title; of a comment or a message, that of its parent; of an activity, the beginning of its
    /// description.
    title: String,
    /// Part of description or content about the match, at most 160 characters between ellipses; null
    /// without text.
    excerpt: Option<String>,
    /// Project of a task, a milestone or an activity, or the project itself.
    project_id: Option<ProjectId>,
    /// Status; null for activities, comments and messages.
    status: Option<String>,
    updated_at: Timestamp,
    /// Subject of a comment or a message.
    parent: Option<RecordName>,
}

impl From<FoundRecord> for FoundView {
    fn from(found: FoundRecord) -> Self {
        Self {
            kind: found.kind,
            id: found.id,
            title: found.title,
            excerpt: found.excerpt,
            project_id: found.project_id,
            status: found.status,
            updated_at: found.updated_at,
            parent: found.parent,
        }
    }
}
