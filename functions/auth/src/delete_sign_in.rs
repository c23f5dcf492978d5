//! `DELETE /api/organizations/{id}/sign-in`

use shared::endpoint::*;

/// Deletes the provider by which the organization's users sign in.
///
/// Sessions stay, and all users sign in by password again.
#[utoipa::path(delete, path = "/api/organizations/{id}/sign-in")]
pub async fn delete_sign_in(
    caller: Caller<need::Root>,
    Path(id): Path<PathId<OrganizationId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    caller.owns(id)?;
    caller
        .app
        .store
        .providers()
        .delete(caller.write())
        .await?;
    Ok(NoContent)
}
