//! Updates of clients and people: the feed, notifications, mails, webhooks and search.

pub(crate) mod feed;
pub(crate) mod mail;
pub(crate) mod notification;
pub(crate) mod outbox;
pub(crate) mod search;
pub(crate) mod webhook;

pub use feed::{FeedAction, FeedEntry, FeedQuery};
pub use mail::{AccountChange, Letter, Mail, MailMessage, MailStatus, MailedLink};
pub use notification::{
    Notification, NotificationChannels, NotificationChannelsSet, NotificationFilter,
    NotificationKind, NotificationPreferences, NotificationPreferencesSet, NotificationsRead,
    SignedLink, Unsubscribe, Unsubscription,
};
pub use outbox::{Outgoing, SendAttempts};
pub use search::{ReferenceSearch, SearchQuery};
pub use webhook::{
    DeliveryMessage, DeliveryStatus, DisabledReason, EventChange, EventPattern, EventRecordId,
    EventSubject, EventType, FailedAttempt, TEST_EVENT, Webhook, WebhookCreate, WebhookDelivery,
    WebhookDeliveryFilter, WebhookDeliverySort, WebhookHealth, WebhookMessage, WebhookMessageData,
    WebhookSort, WebhookUpdate, WebhookUrl,
};
