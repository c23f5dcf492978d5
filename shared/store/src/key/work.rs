//! Keys of milestones, tasks, activities, service requests and tickets, and of what hangs on them.

use model::{
    base::{
        CommentId, Deleted, HistoryEntry, HistoryOf, Id, MilestoneId, Order, ProjectId, RecordType,
        Talk, TaskId, Thread, TicketId, Timestamp, UserId,
    },
    work::{Activity, Comment, Milestone, ServiceRequest, Task, Ticket, TicketMessage},
};
use table::{AnyKey, Gsi1, Gsi2, Gsi3, Gsi4, Key, RecordList, SortKey, padded};

use crate::{
    Tenant,
    base::records::{Day, DeletableNames, Located},
};

use super::format::{below, due_then_id, instant_then_id, keys, of_record, partition, record_of};

keys! {
    /// All tasks of the organization, by id.
    pub fn tasks(tenant: Tenant) -> RecordList<Task> = partition(tenant, RecordType::Task);
    /// All tasks of the organization by the instant of their creation. The index has no other
    /// attributes.
    pub fn tasks_by_creation(tenant: Tenant) -> RecordList<Task, Gsi4>
        = partition(tenant, RecordType::Task);
    /// A project's tasks by order, then id.
    pub fn tasks_of_project(tenant: Tenant, project: ProjectId) -> RecordList<Task, Gsi1>
        = of_record(tenant, project, RecordType::Task);
    /// A milestone's tasks by id.
    pub fn tasks_of_milestone(tenant: Tenant, milestone: MilestoneId) -> RecordList<Task, Gsi2>
        = of_record(tenant, milestone, RecordType::Task);
    /// The tasks that the index of a milestone's tasks lists by a deleted record.
    pub(crate) fn linked_tasks(tenant: Tenant, deleted: Deleted) -> RecordList<Task, Gsi2>
        = below(tenant, deleted.kind, deleted.id, RecordType::Task.facts().key);
    /// A user's tasks by due date; those without one come last.
    pub fn tasks_of_assignee(tenant: Tenant, assignee: UserId) -> RecordList<Task, Gsi3>
        = format!("ORG#{tenant}#ASSIGNEE#{assignee}#{}", RecordType::Task.facts().key);
    /// The organization's activities by time.
    pub fn activities(tenant: Tenant) -> RecordList<Activity, Gsi1>
        = partition(tenant, RecordType::Activity);
    /// A project's activities by time.
    pub fn activities_of_project(tenant: Tenant, project: ProjectId) -> RecordList<Activity, Gsi2>
        = of_record(tenant, project, RecordType::Activity);
    /// The organization's service requests by creation.
    pub fn service_requests(tenant: Tenant) -> RecordList<ServiceRequest, Gsi1>
        = partition(tenant, RecordType::ServiceRequest);
    /// A thread's comments by id.
    pub fn comments(tenant: Tenant, thread: Thread) -> RecordList<Comment>
        = thread_partition(tenant, thread);
    /// A thread's comments by time.
    pub fn comments_by_time(tenant: Tenant, thread: Thread) -> RecordList<Comment, Gsi1>
        = thread_partition(tenant, thread);
    /// The organization's tickets by creation.
    pub fn tickets(tenant: Tenant) -> RecordList<Ticket, Gsi1> = partition(tenant, RecordType::Ticket);
    /// The organization's tickets by their newest message.
    pub fn tickets_by_message(tenant: Tenant) -> RecordList<Ticket, Gsi2>
        = format!("ORG#{tenant}#TICKET_BY_MESSAGE");
    /// A ticket's messages by time.
    pub fn ticket_messages(tenant: Tenant, ticket: TicketId) -> RecordList<TicketMessage>
        = of_record(tenant, ticket, RecordType::TicketMessage);
    /// The days (UTC) with their resolved service requests and tickets.
    pub(crate) fn resolution_days(tenant: Tenant) -> RecordList<Day>
        = format!("ORG#{tenant}#RESOLUTIONS");
    /// A record's history, by the versions that its changes led to.
    pub fn history(tenant: Tenant, of: HistoryOf) -> RecordList<HistoryEntry>
        = below(tenant, of.kind(), of.id(), "HISTORY");
    /// A project's milestones by due date; those without one come last.
    pub fn milestones_of_project(tenant: Tenant, project: ProjectId) -> RecordList<Milestone, Gsi1>
        = of_record(tenant, project, RecordType::Milestone);
    /// A milestone's key in [`milestones_of_project`].
    pub fn milestone_in_project(milestone: &Milestone) -> Key<Milestone, Gsi1>
        = milestones_of_project(milestone.organization_id, milestone.project_id)
        => due_then_id(milestone.due_date, milestone.id);
    /// A task's key in [`tasks_by_creation`].
    pub fn task_by_creation(task: &Task) -> Key<Task, Gsi4>
        = tasks_by_creation(task.organization_id) => instant_then_id(task.created_at, task.id);
    /// A sort key in [`tasks_of_project`].
    pub fn task_order(order: Order, id: TaskId) -> SortKey<Gsi1>
        = format!("{}#{}", padded(order.get()), padded(id.get()));
    /// An activity's key in [`activities`].
    pub fn activity_in_time(activity: &Activity) -> Key<Activity, Gsi1>
        = activities(activity.organization_id) => instant_then_id(activity.timestamp, activity.id);
    /// A service request's key in [`service_requests`].
    pub fn service_request_in_time(request: &ServiceRequest) -> Key<ServiceRequest, Gsi1>
        = service_requests(request.organization_id)
        => instant_then_id(request.created_at, request.id);
    pub fn comment(tenant: Tenant, thread: Thread, id: CommentId) -> Key<Comment>
        = comments(tenant, thread) => SortKey::new(padded(id.get()));
    /// A comment's key in [`comments_by_time`].
    pub fn comment_in_time(comment: &Comment) -> Key<Comment, Gsi1>
        = comments_by_time(comment.organization_id, comment.thread)
        => instant_then_id(comment.created_at, comment.id);
    /// A ticket's key in [`tickets`].
    pub fn ticket_in_time(ticket: &Ticket) -> Key<Ticket, Gsi1>
        = tickets(ticket.organization_id) => instant_then_id(ticket.created_at, ticket.id);
    pub fn ticket_message(message: &TicketMessage) -> Key<TicketMessage>
        = ticket_messages(message.organization_id, message.ticket_id)
        => instant_then_id(message.created_at, message.id);
    /// The sort key of a day, as `2026-01-31`, in [`resolution_days`].
    pub(crate) fn resolution_day(date: &str) -> SortKey = date;
    /// A change's key in [`history`].
    pub(crate) fn history_entry(entry: &HistoryEntry) -> Key<HistoryEntry>
        = history(entry.organization_id, entry.of) => SortKey::new(padded(entry.id));
}

/// A task's key in [`tasks_of_project`], if it has a project.
pub fn task_in_project(task: &Task) -> Option<Key<Task, Gsi1>> {
    let tasks = tasks_of_project(task.organization_id, task.project_id?);
    Some(tasks.at(task_order(task.order, task.id)))
}

/// A task's key in [`tasks_of_assignee`], if it has an assignee.
pub fn task_of_assignee(task: &Task) -> Option<Key<Task, Gsi3>> {
    let tasks = tasks_of_assignee(task.organization_id, task.assignee_id?);
    Some(tasks.at(due_then_id(task.due_date, task.id)))
}

/// A task's key in [`tasks_of_milestone`], if it has a milestone.
pub fn task_in_milestone(task: &Task) -> Option<Key<Task, Gsi2>> {
    let tasks = tasks_of_milestone(task.organization_id, task.milestone_id?);
    Some(tasks.at(SortKey::new(padded(task.id.get()))))
}

/// An activity's key in [`activities_of_project`], if it has a project.
pub fn activity_in_project(activity: &Activity) -> Option<Key<Activity, Gsi2>> {
    let activities = activities_of_project(activity.organization_id, activity.project_id?);
    Some(activities.at(instant_then_id(activity.timestamp, activity.id)))
}

/// A record with its deletable references alone.
pub(crate) fn names_of(tenant: Tenant, of: HistoryOf) -> Key<DeletableNames> {
    record_of(tenant, of.kind(), of.id())
}

/// The record with that key, if it has a history and may name deletable records.
pub(crate) fn naming(tenant: Tenant, key: &AnyKey) -> Option<HistoryOf> {
    let id = key.sk().parse().ok()?;
    let kinds = [
        RecordType::Task,
        RecordType::ServiceRequest,
        RecordType::Ticket,
    ];
    let mut records = kinds
        .into_iter()
        .filter_map(|kind| HistoryOf::of(kind, id));
    records.find(|of| tracked(tenant, *of) == *key)
}

pub fn subject(tenant: Tenant, thread: Thread) -> AnyKey {
    subject_as::<()>(tenant, thread).into()
}

/// The record that comments or messages are on, read as a record of another type.
pub fn subject_as<R>(tenant: Tenant, talk: impl Into<Talk>) -> Key<R> {
    let talk = talk.into();
    record_of(tenant, talk.kind(), talk.id())
}

fn thread_partition(tenant: Tenant, thread: Thread) -> String {
    let comments = RecordType::Comment.facts().key;
    below(tenant, thread.kind(), thread.id(), comments)
}

/// A ticket's sort key in [`tickets_by_message`]. Those without a message come before all others.
pub fn ticket_message_time(last: Option<Timestamp>, id: TicketId) -> SortKey<Gsi2> {
    let last = last.map_or_else(|| "-".to_owned(), |last| last.to_string());
    SortKey::new(format!("{last}#{}", padded(id.get())))
}

/// A record with a history, of which only the project is read.
pub(crate) fn tracked_place(tenant: Tenant, of: HistoryOf) -> Key<Located> {
    record_of(tenant, of.kind(), of.id())
}

pub(crate) fn tracked(tenant: Tenant, of: HistoryOf) -> AnyKey {
    record_of::<()>(tenant, of.kind(), of.id()).into()
}
