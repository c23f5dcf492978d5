//! The work of an organization: requests, projects, tasks, activities, tickets.

pub(crate) mod activities;
pub(crate) mod assignee;
pub(crate) mod comments;
pub(crate) mod dashboard;
pub(crate) mod milestones;
pub(crate) mod participants;
pub(crate) mod references;
pub(crate) mod resolutions;
pub(crate) mod service_requests;
pub(crate) mod tagging;
pub(crate) mod tasks;
pub(crate) mod tickets;

pub use activities::{Activities, ActivitiesQuery, ActivityWithRefs, TaggedActivity};
pub use comments::{CommentWithAuthor, Comments};
pub use dashboard::{Dashboard, Dashboards, FeedItem, Metrics};
pub use milestones::{LinkedTask, MilestoneWithTasks, Milestones};
pub use references::{FoundReference, References};
pub use service_requests::{Past, ServiceRequests, TaggedRequest};
pub use tagging::{CarriedTag, Tagging};
pub use tasks::{JoinedTask, TaggedTask, TaskCounts, Tasks};
pub use tickets::{
    JoinedTicket, MessageFrom, NewMessage, NewTicket, Sender, TaggedTicket, TicketWithMessages,
    Tickets,
};
