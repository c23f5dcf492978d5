//! A user's notifications, as the user reads them.

use std::collections::HashMap;

use model::{
    base::{
        Id, NotificationSubject, ProjectId, RecordType, SubjectType, Talk, Thread, Timestamp,
        TitleOf, UserId, characters::beginning, span,
    },
    people::{Permission, Scope, User, UserRef},
    updates::{Notification, NotificationFilter, NotificationKind},
    work::Comment,
};
use serde::Serialize;
use table::{
    AnyKey, Batch, Gsi2, Key, Read, RecordList, Stored,
    page::{Page, PageRequest},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{
        Reader,
        filter::Filter,
        records::{Inbox, Located},
        scope::Placed,
        texts::DESCRIPTION,
    },
    key::{self, Keyed},
    updates::Notifications,
};

use super::notice::excerpt;

/// The most characters of a title that is the beginning of a longer text.
const TITLE: usize = 100;

/// The most notifications of a minute that a mail has. The inbox has all.
const MAILED: usize = 200;

/// A notification of the caller.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Notification)]
#[serde(rename_all = "camelCase")]
pub struct JoinedNotification {
    /// Unique for the caller. Ids sort by time.
    id: String,
    pub kind: NotificationKind,
    /// Instant at which it was made.
    at: Timestamp,
    /// User who acted; null for the service itself.
    pub actor: Option<UserRef>,
    pub subject: JoinedSubject,
    /// URL of the desk's view with the subject; null without a title.
    pub url: Option<String>,
    /// Beginning of the text, up to 200 characters on one line. Of a proposal, its actions and the
    /// end of the time for approvals.
    pub excerpt: Option<String>,
    /// Instant at which the caller read it; null for an unread one.
    read_at: Option<Timestamp>,
    /// True if the text is an internal note's.
    #[serde(skip)]
    #[schema(ignore)]
    internal: bool,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = NotificationSubject)]
pub struct JoinedSubject {
    #[serde(rename = "type")]
    kind: SubjectType,
    id: i64,
    /// Null if the record is gone, or if the caller may no longer read it.
    pub title: Option<String>,
    /// Path of the record in this API; null without a title.
    path: Option<String>,
}

impl JoinedNotification {
    /// Returns the notification without what its user may no longer read. `web_url` is the desk's
    /// address.
    #[must_use]
    pub fn for_user(
        mut self,
        may: impl Fn(Permission) -> bool,
        sees_notes: bool,
        web_url: &str,
    ) -> Self {
        if !may(self.subject.kind.facts().permission) {
            (self.subject.title, self.subject.path, self.excerpt) = (None, None, None);
        }
        let url = || {
            format!(
                "{web_url}{}",
                self.subject
                    .kind
                    .view(self.subject.id, None)
            )
        };
        self.url = self
            .subject
            .title
            .as_ref()
            .map(|_| url());
        if self.internal && !sees_notes {
            self.excerpt = None;
        }
        self
    }
}

impl Notifications<'_> {
    /// The notifications of a minute that a user gets by mail, oldest first.
    pub(crate) async fn of_minute(
        &self,
        user: &User,
        minute: Timestamp,
    ) -> Result<Vec<JoinedNotification>> {
        let tenant = user.organization_id;
        let of_minute = key::notifications(tenant, user.id)
            .from(key::notifications_from(minute))
            .up_to(key::notifications_from(minute.plus(span::MINUTE)));
        let wanted = PageRequest::first(MAILED);
        let page = self.0.table.page(of_minute, &wanted);
        let scopes = self.0.scoped().scopes(tenant);
        let (inbox, page, scopes) = tokio::try_join!(self.inbox(tenant, user.id), page, scopes)?;
        let preferences = inbox.preferences();
        let page = page.map(|stored: Stored<Notification>| stored.record);
        let page = page.filter_map(|notification| {
            preferences
                .mails(notification.kind)
                .then_some(notification)
        });
        let scope = Scope::of(user, &scopes, self.0.now());
        let joined = self
            .joined(&Reader::with(tenant, scope), page)
            .await?;
        Ok(joined
            .rows
            .into_iter()
            .map(|row| row.record)
            .collect())
    }

    /// A page of a user's notifications, newest first.
    pub async fn page(
        &self,
        reader: &Reader,
        user: UserId,
        filter: &NotificationFilter,
        wanted: &PageRequest,
    ) -> Result<Page<JoinedNotification>> {
        let tenant = reader.tenant;
        let kinds = Filter::of(user).any("notificationKind", filter.kind.as_ref())?;
        let kinds = kinds.condition();
        let table = &self.0.table;
        let (inbox, page) = if filter.unread == Some(true) {
            let inbox = self.inbox(tenant, user).await?;
            let unread = self
                .unread_of(tenant, user, &inbox)
                .filter(kinds);
            (inbox, table.page(unread, wanted).await?)
        } else {
            let notifications = key::notifications(tenant, user)
                .filter(kinds)
                .descending();
            let notifications = notifications.from(key::notifications_from(self.first_kept()));
            tokio::try_join!(self.inbox(tenant, user), table.page(notifications, wanted))?
        };
        let page = page.filter_map(|stored| {
            let mut notification = stored.record;
            notification.read_at = read_at(&notification, &inbox);
            let is_unread = notification.read_at.is_none();
            let fits = filter
                .unread
                .is_none_or(|unread| unread == is_unread);
            fits.then_some(notification)
        });
        self.joined(reader, page).await
    }

    /// The number of a user's unread notifications, counted up to `most`.
    pub async fn unread(&self, tenant: Tenant, user: UserId, most: usize) -> Result<usize> {
        let inbox = self.inbox(tenant, user).await?;
        let unread = self
            .unread_of(tenant, user, &inbox)
            .places()
            .limit(most);
        Ok(self.0.table.list(unread).await?.len())
    }

    /// A user's unread notifications, newest first.
    fn unread_of(
        self,
        tenant: Tenant,
        user: UserId,
        inbox: &Inbox,
    ) -> RecordList<Notification, Gsi2> {
        let after = inbox
            .read_before
            .map(|before| before.plus(1));
        let first = self
            .first_kept()
            .max(after.unwrap_or(self.first_kept()));
        let unread = key::unread_notifications(tenant, user).descending();
        unread.from(key::notifications_from(first))
    }

    /// The instant of the first notification that has not expired.
    fn first_kept(self) -> Timestamp {
        self.0
            .now()
            .plus(1 - Notification::KEPT)
    }

    /// Adds the records that notifications name, read with one batch. Those out of the reader's
    /// scope are as those that are gone.
    async fn joined(
        &self,
        reader: &Reader,
        page: Page<Notification>,
    ) -> Result<Page<JoinedNotification>> {
        let tenant = reader.tenant;
        let user = |id: UserId| id.key(tenant);
        let keys = page.records().flat_map(|notification| {
            let subject = key::titled(tenant, notification.subject).map(AnyKey::from);
            let comment = comment_of(tenant, notification).map(AnyKey::from);
            let actor = notification
                .actor
                .map(|id| user(id).into());
            [subject, comment, actor]
                .into_iter()
                .flatten()
        });
        let batch = self
            .0
            .table
            .batch_get(keys, Read::Eventual)
            .await?;
        let actors = page
            .records()
            .filter_map(|notification| notification.actor);
        let users: HashMap<UserId, UserRef> = batch.all(actors, user);
        let places = page
            .records()
            .map(|notification| place_of(&batch, tenant, notification.subject));
        let places: Vec<Located> = places.collect();
        let scope = self
            .0
            .scoped()
            .scope(reader, &places)
            .await?;
        Ok(page.map(|notification| {
            let subject = notification.subject;
            let is_seen = scope.sees(place_of(&batch, tenant, subject).place());
            let title = title_of(&batch, tenant, subject).filter(|_| is_seen);
            let excerpt = excerpt_of(&batch, tenant, &notification);
            JoinedNotification {
                id: notification.id,
                kind: notification.kind,
                at: notification.at,
                actor: notification
                    .actor
                    .and_then(|id| users.get(&id).cloned()),
                excerpt: title.as_ref().and(excerpt),
                subject: JoinedSubject {
                    kind: subject.kind,
                    id: subject.id,
                    path: title
                        .as_ref()
                        .and_then(|_| subject.path()),
                    title,
                },
                url: None,
                read_at: notification.read_at,
                internal: notification.internal,
            }
        }))
    }
}

fn read_at(notification: &Notification, inbox: &Inbox) -> Option<Timestamp> {
    let is_before = Some(notification.at) <= inbox.read_before;
    let before = inbox
        .read_before_at
        .filter(|_| is_before);
    notification.read_at.or(before)
}

/// The comment whose text the excerpt is of.
fn comment_of(tenant: Tenant, notification: &Notification) -> Option<Key<Comment>> {
    let NotificationSubject { kind, id } = notification.subject;
    let thread = Thread::of(*kind, id)?;
    Some(key::comment(tenant, thread, notification.comment_id?))
}

/// The beginning of a notification's text as it is now: of its comment, or of its subject's
/// description. None for a deleted comment. Other texts never change.
fn excerpt_of(batch: &Batch, tenant: Tenant, notification: &Notification) -> Option<String> {
    let subject = notification.subject;
    if let Some(key) = comment_of(tenant, notification) {
        return batch
            .named(&key)?
            .record
            .content
            .map(|text| excerpt(&text));
    }
    // Where there are messages, the first of them is the description.
    let has_messages = Talk::of(*subject.kind, subject.id).is_some_and(|on| on.thread().is_none());
    if notification.kind == NotificationKind::Mentioned && !has_messages {
        let titled = batch.named(&key::titled(tenant, subject)?)?;
        let goes_on = if titled.text_key(DESCRIPTION).is_some() {
            "…"
        } else {
            ""
        };
        let shown = excerpt(titled.description.as_deref()?);
        return Some(format!("{shown}{goes_on}"));
    }
    notification.excerpt.clone()
}

/// The place of a record, by which it is in scope or not.
fn place_of(batch: &Batch, tenant: Tenant, subject: NotificationSubject) -> Located {
    let titled = key::titled(tenant, subject).and_then(|key| batch.named(&key));
    let titled = titled
        .map(|titled| titled.record)
        .unwrap_or_default();
    let project = ProjectId::new(subject.id);
    let own = project.filter(|_| *subject.kind == RecordType::Project);
    Located {
        project_id: own.or(titled.project_id),
        created_at: titled.created_at,
    }
}

/// The title of a record; `None` if it is gone.
fn title_of(batch: &Batch, tenant: Tenant, subject: NotificationSubject) -> Option<String> {
    let titled = batch
        .named(&key::titled(tenant, subject)?)?
        .record;
    match subject.kind.facts().title {
        TitleOf::Title => titled.title,
        TitleOf::Description => {
            let text = titled.description?;
            Some(beginning(&text, TITLE).to_owned())
        }
        TitleOf::SignalType => titled.signal_type,
        TitleOf::Url => titled.url,
        TitleOf::Fixed(title) => Some(title.to_owned()),
    }
}
