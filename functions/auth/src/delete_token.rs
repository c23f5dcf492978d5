//! `DELETE /api/tokens/{id}`

use shared::{endpoint::*, model::base::TokenId};

/// Deletes one of the caller's tokens, which ends at once.
#[utoipa::path(delete, path = "/api/tokens/{id}")]
pub async fn delete_token(
    caller: Caller<need::OwnSession>,
    Path(id): Path<PathId<TokenId>>,
) -> Result<NoContent, Problem> {
    let tokens = caller.app.store.tokens();
    let user = caller.user_id();
    tokens
        .delete(caller.write(), user, id.known()?)
        .await?;
    Ok(NoContent)
}
