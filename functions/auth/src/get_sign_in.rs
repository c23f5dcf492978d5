//! `GET /api/organizations/{id}/sign-in`

use axum::extract::State;
use shared::{endpoint::*, model::base::OrganizationId};

use crate::{Auth, view::SignInView};

/// Returns the provider by which the organization's users sign in.
///
/// 404 without one, and for any other organization.
#[utoipa::path(get, path = "/api/organizations/{id}/sign-in")]
pub async fn get_sign_in(
    State(auth): State<Auth>,
    caller: Caller<need::RootToRead>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<Single<SignInView>, Problem> {
    caller.owns(id)?;
    let provider = caller
        .app
        .store
        .providers()
        .get(caller.tenant())
        .await?;
    Ok(Single(SignInView::of(&auth, provider)))
}
