//! The discovery document and keys of a provider, as the table has them.

use shared::{
    endpoint::*,
    model::people::{ProviderDiscovery, SignInProvider},
};

use crate::Auth;

/// Returns the stored discovery document. Reads it for an organization that was set up before the
/// table kept it.
pub(super) async fn stored(
    auth: &Auth,
    provider: &SignInProvider,
) -> Result<Option<ProviderDiscovery>, Error> {
    match provider.discovery() {
        Some(discovery) => Ok(Some(discovery.clone())),
        None => renewed(auth, provider).await,
    }
}

/// Reads the discovery document again and keeps it. Within 30 seconds of another reading, returns
/// the stored one: no request waits for a provider that was just asked. None if there is none.
pub(super) async fn renewed(
    auth: &Auth,
    provider: &SignInProvider,
) -> Result<Option<ProviderDiscovery>, Error> {
    let providers = auth.app.store.providers();
    let tenant = provider.organization_id;
    if !providers
        .begin_discovery(tenant)
        .await?
    {
        let provider = providers.get(tenant).await?;
        return Ok(provider.discovery().cloned());
    }
    match auth
        .caller
        .discover(&provider.issuer)
        .await
    {
        Ok(discovery) => {
            providers
                .keep_discovery(provider, &discovery)
                .await?;
            Ok(Some(discovery))
        }
        Err(fault) => {
            fault.log(tenant);
            Ok(None)
        }
    }
}
