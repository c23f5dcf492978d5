//! The notification settings of a user: their kinds, and what was read.

use model::{
    base::UserId,
    updates::{
        Notification, NotificationPreferences, NotificationPreferencesSet, NotificationsRead,
    },
};
use table::{AnyKey, Batch, Condition, Gsi2, Key, Stored, UpdateExpression, Write, attribute};

use crate::{
    Result, Tenant,
    base::{Pending, WriteContext, records::Inbox, writes::Writes},
    key,
    updates::Notifications,
};

/// The attribute `kind` of the item.
const INBOX: &str = "inbox";

impl Notifications<'_> {
    pub async fn preferences(
        &self,
        tenant: Tenant,
        user: UserId,
    ) -> Result<NotificationPreferences> {
        Ok(self
            .inbox(tenant, user)
            .await?
            .preferences())
    }

    /// Changes the kinds that a user gets. Returns all of them.
    pub async fn set_preferences(
        &self,
        pending: impl Pending,
        user: UserId,
        sent: &NotificationPreferencesSet,
    ) -> Result<NotificationPreferences> {
        let (pending, tenant) = pending.with_tenant();
        let key = key::inbox(tenant, user);
        let read = || self.0.read(&key);
        let write = async |context: WriteContext, inbox: Option<Stored<Inbox>>| {
            let version = inbox
                .as_ref()
                .map(|inbox| inbox.version);
            let before = inbox
                .map(|inbox| inbox.preferences())
                .unwrap_or_default();
            let mut preferences = before.clone();
            preferences.set(sent);
            if preferences == before {
                let nothing = Writes::default();
                return self
                    .0
                    .commit(&context, nothing, preferences)
                    .await;
            }
            let as_read = version.map_or_else(Condition::absent, Condition::version);
            let change = UpdateExpression::default()
                .set("kind", INBOX)
                .set("off", preferences.off.clone())
                .set_attribute("mail", attribute(&preferences.mail)?);
            let write = Write::update(key.clone(), change, as_read);
            self.0
                .commit(&context, write, preferences)
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Marks notifications as read. Leaves out those that are not the user's, or were read before.
    pub async fn read(
        &self,
        pending: impl Pending,
        user: UserId,
        sent: &NotificationsRead,
    ) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let inbox = key::inbox(tenant, user);
        let ids = sent.ids.iter().flat_map(|ids| &ids.0);
        let keyed = ids.filter_map(|id| {
            let cause = Notification::cause_in(id)?;
            Some((&**id, key::notification(tenant, user, cause)))
        });
        let keyed: Vec<(&str, Key<Notification>)> = keyed.collect();
        let read = || {
            let keys = keyed
                .iter()
                .map(|(_, key)| AnyKey::from(key));
            self.0
                .batch(keys.chain([(&inbox).into()]))
        };
        let write = async |context: WriteContext, batch: Batch| {
            let now = self.0.now();
            let mut writes = Writes::default();
            for (id, key) in &keyed {
                let named = batch
                    .named(key)
                    .filter(|notification| notification.id == *id);
                if named.is_some_and(|notification| notification.read_at.is_none()) {
                    let change = UpdateExpression::default()
                        .set("readAt", now)
                        .leave(Gsi2);
                    let unread = Condition::exists().lacks("readAt");
                    writes.push(Write::update(key.clone(), change, unread));
                }
            }
            let read_before = batch
                .named(&inbox)
                .and_then(|inbox| inbox.read_before);
            let before = sent
                .before
                .map(|before| before.min(now));
            if let Some(before) = before.filter(|before| Some(*before) > read_before) {
                let change = UpdateExpression::default()
                    .set("kind", INBOX)
                    .set("readBefore", before)
                    .set("readBeforeAt", now);
                let is_later = Condition::default().absent_or("readBefore", "# < :", before);
                writes.push(Write::update(inbox.clone(), change, is_later));
            }
            self.0
                .commit(&context, writes, ())
                .await
        };
        let done = self
            .0
            .write(pending, read, write)
            .await?;
        done.or_load(async |_| Ok(())).await
    }

    /// The settings of a user, as all earlier writes left them.
    pub(super) async fn inbox(&self, tenant: Tenant, user: UserId) -> Result<Inbox> {
        let inbox = self
            .0
            .read(&key::inbox(tenant, user))
            .await?;
        Ok(inbox
            .map(|inbox| inbox.record)
            .unwrap_or_default())
    }
}
