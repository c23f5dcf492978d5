//! What is left to do after a delete that was answered for: it is written in the same transaction
//! as the delete, and the sweeper does it, so that a crash loses nothing however many records
//! hang on the deleted one.

mod walk;

pub(super) use walk::NamesOfTask;

use futures::{StreamExt, stream};
use model::{
    Error, MilestoneId, OrganizationId, PhaseId, ProjectId, TagId, Thread, Timestamp, span,
};
use serde::{Deserialize, Serialize};

use self::walk::Walked;
use super::{
    Permit, Store,
    key::{self, AnyKey, Gsi2, Key},
    page::{Row, Wanted},
    rewrite::rewrite,
    table::{Change, Condition, OrLeave, Read, Readable, Record, Stored, Write, attribute},
};

/// How long after a delete its cleanup is due, in milliseconds: by then the indexes, which lag behind
/// by moments, show what was linked just before.
pub const CLEANUP_DELAY: i64 = 10 * span::SECOND;

/// Something left to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cleanup {
    pub(super) organization_id: OrganizationId,
    pub(super) subject: Subject,
    pub(super) due_at: Timestamp,
    /// How far it came, once it has begun.
    #[serde(default)]
    walked: Option<Walked>,
    /// How often in a row it failed.
    #[serde(default)]
    failures: u32,
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
            let now = self.clock.now();
            writes.extend(given.deleted(&record, now)?);
            writes.extend(
                self.action_follows(given, &record.record, None, now)
                    .await?,
            );
            Ok(self.table.transact(writes).await?.ok())
        };
        rewrite(Some(found), read, write).await
    }

    /// Notes what is left to do, in the transaction that deletes; due after [`CLEANUP_DELAY`].
    pub(super) fn cleanup_of(
        &self,
        tenant: OrganizationId,
        subject: Subject,
    ) -> Result<Write, Error> {
        Write::put(&Cleanup {
            organization_id: tenant,
            subject,
            due_at: self.clock.now().plus(CLEANUP_DELAY),
            walked: None,
            failures: 0,
        })
    }
}

/// Finishes deletes.
#[derive(Clone, Copy, Debug)]
pub struct Cleanups<'a>(pub(super) &'a Store);

/// How far a cleanup came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All of it is done.
    Finished,
    /// There is more to do, behind all others that are due.
    GoesOn,
}

/// A cleanup that is due, or what is left of one that does not read.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Due {
    Sound(Cleanup),
    Damaged {
        #[serde(default)]
        failures: u32,
    },
}

impl Cleanups<'_> {
    /// Cleanups of a look at what is due.
    const AT_ONCE: usize = 100;

    /// Cleanups that are under way at the same time.
    const CONCURRENCY: usize = 10;

    /// Does what is due until nothing of that is left, the longest overdue first, and tells of each
    /// round of a cleanup, by its key, what came of it. Each is done for itself: one that fails is put
    /// off, for longer each time, and holds up no other. May be dropped at any time: what is not
    /// finished stays due.
    pub async fn run_due(
        &self,
        mut tell: impl FnMut(&str, Result<Progress, Error>),
    ) -> Result<(), Error> {
        loop {
            let now = self.0.clock.now();
            let mut wanted = Wanted::first(Self::AT_ONCE);
            let mut any_goes_on = false;
            loop {
                let due = key::due::<Cleanup>().up_to(key::due_from(now));
                let due = due.read_as::<Due>();
                let page = self.0.table.page_readable(due, &wanted).await?;
                let rounds = page.rows.into_iter().map(|row| self.attend_to(row));
                let mut rounds = stream::iter(rounds).buffer_unordered(Self::CONCURRENCY);
                while let Some((key, came_of_it)) = rounds.next().await {
                    any_goes_on |= matches!(came_of_it, Ok(Progress::GoesOn));
                    tell(&key.to_string(), came_of_it);
                }
                if page.end.is_none() {
                    break;
                }
                wanted.after = page.end;
            }
            if !any_goes_on {
                return Ok(());
            }
        }
    }

    /// Does a round of a cleanup that is due, or puts it off.
    async fn attend_to(&self, row: Row<Readable<Due>>) -> (AnyKey, Result<Progress, Error>) {
        let key = row.place.key();
        let (failures, done) = match row.record.yes().map(|stored| stored.record) {
            Some(Due::Sound(cleanup)) => (cleanup.failures, self.round(&cleanup).await),
            Some(Due::Damaged { failures }) => (failures, Err(does_not_read())),
            // What it begins anew with reads next time.
            None => (0, Err(does_not_read())),
        };
        let done = match done {
            Ok(progress) => Ok(progress),
            Err(error) => Err(self.put_off(&key, failures, error).await),
        };
        (key, done)
    }

    /// Puts off a cleanup that failed once more; answers the error.
    async fn put_off(&self, key: &AnyKey, failures: u32, error: Error) -> Error {
        let due_at = self.0.clock.now().plus(pause(failures));
        let change = Change::default()
            .set("failures", i64::from(failures.saturating_add(1)))
            .set("dueAt", due_at)
            .move_to(key::due_from(due_at));
        match self.0.table.write(Write::mend(key.clone(), change)).await {
            // Refused means that another run finished it.
            Ok(done) => {
                done.or_leave();
                error
            }
            Err(second) => {
                let both = format!("{}; and before that: {}", second.chain(), error.chain());
                Error::internal("putting off a cleanup", both)
            }
        }
    }

    /// Does one round of a cleanup: it handles a page of the records that hang on what was deleted,
    /// and keeps its place for the next one.
    async fn round(&self, cleanup: &Cleanup) -> Result<Progress, Error> {
        let Some(walked) = self.next_page(cleanup).await? else {
            let done = Write::delete(cleanup.key(), Condition::default());
            self.0.table.write(done).await?.or_leave();
            return Ok(Progress::Finished);
        };
        let now = self.0.clock.now();
        let change = Change::default()
            .set("walked", attribute(&walked)?)
            .remove("failures")
            .set("dueAt", now)
            .move_to(key::due_from(now));
        let write = Write::update(cleanup.key(), change, Condition::exists());
        Ok(match self.0.table.write(write).await? {
            Ok(()) => Progress::GoesOn,
            // Another run finished it.
            Err(_) => Progress::Finished,
        })
    }
}

/// Milliseconds until a cleanup is tried again that had failed so often before in a row: a minute,
/// and twice as long each time, up to an hour.
fn pause(failures: u32) -> i64 {
    (span::MINUTE << failures.min(6)).min(span::HOUR)
}

fn does_not_read() -> Error {
    Error::internal("cleaning up", "the note of what to do does not read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_an_hour() {
        let minutes =
            [0, 1, 2, 5, 6, 63, 64, u32::MAX].map(|failures| pause(failures) / span::MINUTE);
        assert_eq!(minutes, [1, 2, 4, 32, 60, 60, 60, 60]);
    }
}
