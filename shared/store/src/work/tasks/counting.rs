use std::collections::{BTreeMap, HashMap};

use model::{
    base::{Id, OrOther, ProjectId, UserId},
    people::UserRef,
    work::TaskStatus,
};
use serde::{Deserialize, Serialize};
use table::{Read, page::PageRequest};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::Reader,
    key::{self, Keyed},
    work::Tasks,
};

const MOST: i64 = 10_000;

/// The attributes that are read.
const COUNTED: &[&str] = &["status", "assigneeId"];

/// The numbers of a project's tasks.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    #[schema(value_type = BTreeMap<TaskStatus, i64>)]
    by_status: BTreeMap<OrOther<TaskStatus>, i64>,
    /// Tasks of each assignee, the most first.
    by_assignee: Vec<AssigneeCount>,
    /// Tasks that were counted, at most 10,000.
    total: i64,
    /// True if these are all tasks of the project.
    complete: bool,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AssigneeCount {
    /// Null for tasks without an assignee.
    assignee: Option<UserRef>,
    total: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    status: OrOther<TaskStatus>,
    assignee_id: Option<UserId>,
}

impl Tasks<'_> {
    /// Counts a project's tasks by status and assignee, up to 10,000 of them. 404 when the project
    /// is not the tenant's.
    pub async fn counts(&self, reader: &Reader, project: ProjectId) -> Result<TaskCounts> {
        let tenant = reader.tenant;
        let table = &self.0.table;
        let key = project.key(tenant);
        let (project, (mut counts, assignees)) =
            tokio::try_join!(table.get(&key, Read::Lasting), self.count(tenant, project))?;
        self.0
            .scoped()
            .place(reader, project, ProjectId::NOUN)
            .await?;
        let ids = assignees.keys().flatten().copied();
        let named: HashMap<UserId, UserRef> = self.0.users(tenant, ids).await?;
        let mut by_assignee: HashMap<Option<UserId>, i64> = HashMap::new();
        for (assignee, count) in assignees {
            let named_assignee = assignee.filter(|id| named.contains_key(id));
            *by_assignee
                .entry(named_assignee)
                .or_default() += count;
        }
        let mut by_assignee: Vec<_> = by_assignee.into_iter().collect();
        by_assignee.sort_by_key(|(id, total)| (-total, *id));
        let by_assignee = by_assignee
            .into_iter()
            .map(|(id, total)| AssigneeCount {
                assignee: id.and_then(|id| named.get(&id).cloned()),
                total,
            });
        counts.by_assignee = by_assignee.collect();
        Ok(counts)
    }

    /// The counts without the names of assignees, and the counts by assignee.
    async fn count(
        &self,
        tenant: Tenant,
        project: ProjectId,
    ) -> Result<(TaskCounts, HashMap<Option<UserId>, i64>)> {
        let statuses = TaskStatus::ALL.iter();
        let zero_counts = statuses.map(|status| (OrOther::Known(*status), 0));
        let mut counts = TaskCounts {
            by_status: zero_counts.collect(),
            by_assignee: Vec::new(),
            total: 0,
            complete: false,
        };
        let mut assignees = HashMap::new();
        let mut wanted = PageRequest::default();
        while counts.total < MOST {
            let tasks = key::tasks_of_project(tenant, project).only::<Counted>(COUNTED);
            let page = self
                .0
                .table
                .page(tasks, &wanted)
                .await?;
            for row in page.rows {
                let counted = row.record.record;
                *counts
                    .by_status
                    .entry(counted.status)
                    .or_default() += 1;
                *assignees
                    .entry(counted.assignee_id)
                    .or_default() += 1;
                counts.total += 1;
            }
            wanted.after = page.end;
            if wanted.after.is_none() {
                counts.complete = true;
                break;
            }
        }
        Ok((counts, assignees))
    }
}
