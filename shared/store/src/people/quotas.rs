//! The use of quotas, and the calls that wait, summed over all instances of the functions.

use std::time::Duration;

use model::base::{
    Timestamp, Window,
    quota::{COUNTED, QuotaHolder},
    span,
};
use table::{Condition, IntoAttribute, OrLeave, UpdateExpression, Write};

use crate::{Result, Tenant, base::store::resource, key};

/// The instant until which a holder has used its quota, in milliseconds since the Unix epoch.
const UNTIL: &str = "usedUntil";

/// The time of the last charge, in milliseconds since the Unix epoch.
const CHARGED_AT: &str = "chargedAt";

/// The most by which the clocks of instances may differ, in milliseconds. A charge from further
/// ahead is replaced.
const CLOCKS: i64 = 2 * span::SECOND;

/// The time for which the use of a quota is kept after its last charge, in milliseconds.
const KEPT: i64 = span::HOUR;

resource! { pub Quotas as quotas }

impl Quotas<'_> {
    /// Charges a holder's quota with time. Returns the instant until which all instances have used
    /// it.
    ///
    /// `used_until` is that instant as the last charge of this instance returned it. One write; two
    /// if other instances charged since that was over, and three if the clock of the last one is
    /// ahead.
    pub async fn charge(
        &self,
        tenant: Tenant,
        holder: &QuotaHolder,
        used_until: Option<Timestamp>,
        time: Duration,
    ) -> Result<Timestamp> {
        let key = || key::used_quota(tenant, holder);
        let table = &self.0.table;
        let now = self.0.now();
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let until = now.plus(time);
        let charged = UpdateExpression::default()
            .set("kind", "used_quota")
            .set(CHARGED_AT, now.millis())
            .set("expiresAt", now.plus(KEPT).epoch_seconds());
        let begun = charged
            .clone()
            .set(UNTIL, until.millis());
        if used_until.is_none_or(|until| until <= now) {
            let is_over = Condition::default().absent_or(UNTIL, "# < :", now.millis());
            let write = Write::update(key(), begun.clone(), is_over);
            if table.write(write).await?.is_ok() {
                return Ok(until);
            }
        }
        let latest = now
            .plus(CLOCKS)
            .millis()
            .into_attribute();
        let is_in_time = Condition::default().and("# < :", CHARGED_AT, [latest]);
        let sum = table.add_where(key(), UNTIL, time, charged, is_in_time);
        if let Ok(until) = sum.await? {
            return Ok(Timestamp::from_millis(until));
        }
        let replaced = Write::update(key(), begun, Condition::default());
        table.write(replaced).await?.or_leave();
        Ok(until)
    }

    /// Counts a call of the organization that begins to wait for results. Returns the number of
    /// them in these ten seconds. One write unit.
    pub async fn count_waiting(&self, tenant: Tenant) -> Result<i64> {
        let window = Window::of(self.0.now(), COUNTED);
        let key = key::waiting_calls(tenant, window.start);
        let described = UpdateExpression::default()
            .set("kind", "waiting_calls")
            .set("expiresAt", window.end.epoch_seconds() + 1);
        self.0
            .table
            .add(key, "calls", 1, described)
            .await
    }
}
