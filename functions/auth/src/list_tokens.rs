//! `GET /api/tokens`

use shared::{
    endpoint::*,
    model::base::{Id, Listing, TokenSort},
    store::Page,
};

use crate::view::TokenView;

/// Lists the caller's tokens by id.
///
/// Tokens that have ended are left out.
#[utoipa::path(get, path = "/api/tokens")]
pub async fn list_tokens(
    caller: Caller<need::OwnSession, Listing<(), TokenSort>>,
) -> Result<List<TokenView>, Problem> {
    let pages = caller.own_pages()?;
    let tokens = caller.app.store.tokens();
    let user_tokens = tokens.all(caller.tenant(), caller.user_id());
    let (identity, mut tokens) = tokio::try_join!(caller.identity(), user_tokens)?;
    let now = caller.app.clock.now();
    tokens.retain(|token| token.holds(&identity.user, now));
    let page = Page::of(tokens, |token| token.id.get(), &pages.wanted);
    Ok(pages.answer(page, TokenView::of)?)
}
