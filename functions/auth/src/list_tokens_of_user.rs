//! `GET /api/users/{id}/tokens`

use shared::{
    endpoint::*,
    model::base::{Id, Listing, TokenSort, UserId},
    store::Page,
};

use crate::view::TokenView;

/// Lists the tokens of a user by id.
///
/// Tokens that have ended are left out. The caller must hold all that the user may do (403
/// `permission_denied`).
#[utoipa::path(get, path = "/api/users/{id}/tokens")]
pub async fn list_user_tokens(
    caller: Caller<need::InSession<need::ManageUsers>, Listing<(), TokenSort>>,
    Path(id): Path<PathId<UserId>>,
) -> Result<List<TokenView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages()?);
    let by = async { Ok(caller.identity().await?.held()) };
    let tokens = caller.app.store.tokens();
    let (owner, mut tokens) = tokens
        .of_user(caller.tenant(), id, by)
        .await?;
    let now = caller.app.clock.now();
    tokens.retain(|token| token.holds(&owner, now));
    let page = Page::of(tokens, |token| token.id.get(), &pages.wanted);
    Ok(pages.answer(page, TokenView::of)?)
}
