//! `GET /api/tokens`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
};

use crate::view::TokenView;

/// Lists the caller's tokens by id, without those that have ended.
#[utoipa::path(get, path = "/api/tokens", operation_id = "listTokens")]
pub async fn list_tokens(
    State(app): State<App>,
    caller: Caller<need::Session>,
) -> Result<List<TokenView>, Problem> {
    let tokens = app.store.tokens();
    let tokens = tokens.all(caller.tenant(), caller.user_id());
    let (identity, mut tokens) = tokio::try_join!(caller.identity(), tokens)?;
    let now = app.clock.now();
    tokens.retain(|token| token.holds(&identity.user, now));
    tokens.sort_by_key(|token| token.id);
    Ok(List::of(tokens))
}
