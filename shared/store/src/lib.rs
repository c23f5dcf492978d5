#![doc = include_str!("../README.md")]

mod activities;
mod agent;
mod assignee;
mod cleanup;
mod comments;
mod commit;
mod connections;
mod crud;
mod dashboard;
mod directory;
mod filter;
mod history;
mod idempotency;
mod ids;
pub mod key;
mod milestones;
mod pending_write;
mod records;
mod references;
mod resolutions;
mod retry;
mod service_requests;
mod sessions;
mod sign_in;
mod signal_days;
mod signals;
mod tagging;
mod tasks;
mod tickets;
mod tokens;
mod tracked;
mod words;
mod writes;

pub use activities::{Activities, ActivitiesAsked, ActivityWithRefs, TaggedActivity};
pub use agent::{
    Agent, Approval, AwaitedLook, ByHand, DueAction, DueSession, DueWork, HandingOver, HeldAction,
    Lease, Previewed, SessionOnAlert, SessionWithActions,
};
pub use cleanup::{CLEANUP_DELAY, Cleanups, Progress};
pub use comments::{CommentWithAuthor, Comments};
pub use connections::Connections;
pub use dashboard::{Dashboard, Dashboards, FeedItem, Metrics};
pub use directory::{Directory, NewUser};
pub use history::EntryWithActor;
pub use idempotency::IdempotencyKey;
pub use milestones::{LinkedTask, MilestoneWithTasks, Milestones};
pub use model::NewSignal;
pub use pending_write::{PendingWrite, WriteContext};
pub use records::{Account, Tagged, TokenHolder};
pub use references::{FoundReference, References};
pub use service_requests::{Past, ServiceRequests};
pub use sign_in::{SignIn, SignInAttempt};
pub use signals::Signals;
pub use tagging::Tagging;
pub use tasks::{JoinedTask, TaggedTask, Tasks};
pub use tickets::{MessageFrom, NewMessage, NewTicket, Sender, TicketWithMessages, Tickets};
pub use tokens::Tokens;

pub use ::table::{
    Stored, Used, metered,
    page::{Page, Place, Row, Wanted},
    warm_up,
};

pub(crate) use ::table::{self, page};
pub(crate) use records::Workdesk;

use aws_sdk_dynamodb::Client;
use model::{Clock, Error, Timestamp};

use self::{agent::StackName, ids::Ids, table::Table};

/// All records, by resource. Cheap to clone; clones share their reserved ids.
#[derive(Clone, Debug)]
pub struct Store {
    table: Table,
    ids: Ids,
    clock: Clock,
    stack: StackName,
}

impl Store {
    /// A store on the table of that name.
    #[must_use]
    pub fn new(client: Client, table: &str, clock: Clock) -> Self {
        Self {
            table: Table::new(client, table),
            ids: Ids::default(),
            clock,
            stack: StackName::default(),
        }
    }

    /// A store with more attempts while others write the same records. The worker uses it, since
    /// the outcome of a call is stored nowhere else.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            table: self.table.patient(),
            ..self
        }
    }

    /// The time that records are written with.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Sessions, accounts and failed sign-ins.
    #[must_use]
    pub const fn sign_in(&self) -> SignIn<'_> {
        SignIn(self)
    }

    /// Access tokens.
    #[must_use]
    pub const fn tokens(&self) -> Tokens<'_> {
        Tokens(self)
    }

    /// Organizations, users, projects, phases and tags.
    #[must_use]
    pub const fn directory(&self) -> Directory<'_> {
        Directory(self)
    }

    /// Milestones.
    #[must_use]
    pub const fn milestones(&self) -> Milestones<'_> {
        Milestones(self)
    }

    /// Tasks.
    #[must_use]
    pub const fn tasks(&self) -> Tasks<'_> {
        Tasks(self)
    }

    /// Activities.
    #[must_use]
    pub const fn activities(&self) -> Activities<'_> {
        Activities(self)
    }

    /// Service requests.
    #[must_use]
    pub const fn service_requests(&self) -> ServiceRequests<'_> {
        ServiceRequests(self)
    }

    /// Tags on tasks and activities.
    #[must_use]
    pub const fn tagging(&self) -> Tagging<'_> {
        Tagging(self)
    }

    /// Comments on service requests, activities and tasks.
    #[must_use]
    pub const fn comments(&self) -> Comments<'_> {
        Comments(self)
    }

    /// Support tickets and their messages.
    #[must_use]
    pub const fn tickets(&self) -> Tickets<'_> {
        Tickets(self)
    }

    /// The managed-services dashboard.
    #[must_use]
    pub const fn dashboard(&self) -> Dashboards<'_> {
        Dashboards(self)
    }

    /// Records that a service request may refer to.
    #[must_use]
    pub const fn references(&self) -> References<'_> {
        References(self)
    }

    /// Signals (alerts).
    #[must_use]
    pub const fn signals(&self) -> Signals<'_> {
        Signals(self)
    }

    /// Resolution-agent sessions and their approved actions.
    #[must_use]
    pub const fn agent(&self) -> Agent<'_> {
        Agent(self)
    }

    /// The systems that the organization's actions call.
    #[must_use]
    pub const fn connections(&self) -> Connections<'_> {
        Connections(self)
    }

    /// Cleanups after deletes.
    #[must_use]
    pub const fn cleanups(&self) -> Cleanups<'_> {
        Cleanups(self)
    }
}

fn id_is_taken(kind: &'static str) -> Error {
    Error::internal(
        "writing a new record",
        format!("the id of the {kind} is taken"),
    )
}
