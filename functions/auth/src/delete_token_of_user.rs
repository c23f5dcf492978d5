//! `DELETE /api/users/{id}/tokens/{tokenId}`

use shared::{endpoint::*, model::base::TokenId};

/// Deletes a token of a user, which ends at once.
///
/// The caller must hold all that the user may do (403 `permission_denied`).
#[utoipa::path(delete, path = "/api/users/{id}/tokens/{tokenId}")]
pub async fn delete_user_token(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Path((user, id)): Path<(PathId<UserId>, PathId<TokenId>)>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let (user, id) = (user.known()?, id.known()?);
    let by = async || Ok(caller.identity().await?.held());
    let tokens = caller.app.store.tokens();
    tokens
        .delete_of_user(caller.write(), by, user, id)
        .await?;
    Ok(NoContent)
}
