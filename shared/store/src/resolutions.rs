//! How long resolving takes: per day, how many service requests and tickets were resolved and how
//! long they had taken. Whoever changes a status counts in the same transaction, so that the
//! dashboard reads a few small items instead of every request.

use model::{Error, OrganizationId, Timestamp, span};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    key::{self, Key},
    table::{Change, Condition, Record, Write},
};

/// The days that the mean looks back on, the current one included.
const DAYS: i64 = 90;

/// What was resolved on one day (UTC).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Day {
    organization_id: OrganizationId,
    /// As `2026-01-31`.
    date: String,
    /// How many were resolved and have not been reopened since.
    count: i64,
    /// Milliseconds from creation to resolution, of all of them together.
    millis: i64,
}

impl Record for Day {
    const KIND: &'static str = "resolutions";

    fn key(&self) -> Key<Self> {
        key::resolution_days(self.organization_id).at(key::resolution_day(&self.date))
    }
}

/// Counts a service request or a ticket in or out of the day of its resolution; belongs into the
/// transaction that changes the status. `sign` is 1 when an unresolved one is resolved or closed,
/// and -1, with the `resolved_at` that it then loses, when a resolved one is reopened. A resolved
/// one that is closed stays counted as it is.
pub(super) fn count(
    tenant: OrganizationId,
    created_at: Timestamp,
    resolved_at: Timestamp,
    sign: i64,
) -> Write {
    let date = resolved_at.day();
    let key = key::resolution_days(tenant).at(key::resolution_day(&date));
    let change = Change::default()
        .set("kind", Day::KIND)
        .set("organizationId", tenant)
        .set("date", date)
        .add("count", sign)
        .add("millis", sign * resolved_at.since(created_at));
    Write::update(key, change, Condition::default())
}

impl Store {
    /// Mean hours from creation to resolution, of what was resolved on the last 90 days; `None`
    /// when nothing was.
    pub(super) async fn mean_resolution_hours(
        &self,
        tenant: OrganizationId,
    ) -> Result<Option<f64>, Error> {
        let today = self.clock.now();
        let first = today.plus(-(DAYS - 1) * span::DAY);
        let day = |at: Timestamp| key::resolution_day(&at.day());
        let days = key::resolution_days(tenant)
            .from(day(first))
            .up_to(day(today));
        Ok(mean_hours(self.table.list(days).await?))
    }
}

fn mean_hours(days: impl IntoIterator<Item = Day>) -> Option<f64> {
    let (count, millis) = days.into_iter().fold((0, 0), |(count, millis), day| {
        (count + day.count, millis + day.millis)
    });
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^53 ms are 285,000 years of resolving"
    )]
    let mean = || millis as f64 / count as f64 / span::HOUR as f64;
    (count > 0).then(mean)
}
