//! Keys of milestones, tasks, activities, service requests and tickets, and of what hangs on them.

use model::{
    Activity, ActivityId, Comment, CommentId, Deleted, HistoryEntry, HistoryOf, Id, Milestone,
    MilestoneId, Order, OrganizationId, ProjectId, RecordType, ServiceRequest, ServiceRequestId,
    Tagged, Talk, Task, TaskId, Thread, Ticket, TicketId, TicketMessage, Timestamp, UserId,
};
use table::{AnyKey, Gsi1, Gsi2, Gsi3, Gsi4, Key, List, Sort, padded};

use super::format::{
    below, due_then_id, instant_then_id, keys, of_record, partition, record, record_of,
};
use crate::records::{Day, NamesOfTask, Tags};

pub fn milestone(tenant: OrganizationId, id: MilestoneId) -> Key<Milestone> {
    record(tenant, id)
}

/// A project's milestones by due date; those without one come last.
pub fn milestones_of_project(tenant: OrganizationId, project: ProjectId) -> List<Milestone, Gsi1> {
    List::new(of_record(tenant, project, RecordType::Milestone))
}

/// A milestone's key in [`milestones_of_project`].
pub fn milestone_in_project(milestone: &Milestone) -> Key<Milestone, Gsi1> {
    let place = due_then_id(milestone.due_date, milestone.id);
    milestones_of_project(milestone.organization_id, milestone.project_id).at(place)
}

pub fn task(tenant: OrganizationId, id: TaskId) -> Key<Task> {
    record(tenant, id)
}

keys! {
    /// All tasks of the organization, by id.
    pub fn tasks(tenant: OrganizationId) -> List<Task> = partition(tenant, RecordType::Task);
    /// All tasks of the organization by the instant of their creation. The index has no other attributes.
    pub fn tasks_by_creation(tenant: OrganizationId) -> List<Task, Gsi4>
        = partition(tenant, RecordType::Task);
    /// A project's tasks by order, then id.
    pub fn tasks_of_project(tenant: OrganizationId, project: ProjectId) -> List<Task, Gsi1>
        = of_record(tenant, project, RecordType::Task);
    /// A milestone's tasks by id.
    pub fn tasks_of_milestone(tenant: OrganizationId, milestone: MilestoneId) -> List<Task, Gsi2>
        = of_record(tenant, milestone, RecordType::Task);
    /// The tasks that the index of a milestone's tasks lists by a deleted record.
    pub(crate) fn linked_tasks(tenant: OrganizationId, deleted: Deleted) -> List<Task, Gsi2>
        = below(tenant, deleted.kind, deleted.id, RecordType::Task.facts().key);
    /// A user's tasks by due date; those without one come last.
    pub fn tasks_of_assignee(tenant: OrganizationId, assignee: UserId) -> List<Task, Gsi3>
        = format!("ORG#{tenant}#ASSIGNEE#{assignee}#{}", RecordType::Task.facts().key);
    /// The organization's activities by time.
    pub fn activities(tenant: OrganizationId) -> List<Activity, Gsi1>
        = partition(tenant, RecordType::Activity);
    /// The organization's activities by id.
    pub(crate) fn activities_by_id(tenant: OrganizationId) -> List<Activity>
        = partition(tenant, RecordType::Activity);
    /// A project's activities by time.
    pub fn activities_of_project(tenant: OrganizationId, project: ProjectId) -> List<Activity, Gsi2>
        = of_record(tenant, project, RecordType::Activity);
    /// The organization's service requests by creation.
    pub fn service_requests(tenant: OrganizationId) -> List<ServiceRequest, Gsi1>
        = partition(tenant, RecordType::ServiceRequest);
    /// A thread's comments by id.
    pub fn comments(tenant: OrganizationId, thread: Thread) -> List<Comment>
        = thread_partition(tenant, thread);
    /// A thread's comments by time.
    pub fn comments_by_time(tenant: OrganizationId, thread: Thread) -> List<Comment, Gsi1>
        = thread_partition(tenant, thread);
    /// The organization's tickets by creation.
    pub fn tickets(tenant: OrganizationId) -> List<Ticket, Gsi1>
        = partition(tenant, RecordType::Ticket);
    /// The organization's tickets by their newest message.
    pub fn tickets_by_message(tenant: OrganizationId) -> List<Ticket, Gsi2>
        = format!("ORG#{tenant}#TICKET_BY_MESSAGE");
    /// A ticket's messages by time.
    pub fn ticket_messages(tenant: OrganizationId, ticket: TicketId) -> List<TicketMessage>
        = of_record(tenant, ticket, RecordType::TicketMessage);
    /// The days (UTC) with their resolved service requests and tickets.
    pub(crate) fn resolution_days(tenant: OrganizationId) -> List<Day>
        = format!("ORG#{tenant}#RESOLUTIONS");
    /// A record's history, by the versions that its changes led to.
    pub fn history(tenant: OrganizationId, of: HistoryOf) -> List<HistoryEntry>
        = below(tenant, of.kind(), of.id(), "HISTORY");
}

/// A task's key in [`tasks_by_creation`].
pub fn task_by_creation(task: &Task) -> Key<Task, Gsi4> {
    tasks_by_creation(task.organization_id).at(instant_then_id(task.created_at, task.id))
}

/// A sort key in [`tasks_of_project`].
pub fn task_order(order: Order, id: TaskId) -> Sort<Gsi1> {
    Sort::new(format!("{}#{}", padded(order.get()), padded(id.get())))
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
    Some(tasks.at(Sort::new(padded(task.id.get()))))
}

pub fn activity(tenant: OrganizationId, id: ActivityId) -> Key<Activity> {
    record(tenant, id)
}

/// An activity's key in [`activities`].
pub fn activity_in_time(activity: &Activity) -> Key<Activity, Gsi1> {
    activities(activity.organization_id).at(instant_then_id(activity.timestamp, activity.id))
}

/// An activity's key in [`activities_of_project`], if it has a project.
pub fn activity_in_project(activity: &Activity) -> Option<Key<Activity, Gsi2>> {
    let activities = activities_of_project(activity.organization_id, activity.project_id?);
    Some(activities.at(instant_then_id(activity.timestamp, activity.id)))
}

/// A task or an activity, of which only the tags are read.
pub(crate) fn tagged(tenant: OrganizationId, tagged: Tagged) -> Key<Tags> {
    record_of(tenant, tagged.kind(), tagged.id())
}

/// A task with its deletable references alone.
pub(crate) fn names_of_task(tenant: OrganizationId, id: TaskId) -> Key<NamesOfTask> {
    record(tenant, id)
}

/// The id of the task with that key. `None` if it is the key of another record.
pub(crate) fn task_of(tenant: OrganizationId, key: &AnyKey) -> Option<TaskId> {
    let id = TaskId::new(key.sk().parse().ok()?)?;
    (AnyKey::from(task(tenant, id)) == *key).then_some(id)
}

pub fn service_request(tenant: OrganizationId, id: ServiceRequestId) -> Key<ServiceRequest> {
    record(tenant, id)
}

/// A service request's key in [`service_requests`].
pub fn service_request_in_time(request: &ServiceRequest) -> Key<ServiceRequest, Gsi1> {
    let place = instant_then_id(request.created_at, request.id);
    service_requests(request.organization_id).at(place)
}

pub fn subject(tenant: OrganizationId, thread: Thread) -> AnyKey {
    subject_as::<()>(tenant, thread).into()
}

/// The record that comments or messages are on, read as a record of another type.
pub fn subject_as<R>(tenant: OrganizationId, talk: impl Into<Talk>) -> Key<R> {
    let talk = talk.into();
    record_of(tenant, talk.kind(), talk.id())
}

pub fn comment(tenant: OrganizationId, thread: Thread, id: CommentId) -> Key<Comment> {
    comments(tenant, thread).at(Sort::new(padded(id.get())))
}

/// A comment's key in [`comments_by_time`].
pub fn comment_in_time(comment: &Comment) -> Key<Comment, Gsi1> {
    let place = instant_then_id(comment.created_at, comment.id);
    comments_by_time(comment.organization_id, comment.thread).at(place)
}

fn thread_partition(tenant: OrganizationId, thread: Thread) -> String {
    let comments = RecordType::Comment.facts().key;
    below(tenant, thread.kind(), thread.id(), comments)
}

pub fn ticket(tenant: OrganizationId, id: TicketId) -> Key<Ticket> {
    record(tenant, id)
}

/// A ticket's key in [`tickets`].
pub fn ticket_in_time(ticket: &Ticket) -> Key<Ticket, Gsi1> {
    tickets(ticket.organization_id).at(instant_then_id(ticket.created_at, ticket.id))
}

/// A ticket's sort key in [`tickets_by_message`]. Those without a message come before all others.
pub fn ticket_message_time(last: Option<Timestamp>, id: TicketId) -> Sort<Gsi2> {
    let last = last.map_or_else(|| "-".to_owned(), |last| last.to_string());
    Sort::new(format!("{last}#{}", padded(id.get())))
}

pub fn ticket_message(message: &TicketMessage) -> Key<TicketMessage> {
    let place = instant_then_id(message.created_at, message.id);
    ticket_messages(message.organization_id, message.ticket_id).at(place)
}

/// The sort key of a day, as `2026-01-31`, in [`resolution_days`].
pub(crate) fn resolution_day(date: &str) -> Sort {
    Sort::new(date)
}

pub(crate) fn tracked(tenant: OrganizationId, of: HistoryOf) -> AnyKey {
    record_of::<()>(tenant, of.kind(), of.id()).into()
}

/// A change's key in [`history`].
pub(crate) fn history_entry(entry: &HistoryEntry) -> Key<HistoryEntry> {
    history(entry.organization_id, entry.of).at(Sort::new(padded(entry.id)))
}
