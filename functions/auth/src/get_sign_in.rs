//! `GET /api/organizations/{id}/sign-in`

use shared::endpoint::*;
use shared::model::{OrganizationId, SignInProvider};

use crate::put_sign_in::own;

/// Returns the provider by which the organization's users sign in.
///
/// 404 without one, and for any other organization.
#[utoipa::path(get, path = "/api/organizations/{id}/sign-in")]
pub async fn get_sign_in(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Single<Shown<SignInProvider>>, Problem> {
    own(&caller, &id)?;
    let provider = app.store.providers().get(caller.tenant()).await?;
    Ok(Single(provider.into()))
}
