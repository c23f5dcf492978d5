//! Cleanups: they remove the references to a deleted record, or its comments.
//!
//! The transaction of a delete also stores its cleanup, which the sweeper runs later. So a crash
//! loses nothing, however many records refer to the deleted one.

mod walk;

use futures::{StreamExt, stream};
use model::base::{Error, RecordType, Timestamp, span};
use serde::Deserialize;
use table::{
    AnyKey, Condition, Gsi4, OrLeave, Readable, Record, Stored, UpdateExpression, Write,
    page::{PageRequest, Row},
};

use crate::{
    Result,
    base::{
        record::record,
        records::{Cleanup, Deletion},
        store::resource,
    },
    key,
    upkeep::{CleanupName, Shard, due},
};

/// Milliseconds from a delete to its cleanup. By then the indexes, which lag behind by moments,
/// show the newest links.
pub const CLEANUP_DELAY: i64 = 10 * span::SECOND;

/// Milliseconds for which a deletion of a record without a history is kept after its cleanup. That
/// is longer than the stream keeps the change: the change feed can name the actor.
const DELETION_KEPT: i64 = 2 * span::DAY;

record! {
    cleanup: Cleanup = RecordType::Cleanup.name(),
    key: key::cleanup(cleanup.organization_id, cleanup.subject),
    gsi4: Some(key::due(cleanup.organization_id, cleanup.due_at)),
}

record! {
    deletion: Deletion = "deletion",
    key: key::deletion(deletion.organization_id, deletion.subject),
    // A history outlives its record, and is found by this item.
    expires_at: (!deletion.subject.kind.facts().has_history)
        .then(|| deletion.at.plus(DELETION_KEPT).epoch_seconds() + 1),
}

resource! { pub Cleanups as cleanups }

/// The outcome of a round of a cleanup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanupRound {
    Finished,
    /// The cleanup goes on in another round, after all others that are due.
    GoesOn,
}

/// A due cleanup; of an unreadable one, only its failure count.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Due {
    Sound(Cleanup),
    Damaged {
        #[serde(default)]
        failures: u32,
    },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum AtKey {
    Cleanup(Cleanup),
    #[serde(other)]
    Ended,
}

impl Cleanups<'_> {
    const AT_ONCE: usize = 100;

    /// Cleanups run at the same time.
    const CONCURRENCY: usize = 10;

    /// Runs a cleanup to its end. Does nothing if it has ended, or is due later. The future may be
    /// dropped at any time: an unfinished cleanup stays due. One that fails is deferred.
    pub async fn run(&self, name: &CleanupName) -> Result<()> {
        let key = key::cleanup(name.organization_id, name.subject).read_as::<AtKey>();
        loop {
            let at_key: Option<Stored<AtKey>> = self.0.read(&key).await?;
            let Some(AtKey::Cleanup(cleanup)) = at_key.map(|stored| stored.record) else {
                return Ok(());
            };
            let is_later = cleanup.due_at > self.0.now();
            if is_later || self.attend(&cleanup).await? == CleanupRound::Finished {
                return Ok(());
            }
        }
    }

    /// Runs all due cleanups of a shard, the longest overdue first, until none is left. Passes the
    /// outcome of each round to `tell`, with the cleanup's key. A cleanup that fails is deferred,
    /// for longer each time, and delays no other. The future may be dropped at any time: unfinished
    /// cleanups stay due.
    pub async fn run_due(
        &self,
        shard: Shard,
        mut report: impl FnMut(&str, Result<CleanupRound>),
    ) -> Result<()> {
        loop {
            let now = self.0.now();
            let mut wanted = PageRequest::first(Self::AT_ONCE);
            let mut any_goes_on = false;
            loop {
                let page = due::page::<Cleanup, Due>(&self.0.table, shard, now, &wanted).await?;
                let rounds = page
                    .rows
                    .into_iter()
                    .map(|row| self.attend_to(row));
                let mut rounds = stream::iter(rounds).buffer_unordered(Self::CONCURRENCY);
                while let Some((key, came_of_it)) = rounds.next().await {
                    any_goes_on |= matches!(came_of_it, Ok(CleanupRound::GoesOn));
                    report(&key.to_string(), came_of_it);
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

    /// Runs a round of a cleanup, or defers it.
    async fn attend_to(&self, row: Row<Readable<Due>>) -> (AnyKey, Result<CleanupRound>) {
        let key = row.place.key();
        let failures = match row
            .record
            .yes()
            .map(|stored| stored.record)
        {
            Some(Due::Sound(cleanup)) => return (key, self.attend(&cleanup).await),
            Some(Due::Damaged { failures }) => failures,
            // Deferring it writes a count of failures that reads.
            None => 0,
        };
        let later = |change: UpdateExpression, at| {
            Write::mend(key.clone(), change.move_to::<Gsi4>(key::instant(at)))
        };
        let error = Error::internal("cleaning up", "the cleanup does not read");
        let error = self.defer(failures, later, error).await;
        (key, Err(error))
    }

    /// Runs a round of a cleanup. Defers it if that fails.
    async fn attend(&self, cleanup: &Cleanup) -> Result<CleanupRound> {
        let error = match self.round(cleanup).await {
            Ok(progress) => return Ok(progress),
            Err(error) => error,
        };
        let later = |change, at| cleanup.continued(change, at);
        Err(self
            .defer(cleanup.failures, later, error)
            .await)
    }

    /// Defers a cleanup that failed once more. Returns the error.
    async fn defer(
        &self,
        failures: u32,
        later: impl FnOnce(UpdateExpression, Timestamp) -> Write,
        error: Error,
    ) -> Error {
        let due_at = self.0.now().plus(pause(failures));
        let change = UpdateExpression::default()
            .set("failures", i64::from(failures.saturating_add(1)))
            .set("dueAt", due_at);
        match self
            .0
            .table
            .write(later(change, due_at))
            .await
        {
            // Refused when another run finished it.
            Ok(done) => {
                done.or_leave();
                error
            }
            Err(second) => {
                let both = format!("{}; and before that: {}", second.chain(), error.chain());
                Error::internal("deferring a cleanup", both)
            }
        }
    }

    /// Runs one round of a cleanup: handles a page of records, and stores the place for the next
    /// round.
    async fn round(&self, cleanup: &Cleanup) -> Result<CleanupRound> {
        let Some(walked) = self.next_page(cleanup).await? else {
            let done = Write::put(&Deletion {
                organization_id: cleanup.organization_id,
                subject: cleanup.subject,
                deleted_by: cleanup.deleted_by,
                deleting_write: cleanup.deleting_write.clone(),
                at: self.0.now(),
            });
            self.0
                .table
                .write(done?)
                .await?
                .or_leave();
            return Ok(CleanupRound::Finished);
        };
        let now = self.0.now();
        let change = UpdateExpression::default()
            .set("walked", walked)
            .remove("failures")
            .set("dueAt", now);
        let written = self
            .0
            .table
            .write(cleanup.continued(change, now))
            .await?;
        // Refused when another run finished it.
        Ok(written.map_or(CleanupRound::Finished, |()| CleanupRound::GoesOn))
    }
}

impl Cleanup {
    /// The write of a change after which the cleanup is due from an instant on. Refused if it has
    /// ended.
    fn continued(&self, change: UpdateExpression, at: Timestamp) -> Write {
        let change = change.enter(key::due::<Self>(self.organization_id, at));
        // A deletion, which takes its place, is never due.
        let goes_on = Condition::default().and("attribute_exists(#)", "dueAt", []);
        Write::update(self.key(), change, goes_on)
    }
}

/// Milliseconds until the next round, after this many earlier failures in a row: a minute, doubled
/// each time, up to an hour.
fn pause(failures: u32) -> i64 {
    (span::MINUTE << failures.min(6)).min(span::HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_an_hour() {
        let failures = [0, 1, 2, 5, 6, 63, 64, u32::MAX];
        let minutes = failures.map(|failures| pause(failures) / span::MINUTE);
        assert_eq!(minutes, [1, 2, 4, 32, 60, 60, 60, 60]);
    }
}
