//! `DELETE /api/invitations/{id}`

use shared::{endpoint::*, model::base::InvitationId};

/// Deletes an invitation, whose link is dead from then on.
///
/// The caller must hold every permission of the role (403 `permission_denied`). The user of an
/// accepted invitation stays.
#[utoipa::path(delete, path = "/api/invitations/{id}")]
pub async fn delete_invitation(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Path(id): Path<PathId<InvitationId>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let by = async || Ok(caller.identity().await?.held());
    let invitations = caller.app.store.invitations();
    invitations
        .delete(caller.write(), id.known()?, by)
        .await?;
    Ok(NoContent)
}
