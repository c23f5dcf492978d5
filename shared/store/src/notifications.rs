//! Notifications: what users of an organization are told.
//!
//! The publisher makes [`Notice`]s of changes in the table's stream, and the sweeper makes them of
//! reminders. Each names its cause. The key of a notification follows from its user and its cause. So a
//! cause that comes again changes nothing, and a notification stays read.
//!
//! Notifications expire after 90 days.

mod audience;
mod changes;
mod mentions;
mod notice;
mod notifying;
mod reading;
mod reminders;
mod settings;

use model::{Notification, RecordType, span};

use super::{
    key::{self, Gsi1, Gsi2, Key},
    records::NotifiedChange,
    store::resource,
    table::Record,
};

pub use notice::Notice;
pub use reading::JoinedNotification;

resource! {
    /// Notifications of users.
    pub Notifications as notifications
}

/// Milliseconds for which a handled change is known. The stream keeps changes for a day.
const KNOWN: i64 = 2 * span::DAY;

impl Record<crate::Workdesk> for Notification {
    const KIND: &'static str = RecordType::Notification.name();

    fn key(&self) -> Key<Self> {
        let cause = Self::cause_in(&self.id).unwrap_or_default();
        key::notification(self.organization_id, self.user_id, cause)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        let all = key::notifications(self.organization_id, self.user_id);
        Some(all.at(key::notification_in_time(&self.id)))
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        let unread = key::unread_notifications(self.organization_id, self.user_id);
        let is_unread = self.read_at.is_none();
        is_unread.then(|| unread.at(key::notification_in_time(&self.id)))
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.at.plus(Self::KEPT).epoch_seconds() + 1)
    }
}

impl Record<crate::Workdesk> for NotifiedChange {
    const KIND: &'static str = "told_change";

    fn key(&self) -> Key<Self> {
        key::notified_change(self.organization_id, &self.cause)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.at.plus(KNOWN).epoch_seconds() + 1)
    }
}
