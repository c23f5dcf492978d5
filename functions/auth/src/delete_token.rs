//! `DELETE /api/tokens/{id}`

use shared::endpoint::*;
use shared::model::TokenId;

/// Deletes one of the caller's tokens, which ends at once.
#[utoipa::path(delete, path = "/api/tokens/{id}")]
pub async fn delete_token(
    State(app): State<App>,
    caller: Caller<need::Session>,
    Path(id): Path<PathId<TokenId>>,
) -> Result<NoContent, Problem> {
    let tokens = app.store.tokens();
    tokens
        .delete(caller.pending_write(), caller.user_id(), id.known()?)
        .await?;
    Ok(NoContent)
}
