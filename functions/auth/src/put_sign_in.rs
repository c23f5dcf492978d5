//! `PUT /api/organizations/{id}/sign-in`

use axum::extract::State;
use shared::{
    endpoint::*,
    http::refusal::NoAdminSignedIn,
    model::{
        base::{Error, OrganizationId, SentSecret},
        people::{ProviderDiscovery, SignInPut},
    },
};
use targets::SecretOf;

use crate::{Auth, view::SignInView};

/// Sets the provider by which the organization's users sign in.
///
/// Takes an OpenID Connect provider: a public https issuer, and the client that was registered
/// there with the redirect URI `…/api/auth/oidc/callback/{id}`. Reads the issuer's discovery
/// document and keys: 400 at `/issuer` if they do not serve, with the issuer that the provider
/// states. A provider that does not answer keeps the stored ones of the same issuer. The secret is
/// encrypted, and no answer has it. No role is above the caller's (403 `permission_denied`).
/// `passwords` are off only after an admin signed in by the provider (409 `no_admin_signed_in`).
#[utoipa::path(put, path = "/api/organizations/{id}/sign-in")]
pub async fn put_sign_in(
    State(auth): State<Auth>,
    caller: Caller<need::Root>,
    Path(id): Path<PathId<OrganizationId>>,
    Body(put): Body<SignInPut>,
) -> Result<Single<SignInView>, Problem<(ConcurrentChange, NoAdminSignedIn)>> {
    caller.owns(id)?;
    if !auth.caller.may_call(&put.issuer)
        && let Some(fault) = put.not_public()
    {
        return Err(Error::invalid(fault).into());
    }
    // Nothing is sent to a provider before the caller is known.
    caller.identity().await?;
    let discovery = discovered(&auth, caller.tenant(), &put).await?;
    let by = async || Ok(caller.identity().await?.held());
    let sealer = &auth.sealer;
    let tenant = caller.tenant();
    let seal = async |sent: SentSecret| {
        sealer
            .seal(tenant, &SecretOf::SignIn, &sent)
            .await
    };
    let providers = auth.app.store.providers();
    let provider = providers.put(caller.write(), &put, discovery, by, seal);
    Ok(Single(SignInView::of(&auth, provider.await?)))
}

/// Reads the discovery document of the issuer. None if the provider does not answer, and the stored
/// one is of the same issuer. 400 at `/issuer` for another fault.
async fn discovered(
    auth: &Auth,
    tenant: OrganizationId,
    put: &SignInPut,
) -> Result<Option<ProviderDiscovery>, Error> {
    let fault = match auth.caller.discover(&put.issuer).await {
        Ok(discovery) => return Ok(Some(discovery)),
        Err(fault) => fault,
    };
    let providers = auth.app.store.providers();
    if fault.is_read_error()
        && providers
            .has_discovery_of(tenant, &put.issuer)
            .await?
    {
        fault.log(tenant);
        return Ok(None);
    }
    Err(Error::invalid(SignInPut::not_discovered(
        &fault.to_string(),
    )))
}
