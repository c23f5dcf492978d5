//! Every key format of the table, in one place; [`super`] has the access patterns they serve.
//!
//! A key that belongs to a tenant begins with `ORG#<id>`, so that no query of one organization
//! can reach the records of another. Numbers in sort keys are padded to 16 digits, which holds
//! 2^53-1, so that they sort as text.

use model::{
    ActivityId, AgentSessionId, CommentId, Id, MilestoneId, OrganizationId, PhaseId, ProjectId,
    ServiceRequestId, SignalId, TagId, TaskId, Thread, TicketId, Timestamp, UserId,
};

/// A partition key and a sort key, of the table or of one of its indexes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
}

impl Key {
    pub(super) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self {
            pk: pk.into(),
            sk: sk.into(),
        }
    }
}

/// A number as it stands in a sort key.
pub(super) fn padded(number: i64) -> String {
    format!("{number:016}")
}

/// An instant, and an id that breaks its ties.
pub(super) fn instant_then_id(at: Timestamp, id: impl Id) -> String {
    format!("{at}#{}", padded(id.get()))
}

fn record(tenant: OrganizationId, kind: &str, id: impl Id) -> Key {
    Key::new(format!("ORG#{tenant}#{kind}"), padded(id.get()))
}

/// The organization itself.
pub(super) fn organization(id: OrganizationId) -> Key {
    Key::new(format!("ORG#{id}"), "ORGANIZATION")
}

/// The organization's running totals.
pub(super) fn totals(tenant: OrganizationId) -> Key {
    Key::new(format!("ORG#{tenant}"), "TOTALS")
}

pub(super) fn user(tenant: OrganizationId, id: UserId) -> Key {
    record(tenant, "USER", id)
}

/// The one item of the service, not of a tenant, that a sign-in begins with.
pub(super) fn credential(folded_username: &str) -> Key {
    Key::new(format!("USERNAME#{folded_username}"), "CREDENTIAL")
}

/// Failed sign-ins of an account from an address; both may be of nobody's.
pub(super) fn sign_in_failures(account_and_address_hash: &str) -> Key {
    Key::new(format!("SIGN_IN#{account_and_address_hash}"), "FAILURES")
}

pub(super) fn session(tenant: OrganizationId, user: UserId, sid_hash: &str) -> Key {
    Key::new(format!("ORG#{tenant}#USER#{user}#SESSION"), sid_hash)
}

pub(super) fn project(tenant: OrganizationId, id: ProjectId) -> Key {
    record(tenant, "PROJECT", id)
}

pub(super) fn phase(tenant: OrganizationId, id: PhaseId) -> Key {
    record(tenant, "PHASE", id)
}

pub(super) fn tag(tenant: OrganizationId, id: TagId) -> Key {
    record(tenant, "TAG", id)
}

pub(super) fn milestone(tenant: OrganizationId, id: MilestoneId) -> Key {
    record(tenant, "MILESTONE", id)
}

/// gsi1: a project's milestones by due date, those without one last.
pub(super) fn milestone_in_project(
    tenant: OrganizationId,
    project: ProjectId,
    due: Option<Timestamp>,
    id: MilestoneId,
) -> Key {
    // `~` sorts after every digit.
    let due = due.map_or_else(|| "~".to_owned(), |due| due.to_string());
    Key::new(
        milestones_of_project(tenant, project),
        format!("{due}#{}", padded(id.get())),
    )
}

/// gsi1 partition.
pub(super) fn milestones_of_project(tenant: OrganizationId, project: ProjectId) -> String {
    format!("ORG#{tenant}#PROJECT#{project}#MILESTONE")
}

pub(super) fn task(tenant: OrganizationId, id: TaskId) -> Key {
    record(tenant, "TASK", id)
}

/// Partition of all the organization's tasks, by id.
pub(super) fn tasks(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#TASK")
}

/// gsi1 partition: a project's tasks by order, then id.
pub(super) fn tasks_of_project(tenant: OrganizationId, project: ProjectId) -> String {
    format!("ORG#{tenant}#PROJECT#{project}#TASK")
}

/// gsi1 sort key of a task.
pub(super) fn task_order(order: i64, id: TaskId) -> String {
    format!("{}#{}", padded(order), padded(id.get()))
}

/// gsi2 partition: a milestone's tasks by id.
pub(super) fn tasks_of_milestone(tenant: OrganizationId, milestone: MilestoneId) -> String {
    format!("ORG#{tenant}#MILESTONE#{milestone}#TASK")
}

pub(super) fn activity(tenant: OrganizationId, id: ActivityId) -> Key {
    record(tenant, "ACTIVITY", id)
}

/// gsi1 partition: the organization's activities by time.
pub(super) fn activities(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#ACTIVITY")
}

/// gsi2 partition: a project's activities by time.
pub(super) fn activities_of_project(tenant: OrganizationId, project: ProjectId) -> String {
    format!("ORG#{tenant}#PROJECT#{project}#ACTIVITY")
}

/// A tag that an activity carries.
pub(super) fn activity_tag(tenant: OrganizationId, activity: ActivityId, tag: TagId) -> Key {
    Key::new(
        format!("ORG#{tenant}#ACTIVITY#{activity}#TAG"),
        padded(tag.get()),
    )
}

pub(super) fn service_request(tenant: OrganizationId, id: ServiceRequestId) -> Key {
    record(tenant, "REQUEST", id)
}

/// gsi1 partition: the organization's service requests by creation.
pub(super) fn service_requests(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#REQUEST")
}

pub(super) fn comment(tenant: OrganizationId, thread: Thread, id: CommentId) -> Key {
    Key::new(comments(tenant, thread), padded(id.get()))
}

/// Partition of a thread's comments by id; the gsi1 partition of the same name has them by time.
pub(super) fn comments(tenant: OrganizationId, thread: Thread) -> String {
    match thread {
        Thread::ServiceRequest(id) => format!("ORG#{tenant}#REQUEST#{id}#COMMENT"),
        Thread::Activity(id) => format!("ORG#{tenant}#ACTIVITY#{id}#COMMENT"),
    }
}

pub(super) fn ticket(tenant: OrganizationId, id: TicketId) -> Key {
    record(tenant, "TICKET", id)
}

/// gsi1 partition: the organization's tickets by creation.
pub(super) fn tickets(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#TICKET")
}

/// Partition of a ticket's messages by time.
pub(super) fn ticket_messages(tenant: OrganizationId, ticket: TicketId) -> String {
    format!("ORG#{tenant}#TICKET#{ticket}#MESSAGE")
}

/// How many requests and tickets were resolved on a day (UTC), and how long they had taken.
pub(super) fn resolutions(tenant: OrganizationId, day: &str) -> Key {
    Key::new(resolution_days(tenant), day)
}

/// Partition of [`resolutions`] by day.
pub(super) fn resolution_days(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#RESOLUTIONS")
}

/// Partition of what a service request may refer to, by creation: small items that reference
/// search filters.
pub(super) fn references(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#REFERENCE")
}

pub(super) fn signal(tenant: OrganizationId, id: SignalId) -> Key {
    record(tenant, "SIGNAL", id)
}

/// gsi1 partition: the signals of a class by occurrence.
pub(super) fn signals_of_class(tenant: OrganizationId, signal_type: &str) -> String {
    format!("ORG#{tenant}#SIGNAL#{signal_type}")
}

/// Holds the reporter's id of a signal, which is unique with its source.
pub(super) fn signal_source(tenant: OrganizationId, source: &str, external_id: &str) -> Key {
    // The length keeps `a#b` + `c` apart from `a` + `b#c`.
    Key::new(
        format!("ORG#{tenant}#SIGNAL_SOURCE#{}#{source}", source.len()),
        external_id,
    )
}

/// Partition of an agent session and its approved actions.
pub(super) fn agent_session_partition(tenant: OrganizationId, id: AgentSessionId) -> String {
    format!("ORG#{tenant}#AGENT_SESSION#{id}")
}

pub(super) fn agent_session(tenant: OrganizationId, id: AgentSessionId) -> Key {
    Key::new(agent_session_partition(tenant, id), "SESSION")
}

/// An approved action of an agent session.
pub(super) fn agent_action(
    tenant: OrganizationId,
    session: AgentSessionId,
    action_id: &str,
) -> Key {
    Key::new(
        agent_session_partition(tenant, session),
        format!("{AGENT_ACTION}{action_id}"),
    )
}

/// What the sort key of an approved action begins with.
pub(super) const AGENT_ACTION: &str = "ACTION#";

/// The last id given out for a kind of record, for all organizations.
pub(super) fn counter(kind: &str) -> Key {
    Key::new(format!("COUNTER#{kind}"), "COUNTER")
}

/// What is left to do after a delete that a request was answered for.
pub(super) fn cleanup(tenant: OrganizationId, subject: &str) -> Key {
    Key::new(format!("ORG#{tenant}#CLEANUP"), subject)
}

/// gsi2 partition, sparse and across organizations: what the sweeper has to look at, by the
/// instant from which on. `kind` is one of the record kinds that fall due.
pub(super) fn due(kind: &str) -> String {
    format!("DUE#{kind}")
}
