//! Tasks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AnyOf, Description, FaultCode, MilestoneId, OrNone, Order, OrganizationId, PhaseId, Priority,
    ProjectId, TagId, TaskId, Timestamp, Title, UserId, Who,
    input::{Change, Defaulted, List, Nullable, Patch, Place, Reading},
};
use crate::input;

/// Something to do, in a project or for the organization at large.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Unique id.
    pub id: TaskId,
    /// What is to do.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// The project; null for a task of the organization at large.
    pub project_id: Option<ProjectId>,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// A milestone of the same project.
    pub milestone_id: Option<MilestoneId>,
    /// A phase of the same project.
    pub phase_id: Option<PhaseId>,
    /// Place within the list.
    pub order: Order,
    /// A user of the organization.
    pub assignee_id: Option<UserId>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// The tags that it carries, those that are gone among them.
    #[serde(default)]
    pub tag_ids: BTreeSet<TagId>,
    /// When it should be done.
    pub due_date: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// What a client sends to create a task: at least one of `projectId` and `organizationId`.
    pub struct TaskCreate {
        title: Title,
        description: Option<Description>,
        /// A project of the caller's organization.
        project_id: Option<ProjectId>,
        /// The caller's organization.
        organization_id: Option<OrganizationId>,
        /// A milestone of the project.
        milestone_id: Option<MilestoneId>,
        /// A phase of the project.
        phase_id: Option<PhaseId>,
        /// A user of the organization.
        assignee_id: Option<UserId>,
        status: Defaulted<TaskStatus>,
        priority: Defaulted<Priority>,
        /// When it should be done.
        due_date: Option<Timestamp>,
    }
    check(project_id, organization_id) belongs_somewhere;
    schema any_given(project_id, organization_id);
}

input! {
    /// What a client sends to change a task, at least one field of it: an absent field is kept, a
    /// null one cleared.
    pub struct TaskUpdate {
        title: Change<Title>,
        description: Patch<Description>,
        /// A milestone of the task's project.
        milestone_id: Patch<MilestoneId>,
        /// A phase of the task's project.
        phase_id: Patch<PhaseId>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
        /// Any change is legal.
        status: Change<TaskStatus>,
        priority: Change<Priority>,
        /// When it should be done.
        due_date: Patch<Timestamp>,
        order: Change<Order>,
    }
    changes Task;
    needs any;
}

input! {
    /// What a client sends to move a task to a phase.
    pub struct TaskPhase {
        /// A phase of the task's project; null removes the task from its phase.
        phase_id: Nullable<PhaseId>,
    }
}

input! {
    /// What a client sends to reorder tasks.
    pub struct TaskReorder {
        /// The tasks that move; each at most once.
        tasks: List<TaskPlace, 1, 100>,
    }
}

input! {
    /// A task and its new place.
    pub struct TaskPlace {
        id: TaskId,
        order: Order,
    }
    distinct by id, "This task stands in the list twice.";
}

input! {
    /// Which tasks to list.
    pub struct TaskFilter {
        status: Option<AnyOf<TaskStatus>>,
        priority: Option<AnyOf<Priority>>,
        assignee_id: Option<AnyOf<OrNone<Who>>>,
        project_id: Option<AnyOf<OrNone<ProjectId>>>,
        milestone_id: Option<AnyOf<OrNone<MilestoneId>>>,
        phase_id: Option<AnyOf<OrNone<PhaseId>>>,
        tag_id: Option<AnyOf<OrNone<TagId>>>,
        /// Due before this instant.
        due_before: Option<Timestamp>,
        /// Due at this instant or after it.
        due_after: Option<Timestamp>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
    }
}

/// Orders of tasks; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum TaskSort {
    /// By id, which is the order of creation.
    #[default]
    #[serde(rename = "id")]
    Id,
    /// The newest first.
    #[serde(rename = "-id")]
    NewestFirst,
    /// As they stand in their project; with one `projectId`.
    #[serde(rename = "order")]
    Order,
    /// The most urgent first, those without a due date last; with one `assigneeId`.
    #[serde(rename = "dueDate")]
    DueDate,
}

/// Orders of a project's tasks; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ProjectTaskSort {
    /// As they stand in their project.
    #[default]
    #[serde(rename = "order")]
    Order,
}

impl Task {
    /// The distance between a new task's `order` and the largest before it, which leaves room to
    /// place others between.
    pub const ORDER_STEP: i64 = 1024;

    /// A task of that tenant, as it was asked for.
    #[must_use]
    pub fn new(
        id: TaskId,
        tenant: OrganizationId,
        create: TaskCreate,
        order: Order,
        now: Timestamp,
    ) -> Self {
        let TaskCreate {
            title,
            description,
            project_id,
            organization_id: _,
            milestone_id,
            phase_id,
            assignee_id,
            status: Defaulted(status),
            priority: Defaulted(priority),
            due_date,
        } = create;
        Self {
            id,
            title,
            description,
            project_id,
            organization_id: tenant,
            milestone_id,
            phase_id,
            order,
            assignee_id,
            status,
            priority,
            tag_ids: BTreeSet::new(),
            due_date,
            created_at: now,
            updated_at: now,
        }
    }
}

impl From<TaskPhase> for TaskUpdate {
    fn from(TaskPhase { phase_id }: TaskPhase) -> Self {
        Self {
            phase_id: phase_id.0.map_or(Patch::Clear, Patch::Set),
            ..Self::default()
        }
    }
}

/// A record is a project's, the organization's, or both.
pub(crate) fn belongs_somewhere(
    project: Reading<&Option<ProjectId>>,
    organization: Reading<&Option<OrganizationId>>,
    body: &mut Place<'_>,
) {
    if matches!((project, organization), (Some(None), Some(None))) {
        let detail = "Send `projectId`, `organizationId` or both.";
        body.at("projectId").report(FaultCode::Required, detail);
    }
}

/// Where a task stands; any change is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not planned yet.
    Backlog,
    /// Planned.
    #[default]
    Todo,
    /// Being worked on.
    InProgress,
    /// Being looked over.
    InReview,
    /// Waiting for something else.
    Blocked,
    /// Finished.
    Done,
    /// Given up.
    Cancelled,
}
