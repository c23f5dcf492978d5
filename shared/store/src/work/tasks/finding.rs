//! Tasks by filter, each from the index that suits it.

use model::{
    base::{
        AnyOf, Error, Fault, FaultCode, Id, Ids, ProjectId, SearchedType, TaskId, TaskSort, UserId,
        Who,
    },
    work::{Task, TaskFilter},
};
use serde::de::DeserializeOwned;
use table::{
    Condition, Index, Key, Read, Record, RecordList, Stored,
    page::{ListPosition, Page, PageRequest, Row},
};

use crate::{
    Result, Tenant,
    base::{Store, filter::Filter, reads::titled_page},
    key::{self, Keyed},
    work::tagging,
};

use super::joined::{JoinedTask, TaggedTask};

/// The keys that a page reads after its first ones, if too few of these tasks match.
const FURTHER_KEYS: usize = 200;

/// A search for tasks of an organization.
#[derive(Clone, Copy)]
pub(super) struct Finding<'a> {
    pub(super) store: &'a Store,
    pub(super) tenant: Tenant,
    /// The user that `me` stands for.
    pub(super) caller: UserId,
    pub(super) filter: &'a TaskFilter,
    pub(super) wanted: &'a PageRequest,
}

impl Finding<'_> {
    /// The tasks in that order. 400 for an order that needs another filter.
    pub(super) async fn find(self, sort: TaskSort) -> Result<Page<Stored<Task>>> {
        let tenant = self.tenant;
        let filter = self.filter;
        let wanted = self.wanted;
        let ids = filter.id.as_ref();
        let project = filter
            .project_id
            .as_ref()
            .and_then(AnyOf::only_value);
        let milestone = filter
            .milestone_id
            .as_ref()
            .and_then(AnyOf::only_value);
        let assignee = filter
            .assignee_id
            .as_ref()
            .and_then(AnyOf::only_value);
        let assignee = assignee.map(|who: Who| who.user(self.caller));
        // The index's own filter is not checked again for each row.
        let without = |forget: fn(&mut TaskFilter)| {
            let mut rest = filter.clone();
            forget(&mut rest);
            condition(&rest, self.caller)
        };
        let in_project = || without(|rest| rest.project_id = None);
        let of_assignee = || without(|rest| rest.assignee_id = None);
        let in_milestone = || without(|rest| rest.milestone_id = None);
        let (by, descending) = match sort {
            TaskSort::Order => {
                let project = project.ok_or_else(|| takes_one("order", "projectId"))?;
                if let Some(ids) = ids {
                    return self
                        .named(ids, in_project_list, false)
                        .await;
                }
                let tasks = key::tasks_of_project(tenant, project).filter(in_project()?);
                return self.page(tasks, wanted).await;
            }
            TaskSort::DueDate => {
                let assignee = assignee.ok_or_else(|| takes_one("dueDate", "assigneeId"))?;
                if let Some(ids) = ids {
                    let place = |task: &Task| {
                        Some(ListPosition::in_index(
                            task.key(),
                            key::task_of_assignee(task)?,
                        ))
                    };
                    return self.named(ids, place, false).await;
                }
                let tasks = key::tasks_of_assignee(tenant, assignee).filter(of_assignee()?);
                return self.page(tasks, wanted).await;
            }
            TaskSort::Id => (By::Id, false),
            TaskSort::NewestFirst => (By::Id, true),
            TaskSort::FirstCreatedFirst => (By::Creation, false),
            TaskSort::LastCreatedFirst => (By::Creation, true),
            TaskSort::LastChangedFirst => (By::Change, true),
        };
        if let Some(ids) = ids {
            let place = |task: &Task| Some(by.place(task));
            return self.named(ids, place, descending).await;
        }
        let few = if let Some(milestone) = milestone {
            let tasks = key::tasks_of_milestone(tenant, milestone).filter(in_milestone()?);
            if by == By::Id {
                return self
                    .page(tasks.descending_if(descending), wanted)
                    .await;
            }
            self.few(tasks, by, descending).await?
        } else if let Some(assignee) = assignee {
            let tasks = key::tasks_of_assignee(tenant, assignee).filter(of_assignee()?);
            self.few(tasks, by, descending).await?
        } else if let Some(project) = project {
            let tasks = key::tasks_of_project(tenant, project).filter(in_project()?);
            self.few(tasks, by, descending).await?
        } else {
            None
        };
        match (few, by) {
            (Some(page), _) => Ok(page),
            (None, By::Id) => {
                let tasks = key::tasks(tenant).filter(condition(filter, self.caller)?);
                self.page(tasks.descending_if(descending), wanted)
                    .await
            }
            (None, By::Creation) => {
                let places = key::tasks_by_creation(tenant).places();
                self.named_by(places.descending_if(descending))
                    .await
            }
            (None, By::Change) => {
                let are_tasks = Condition::default().equals("type", SearchedType::Task);
                let changed = key::indexed_by_time(tenant)
                    .places()
                    .filter(are_tasks);
                self.named_by(changed.descending_if(descending))
                    .await
            }
        }
    }

    /// The tasks of a project, by order.
    pub(super) async fn in_project(self, project: ProjectId) -> Result<Page<Stored<Task>>> {
        if let Some(ids) = &self.filter.id {
            let place = |task: &Task| {
                let is_in = task.project_id == Some(project);
                in_project_list(task).filter(|_| is_in)
            };
            return self.named(ids, place, false).await;
        }
        let condition = condition(self.filter, self.caller)?;
        let tasks = key::tasks_of_project(self.tenant, project).filter(condition);
        self.page(tasks, self.wanted).await
    }

    /// A page of a list of tasks, whose titles match the query of the filter.
    async fn page<I: Index>(
        self,
        tasks: RecordList<Task, I>,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Task>>> {
        let query = self.filter.query.as_ref();
        let table = &self.store.table;
        titled_page(table, tasks, |task| &task.title, query, wanted).await
    }

    /// The tasks of a list, sorted, when one page can read all of them. `None` for a longer list: a
    /// walk through all tasks finds a page as well.
    async fn few<I: Index>(
        self,
        tasks: RecordList<Task, I>,
        by: By,
        descending: bool,
    ) -> Result<Option<Page<Stored<Task>>>> {
        let Page { rows, end } = self
            .page(tasks, &PageRequest::default())
            .await?;
        if end.is_some() {
            return Ok(None);
        }
        let rows = rows
            .into_iter()
            .map(|Row { record, .. }| Row {
                place: by.place(&record),
                record,
            });
        Ok(Some(Page::sorted(rows.collect(), descending, self.wanted)))
    }

    /// The tasks with these ids that match, in the order of their places. A task without one is
    /// left out.
    async fn named(
        self,
        AnyOf(ids): &Ids<TaskId>,
        place: impl Fn(&Task) -> Option<ListPosition>,
        descending: bool,
    ) -> Result<Page<Stored<Task>>> {
        let keys = ids.iter().map(|id| id.key(self.tenant));
        let fits = |task: &Task| self.fits(task);
        let store = self.store;
        let wanted = self.wanted;
        store
            .rows_by_id(keys, fits, place, descending, wanted)
            .await
    }

    /// The tasks under the keys of a list that match the filter. Their sort keys end with ids.
    async fn named_by<R: DeserializeOwned, I: Index>(
        self,
        list: RecordList<R, I>,
    ) -> Result<Page<Stored<Task>>> {
        let most = self.wanted.most();
        let mut rows = Vec::new();
        let mut next = PageRequest {
            rows: Some(most),
            after: self.wanted.after.clone(),
        };
        for last in [false, true] {
            let page = self
                .store
                .table
                .page(list.clone(), &next)
                .await?;
            let keys: Vec<_> = page
                .rows
                .iter()
                .map(|row| self.key(&row.place))
                .collect();
            let named = keys.iter().flatten();
            let batch = self
                .store
                .table
                .batch_get(named, Read::Eventual)
                .await?;
            for (row, key) in page.rows.into_iter().zip(&keys) {
                let task = key
                    .as_ref()
                    .and_then(|key| batch.named(key));
                rows.extend(
                    task.filter(|task| self.fits(task))
                        .map(|record| Row {
                            record,
                            place: row.place,
                        }),
                );
            }
            next = PageRequest {
                rows: Some(FURTHER_KEYS),
                after: page.end,
            };
            if last || rows.len() >= most || next.after.is_none() {
                break;
            }
        }
        let end = next.after;
        Ok(Page { rows, end }.cut(most))
    }

    fn key(self, place: &ListPosition) -> Option<Key<Task>> {
        let (_, id) = place.sorted_by().rsplit_once('#')?;
        Some(TaskId::new(id.parse().ok()?)?.key(self.tenant))
    }

    fn fits(self, task: &Task) -> bool {
        self.filter.fits(task, self.caller)
    }
}

/// A property by which tasks are sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Id,
    Creation,
    Change,
}

impl By {
    fn place(self, task: &Task) -> ListPosition {
        let tenant = task.organization_id;
        let id = task.id;
        match self {
            Self::Id => ListPosition::in_table(task.key()),
            Self::Creation => ListPosition::in_index(task.key(), key::task_by_creation(task)),
            Self::Change => {
                let kind = SearchedType::Task;
                let id = id.get();
                let in_time = key::indexed_in_time(tenant, kind, id, task.updated_at);
                ListPosition::in_index(key::indexed(tenant, kind, id), in_time)
            }
        }
    }
}

fn in_project_list(task: &Task) -> Option<ListPosition> {
    Some(ListPosition::in_index(
        task.key(),
        key::task_in_project(task)?,
    ))
}

/// The filter as a condition on each row, without its ids and its query.
fn condition(filter: &TaskFilter, caller: UserId) -> Result<Option<Condition>> {
    let asked = Filter::of(caller)
        .any("status", filter.status.as_ref())?
        .any("priority", filter.priority.as_ref())?
        .any("assigneeId", filter.assignee_id.as_ref())?
        .any("projectId", filter.project_id.as_ref())?
        .any("milestoneId", filter.milestone_id.as_ref())?
        .any("phaseId", filter.phase_id.as_ref())?
        .having("tagIds", filter.tag_id.as_ref())?
        .before("dueDate", filter.due_before)
        .since("dueDate", filter.due_after)
        .since("updatedAt", filter.updated_since);
    Ok(asked.condition())
}

/// Returns `true` for a task that still matches, without its references to deleted records.
pub(super) fn still_fits(filter: &TaskFilter, JoinedTask { task, .. }: &JoinedTask) -> bool {
    let TaggedTask { task, tags } = task;
    let milestone = filter.milestone_id.as_ref();
    let phase = filter.phase_id.as_ref();
    let tag = filter.tag_id.as_ref();
    milestone.is_none_or(|names| names.names(task.milestone_id.as_ref()))
        && phase.is_none_or(|names| names.names(task.phase_id.as_ref()))
        && tag.is_none_or(|asked| tagging::fits(asked, tags))
}

/// The fault of an order that exists only among the tasks of one record.
fn takes_one(sort: &str, filter: &str) -> Error {
    Error::invalid(Fault {
        pointer: "?sort".to_owned(),
        code: FaultCode::Combination,
        detail: format!("`sort={sort}` needs one `{filter}`. Without it, send id or -id."),
    })
}
