//! Every key format of the table, in one place; [`super`] has the access patterns they serve.
//!
//! A key that belongs to a tenant begins with `ORG#<id>`, so that no query of one organization
//! can reach the records of another. Numbers in sort keys are padded to 16 digits, which holds
//! 2^53-1, so that they sort as text.

mod list;
mod typed;

pub use list::List;
pub use typed::{AnyKey, Gsi1, Gsi2, Gsi3, Index, Key, Main, Sort};

use model::{
    Activity, ActivityId, AgentAction, AgentPause, AgentPolicy, AgentSession, AgentSessionId,
    Comment, CommentId, Connection, ConnectionTraffic, EffectGuard, HistoryEntry, HistoryOf, Id,
    JournalEntry, Milestone, MilestoneId, NotHelped, Order, Organization, OrganizationId, Phase,
    PhaseId, PlaybookRuns, Project, ProjectId, ReferenceType, Saving, ServiceRequest,
    ServiceRequestId, Session, Signal, SignalId, Tag, TagId, TargetEffect, Task, TaskId, Thread,
    Ticket, TicketId, TicketMessage, Timestamp, Token, User, UserId,
};

use crate::{
    agent::{AgentDay, Part, Remedy, SessionOfSignal, Stack},
    cleanup::{Cleanup, NamesOfTask, Subject},
    dashboard::Totals,
    directory::{NameOfTag, Reference, fold},
    ids::Counter,
    once::Attempted,
    resolutions::Day,
    sign_in::{Account, Failures},
    signal_days::{SignalDay, SignalsSince},
    signals::SignalSource,
    table::Record,
    tagging::{Tagged, Tags},
    tokens::TokenHolder,
};

/// A number as it stands in a sort key.
pub(super) fn padded(number: i64) -> String {
    format!("{number:016}")
}

/// An instant, and an id that breaks its ties.
fn instant_then_id<I>(at: Timestamp, id: impl Id) -> Sort<I> {
    Sort::new(format!("{at}#{}", padded(id.get())))
}

/// A due date, of which the lack comes last, and an id that breaks its ties.
fn due_then_id<I>(due: Option<Timestamp>, id: impl Id) -> Sort<I> {
    // `~` sorts after every digit.
    let due = due.map_or_else(|| "~".to_owned(), |due| due.to_string());
    Sort::new(format!("{due}#{}", padded(id.get())))
}

/// What every key of a tenant begins with, but the organization's own.
pub(super) fn tenant_prefix(tenant: OrganizationId) -> String {
    format!("ORG#{tenant}#")
}

/// Before every place at that instant, and behind all that are earlier.
pub(super) fn instant<I>(at: Timestamp) -> Sort<I> {
    Sort::new(at.to_string())
}

fn record<R>(tenant: OrganizationId, kind: &str, id: impl Id) -> Key<R> {
    Key::new(format!("ORG#{tenant}#{kind}"), padded(id.get()))
}

/// The most bytes of a sort key.
const LONGEST_SORT: usize = 1_024;

/// A name without regard to case, and an id that breaks its ties.
fn name_then_id<I>(name: &str, id: impl Id) -> Sort<I> {
    // A tab sorts before whatever else stands in a name, so that `Move` comes before `Move on`.
    let id = format!("\t{}", padded(id.get()));
    let mut name = fold(name);
    name.truncate(name.floor_char_boundary(LONGEST_SORT - id.len()));
    Sort::new(name + &id)
}

/// A key under which nothing is.
pub(super) fn nothing() -> AnyKey {
    AnyKey::new("WARM_UP", "WARM_UP")
}

/// The organization itself.
pub fn organization(id: OrganizationId) -> Key<Organization> {
    Key::new(format!("ORG#{id}"), "ORGANIZATION")
}

/// The organization's running totals.
pub(super) fn totals(tenant: OrganizationId) -> Key<Totals> {
    Key::new(format!("ORG#{tenant}"), "TOTALS")
}

/// How many admins of the organization are not disabled.
pub(super) fn admins(tenant: OrganizationId) -> AnyKey {
    AnyKey::new(format!("ORG#{tenant}"), "ADMINS")
}

/// A user.
pub fn user(tenant: OrganizationId, id: UserId) -> Key<User> {
    record(tenant, "USER", id)
}

/// The organization's users by username.
pub fn users(tenant: OrganizationId) -> List<User, Gsi1> {
    List::new(format!("ORG#{tenant}#USER"))
}

/// A user's place in [`users`].
pub fn user_by_name(user: &User) -> Key<User, Gsi1> {
    users(user.organization_id).at(name_then_id(&user.username, user.id))
}

/// The one item of the service, not of a tenant, that a sign-in begins with.
pub fn account(folded_username: &str) -> Key<Account> {
    Key::new(format!("USERNAME#{folded_username}"), "CREDENTIAL")
}

/// Failed sign-ins of an account from an address; both may be of nobody's.
pub(super) fn sign_in_failures(account_and_address_hash: &str) -> Key<Failures> {
    Key::new(format!("SIGN_IN#{account_and_address_hash}"), "FAILURES")
}

/// A session of a user, by the hash of its id.
pub fn session(tenant: OrganizationId, user: UserId, sid_hash: &str) -> Key<Session> {
    Key::new(session_partition(tenant, user), sid_hash)
}

/// A user's sessions by their beginning.
pub fn sessions(tenant: OrganizationId, user: UserId) -> List<Session, Gsi1> {
    List::new(session_partition(tenant, user))
}

/// A session's place in [`sessions`].
pub fn session_in_time(session: &Session) -> Key<Session, Gsi1> {
    let place = Sort::new(format!("{}#{}", session.created_at, session.sid_hash));
    sessions(session.organization_id, session.user_id).at(place)
}

fn session_partition(tenant: OrganizationId, user: UserId) -> String {
    format!("ORG#{tenant}#USER#{user}#SESSION")
}

/// The one item of the service, not of a tenant, that a request with a token begins with.
pub(super) fn token_holder(token_hash: &str) -> Key<TokenHolder> {
    Key::new(format!("TOKEN#{token_hash}"), "HOLDER")
}

/// A token in one of its owner's places for them.
pub(super) fn token(tenant: OrganizationId, user: UserId, place: i64) -> Key<Token> {
    tokens(tenant, user).at(Sort::new(padded(place)))
}

/// A user's tokens by their places.
pub(super) fn tokens(tenant: OrganizationId, user: UserId) -> List<Token> {
    List::new(format!("ORG#{tenant}#USER#{user}#TOKEN"))
}

/// What a user's request with that idempotency key did.
pub(super) fn attempted(tenant: OrganizationId, user: UserId, key: &str) -> Key<Attempted> {
    Key::new(format!("ORG#{tenant}#USER#{user}#ATTEMPT"), key)
}

/// What happened to a record, by the versions that it led to.
pub fn history(tenant: OrganizationId, of: HistoryOf) -> List<HistoryEntry> {
    let (kind, id) = match of {
        HistoryOf::Task(id) => ("TASK", id.get()),
        HistoryOf::Milestone(id) => ("MILESTONE", id.get()),
        HistoryOf::ServiceRequest(id) => ("REQUEST", id.get()),
        HistoryOf::Ticket(id) => ("TICKET", id.get()),
        HistoryOf::Project(id) => ("PROJECT", id.get()),
    };
    List::new(format!("ORG#{tenant}#{kind}#{id}#HISTORY"))
}

/// A change's place in [`history`].
pub(super) fn history_entry(entry: &HistoryEntry) -> Key<HistoryEntry> {
    history(entry.organization_id, entry.of).at(Sort::new(padded(entry.id)))
}

/// A project.
pub fn project(tenant: OrganizationId, id: ProjectId) -> Key<Project> {
    record(tenant, "PROJECT", id)
}

/// The organization's projects by title.
pub fn projects(tenant: OrganizationId) -> List<Project, Gsi1> {
    List::new(format!("ORG#{tenant}#PROJECT"))
}

/// A project's place in [`projects`].
pub fn project_by_title(project: &Project) -> Key<Project, Gsi1> {
    projects(project.organization_id).at(name_then_id(&project.title, project.id))
}

/// A phase of a project.
pub fn phase(tenant: OrganizationId, id: PhaseId) -> Key<Phase> {
    record(tenant, "PHASE", id)
}

/// A project's phases by order, then id.
pub fn phases_of_project(tenant: OrganizationId, project: ProjectId) -> List<Phase, Gsi1> {
    List::new(format!("ORG#{tenant}#PROJECT#{project}#PHASE"))
}

/// A phase's place in [`phases_of_project`].
pub fn phase_in_project(phase: &Phase) -> Key<Phase, Gsi1> {
    let (order, id) = (padded(phase.order.get()), padded(phase.id.get()));
    let phases = phases_of_project(phase.organization_id, phase.project_id);
    phases.at(Sort::new(format!("{order}#{id}")))
}

/// A tag.
pub fn tag(tenant: OrganizationId, id: TagId) -> Key<Tag> {
    record(tenant, "TAG", id)
}

/// The organization's tags by name.
pub fn tags(tenant: OrganizationId) -> List<Tag, Gsi1> {
    List::new(format!("ORG#{tenant}#TAG"))
}

/// A tag's place in [`tags`].
pub fn tag_by_name(tag: &Tag) -> Key<Tag, Gsi1> {
    tags(tag.organization_id).at(name_then_id(&tag.name, tag.id))
}

/// Holds a tag's name, of which an organization has one, without regard to case.
pub(super) fn name_of_tag(tenant: OrganizationId, folded_name: &str) -> Key<NameOfTag> {
    Key::new(format!("ORG#{tenant}#TAG_NAME"), folded_name)
}

/// A milestone.
pub fn milestone(tenant: OrganizationId, id: MilestoneId) -> Key<Milestone> {
    record(tenant, "MILESTONE", id)
}

/// A project's milestones by due date, those without one last.
pub fn milestones_of_project(tenant: OrganizationId, project: ProjectId) -> List<Milestone, Gsi1> {
    List::new(format!("ORG#{tenant}#PROJECT#{project}#MILESTONE"))
}

/// A milestone's place in [`milestones_of_project`].
pub fn milestone_in_project(milestone: &Milestone) -> Key<Milestone, Gsi1> {
    let place = due_then_id(milestone.due_date, milestone.id);
    milestones_of_project(milestone.organization_id, milestone.project_id).at(place)
}

/// A task.
pub fn task(tenant: OrganizationId, id: TaskId) -> Key<Task> {
    record(tenant, "TASK", id)
}

/// All the organization's tasks, by id.
pub fn tasks(tenant: OrganizationId) -> List<Task> {
    List::new(format!("ORG#{tenant}#TASK"))
}

/// A project's tasks by order, then id.
pub fn tasks_of_project(tenant: OrganizationId, project: ProjectId) -> List<Task, Gsi1> {
    List::new(format!("ORG#{tenant}#PROJECT#{project}#TASK"))
}

/// A place in [`tasks_of_project`].
pub fn task_order(order: Order, id: TaskId) -> Sort<Gsi1> {
    Sort::new(format!("{}#{}", padded(order.get()), padded(id.get())))
}

/// A task's place in [`tasks_of_project`], if it is of a project.
#[must_use]
pub fn task_in_project(task: &Task) -> Option<Key<Task, Gsi1>> {
    let tasks = tasks_of_project(task.organization_id, task.project_id?);
    Some(tasks.at(task_order(task.order, task.id)))
}

/// A user's tasks by due date, those without one last.
pub fn tasks_of_assignee(tenant: OrganizationId, assignee: UserId) -> List<Task, Gsi3> {
    List::new(format!("ORG#{tenant}#ASSIGNEE#{assignee}#TASK"))
}

/// A task's place in [`tasks_of_assignee`], if it is assigned to somebody.
#[must_use]
pub fn task_of_assignee(task: &Task) -> Option<Key<Task, Gsi3>> {
    let tasks = tasks_of_assignee(task.organization_id, task.assignee_id?);
    Some(tasks.at(due_then_id(task.due_date, task.id)))
}

/// A milestone's tasks by id.
pub fn tasks_of_milestone(tenant: OrganizationId, milestone: MilestoneId) -> List<Task, Gsi2> {
    List::new(format!("ORG#{tenant}#MILESTONE#{milestone}#TASK"))
}

/// A task's place in [`tasks_of_milestone`], if it is linked to a milestone.
#[must_use]
pub fn task_in_milestone(task: &Task) -> Option<Key<Task, Gsi2>> {
    let tasks = tasks_of_milestone(task.organization_id, task.milestone_id?);
    Some(tasks.at(Sort::new(padded(task.id.get()))))
}

/// An activity.
pub fn activity(tenant: OrganizationId, id: ActivityId) -> Key<Activity> {
    record(tenant, "ACTIVITY", id)
}

/// The organization's activities by time.
pub fn activities(tenant: OrganizationId) -> List<Activity, Gsi1> {
    List::new(format!("ORG#{tenant}#ACTIVITY"))
}

/// The organization's activities by id.
pub(super) fn activities_by_id(tenant: OrganizationId) -> List<Activity> {
    List::new(format!("ORG#{tenant}#ACTIVITY"))
}

/// An activity's place in [`activities`].
pub fn activity_in_time(activity: &Activity) -> Key<Activity, Gsi1> {
    activities(activity.organization_id).at(instant_then_id(activity.timestamp, activity.id))
}

/// A project's activities by time.
pub fn activities_of_project(tenant: OrganizationId, project: ProjectId) -> List<Activity, Gsi2> {
    List::new(format!("ORG#{tenant}#PROJECT#{project}#ACTIVITY"))
}

/// An activity's place in [`activities_of_project`], if it is of a project.
#[must_use]
pub fn activity_in_project(activity: &Activity) -> Option<Key<Activity, Gsi2>> {
    let activities = activities_of_project(activity.organization_id, activity.project_id?);
    Some(activities.at(instant_then_id(activity.timestamp, activity.id)))
}

/// What carries tags, read as nothing but them.
pub(super) fn tagged(tenant: OrganizationId, tagged: Tagged) -> Key<Tags> {
    match tagged {
        Tagged::Task(id) => record(tenant, "TASK", id),
        Tagged::Activity(id) => record(tenant, "ACTIVITY", id),
    }
}

/// What a task names.
pub(super) fn names_of_task(tenant: OrganizationId, id: TaskId) -> Key<NamesOfTask> {
    record(tenant, "TASK", id)
}

/// The task whose key this is.
pub(super) fn task_of(tenant: OrganizationId, key: &AnyKey) -> Option<TaskId> {
    let id = TaskId::new(key.sk().parse().ok()?)?;
    (AnyKey::from(task(tenant, id)) == *key).then_some(id)
}

/// A service request.
pub fn service_request(tenant: OrganizationId, id: ServiceRequestId) -> Key<ServiceRequest> {
    record(tenant, "REQUEST", id)
}

/// The organization's service requests by creation.
pub fn service_requests(tenant: OrganizationId) -> List<ServiceRequest, Gsi1> {
    List::new(format!("ORG#{tenant}#REQUEST"))
}

/// A service request's place in [`service_requests`].
pub fn service_request_in_time(request: &ServiceRequest) -> Key<ServiceRequest, Gsi1> {
    let place = instant_then_id(request.created_at, request.id);
    service_requests(request.organization_id).at(place)
}

/// What the comments of a thread are on.
pub fn subject(tenant: OrganizationId, thread: Thread) -> AnyKey {
    match thread {
        Thread::ServiceRequest(id) => service_request(tenant, id).into(),
        Thread::Activity(id) => activity(tenant, id).into(),
        Thread::Task(id) => task(tenant, id).into(),
    }
}

/// A comment of a thread.
pub fn comment(tenant: OrganizationId, thread: Thread, id: CommentId) -> Key<Comment> {
    comments(tenant, thread).at(Sort::new(padded(id.get())))
}

/// A thread's comments by id.
pub fn comments(tenant: OrganizationId, thread: Thread) -> List<Comment> {
    List::new(thread_partition(tenant, thread))
}

/// A thread's comments by time.
pub fn comments_by_time(tenant: OrganizationId, thread: Thread) -> List<Comment, Gsi1> {
    List::new(thread_partition(tenant, thread))
}

/// A comment's place in [`comments_by_time`].
pub fn comment_in_time(comment: &Comment) -> Key<Comment, Gsi1> {
    let place = instant_then_id(comment.created_at, comment.id);
    comments_by_time(comment.organization_id, comment.thread).at(place)
}

fn thread_partition(tenant: OrganizationId, thread: Thread) -> String {
    match thread {
        Thread::ServiceRequest(id) => format!("ORG#{tenant}#REQUEST#{id}#COMMENT"),
        Thread::Activity(id) => format!("ORG#{tenant}#ACTIVITY#{id}#COMMENT"),
        Thread::Task(id) => format!("ORG#{tenant}#TASK#{id}#COMMENT"),
    }
}

/// A support ticket.
pub fn ticket(tenant: OrganizationId, id: TicketId) -> Key<Ticket> {
    record(tenant, "TICKET", id)
}

/// The organization's tickets by creation.
pub fn tickets(tenant: OrganizationId) -> List<Ticket, Gsi1> {
    List::new(format!("ORG#{tenant}#TICKET"))
}

/// A ticket's place in [`tickets`].
pub fn ticket_in_time(ticket: &Ticket) -> Key<Ticket, Gsi1> {
    tickets(ticket.organization_id).at(instant_then_id(ticket.created_at, ticket.id))
}

/// A ticket's messages by time.
pub fn ticket_messages(tenant: OrganizationId, ticket: TicketId) -> List<TicketMessage> {
    List::new(format!("ORG#{tenant}#TICKET#{ticket}#MESSAGE"))
}

/// A message of a ticket.
pub fn ticket_message(message: &TicketMessage) -> Key<TicketMessage> {
    let place = instant_then_id(message.created_at, message.id);
    ticket_messages(message.organization_id, message.ticket_id).at(place)
}

/// The days (UTC) of which each has how many requests and tickets were resolved on it, and how
/// long they had taken.
pub(super) fn resolution_days(tenant: OrganizationId) -> List<Day> {
    List::new(format!("ORG#{tenant}#RESOLUTIONS"))
}

/// A day, as `2026-01-31`, in [`resolution_days`].
pub(super) fn resolution_day(date: &str) -> Sort {
    Sort::new(date)
}

/// What a service request may refer to, by creation: small items that reference search filters.
pub(super) fn references(tenant: OrganizationId) -> List<Reference> {
    List::new(format!("ORG#{tenant}#REFERENCE"))
}

/// One of the [`references`].
pub(super) fn reference(reference: &Reference) -> Key<Reference> {
    let kind = match reference.refers_to {
        ReferenceType::Project => "PROJECT",
        ReferenceType::Organization => "ORGANIZATION",
    };
    let (at, id) = (reference.created_at, padded(reference.id.get()));
    references(reference.organization_id).at(Sort::new(format!("{at}#{kind}#{id}")))
}

/// A signal.
pub fn signal(tenant: OrganizationId, id: SignalId) -> Key<Signal> {
    record(tenant, "SIGNAL", id)
}

/// The organization's signals by occurrence.
pub fn signals(tenant: OrganizationId) -> List<Signal, Gsi2> {
    List::new(format!("ORG#{tenant}#SIGNAL"))
}

/// A signal's place in [`signals`].
pub fn signal_in_time(signal: &Signal) -> Key<Signal, Gsi2> {
    signals(signal.organization_id).at(instant_then_id(signal.occurred_at, signal.id))
}

/// The signals of a class by occurrence.
pub fn signals_of_class(tenant: OrganizationId, signal_type: &str) -> List<Signal, Gsi1> {
    List::new(format!("ORG#{tenant}#SIGNAL#{signal_type}"))
}

/// A place in [`signals_of_class`].
pub fn signal_order(occurred_at: Timestamp, id: SignalId) -> Sort<Gsi1> {
    instant_then_id(occurred_at, id)
}

/// A signal's place in [`signals_of_class`].
pub fn signal_in_class(signal: &Signal) -> Key<Signal, Gsi1> {
    let place = signal_order(signal.occurred_at, signal.id);
    signals_of_class(signal.organization_id, &signal.signal_type).at(place)
}

/// The days (UTC) of a class of signals, of which each has when which records were named.
pub(super) fn signal_days(tenant: OrganizationId, signal_type: &str) -> List<SignalDay> {
    List::new(format!("ORG#{tenant}#SIGNAL_DAY#{signal_type}"))
}

/// A day, as `2026-01-31`, in [`signal_days`].
pub(super) fn signal_day(date: &str) -> Sort {
    Sort::new(date)
}

/// Since when the organization's signals are recorded.
pub(super) fn signals_since(tenant: OrganizationId) -> Key<SignalsSince> {
    Key::new(format!("ORG#{tenant}"), "SIGNALS")
}

/// What put a record of a target system right last.
pub(super) fn remedy(tenant: OrganizationId, target_system: &str, entity: &str) -> Key<Remedy> {
    Key::new(format!("ORG#{tenant}#REMEDY#{target_system}"), entity)
}

/// What became of what playbooks proposed to the organization, by name and version.
pub(super) fn playbook_runs(tenant: OrganizationId) -> List<PlaybookRuns> {
    List::new(format!("ORG#{tenant}#PLAYBOOKS"))
}

/// A version's place, as [`PlaybookVersion::label`](model::PlaybookVersion::label), in [`playbook_runs`].
pub(super) fn playbook_version(label: String) -> Sort {
    Sort::new(label)
}

/// The playbooks that did not help a record of a target system.
pub(super) fn not_helped(tenant: OrganizationId, entity: &str) -> Key<NotHelped> {
    Key::new(format!("ORG#{tenant}#NOT_HELPED"), entity)
}

/// Holds the reporter's id of a signal, which is unique with its source.
pub(super) fn signal_source(
    tenant: OrganizationId,
    source: &str,
    external_id: &str,
) -> Key<SignalSource> {
    // The length keeps `a#b` + `c` apart from `a` + `b#c`.
    Key::new(
        format!("ORG#{tenant}#SIGNAL_SOURCE#{}#{source}", source.len()),
        external_id,
    )
}

/// An agent session.
pub fn agent_session(tenant: OrganizationId, id: AgentSessionId) -> Key<AgentSession> {
    Key::new(agent_partition(tenant, id), "SESSION")
}

/// The organization's agent sessions by creation.
pub fn agent_sessions(tenant: OrganizationId) -> List<AgentSession, Gsi1> {
    List::new(format!("ORG#{tenant}#AGENT_SESSION"))
}

/// An agent session's place in [`agent_sessions`].
pub fn agent_session_in_time(session: &AgentSession) -> Key<AgentSession, Gsi1> {
    let place = instant_then_id(session.created_at, session.id);
    agent_sessions(session.organization_id).at(place)
}

/// Sparse: the organization's agent sessions whose proposals wait for an approval, by creation.
pub fn agent_sessions_awaiting(tenant: OrganizationId) -> List<AgentSession, Gsi3> {
    List::new(format!("ORG#{tenant}#AGENT_SESSION#AWAITING"))
}

/// An agent session's place in [`agent_sessions_awaiting`].
pub fn agent_session_awaiting(session: &AgentSession) -> Key<AgentSession, Gsi3> {
    let place = instant_then_id(session.created_at, session.id);
    agent_sessions_awaiting(session.organization_id).at(place)
}

/// The names of a signal's agent sessions, by creation.
pub(super) fn sessions_of_signal(
    tenant: OrganizationId,
    signal: SignalId,
) -> List<SessionOfSignal> {
    List::new(format!("ORG#{tenant}#SIGNAL#{signal}#AGENT_SESSION"))
}

/// A place in [`sessions_of_signal`].
pub(super) fn session_of_signal(session: &SessionOfSignal) -> Key<SessionOfSignal> {
    let place = instant_then_id(session.created_at, session.session_id);
    sessions_of_signal(session.organization_id, session.alert_id).at(place)
}

/// What actions saved, by day.
pub fn savings(tenant: OrganizationId) -> List<Saving> {
    List::new(format!("ORG#{tenant}#SAVING"))
}

/// The one place in [`savings`] that a record of a target system has on a day (UTC).
pub(super) fn saving(saving: &Saving) -> Key<Saving> {
    let Saving {
        at,
        target_system,
        entity,
        ..
    } = saving;
    let length = target_system.len();
    let place = format!("{}#{length}#{target_system}#{entity}", at.day());
    savings(saving.organization_id).at(Sort::new(place))
}

/// An approved action of an agent session.
pub fn agent_action(
    tenant: OrganizationId,
    session: AgentSessionId,
    action_id: &str,
) -> Key<AgentAction> {
    Key::new(
        agent_partition(tenant, session),
        format!("{AGENT_ACTION}{action_id}"),
    )
}

/// An agent session and its approved actions.
pub(super) fn agent_parts(tenant: OrganizationId, id: AgentSessionId) -> List<Part> {
    List::new(agent_partition(tenant, id))
}

/// The id of the approved action that has this sort key, if it is one's.
pub(super) fn action_id(sk: &str) -> Option<&str> {
    sk.strip_prefix(AGENT_ACTION)
}

/// What the sort key of an approved action begins with.
const AGENT_ACTION: &str = "ACTION#";

fn agent_partition(tenant: OrganizationId, id: AgentSessionId) -> String {
    format!("ORG#{tenant}#AGENT_SESSION#{id}")
}

/// A connection of the organization.
pub fn connection(tenant: OrganizationId, name: &str) -> Key<Connection> {
    connections(tenant).at(Sort::new(name))
}

/// The organization's connections by name.
pub fn connections(tenant: OrganizationId) -> List<Connection> {
    List::new(format!("ORG#{tenant}#CONNECTION"))
}

/// How a connection answers and how much it is called.
pub(super) fn connection_traffic(tenant: OrganizationId, name: &str) -> Key<ConnectionTraffic> {
    Key::new(format!("ORG#{tenant}#TRAFFIC"), name)
}

/// Whether nothing is sent for the organization.
pub(super) fn agent_pause(tenant: OrganizationId) -> Key<AgentPause> {
    Key::new(format!("ORG#{tenant}"), "AGENT_PAUSE")
}

/// Says which action claimed an effect on a record of a target system last.
pub fn effect_guard(tenant: OrganizationId, effect: &TargetEffect) -> Key<EffectGuard> {
    let TargetEffect {
        target_system,
        action_type,
        entity,
    } = effect;
    // A kind of action has no `#`, so that the last one ends the system's name.
    let action_type: &str = action_type.into();
    Key::new(
        format!("ORG#{tenant}#EFFECT#{target_system}#{action_type}"),
        entity,
    )
}

/// What the organization asks for before its agent acts.
pub fn agent_policy(tenant: OrganizationId) -> Key<AgentPolicy> {
    Key::new(format!("ORG#{tenant}"), "AGENT_POLICY")
}

/// An entry of a session's journal.
pub(super) fn journal_entry(entry: &JournalEntry) -> Key<JournalEntry> {
    let place = Sort::new(journal_place(entry));
    journal(entry.organization_id, entry.session_id).at(place)
}

/// A session's journal by time.
pub(super) fn journal(tenant: OrganizationId, session: AgentSessionId) -> List<JournalEntry> {
    List::new(format!("{}#JOURNAL", agent_partition(tenant, session)))
}

/// The journals of all sessions of an organization by time.
pub(super) fn journals(tenant: OrganizationId) -> List<JournalEntry, Gsi1> {
    List::new(format!("ORG#{tenant}#JOURNAL"))
}

/// An entry's place in [`journals`].
pub(super) fn journal_entry_in_time(entry: &JournalEntry) -> Key<JournalEntry, Gsi1> {
    let place = Sort::new(journal_place(entry));
    journals(entry.organization_id).at(place)
}

/// An instant, and what breaks its ties: session, chain and number.
fn journal_place(entry: &JournalEntry) -> String {
    let (at, session) = (entry.at, padded(entry.session_id.get()));
    let chain = entry.action_id.as_deref().unwrap_or_default();
    format!("{at}#{session}#{chain}#{}", padded(entry.seq))
}

/// What was claimed on a day (UTC) on which that policy caps something.
pub(super) fn agent_day(tenant: OrganizationId, at: Timestamp) -> Key<AgentDay> {
    Key::new(format!("ORG#{tenant}#AGENT_DAY"), at.day())
}

/// The name by which target systems tell this stack from others.
pub(super) fn stack() -> Key<Stack> {
    Key::new("STACK", "STACK")
}

/// The last id given out for a kind of record, for all organizations.
pub(super) fn counter(kind: &str) -> Key<Counter> {
    Key::new(format!("COUNTER#{kind}"), "COUNTER")
}

/// What is left to do after a delete that a request was answered for.
pub(super) fn cleanup(tenant: OrganizationId, subject: Subject) -> Key<Cleanup> {
    let (kind, id) = match subject {
        Subject::Milestone(id) => ("MILESTONE", id.get()),
        Subject::Phase(_, id) => ("PHASE", id.get()),
        Subject::Tag(id) => ("TAG", id.get()),
        Subject::Thread(Thread::ServiceRequest(id)) => ("REQUEST", id.get()),
        Subject::Thread(Thread::Activity(id)) => ("ACTIVITY", id.get()),
        Subject::Thread(Thread::Task(id)) => ("TASK", id.get()),
    };
    Key::new(
        format!("ORG#{tenant}#CLEANUP"),
        format!("{kind}#{}", padded(id)),
    )
}

/// Sparse and across organizations: what the sweeper has to look at, by the instant from which on.
pub(super) fn due<R: Record>() -> List<R, Gsi2> {
    List::new(format!("DUE#{}", R::KIND))
}

/// A place among what is [`due`].
pub(super) fn due_from(at: Timestamp) -> Sort<Gsi2> {
    Sort::new(at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_without_regard_to_case_and_within_a_key() {
        let place = |name: &str, id| {
            let id = TagId::new(id).unwrap();
            name_then_id::<Gsi1>(name, id).into_text()
        };
        let sorted = [
            place("move", 2),
            place("Move", 3),
            place("MOVE on", 1),
            place("Moves", 1),
        ];
        assert!(sorted.is_sorted(), "{sorted:?}");
        // Its folded form has six bytes a character.
        let long = place(&"\u{390}".repeat(255), 1);
        assert!(
            (1_000..=LONGEST_SORT).contains(&long.len()),
            "{}",
            long.len()
        );
        assert!(long.ends_with("\t0000000000000001"));
    }
}
