//! Times of resolution: for each day, the number of resolved service requests and tickets, and
//! their times. A change of status updates its day in the same transaction. So the dashboard reads
//! a few small items, and not every request.

use model::{
    base::{Timestamp, span},
    work::Resolution,
};
use table::{Condition, Record, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{Store, record::record, records::Day},
    key,
};

/// The days of the mean, including the current one.
const DAYS: i64 = 90;

record! {
    resolved: Day = "resolutions",
    key: key::resolution_days(resolved.organization_id).at(key::resolution_day(&resolved.date)),
}

/// Adds the resolution of a service request or a ticket to its day, or subtracts it. Belongs into
/// the transaction that changes the status.
pub(crate) fn count(tenant: Tenant, created_at: Timestamp, resolution: Resolution) -> Write {
    let (resolved_at, sign) = match resolution {
        Resolution::Made(at) => (at, 1),
        Resolution::TakenBack(at) => (at, -1),
    };
    let date = resolved_at.day();
    let key = key::resolution_days(tenant).at(key::resolution_day(&date));
    let change = UpdateExpression::default()
        .set("kind", Day::KIND)
        .set("organizationId", tenant)
        .set("date", date)
        .add("count", sign)
        .add("millis", sign * resolved_at.since(created_at));
    Write::update(key, change, Condition::default())
}

impl Store {
    /// Mean hours from creation to resolution, over the last 90 days; `None` without a resolution.
    pub(crate) async fn mean_resolution_hours(&self, tenant: Tenant) -> Result<Option<f64>> {
        let today = self.clock.now();
        let first = today.plus(-(DAYS - 1) * span::DAY);
        let day = |at: Timestamp| key::resolution_day(&at.day());
        let day_list = key::resolution_days(tenant).within(Some(day(first)), Some(day(today)));
        let days = self.table.list(day_list).await?;
        let count: i64 = days.iter().map(|day| day.count).sum();
        let millis: i64 = days.iter().map(|day| day.millis).sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "2^53 ms are 285,000 years of resolving"
        )]
        let mean = || millis as f64 / count as f64 / span::HOUR as f64;
        Ok((count > 0).then(mean))
    }
}
