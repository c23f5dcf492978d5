use std::collections::{BTreeMap, BTreeSet};

use futures::{FutureExt, StreamExt, TryStreamExt, future::OptionFuture, stream};
use model::{
    base::{Error, Timestamp, UserId},
    people::{Place, Scopes, User},
    updates::{Letter, Mail, Notification, NotificationKind},
};
use table::{Batch, Condition, OrLeave, Read, Record, Write};

use crate::{
    Result, Tenant,
    base::{
        record::any_keys,
        records::{Inbox, NotifiedChange},
    },
    key::{self, Keyed},
    updates::{Notice, Notifications},
};

use super::{audience::Audiences, notice::Said};

const CONCURRENCY: usize = 10;

/// The most mails that are tried for a notification. Each minute of a user has one mail. If that
/// mail is being sent, the mail of the next minute is tried.
const MINUTES: usize = 3;

impl Notifications<'_> {
    /// Writes the notifications that follow from changes. Changes of an earlier delivery are left
    /// out: their audience does not grow. Returns the number of new notifications.
    pub async fn notify_once(&self, tenant: Tenant, mut notices: Vec<Notice>) -> Result<usize> {
        let key = |notice: &Notice| key::notified_change(tenant, &notice.cause);
        let keys = notices.iter().map(key);
        let batch = self
            .0
            .table
            .batch_get(keys, Read::Eventual)
            .await?;
        notices.retain(|notice| !batch.has(&key(notice)));
        let notified = self.notify(tenant, &notices).await?;
        let at = self.0.now();
        let causes: BTreeSet<String> = notices
            .into_iter()
            .map(|notice| notice.cause)
            .collect();
        let handled = causes.into_iter().map(|cause| {
            Write::put(&NotifiedChange {
                organization_id: tenant,
                cause,
                at,
            })
        });
        self.write_all(handled).await?;
        Ok(notified)
    }

    /// Writes the notifications of notices. Users get none of their own acts, of records beyond
    /// their permissions, and of kinds that they switched off. Of several of one cause, a user gets
    /// the most specific kind; a mention of an edit comes last. Returns the number of new
    /// notifications.
    pub(super) async fn notify(&self, tenant: Tenant, notices: &[Notice]) -> Result<usize> {
        if notices.is_empty() {
            return Ok(0);
        }
        let now = self.0.now();
        let audiences = self.audiences(tenant, notices).await?;
        let for_users = for_users(notices, &audiences, now);
        let users: BTreeSet<UserId> = for_users
            .iter()
            .map(|(user, _)| *user)
            .collect();
        let keys = users.iter().flat_map(|user| {
            let inbox = key::inbox(tenant, *user);
            let user = user.key(tenant);
            any_keys![user, inbox]
        });
        let batch = self
            .0
            .table
            .batch_get(keys, Read::Eventual);
        // The scopes are as new as the changes, whose projects they have.
        let has_project = for_users
            .iter()
            .any(|(_, notice)| notice.project.is_some());
        let scopes = OptionFuture::from(has_project.then(|| self.0.scoped().scopes(tenant)));
        let scopes = scopes.map(Option::transpose);
        let (batch, scopes) = tokio::try_join!(batch, scopes)?;
        let scopes = scopes.unwrap_or_else(|| Scopes::none(tenant));
        let mut wanted: BTreeMap<(UserId, String), &Notice> = BTreeMap::new();
        for (user, notice) in for_users {
            if !wants(&batch, &scopes, user, notice) {
                continue;
            }
            let cause = audiences.cause_of(notice);
            let place = wanted
                .entry((user, cause))
                .or_insert(notice);
            if rank(notice) < rank(place) {
                *place = notice;
            }
        }
        let wanted = wanted
            .into_iter()
            .map(|((user, cause), notice)| {
                let name = notice
                    .repeated
                    .as_ref()
                    .map(|repeated| &repeated.name);
                let address = mailed_at(&batch, tenant, user, notice.kind);
                let address = address.filter(|_| self.0.sends_mail);
                let cause = name.unwrap_or(&cause);
                (notification(tenant, user, cause, notice, now), address)
            });
        let wanted: Vec<_> = wanted.collect();
        stream::iter(wanted)
            .map(|(notification, address)| self.write_one(notification, address))
            .buffer_unordered(CONCURRENCY)
            .try_fold(0, async |done, is_new| Ok(done + usize::from(is_new)))
            .await
    }

    /// Writes a notification; with an address, beside the mail of its minute. Once that mail's
    /// attempt began, the next minute's mail takes it. Returns false for a cause of which the user
    /// was notified before.
    async fn write_one(self, mut notification: Notification, to: Option<String>) -> Result<bool> {
        let Some(to) = to else {
            let write = Write::create(&notification)?;
            return Ok(self.0.table.write(write).await?.is_ok());
        };
        for _ in 0..MINUTES {
            let now = self.0.now();
            let user = notification.user_id;
            let cause = Notification::cause_in(&notification.id).unwrap_or_default();
            notification.id = Notification::id_of(now, cause);
            notification.at = now;
            let minute = now.start_of_minute();
            let letter = Letter::Notifications { minute };
            let tenant = notification.organization_id;
            let mail = Mail::new(tenant, Some(user), to.clone(), letter, now);
            // A refused write means that the minute has its mail.
            self.0
                .table
                .write(Write::create(&mail)?)
                .await?
                .or_leave();
            let beside = Write::check(mail.key(), Condition::default().equals("attempts", 0));
            let writes = vec![Write::create(&notification)?, beside];
            match self.0.table.transact(writes).await? {
                Ok(()) => return Ok(true),
                Err(refused) if refused.at(0) => return Ok(false),
                Err(_) => {}
            }
        }
        Err(Error::contended())
    }

    /// Does writes of which each stands alone. A refused one was done before. Returns the number of
    /// those that were not.
    pub(super) async fn write_all(
        &self,
        writes: impl Iterator<Item = Result<Write>>,
    ) -> Result<usize> {
        let writes: Vec<Write> = writes.collect::<Result<_, _>>()?;
        stream::iter(writes)
            .map(|write| self.0.table.write(write))
            .buffer_unordered(CONCURRENCY)
            .try_fold(0, async |done, written| {
                Ok(done + usize::from(written.is_ok()))
            })
            .await
    }
}

fn notification(
    tenant: Tenant,
    user: UserId,
    cause: &str,
    notice: &Notice,
    now: Timestamp,
) -> Notification {
    Notification {
        id: Notification::id_of(now, cause),
        organization_id: tenant,
        user_id: user,
        kind: notice.kind,
        at: now,
        actor: notice.actor,
        cause_write: notice.write_id.clone(),
        subject: notice.subject,
        comment_id: notice.said.and_then(Said::comment),
        excerpt: notice.excerpt.clone(),
        internal: notice.internal,
        read_at: None,
    }
}

/// Each user of each notice's audience, without the user who acted.
fn for_users<'a>(
    notices: &'a [Notice],
    audiences: &Audiences,
    now: Timestamp,
) -> Vec<(UserId, &'a Notice)> {
    let mut notified = Vec::new();
    for notice in notices {
        let users = audiences
            .users_of(&notice.to, now)
            .into_iter();
        let others = users.filter(|user| Some(*user) != notice.actor);
        notified.extend(others.map(|user| (user, notice)));
    }
    notified
}

/// The rank of a notice among those of one cause for one user, of which the first is told.
fn rank(notice: &Notice) -> (bool, NotificationKind) {
    let is_edit = notice
        .repeated
        .as_ref()
        .is_some_and(|repeated| repeated.is_edit);
    (is_edit, notice.kind)
}

/// True for a user who is enabled, may read the subject and sees it, and did not switch the kind
/// off.
fn wants(batch: &Batch, scopes: &Scopes, user: UserId, notice: &Notice) -> bool {
    let tenant = scopes.organization_id;
    let place = Place::of_project(notice.project);
    let reads = |user: &User| {
        let may_read = user.may(notice.subject.kind.facts().permission);
        let is_seen = scopes.show(user, place);
        !user.disabled && may_read && is_seen && (!notice.internal || user.sees_notes())
    };
    let is_off = inbox_of(batch, tenant, user)
        .off
        .contains(&notice.kind);
    let user = batch.named(&user.key(tenant));
    user.is_some_and(|user| reads(&user)) && !is_off
}

/// The address of a user who gets the kind by mail.
fn mailed_at(
    batch: &Batch,
    tenant: Tenant,
    user: UserId,
    kind: NotificationKind,
) -> Option<String> {
    let preferences = inbox_of(batch, tenant, user).preferences();
    let user = batch.named(&user.key(tenant))?;
    let address = user.mailed_at().map(str::to_owned);
    address.filter(|_| preferences.mails(kind))
}

fn inbox_of(batch: &Batch, tenant: Tenant, user: UserId) -> Inbox {
    let inbox = batch.named(&key::inbox(tenant, user));
    inbox
        .map(|inbox| inbox.record)
        .unwrap_or_default()
}
