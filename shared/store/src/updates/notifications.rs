//! Notifications: what users of an organization are told.
//!
//! The publisher makes [`Notice`]s of changes in the table's stream, and the sweeper makes them of
//! reminders. Each names its cause. The key of a notification follows from its user and its cause.
//! So a cause that comes again changes nothing, and a notification stays read.
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

use model::{
    base::{RecordType, span},
    updates::Notification,
};

use crate::{
    base::{record::record, records::NotifiedChange, store::resource},
    key,
};

pub use notice::Notice;
pub use reading::JoinedNotification;

resource! { pub Notifications as notifications }

/// Milliseconds for which a handled change is known. The stream keeps changes for a day.
const KNOWN: i64 = 2 * span::DAY;

record! {
    notification: Notification = RecordType::Notification.name(),
    key: {
        let cause = Self::cause_in(&notification.id).unwrap_or_default();
        key::notification(notification.organization_id, notification.user_id, cause)
    },
    gsi1: {
        let notifications = key::notifications(notification.organization_id, notification.user_id);
        Some(notifications.at(key::notification_in_time(&notification.id)))
    },
    gsi2: {
        let unread = key::unread_notifications(notification.organization_id, notification.user_id);
        let is_unread = notification.read_at.is_none();
        is_unread.then(|| unread.at(key::notification_in_time(&notification.id)))
    },
    expires_at: Some(notification.at.plus(Self::KEPT).epoch_seconds() + 1),
}

record! {
    change: NotifiedChange = "told_change",
    key: key::notified_change(change.organization_id, &change.cause),
    expires_at: Some(change.at.plus(KNOWN).epoch_seconds() + 1),
}
