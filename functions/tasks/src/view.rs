//! Views of tasks.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::{
    model::{MilestoneRef, OrOther, ProjectRef, TagRef, Task, TaskStatus, UserRef},
    store::{JoinedTask, TaskCounts},
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Task>;

/// A task of a project or of the organization at large.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task, examples(json!({
    "id": 7,
    "title": "Compare the invoices of both systems",
    "description": "September agrees to the cent. In October two invoices differ.",
    "projectId": 1,
    "organizationId": 1,
    "milestoneId": 1,
    "phaseId": 2,
    "order": 2048,
    "assigneeId": 1,
    "status": "in_progress",
    "priority": "high",
    "tags": [{"id": 3, "name": "urgent"}],
    "dueDate": "2026-11-30T16:00:00.000Z",
    "createdAt": "2026-01-12T08:30:00.000Z",
    "updatedAt": "2026-01-14T09:30:00.000Z",
    "version": 3
})))]
struct TaskView {
    #[serde(flatten)]
    #[schema(inline)]
    task: Fields,
    /// The tags of the task, by id.
    tags: Vec<TagRef>,
}

/// A task with its assignee, project and milestone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JoinedTask)]
pub struct JoinedTaskView {
    #[serde(flatten)]
    task: TaskView,
    /// User with the id `assigneeId`.
    assignee: Option<UserRef>,
    /// Project with the id `projectId`.
    project: Option<ProjectRef>,
    /// Milestone with the id `milestoneId`.
    milestone: Option<MilestoneRef>,
}

versioned!(TaskView: task, JoinedTaskView: task);

impl From<JoinedTask> for JoinedTaskView {
    fn from(joined: JoinedTask) -> Self {
        let JoinedTask {
            task,
            assignee,
            project,
            milestone,
            tags,
        } = joined;
        Self {
            task: TaskView {
                task: task.into(),
                tags,
            },
            assignee,
            project,
            milestone,
        }
    }
}

/// The numbers of a project's tasks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaskCounts, examples(json!({
    "byStatus": {"backlog": 0, "todo": 4, "in_progress": 2, "in_review": 0, "blocked": 1, "done": 9, "cancelled": 0},
    "byAssignee": [
        {"assignee": {"id": 1, "username": "ada", "fullName": "Ada Lindqvist"}, "total": 10},
        {"assignee": null, "total": 6}
    ],
    "total": 16,
    "complete": true
})))]
#[serde(rename_all = "camelCase")]
pub struct TaskCountsView {
    /// Tasks of each status.
    #[schema(value_type = BTreeMap<TaskStatus, i64>)]
    by_status: BTreeMap<OrOther<TaskStatus>, i64>,
    /// Tasks of each assignee, the most first.
    by_assignee: Vec<AssigneeCountView>,
    /// Tasks that were counted, at most 10,000.
    total: i64,
    /// True if these are all tasks of the project.
    complete: bool,
}

/// The number of an assignee's tasks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AssigneeCount)]
pub struct AssigneeCountView {
    /// Null for tasks without an assignee.
    assignee: Option<UserRef>,
    total: i64,
}

impl From<TaskCounts> for TaskCountsView {
    fn from(counts: TaskCounts) -> Self {
        let none = TaskStatus::ALL
            .iter()
            .map(|status| (OrOther::Known(*status), 0));
        let mut by_status: BTreeMap<_, _> = none.collect();
        by_status.extend(counts.by_status);
        let by_assignee = counts.by_assignee.into_iter();
        Self {
            by_status,
            by_assignee: by_assignee
                .map(|(assignee, total)| AssigneeCountView { assignee, total })
                .collect(),
            total: counts.total,
            complete: counts.is_complete,
        }
    }
}
