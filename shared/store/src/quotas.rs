//! The table units that holders of quotas have used, and the calls that wait, summed over all instances of the
//! functions.

use model::{
    Error, OrganizationId, Timestamp,
    quota::{QuotaHolder, window, window_end},
};
use table::AnyKey;

use super::{key, store::resource, table::Change};

resource! {
    /// Used quotas.
    pub Quotas as quotas
}

impl Quotas<'_> {
    /// Adds units that a holder used in the ten seconds from `window` on. Returns the sum of all
    /// instances. One write unit.
    pub async fn charge(
        &self,
        tenant: OrganizationId,
        holder: &QuotaHolder,
        window: Timestamp,
        units: i64,
    ) -> Result<i64, Error> {
        let key = key::used_quota(tenant, holder, window);
        self.add(key, window, units).await
    }

    /// Counts a call of the organization that begins to wait for results. Returns the number of them in these
    /// ten seconds. One write unit.
    pub async fn count_waiting(&self, tenant: OrganizationId) -> Result<i64, Error> {
        let window = window(self.0.clock.now());
        self.add(key::waiting_calls(tenant, window), window, 1)
            .await
    }

    /// Adds to a sum that ends with its ten seconds. Returns the sum.
    async fn add(&self, key: AnyKey, window: Timestamp, units: i64) -> Result<i64, Error> {
        let described = Change::default()
            .set("kind", "used_quota")
            .set("expiresAt", window_end(window).epoch_seconds() + 1);
        self.0.table.add_and(key, "units", units, described).await
    }
}
