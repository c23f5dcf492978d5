#![doc = include_str!("../README.md")]

mod activities;
mod agent;
mod alert_days;
mod alert_reports;
mod alerts;
mod assignee;
mod cleanup;
mod comments;
mod commit;
mod conditions;
mod connections;
mod crud;
mod dashboard;
mod directory;
mod due;
mod feed;
mod fields;
mod filter;
mod history;
mod idempotency;
mod ids;
mod invitations;
mod journal;
pub mod key;
mod links;
mod mails;
mod milestones;
mod named;
mod notifications;
mod participants;
mod pending_write;
mod prelude;
mod providers;
mod quotas;
mod reads;
mod recent;
mod record;
mod records;
mod references;
mod resolutions;
mod retry;
mod search;
mod service_requests;
mod sessions;
mod shown;
mod sign_in;
mod sign_in_journal;
mod store;
mod tagging;
mod tasks;
mod tenant;
mod texts;
mod tickets;
mod tokens;
mod tracked;
mod webhooks;
mod words;
mod writes;

pub use self::agent::{
    Agent, Approval, DueAction, DueCheck, DueSession, DueWork, Excerpts, HeldAction, Lease,
    Previewed, SessionOnAlert, SessionWithActions,
};
pub use activities::*;
pub use alerts::Alerts;
pub use cleanup::{CLEANUP_DELAY, Cleanups, Progress};
pub use comments::{CommentWithAuthor, Comments};
pub use conditions::{Preconditions, Versions};
pub use connections::Connections;
pub use dashboard::{Dashboard, Dashboards, FeedItem, Metrics};
pub use directory::{Directory, NewUser, PlanChange};
pub use due::{CleanupName, DueCount, DueCounts, Shard, SweepMessage};
pub use feed::{
    Change, Feed, FeedFilter, FeedFrom, NumberedEntry, Published, StreamItem, StreamRecord,
    UnlistedChange, UnreadableImage,
};
pub use history::EntryWithActor;
pub use idempotency::IdempotencyKey;
pub use invitations::{Accepted, Invitations, Inviter, OpenInvitation};
pub use journal::Journals;
pub use links::{AccountLinks, LinkedAccount};
pub use mails::{MailAttempt, MailOutcome, Mails, mail_of_unlisted};
pub use milestones::*;
pub use notifications::{JoinedNotification, Notice, Notifications};
pub use pending_write::{Pending, PendingWrite, WriteContext};
pub use providers::{
    BrowserSession, ProviderUser, Providers, SignInClient, SignInPurpose, SignInSettings,
    SignInWays,
};
pub use quotas::Quotas;
pub use records::{Account, TokenHolder};
pub use references::{FoundReference, References};
pub use search::{Candidates, FoundRecord, Search, SearchFilter};
pub use service_requests::{Past, ServiceRequests};
pub use shown::{Answered, Shown, Versioned};
pub use sign_in::{NetworkAttempt, SignIn, SignInAttempt};
pub use store::Store;
pub use tagging::Tagging;
pub use tasks::{JoinedTask, TaggedTask, TaskCounts, Tasks};
pub use tenant::{CameBack, Erased, ExportHeader, Forms, ImportError, Imported, Line, Tenants};
pub use tickets::*;
pub use tokens::Tokens;
pub use webhooks::*;

pub use ::table::{
    Stored, Used, bounded, is_refusal, metered, of_request,
    page::{Page, Place, Row, Wanted},
    stop_reading, units_so_far, warm_up,
};

pub(crate) use ::table;
