//! `DELETE /api/organizations/{id}/sign-in`

use shared::endpoint::*;
use shared::model::OrganizationId;

use crate::put_sign_in::own;

/// Deletes the provider by which the organization's users sign in.
///
/// Sessions stay, and all users sign in by password again.
#[utoipa::path(delete, path = "/api/organizations/{id}/sign-in")]
pub async fn delete_sign_in(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageOrganization>>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    own(&caller, &id)?;
    app.store.providers().delete(caller.pending_write()).await?;
    Ok(NoContent)
}
