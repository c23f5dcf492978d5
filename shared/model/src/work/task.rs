use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, Description, FaultCode, Ids, MilestoneId, OrNone, OrOther, Order, OrganizationId,
        PhaseId, ProjectId, TagId, TaskId, Timestamp, Title, TitleWords, UserId, Who,
        input::{
            BoundedList, Defaulted, InputPlace, Nullable, Patch, PatchField, Reading, one_of_two,
        },
    },
    input, names,
    work::Priority,
};

/// A task of a project or of the whole organization.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: TaskId,
    pub title: Title,
    pub description: Option<Description>,
    /// The project; null for a task of the whole organization.
    pub project_id: Option<ProjectId>,
    pub organization_id: OrganizationId,
    /// A milestone of the same project.
    pub milestone_id: Option<MilestoneId>,
    /// A phase of the same project.
    pub phase_id: Option<PhaseId>,
    /// Position within the list.
    pub order: Order,
    /// The user who works on the task.
    pub assignee_id: Option<UserId>,
    #[schema(value_type = TaskStatus)]
    pub status: OrOther<TaskStatus>,
    #[schema(value_type = Priority)]
    pub priority: OrOther<Priority>,
    /// The ids of its tags, some of which may have been deleted.
    #[serde(default)]
    pub tag_ids: BTreeSet<TagId>,
    pub due_date: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    /// A task to create, with at least one of `projectId` and `organizationId`.
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
        due_date: Option<Timestamp>,
    }
    check(project_id, organization_id) belongs_somewhere;
    schema any_given(project_id, organization_id);
    example {
        "title": "Compare the invoices of both systems",
        "description": "September agrees to the cent. In October two invoices differ.", "projectId": 1,
        "milestoneId": 1, "phaseId": 1, "assigneeId": 1, "priority": "high",
        "dueDate": "2026-11-30T16:00:00Z",
    };

    /// A change of a task: at least one field. An absent field is kept, null clears it.
    pub struct TaskUpdate {
        title: PatchField<Title>,
        description: Patch<Description>,
        /// A milestone of the task's project.
        milestone_id: Patch<MilestoneId>,
        /// A phase of the task's project.
        phase_id: Patch<PhaseId>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
        /// Any change is allowed.
        status: PatchField<TaskStatus>,
        priority: PatchField<Priority>,
        due_date: Patch<Timestamp>,
        order: PatchField<Order>,
    }
    changes Task;
    needs any;
    example {"status": "in_progress", "assigneeId": 1, "dueDate": null};

    pub struct TaskPhase {
        /// A phase of the task's project; null removes the task from its phase.
        phase_id: Nullable<PhaseId>,
    }
    example {"phaseId": 1};

    /// A move of a task beside another one of its project.
    pub struct TaskMove {
        /// The task that it comes before. Send either this or `after`.
        before: Option<TaskId>,
        /// The task that it comes after.
        after: Option<TaskId>,
        /// The new status; absent or null keeps it.
        status: Option<TaskStatus>,
    }
    check(before, after)
        one_of_two("before", ["Send `before` or `after`.", "Send `before` or `after`, not both."]);
    schema any_given(before, after);
    example {"after": 3, "status": "in_progress"};

    pub struct TaskReorder {
        /// The tasks to move, each at most once.
        tasks: BoundedList<TaskPlace, 1, 100>,
    }
    example {"tasks": [{"id": 3, "order": 1024}, {"id": 1, "order": 2048}]};

    pub struct TaskPlace {
        id: TaskId,
        order: Order,
    }
    distinct by id, "The list has this task twice.";
    example {"id": 3, "order": 1024};

    pub struct TaskFilter {
        /// Tasks with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<TaskId>>,
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
        /// Words, each of which must begin a word of the title, without regard to case and accents.
        query: Option<TitleWords>,
    }
}

impl TaskFilter {
    pub fn fits(&self, task: &Task, caller: UserId) -> bool {
        let status = self.status.as_ref();
        let priority = self.priority.as_ref();
        let project = self.project_id.as_ref();
        let milestone = self.milestone_id.as_ref();
        let phase = self.phase_id.as_ref();
        let tag = self.tag_id.as_ref();
        let assignee = self.assignee_id.as_ref();
        let due = task.due_date;
        status.is_none_or(|any| any.has(&task.status))
            && priority.is_none_or(|any| any.has(&task.priority))
            && assignee.is_none_or(|any| any.names_user(task.assignee_id, caller))
            && project.is_none_or(|any| any.names(task.project_id.as_ref()))
            && milestone.is_none_or(|any| any.names(task.milestone_id.as_ref()))
            && phase.is_none_or(|any| any.names(task.phase_id.as_ref()))
            && tag.is_none_or(|any| any.names_one_of(&task.tag_ids))
            && (self.due_before).is_none_or(|end| due.is_some_and(|due| due < end))
            && (self.due_after).is_none_or(|first| due.is_some_and(|due| due >= first))
            && self
                .updated_since
                .is_none_or(|at| task.updated_at >= at)
            && self
                .query
                .as_ref()
                .is_none_or(|query| query.begin_words_of(&task.title))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// The moved task comes directly before it.
    Before(TaskId),
    /// The moved task comes directly after it.
    After(TaskId),
}

impl Neighbour {
    pub const fn id(self) -> TaskId {
        match self {
            Self::Before(id) | Self::After(id) => id,
        }
    }

    pub const fn field(self) -> &'static str {
        match self {
            Self::Before(_) => "before",
            Self::After(_) => "after",
        }
    }
}

impl Task {
    /// The distance of a new task's `order` from the largest one, which leaves room for tasks
    /// between them.
    pub const ORDER_STEP: i64 = 1024;

    pub fn new(
        id: TaskId,
        tenant: OrganizationId,
        create: TaskCreate,
        order: Order,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            title: create.title,
            description: create.description,
            project_id: create.project_id,
            organization_id: tenant,
            milestone_id: create.milestone_id,
            phase_id: create.phase_id,
            order,
            assignee_id: create.assignee_id,
            status: create.status.0.into(),
            priority: create.priority.0.into(),
            tag_ids: BTreeSet::new(),
            due_date: create.due_date,
            created_at: now,
            updated_at: now,
        }
    }
}

impl TaskMove {
    pub const fn neighbour(&self) -> Option<Neighbour> {
        match (self.before, self.after) {
            (Some(task), _) => Some(Neighbour::Before(task)),
            (None, Some(task)) => Some(Neighbour::After(task)),
            (None, None) => None,
        }
    }
}

impl From<TaskPhase> for TaskUpdate {
    fn from(TaskPhase { phase_id }: TaskPhase) -> Self {
        Self {
            phase_id: Patch::Set(phase_id.0),
            ..Self::default()
        }
    }
}

/// Checks that a record belongs to a project, the organization, or both.
pub(crate) fn belongs_somewhere(
    project: Reading<&Option<ProjectId>>,
    organization: Reading<&Option<OrganizationId>>,
    body: &mut InputPlace<'_>,
) {
    if matches!((project, organization), (Some(None), Some(None))) {
        let detail = "Send `projectId`, `organizationId` or both.";
        body.at("projectId")
            .report(FaultCode::Required, detail);
    }
}

names! {
    /// The status of a task; any change is allowed. `x-rules` has those of ended work as `over`.
    #[derive(Default)]
    pub enum TaskStatus = "a status" {
        Backlog: "Not planned yet.",
        Todo = default: "Planned.",
        InProgress: "In progress.",
        InReview: "In review.",
        Blocked: "Waiting for something else.",
        Done: "Finished.",
        Cancelled: "Abandoned.",
    }
}

impl TaskStatus {
    /// Returns true for `done` and `cancelled`, which end the work.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}
