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
    Readable, Record, Table,
    page::{Page, PageRequest},
};

use crate::{
    Result,
    base::{
        records::{Cleanup, FailureCount, Reminder, Workdesk},
        store::resource,
    },
    key,
    updates::UnlistedChange,
};

/// A part of the due work: that of a sixteenth of the organizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shard(u8);

impl Shard {
    pub fn all() -> impl Iterator<Item = Self> {
        (0..key::SHARDS).map(Self)
    }

    pub fn of(organization: OrganizationId) -> Self {
        Self(key::shard_of(organization))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
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
    let due = key::due_in::<R>(shard.0).up_to(key::due_by(now));
    table
        .page_current(due.read_as(), wanted)
        .await
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
        // An action that was sent again is due later, and overdue until a worker claims it.
        let ahead = if R::KIND == AgentAction::KIND {
            AgentAction::RESENT_WITHIN
        } else {
            0
        };
        let until = key::due_by(now.plus(ahead));
        let due = key::due_in::<R>(shard.0).up_to(until);
        let page = self
            .0
            .table
            .page(due.places(), &PageRequest::default())
            .await?;
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
