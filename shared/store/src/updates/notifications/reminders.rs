//! Reminders: of open tasks with an assignee and a due date, and of proposals that await approval.
//!
//! The publisher keeps one item per record, and the sweeper visits it when it is due. The visit
//! reads the record first, and notifies users only if the record still gives reason for it.

use std::collections::BTreeMap;

use agent::session::{AgentSession, AgentSessionStatus};
use model::{
    base::{
        NotificationSubject, OrganizationId, RecordName, RecordType, Reminded, TaskId, Timestamp,
        UserId, span,
    },
    people::Organization,
    updates::NotificationKind,
    work::{Task, TaskStatus},
};
use serde::de::DeserializeOwned;
use table::{AnyKey, Batch, Condition, Gsi4, OrLeave, Readable, Stored, Write, page::PageRequest};

use crate::{
    Result, Tenant,
    base::{record::record, records::Reminder},
    key::{self, Keyed},
    updates::{FeedChange, Notice, Notifications},
    upkeep::{Shard, due},
};

use super::notice::Audience;

/// Milliseconds from the reminder of a task to its due date.
const DUE_SOON: i64 = span::DAY;

/// Milliseconds from the reminder of a proposal to its end.
const ENDS_SOON: i64 = span::HOUR;

/// Milliseconds for which an item without a visit is kept. The stream keeps changes for a day.
const KEPT: i64 = 2 * span::DAY;

/// Milliseconds until the next visit while the organization is suspended.
const SUSPENDED: i64 = 15 * span::MINUTE;

/// Reminders that are read and handled together.
const AT_ONCE: usize = 100;

record! {
    reminder: Reminder = "reminder",
    key: key::reminder(reminder.organization_id, reminder.of),
    gsi4: Some(key::due(reminder.organization_id, reminder.due_at?)),
    expires_at: {
        let kept = reminder.at.plus(KEPT).epoch_seconds() + 1;
        reminder.due_at.is_none().then_some(kept)
    },
}

/// The visit that the newest change of a record asks for.
struct Planned {
    visit: Option<Visit>,
    version: i64,
    /// True if one of the changes moved the visit, or changed its user.
    is_moved: bool,
}

/// The first visit of a record, with the user to notify. Another user gets a visit, too.
type Visit = (Timestamp, Option<UserId>);

/// The outcome of a visit: a notice, and the instant of the next visit.
type Visited = (Option<Notice>, Option<Timestamp>);

impl Notifications<'_> {
    /// Writes the reminders for changes, in the order of the stream.
    pub async fn plan_reminders(&self, tenant: Tenant, changes: &[FeedChange]) -> Result<()> {
        let mut planned: BTreeMap<Reminded, Planned> = BTreeMap::new();
        for change in changes {
            let Some((of, before, after)) = planned_by(change) else {
                continue;
            };
            let version = change.entry.version.unwrap_or_default();
            let plan = planned.entry(of).or_insert(Planned {
                visit: after,
                version,
                is_moved: false,
            });
            plan.is_moved |= before != after;
            if version > plan.version {
                (plan.visit, plan.version) = (after, version);
            }
        }
        let at = self.0.now();
        planned.retain(|_, plan| plan.is_moved);
        let writes = planned.into_iter().map(|(of, plan)| {
            let reminder = Reminder {
                organization_id: tenant,
                of,
                of_version: plan.version,
                due_at: plan.visit.map(|(at, _)| at),
                at,
            };
            let is_new = Condition::default().absent_or("ofVersion", "# < :", plan.version);
            Write::put_where(&reminder, is_new)
        });
        // A refused write is of a change that was handled before.
        self.write_all(writes).await.map(|_| ())
    }

    /// Visits all due reminders of a shard, the longest overdue first. Passes the outcome of each
    /// organization's visits to `done`: the number of new notifications, or the error, after which
    /// the reminders stay due. The future may be dropped at any time.
    pub async fn remind_due(
        &self,
        shard: Shard,
        mut done: impl FnMut(OrganizationId, Result<usize>),
    ) -> Result<()> {
        let now = self.0.now();
        let mut wanted = PageRequest::first(AT_ONCE);
        loop {
            let page = due::page::<Reminder, Reminder>(&self.0.table, shard, now, &wanted).await?;
            let mut by_organization: BTreeMap<OrganizationId, Vec<Reminder>> = BTreeMap::new();
            for row in page.rows {
                match row.record {
                    Readable::Yes(Stored { record, .. }) => {
                        let tenant = record.organization_id;
                        by_organization
                            .entry(tenant)
                            .or_default()
                            .push(record);
                    }
                    Readable::No(key) => self.set_aside(key).await?,
                }
            }
            for (tenant, reminders) in by_organization {
                done(tenant, self.visit(tenant, reminders, now).await);
            }
            wanted.after = page.end;
            if wanted.after.is_none() {
                return Ok(());
            }
        }
    }

    /// Notifies users of the records that still give reason for it, and plans the next visits.
    async fn visit(&self, tenant: Tenant, due: Vec<Reminder>, now: Timestamp) -> Result<usize> {
        let organization = key::organization(tenant);
        let keys = due
            .iter()
            .map(|reminder| key::reminded(tenant, reminder.of));
        let keys = keys.chain([AnyKey::from(&organization)]);
        let batch = self.0.batch(keys).await?;
        let mut notices = Vec::new();
        let mut writes = Vec::new();
        let organization: Option<Stored<Organization>> = batch.named(&organization);
        let is_suspended =
            organization.is_some_and(|organization| organization.suspended.is_some());
        for reminder in due {
            let as_read = Condition::default().equals("ofVersion", reminder.of_version);
            let (of_version, (notice, due_at)) = if is_suspended {
                (reminder.of_version, (None, Some(now.plus(SUSPENDED))))
            } else {
                visit_of(&batch, &reminder, now)
            };
            notices.extend(notice);
            let next = Reminder {
                of_version,
                due_at,
                at: now,
                ..reminder
            };
            writes.push(Write::put_where(&next, as_read));
        }
        let notified = self.notify(tenant, &notices).await?;
        // A refused write means that the publisher planned a newer version's visit.
        self.write_all(writes.into_iter())
            .await?;
        Ok(notified)
    }

    /// Removes an unreadable reminder from the index.
    async fn set_aside(&self, key: AnyKey) -> Result<()> {
        let change = table::UpdateExpression::default().set("setAsideAt", self.0.now());
        let write = Write::mend(key, change.leave(Gsi4));
        // A refused write means that the item is gone.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }
}

/// The record of a change, if it may have reminders, with the visits that it asks for before and
/// after.
fn planned_by(change: &FeedChange) -> Option<(Reminded, Option<Visit>, Option<Visit>)> {
    fn both<R: DeserializeOwned>(
        change: &FeedChange,
        visit: fn(&R) -> Option<Visit>,
    ) -> (Option<Visit>, Option<Visit>) {
        let visit = |record: Option<R>| record.as_ref().and_then(visit);
        (visit(change.before()), visit(change.after()))
    }
    let RecordName { kind, record_id } = change.entry.of;
    let of = Reminded::of(*kind, record_id)?;
    let (before, after) = match of.kind() {
        RecordType::Task => both(change, |task: &Task| {
            due_date(task).map(|due| (due.plus(-DUE_SOON), task.assignee_id))
        }),
        _ => both(change, |session: &AgentSession| {
            end_of_proposal(session).map(|end| (end.plus(-ENDS_SOON), None))
        }),
    };
    Some((of, before, after))
}

/// The due date of a task that has reminders: it is open and has an assignee.
fn due_date(task: &Task) -> Option<Timestamp> {
    let is_open = !task
        .status
        .known()
        .is_some_and(TaskStatus::is_over);
    task.due_date
        .filter(|_| is_open && task.assignee_id.is_some())
}

/// The end of a proposal that awaits approval.
fn end_of_proposal(session: &AgentSession) -> Option<Timestamp> {
    let awaits = session.status == AgentSessionStatus::AwaitingConfirmation;
    session
        .times
        .approvable_until
        .filter(|_| awaits)
}

/// The outcome of a visit, with the record's version. Without a readable record there is no reason
/// for another one.
fn visit_of(batch: &Batch, reminder: &Reminder, now: Timestamp) -> (i64, Visited) {
    let tenant = reminder.organization_id;
    let visited = if let Some(id) = reminder.of.id_as::<TaskId>() {
        let task = batch.named(&id.key(tenant));
        task.map(|task| (task.version, visit_of_task(&task, now)))
    } else {
        let id = reminder.of.id_as();
        let session = id.and_then(|id| batch.named(&key::agent_session(tenant, id)));
        session.map(|session| (session.version, visit_of_session(&session, now)))
    };
    visited.unwrap_or((reminder.of_version, (None, None)))
}

fn visit_of_task(task: &Task, now: Timestamp) -> Visited {
    let Some((due, assignee)) = due_date(task).zip(task.assignee_id) else {
        return (None, None);
    };
    let (kind, next) = if now >= due {
        (NotificationKind::Overdue, None)
    } else if now >= due.plus(-DUE_SOON) {
        (NotificationKind::DueSoon, Some(due))
    } else {
        return (None, Some(due.plus(-DUE_SOON)));
    };
    let subject = task.id.into();
    let to = Audience::User(assignee);
    let mut notice = Notice::new(kind, cause(subject, kind, due), subject, to);
    notice.project = task.project_id;
    (Some(notice), next)
}

fn visit_of_session(session: &AgentSession, now: Timestamp) -> Visited {
    let Some(end) = end_of_proposal(session).filter(|end| now < *end) else {
        return (None, None);
    };
    if now < end.plus(-ENDS_SOON) {
        return (None, Some(end.plus(-ENDS_SOON)));
    }
    let subject = session.id.into();
    let cause = cause(subject, NotificationKind::ApprovalNeeded, end);
    let notice = Notice::of_proposal(session.clone(), cause, subject, now);
    (Some(notice), None)
}

fn cause(subject: NotificationSubject, kind: NotificationKind, at: Timestamp) -> String {
    let of = subject.kind.name();
    format!("{of}-{}-{}-{}", subject.id, kind.name(), at.millis())
}
