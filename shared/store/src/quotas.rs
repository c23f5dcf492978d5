//! The table units that holders of quotas have used, summed over all instances of the functions.

use model::{
    Error, OrganizationId, Timestamp,
    quota::{QuotaHolder, window_end},
};

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
        let described = Change::default()
            .set("kind", "used_quota")
            .set("expiresAt", window_end(window).epoch_seconds() + 1);
        self.0.table.add_and(key, "units", units, described).await
    }
}
