//! The work of an organization: requests, projects, tasks, activities, tickets.

pub(crate) mod activity;
pub(crate) mod comment;
pub(crate) mod milestone;
pub(crate) mod project;
pub(crate) mod service_request;
pub(crate) mod service_status;
pub(crate) mod task;
pub(crate) mod ticket;

pub use activity::{
    Activity, ActivityCreate, ActivityFilter, ActivitySort, ActivityType, ActivityUpdate, TagAttach,
};
pub use comment::{Comment, CommentCreate, CommentFilter, CommentUpdate};
pub use milestone::{
    Milestone, MilestoneCreate, MilestoneFilter, MilestoneRef, MilestoneSort, MilestoneStatus,
    MilestoneUpdate,
};
pub use project::{
    MemberSort, Phase, PhaseCreate, PhaseFilter, PhaseSort, PhaseUpdate, Project, ProjectCreate,
    ProjectFilter, ProjectRef, ProjectSort, ProjectStatus, ProjectUpdate,
};
pub use service_request::{
    ActionRef, Priority, ServiceRequest, ServiceRequestCreate, ServiceRequestFilter,
    ServiceRequestUpdate,
};
pub use service_status::{Resolution, ServiceStatus};
pub use task::{
    Neighbour, Task, TaskCreate, TaskFilter, TaskMove, TaskPhase, TaskPlace, TaskReorder,
    TaskStatus, TaskUpdate,
};
pub use ticket::{
    Ticket, TicketCreate, TicketFilter, TicketMessage, TicketMessageUpdate, TicketReply,
    TicketSort, TicketUpdate,
};
