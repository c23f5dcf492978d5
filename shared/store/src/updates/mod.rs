//! Updates of clients and people: the feed, notifications, mails, webhooks and search.

pub(crate) mod feed;
pub(crate) mod mails;
pub(crate) mod notifications;
pub(crate) mod outbox;
pub(crate) mod search;
pub(crate) mod webhooks;

pub use feed::{
    Feed, FeedChange, FeedFilter, FeedFrom, NumberedEntry, Published, StreamItem, StreamRecord,
    UnlistedChange, UnreadableImage,
};
pub use mails::{MailAttempt, MailOutcome, Mails, mail_of_unlisted};
pub use notifications::{JoinedNotification, Notice, Notifications};
pub use outbox::OutboxRecord;
pub use search::{Candidates, FoundRecord, Search, SearchFilter};
pub use webhooks::{Attempt, Begun, WebhookEvent, WebhookWithHealth, Webhooks};
