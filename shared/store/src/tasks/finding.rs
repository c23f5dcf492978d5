//! Tasks by filter, each from the index that suits it.

use model::{
    AnyOf, Error, Fault, FaultCode, OrganizationId, Task, TaskFilter, TaskSort, UserId, Who,
};

use super::joined::JoinedTask;
use crate::{
    filter::Filter,
    key::{self, Index, List},
    page::{Page, Row, Wanted},
    table::{Condition, Stored, Table},
    tagging,
};

/// A search for tasks of an organization.
#[derive(Clone, Copy)]
pub(super) struct Finding<'a> {
    pub(super) table: &'a Table,
    pub(super) tenant: OrganizationId,
    /// The user that `me` stands for.
    pub(super) caller: UserId,
    pub(super) filter: &'a TaskFilter,
    pub(super) wanted: &'a Wanted,
}

impl Finding<'_> {
    /// The tasks in that order. 400 for an order that needs another filter.
    pub(super) async fn find(self, sort: TaskSort) -> Result<Page<Stored<Task>>, Error> {
        let Self {
            table,
            tenant,
            wanted,
            filter,
            ..
        } = self;
        let project = filter.project_id.as_ref().and_then(AnyOf::only_value);
        let milestone = filter.milestone_id.as_ref().and_then(AnyOf::only_value);
        let assignee = filter.assignee_id.as_ref().and_then(AnyOf::only_value);
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
        let newest_first = match sort {
            TaskSort::Order => {
                let project = project.ok_or_else(|| takes_one("order", "projectId"))?;
                let tasks = key::tasks_of_project(tenant, project).filter(in_project()?);
                return table.page(tasks, wanted).await;
            }
            TaskSort::DueDate => {
                let assignee = assignee.ok_or_else(|| takes_one("dueDate", "assigneeId"))?;
                let tasks = key::tasks_of_assignee(tenant, assignee).filter(of_assignee()?);
                return table.page(tasks, wanted).await;
            }
            TaskSort::Id => false,
            TaskSort::NewestFirst => true,
        };
        if let Some(milestone) = milestone {
            let tasks = key::tasks_of_milestone(tenant, milestone).filter(in_milestone()?);
            let tasks = tasks.descending_if(newest_first);
            return table.page(tasks, wanted).await;
        }
        let few = if let Some(assignee) = assignee {
            let tasks = key::tasks_of_assignee(tenant, assignee).filter(of_assignee()?);
            self.few(tasks, newest_first).await?
        } else if let Some(project) = project {
            let tasks = key::tasks_of_project(tenant, project).filter(in_project()?);
            self.few(tasks, newest_first).await?
        } else {
            None
        };
        if let Some(page) = few {
            return Ok(page);
        }
        let tasks = key::tasks(tenant).filter(condition(filter, self.caller)?);
        table.page(tasks.descending_if(newest_first), wanted).await
    }

    /// The tasks of a list, sorted by id, when one page can read all of them. `None` for a longer list:
    /// a walk through all tasks finds a page as well.
    async fn few<I: Index>(
        self,
        tasks: List<Task, I>,
        newest_first: bool,
    ) -> Result<Option<Page<Stored<Task>>>, Error> {
        let Page { mut rows, end } = self.table.page(tasks, &Wanted::default()).await?;
        if end.is_some() {
            return Ok(None);
        }
        rows.sort_unstable_by_key(|row| row.record.id);
        if newest_first {
            rows.reverse();
        }
        if let Some(after) = &self.wanted.after {
            // Keys hold ids padded with zeros, which sort as numbers do.
            rows.retain(|Row { place, .. }| {
                (place.sk() != after.sk()) && (place.sk() < after.sk()) == newest_first
            });
        }
        let page = Page { rows, end: None }.cut(self.wanted.most());
        Ok(Some(page))
    }
}

/// The filter as a condition on each row.
pub(super) fn condition(filter: &TaskFilter, caller: UserId) -> Result<Option<Condition>, Error> {
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

/// Returns `true` for a task that still matches, now that its references to deleted records are gone.
pub(super) fn still_fits(filter: &TaskFilter, JoinedTask { task, tags, .. }: &JoinedTask) -> bool {
    let milestone = filter.milestone_id.as_ref();
    let phase = filter.phase_id.as_ref();
    milestone.is_none_or(|names| names.names(task.milestone_id.as_ref()))
        && phase.is_none_or(|names| names.names(task.phase_id.as_ref()))
        && filter
            .tag_id
            .as_ref()
            .is_none_or(|asked| tagging::fits(asked, tags))
}

/// The fault of an order that exists only among the tasks of one record.
fn takes_one(sort: &str, filter: &str) -> Error {
    let detail = format!("`sort={sort}` needs one `{filter}`. Without it, send id or -id.");
    Error::invalid(Fault {
        pointer: "?sort".to_owned(),
        code: FaultCode::Combination,
        detail,
    })
}
