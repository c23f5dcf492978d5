//! The discovery documents of providers, and their failures, which all instances remember.

use model::{
    base::{Error, OrganizationId, Timestamp},
    people::{ProviderDiscovery, SignInProvider},
};
use table::{Condition, OrLeave, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    agent::policy_in,
    base::{record::any_keys, records::ListedProvider},
    key,
};

use super::Providers;

/// An organization's provider, with what a sign-in by it depends on.
#[derive(Clone, Debug)]
pub struct SignInSettings {
    pub provider: Stored<SignInProvider>,
    /// Minutes within which approvals need a sign-in, by the agent's policy.
    pub signed_in_within: Option<i64>,
    /// True if the provider gave no answer within the last 30 seconds.
    pub is_silent: bool,
}

impl Providers<'_> {
    /// Returns an organization's provider, with what a sign-in by it depends on. 404 without one.
    pub async fn settings(&self, tenant: Tenant) -> Result<SignInSettings> {
        let of_provider = key::sign_in_provider(tenant);
        let of_listed = key::listed_provider(tenant);
        let keys = any_keys![&of_provider, &of_listed, key::agent_policy(tenant)];
        let batch = self.0.batch(keys).await?;
        let provider = batch.get(&of_provider)?;
        let listed: Option<Stored<ListedProvider>> = batch.get(&of_listed)?;
        let silent_until = listed.and_then(|listed| listed.silent_until);
        Ok(SignInSettings {
            provider: provider.ok_or(Error::NotFound(SignInProvider::NOUN))?,
            signed_in_within: policy_in(&batch, tenant, self.0.now())?.signed_in_within,
            is_silent: silent_until.is_some_and(|until| self.0.now() < until),
        })
    }

    /// Returns the organizations whose discovery documents are to be read again.
    pub async fn due_discoveries(&self) -> Result<Vec<OrganizationId>> {
        let now = self.0.now();
        let is_past = |at: Option<Timestamp>, period| at.is_none_or(|at| now.since(at) >= period);
        let listed = self
            .0
            .table
            .list(key::listed_providers())
            .await?;
        let due = listed.iter().filter(|listed| {
            is_past(listed.discovered_at, ProviderDiscovery::KEPT)
                && is_past(listed.discovery_tried_at, ProviderDiscovery::RETRIED)
        });
        Ok(due
            .map(|listed| listed.organization_id)
            .collect())
    }

    /// Notes that this instance reads a discovery document now. Returns false if another reading of
    /// it began in the last 30 seconds, so that a provider without an answer costs one request at a
    /// time.
    pub async fn begin_discovery(&self, tenant: Tenant) -> Result<bool> {
        let now = self.0.now();
        let long_ago = now.plus(-ProviderDiscovery::FAILED);
        let is_free = Condition::exists().absent_or("discoveryTriedAt", "# <= :", long_ago);
        let begun = UpdateExpression::default().set("discoveryTriedAt", now);
        let write = Write::update(key::listed_provider(tenant), begun, is_free);
        Ok(self.0.table.write(write).await?.is_ok())
    }

    /// Keeps a discovery document that was read. Leaves a provider as it is whose issuer changed.
    pub async fn keep_discovery(
        &self,
        provider: &SignInProvider,
        discovery: &ProviderDiscovery,
    ) -> Result<()> {
        let tenant = provider.organization_id;
        if provider.discovery() != Some(discovery) {
            let same_issuer = Condition::default().equals("issuer", discovery.issuer.as_str());
            let change = UpdateExpression::default().set("discovery", discovery);
            let write = Write::update(key::sign_in_provider(tenant), change, same_issuer);
            self.0
                .table
                .write(write)
                .await?
                .or_leave();
        }
        let read = UpdateExpression::default().set("discoveredAt", self.0.now());
        let write = Write::update(key::listed_provider(tenant), read, Condition::exists());
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }

    /// Notes that a provider gave no answer. Sign-ins do not call it for 30 seconds.
    pub async fn note_read_error(&self, tenant: Tenant) -> Result<()> {
        let until = self
            .0
            .now()
            .plus(ProviderDiscovery::FAILED);
        let silent = UpdateExpression::default().set("silentUntil", until);
        let write = Write::update(key::listed_provider(tenant), silent, Condition::exists());
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }
}
