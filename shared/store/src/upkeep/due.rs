//! Due work: the records that the sweeper visits, in shards by organization.

use std::{fmt, time::Duration};

use agent::{action::AgentAction, session::AgentSession};
use model::{
    base::{Deleted, OrganizationId, QueueMessage, RecordType, Timestamp},
    people::SignInEntry,
    updates::{Mail, WebhookDelivery},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use table::{
    Gsi2, Key, Readable, Record, Table, UpdateExpression,
    page::{Page, PageRequest},
};

use crate::{
    Result,
    base::{
        records::{Cleanup, FailureCount, Reminder, Workdesk},
        store::resource,
    },
    key::{self, Gsi4},
    updates::UnlistedChange,
};

/// A part of the due work: that of a sixteenth of the organizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shard(Option<u8>);

impl Shard {
    /// Every shard, and the one of the due records that version 1.0 wrote, of all organizations.
    /// Each leaves it with its next write.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..key::SHARDS)
            .map(Some)
            .chain([None])
            .map(Self)
    }

    pub fn of(organization: OrganizationId) -> Self {
        Self(Some(key::shard_of(organization)))
    }

    /// Defers a due record, readable or not, without moving it to another shard.
    pub(crate) fn defer(self, change: UpdateExpression, at: Timestamp) -> UpdateExpression {
        match self.0 {
            Some(_) => change.move_to::<Gsi4>(key::instant(at)),
            None => change.move_to::<Gsi2>(key::instant(at)),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("unsharded"),
        }
    }
}

/// Makes a record due from the instant of this key. Version 1.0 had its key in `gsi2`.
pub(crate) fn due_from<R>(change: UpdateExpression, key: Key<R, Gsi4>) -> UpdateExpression {
    change.enter(key).leave(Gsi2)
}

/// Takes a record out of the due work.
pub(crate) fn not_due(change: UpdateExpression) -> UpdateExpression {
    change.leave(Gsi4).leave(Gsi2)
}

/// Reads a page of the records of a kind that are due at `now`, the longest overdue first, as they
/// are in the table.
pub(crate) async fn page<R, T>(
    table: &Table,
    shard: Shard,
    now: Timestamp,
    wanted: &PageRequest,
) -> Result<Page<Readable<T>>>
where
    R: Record<Workdesk>,
    T: DeserializeOwned,
{
    if let Some(number) = shard.0 {
        let due = key::due_in::<R>(number).up_to(key::due_by(now));
        table
            .page_current(due.read_as(), wanted)
            .await
    } else {
        let due = key::due_unsharded::<R>().up_to(key::instant(now));
        table
            .page_current(due.read_as(), wanted)
            .await
    }
}

resource! {
    /// The amount of due work.
    pub DueCounts as due_counts
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueCount {
    pub kind: &'static str,
    /// The number that is due, at most 1,000.
    pub count: usize,
    /// The number of those that have been overdue for a while, also where the next visit is to
    /// come.
    pub overdue: usize,
    /// The instant from which the longest overdue one is due.
    pub oldest: Timestamp,
}

macro_rules! kinds {
    ($($record:ident)*) => {
        impl DueCounts<'_> {
            pub const KINDS: [&'static str; 8] = [$($record::KIND),*];

            /// Returns the kinds with records of a shard that are due at `now`.
            pub async fn of(&self, shard: Shard, now: Timestamp) -> Result<Vec<DueCount>> {
                let counts = tokio::try_join!($(self.of_kind::<$record>(shard, now)),*)?;
                let all: [_; 8] = counts.into();
                Ok(all.into_iter().flatten().collect())
            }
        }
    };
}

kinds! { AgentAction AgentSession Cleanup Reminder WebhookDelivery Mail SignInEntry FailureCount }

impl DueCounts<'_> {
    async fn of_kind<R: Record<Workdesk>>(
        &self,
        shard: Shard,
        now: Timestamp,
    ) -> Result<Option<DueCount>> {
        let wanted = &PageRequest::default();
        let table = &self.0.table;
        // An action that was sent again is due later, and overdue until a worker claims it.
        let ahead = if R::KIND == AgentAction::KIND {
            AgentAction::RESENT_WITHIN
        } else {
            0
        };
        let until = key::due_by(now.plus(ahead));
        let page = if let Some(number) = shard.0 {
            let due = key::due_in::<R>(number).up_to(until);
            table.page(due.places(), wanted).await?
        } else {
            let due = key::due_unsharded::<R>().up_to(key::instant(now));
            table.page(due.places(), wanted).await?
        };
        let mut counted = DueCount {
            kind: R::KIND,
            count: 0,
            overdue: 0,
            oldest: now,
        };
        for sort in page
            .rows
            .iter()
            .filter_map(|row| row.place.sort())
        {
            let (at, since) = key::due_instants(sort);
            // A key of another form counts as due since now.
            let at = at.unwrap_or(now);
            counted.count += usize::from(at <= now);
            counted.overdue += usize::from(since.is_some());
            counted.oldest = counted.oldest.min(since.unwrap_or(at));
        }
        Ok((counted.count + counted.overdue > 0).then_some(counted))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SweepMessage {
    Shard { shard: Shard },
    Cleanup(CleanupName),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanupName {
    pub organization_id: OrganizationId,
    pub(crate) subject: Deleted,
    /// The time for which the queue holds the message back.
    #[serde(skip)]
    pub delay: Duration,
}

impl QueueMessage for SweepMessage {
    fn delay(&self) -> Duration {
        match self {
            Self::Shard { .. } => Duration::ZERO,
            Self::Cleanup(name) => name.delay,
        }
    }
}

impl SweepMessage {
    /// Returns the message for a new cleanup, held back until that is due. `None` for other
    /// changes.
    pub fn of_unlisted(change: &UnlistedChange, now: Timestamp) -> Option<Self> {
        if change.kind != RecordType::Cleanup || change.before::<Cleanup>().is_some() {
            return None;
        }
        let cleanup: Cleanup = change.after()?;
        Some(Self::Cleanup(CleanupName {
            organization_id: cleanup.organization_id,
            subject: cleanup.subject,
            delay: Duration::from_millis(
                cleanup
                    .due_at
                    .since(now)
                    .max(0)
                    .unsigned_abs(),
            ),
        }))
    }
}
