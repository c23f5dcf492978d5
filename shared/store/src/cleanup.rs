//! What is left to do after a delete that was answered for: it is written in the same transaction
//! as the delete, and the sweeper does it, so that a crash loses nothing however many records
//! hang on the deleted one.

mod walk;

use model::{Error, MilestoneId, OrganizationId, PhaseId, ProjectId, TagId, Thread, Timestamp};
use serde::{Deserialize, Serialize};

use self::walk::Walked;
use super::{
    Permit, Store,
    key::{self, Gsi2, Key},
    rewrite::rewrite,
    table::{Change, Condition, OrLeave, Read, Record, Stored, Write, attribute},
};

/// Something left to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cleanup {
    pub(super) organization_id: OrganizationId,
    pub(super) subject: Subject,
    pub(super) due_at: Timestamp,
    /// How far a walk over many records came, once it has begun.
    #[serde(default)]
    walked: Option<Walked>,
}

/// What was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Subject {
    /// Its tasks are to be unlinked.
    Milestone(MilestoneId),
    /// The project's tasks are to be taken out of it.
    Phase(ProjectId, PhaseId),
    /// It is to be taken off tasks and activities.
    Tag(TagId),
    /// The comments on it are to be deleted.
    Thread(Thread),
}

impl Record for Cleanup {
    const KIND: &'static str = "cleanup";

    fn key(&self) -> Key<Self> {
        key::cleanup(self.organization_id, self.subject)
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        Some(key::due().at(key::due_from(self.due_at)))
    }
}

impl Store {
    /// Deletes a record unless `allow` refuses when it sees it, and notes what is left to do. 404 when
    /// the record is not the tenant's, 409 when it kept changing.
    pub(super) async fn delete_with_cleanup<R: Record>(
        &self,
        permit: Permit,
        key: Key<R>,
        noun: &'static str,
        subject: impl Fn(&R) -> Subject,
        allow: impl AsyncFnOnce(&R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let read = || self.table.get(&key, Read::Consistent);
        let (given, found) = permit.beside(read()).await?;
        let found = given.current(found, noun)?;
        allow(&found).await?;
        let (given, subject) = (&given, &subject);
        let write = |found: Option<Stored<R>>| async move {
            let record = given.current(found, noun)?;
            let mut writes = vec![
                Write::delete(record.key(), Condition::version(record.version)),
                self.cleanup_of(given.tenant(), subject(&record))?,
            ];
            writes.extend(given.deleted(&record, self.clock.now())?);
            Ok(self.table.transact(writes).await?.ok())
        };
        rewrite(Some(found), read, write).await
    }

    /// Notes what is left to do, in the transaction that deletes.
    pub(super) fn cleanup_of(
        &self,
        tenant: OrganizationId,
        subject: Subject,
    ) -> Result<Write, Error> {
        Write::put(&Cleanup {
            organization_id: tenant,
            subject,
            due_at: self.clock.now(),
            walked: None,
        })
    }
}

/// Finishes deletes.
#[derive(Clone, Copy, Debug)]
pub struct Cleanups<'a>(pub(super) &'a Store);

impl Cleanups<'_> {
    /// Records handled before a cleanup is put off to the next round, so that one huge delete
    /// does not hold up the others.
    const RECORDS_A_ROUND: usize = 500;

    /// Does what is due, at most `most` cleanups, and answers how many it finished.
    pub async fn run_due(&self, most: usize) -> Result<usize, Error> {
        let now = self.0.clock.now();
        let due = key::due().up_to(key::due_from(now)).limit(most);
        let mut finished = 0;
        for cleanup in self.0.table.list(due).await? {
            if self.run(&cleanup).await? {
                finished += 1;
            }
        }
        Ok(finished)
    }

    /// Does one round of a cleanup; answers whether that was the last.
    async fn run(&self, cleanup: &Cleanup) -> Result<bool, Error> {
        let tenant = cleanup.organization_id;
        let walked = cleanup.walked.as_ref();
        let handled = match cleanup.subject {
            Subject::Milestone(id) => self.unlink_tasks(tenant, id).await?,
            Subject::Thread(thread) => self.delete_comments(tenant, thread).await?,
            Subject::Phase(project, id) => {
                let left = self.leave_phase(tenant, project, id, walked).await?;
                return self.finish_or_go_on(cleanup, left).await;
            }
            Subject::Tag(id) => {
                let left = self.take_tag_off(tenant, id, walked).await?;
                return self.finish_or_go_on(cleanup, left).await;
            }
        };
        if handled == Self::RECORDS_A_ROUND {
            return Ok(false);
        }
        self.finish(cleanup).await
    }

    /// Keeps how far a walk came for the next round, behind all others that are due; without that,
    /// it is over.
    async fn finish_or_go_on(
        &self,
        cleanup: &Cleanup,
        walked: Option<Walked>,
    ) -> Result<bool, Error> {
        let Some(walked) = walked else {
            return self.finish(cleanup).await;
        };
        let now = self.0.clock.now();
        let change = Change::default()
            .set("walked", attribute(&walked)?)
            .set("dueAt", now)
            .move_to(key::due_from(now));
        let write = Write::update(cleanup.key(), change, Condition::exists());
        // Refused means that another run finished it.
        self.0.table.write(write).await?.or_leave();
        Ok(false)
    }

    async fn finish(&self, cleanup: &Cleanup) -> Result<bool, Error> {
        let done = Write::delete(cleanup.key(), Condition::default());
        self.0.table.write(done).await?.or_leave();
        Ok(true)
    }

    /// The index may lag behind a link made just before the delete. Such a task keeps the id of a
    /// milestone that is gone, which every reader takes for none.
    async fn unlink_tasks(
        &self,
        tenant: OrganizationId,
        milestone: MilestoneId,
    ) -> Result<usize, Error> {
        let linked = key::tasks_of_milestone(tenant, milestone).limit(Self::RECORDS_A_ROUND);
        let tasks = self.0.table.list(linked).await?;
        for task in &tasks {
            let unlink = Change::default().remove("milestoneId").leave(Gsi2);
            let still_linked = Condition::default().equals("milestoneId", milestone);
            let write = Write::update(key::task(tenant, task.id), unlink, still_linked);
            // Refused means that somebody moved the task or deleted it meanwhile.
            self.0.table.write(write).await?.or_leave();
        }
        Ok(tasks.len())
    }

    async fn delete_comments(
        &self,
        tenant: OrganizationId,
        thread: Thread,
    ) -> Result<usize, Error> {
        let all = key::comments(tenant, thread)
            .consistent()
            .limit(Self::RECORDS_A_ROUND);
        let comments = self.0.table.list(all).await?;
        for some in comments.chunks(100) {
            let deletes = some
                .iter()
                .map(|comment| Write::delete(comment.key(), Condition::default()))
                .collect();
            self.0.table.transact(deletes).await?.or_leave();
        }
        Ok(comments.len())
    }
}
