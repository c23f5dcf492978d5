//! `PUT /api/organizations/{id}/sign-in`

use targets::SecretOf;

use crate::prelude::*;

/// Sets the provider by which the organization's users sign in.
///
/// Takes an OpenID Connect provider: a public https issuer, and the client that was registered there with the
/// redirect URL `…/api/auth/oidc/callback`. The secret is encrypted, and no answer has it. No role is above the
/// caller's (403 `permission_denied`). `passwords` are off only after an admin signed in by the provider (409
/// `no_admin_signed_in`).
#[utoipa::path(put, path = "/api/organizations/{id}/sign-in")]
pub async fn put_sign_in(
    State(auth): State<Auth>,
    caller: Caller<need::Root>,
    Path(id): Path<PathId<OrganizationId>>,
    Body(put): Body<SignInPut>,
) -> Result<Single<Shown<SignInProvider>>, Problem<(ConcurrentChange, NoAdminSignedIn)>> {
    caller.owns(id)?;
    if !auth.caller.may_call(&put.issuer)
        && let Some(fault) = put.not_public()
    {
        return Err(Error::invalid(fault).into());
    }
    let by = async || Ok(caller.identity().await?.held());
    let (sealer, tenant) = (&auth.sealer, caller.tenant());
    let seal = async |sent: SentSecret| sealer.seal(tenant, &SecretOf::SignIn, &sent).await;
    let providers = auth.app.store.providers();
    let provider = providers.put(caller.write(), &put, by, seal);
    Ok(Single(provider.await?.into()))
}
