//! Reminders: of open tasks with an assignee and a due date, and of proposals that await approval.
//!
//! The publisher keeps one item per record, and the sweeper visits it when it is due. The visit reads the
//! record first, and notifies users only if the record still gives reason for it.

use std::collections::BTreeMap;

use agent::session::{AgentSession, AgentSessionStatus};
use model::{
    Error, NotificationKind, NotificationSubject, Organization, OrganizationId, RecordName,
    RecordType, Reminded, Task, TaskStatus, Timestamp, UserId, span,
};
use serde::de::DeserializeOwned;

use super::{Notice, Notifications, notice::Audience};
use crate::{
    due::{self, Shard},
    feed::Change,
    key::{self, AnyKey},
    page::Wanted,
    record::record,
    records::Reminder,
    table::{self, Batch, Condition, IntoAttribute, OrLeave, Read, Readable, Stored, Write},
};

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

struct Visited {
    notice: Option<Notice>,
    next: Option<Timestamp>,
    version: i64,
}

impl Notifications<'_> {
    /// Writes the reminders for changes, in the order of the stream.
    pub async fn plan_reminders(
        &self,
        tenant: OrganizationId,
        changes: &[Change],
    ) -> Result<(), Error> {
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
        let at = self.0.clock.now();
        planned.retain(|_, plan| plan.is_moved);
        let writes = planned.into_iter().map(|(of, plan)| {
            let reminder = Reminder {
                organization_id: tenant,
                of,
                of_version: plan.version,
                due_at: plan.visit.map(|(at, _)| at),
                at,
            };
            let version = [plan.version.into_attribute()];
            let is_new = "(attribute_not_exists(#) OR # < :)";
            let is_new = Condition::default().and(is_new, "ofVersion", version);
            Write::put_where(&reminder, is_new)
        });
        // A refused write is of a change that was handled before.
        self.write_all(writes).await.map(|_| ())
    }

    /// Visits all due reminders of a shard, the longest overdue first. Passes the outcome of each
    /// organization's visits to `done`: the number of new notifications, or the error, after which the
    /// reminders stay due. The future may be dropped at any time.
    pub async fn remind_due(
        &self,
        shard: Shard,
        mut done: impl FnMut(OrganizationId, Result<usize, Error>),
    ) -> Result<(), Error> {
        let now = self.0.clock.now();
        let mut wanted = Wanted::first(AT_ONCE);
        loop {
            let page = due::page::<Reminder, Reminder>(&self.0.table, shard, now, &wanted).await?;
            let mut by_organization: BTreeMap<OrganizationId, Vec<Reminder>> = BTreeMap::new();
            for row in page.rows {
                match row.record {
                    Readable::Yes(Stored { record, .. }) => {
                        let tenant = record.organization_id;
                        by_organization.entry(tenant).or_default().push(record);
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
    async fn visit(
        &self,
        tenant: OrganizationId,
        reminders: Vec<Reminder>,
        now: Timestamp,
    ) -> Result<usize, Error> {
        let organization = key::organization(tenant);
        let keys = reminders.iter().map(|one| key::reminded(tenant, one.of));
        let keys = keys.chain([AnyKey::from(&organization)]);
        let found = self.0.table.batch_get(keys, Read::Consistent).await?;
        let (mut notices, mut writes) = (Vec::new(), Vec::new());
        let organization: Option<Stored<Organization>> = found.named(&organization);
        let is_suspended = organization.is_some_and(|one| one.suspended.is_some());
        for reminder in reminders {
            let visited = if is_suspended {
                Visited {
                    notice: None,
                    next: Some(now.plus(SUSPENDED)),
                    version: reminder.of_version,
                }
            } else {
                visit_of(&found, &reminder, now)
            };
            notices.extend(visited.notice);
            let next = Reminder {
                of_version: visited.version,
                due_at: visited.next,
                at: now,
                ..reminder
            };
            let as_read = Condition::default().equals("ofVersion", reminder.of_version);
            writes.push(Write::put_where(&next, as_read));
        }
        let notified = self.notify(tenant, &notices).await?;
        // A refused write means that the publisher planned a newer version's visit.
        self.write_all(writes.into_iter()).await?;
        Ok(notified)
    }

    /// Removes an unreadable reminder from the index.
    async fn set_aside(&self, key: AnyKey) -> Result<(), Error> {
        let change = table::Change::default().set("setAsideAt", self.0.clock.now());
        let write = Write::mend(key, due::not_due(change));
        // A refused write means that the item is gone.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

/// The record of a change, if it may have reminders, with the visits that it asks for before and after.
fn planned_by(change: &Change) -> Option<(Reminded, Option<Visit>, Option<Visit>)> {
    fn both<R: DeserializeOwned>(
        change: &Change,
        visit: fn(&R) -> Option<Visit>,
    ) -> (Option<Visit>, Option<Visit>) {
        let visit = |record: Option<R>| record.as_ref().and_then(visit);
        (visit(change.before()), visit(change.after()))
    }
    let RecordName { kind, record_id } = change.entry.of;
    let of = Reminded::of(*kind, record_id)?;
    let (before, after) = match of.kind() {
        RecordType::Task => both(change, first_of_task),
        _ => both(change, first_of_session),
    };
    Some((of, before, after))
}

/// The due date of a task that has reminders: it is open and has an assignee.
fn due_date(task: &Task) -> Option<Timestamp> {
    let ended = [TaskStatus::Done, TaskStatus::Cancelled];
    let is_open = ended.iter().all(|status| task.status != *status);
    task.due_date
        .filter(|_| is_open && task.assignee_id.is_some())
}

fn first_of_task(task: &Task) -> Option<Visit> {
    due_date(task).map(|due| (due.plus(-DUE_SOON), task.assignee_id))
}

/// The end of a proposal that awaits approval.
fn end_of_proposal(session: &AgentSession) -> Option<Timestamp> {
    let awaits = session.status == AgentSessionStatus::AwaitingConfirmation;
    session.times.approvable_until.filter(|_| awaits)
}

fn first_of_session(session: &AgentSession) -> Option<Visit> {
    end_of_proposal(session).map(|end| (end.plus(-ENDS_SOON), None))
}

/// The outcome of a visit. Without a readable record there is no reason for another one.
fn visit_of(found: &Batch, reminder: &Reminder, now: Timestamp) -> Visited {
    let tenant = reminder.organization_id;
    let visited = if let Some(id) = reminder.of.id_as() {
        let task = found.named(&key::task(tenant, id));
        task.map(|task| visit_of_task(&task, now))
    } else {
        let id = reminder.of.id_as();
        let session = id.and_then(|id| found.named(&key::agent_session(tenant, id)));
        session.map(|session| visit_of_session(&session, now))
    };
    visited.unwrap_or(Visited {
        notice: None,
        next: None,
        version: reminder.of_version,
    })
}

fn visit_of_task(task: &Stored<Task>, now: Timestamp) -> Visited {
    let version = task.version;
    let Some((due, assignee)) = due_date(task).zip(task.assignee_id) else {
        return Visited {
            notice: None,
            next: None,
            version,
        };
    };
    let (kind, next) = if now >= due {
        (Some(NotificationKind::Overdue), None)
    } else if now >= due.plus(-DUE_SOON) {
        (Some(NotificationKind::DueSoon), Some(due))
    } else {
        (None, Some(due.plus(-DUE_SOON)))
    };
    let subject = task.id.into();
    let notice = |kind| {
        let to = Audience::User(assignee);
        Notice::new(kind, cause(subject, kind, due), subject, to)
    };
    Visited {
        notice: kind.map(notice),
        next,
        version,
    }
}

fn visit_of_session(session: &Stored<AgentSession>, now: Timestamp) -> Visited {
    let version = session.version;
    let end = end_of_proposal(session).filter(|end| now < *end);
    let is_soon = |end: &Timestamp| now >= end.plus(-ENDS_SOON);
    let subject = session.id.into();
    let kind = NotificationKind::ApprovalNeeded;
    let notice = |end| {
        let cause = cause(subject, kind, end);
        Notice::of_proposal(session.record.clone(), cause, subject, now)
    };
    Visited {
        notice: end.filter(is_soon).map(notice),
        next: end
            .filter(|end| !is_soon(end))
            .map(|end| end.plus(-ENDS_SOON)),
        version,
    }
}

fn cause(subject: NotificationSubject, kind: NotificationKind, at: Timestamp) -> String {
    let of = subject.kind.name();
    format!("{of}-{}-{}-{}", subject.id, kind.name(), at.millis())
}
