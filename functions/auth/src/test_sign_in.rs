//! `POST /api/organizations/{id}/sign-in/test`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    endpoint::*,
    model::{base::OrganizationId, people::IssuerUrl},
};
use utoipa::ToSchema;

use crate::Auth;

/// The result of a test of the provider.
#[derive(Serialize, ToSchema)]
#[schema(as = SignInTested)]
pub struct SignInTestedView {
    #[schema(value_type = String)]
    issuer: IssuerUrl,
    /// True if the discovery document and the keys serve sign-ins.
    ok: bool,
    /// Reason why they do not, or the number of keys.
    detail: String,
}

/// Reads and keeps the discovery document and keys of the provider.
///
/// 200 with `ok: false` and the reason if they do not serve sign-ins. Waits up to eight seconds.
/// 404 without a provider, and for any other organization.
#[utoipa::path(post, path = "/api/organizations/{id}/sign-in/test")]
pub async fn test_sign_in(
    State(auth): State<Auth>,
    caller: Caller<need::Root>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Json<SignInTestedView>, Problem<ConcurrentChange>> {
    caller.owns(id)?;
    let providers = auth.app.store.providers();
    let provider = providers
        .to_test(caller.write())
        .await?;
    let (ok, detail) = match auth
        .caller
        .discover(&provider.issuer)
        .await
    {
        Ok(discovery) => {
            providers
                .keep_discovery(&provider, &discovery)
                .await?;
            let keys = discovery.keys.len();
            (true, format!("The provider answers, with {keys} keys."))
        }
        Err(fault) => (false, fault.to_string()),
    };
    Ok(Json(SignInTestedView {
        issuer: provider.record.issuer,
        ok,
        detail,
    }))
}
