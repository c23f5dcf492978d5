//! `GET /api/users/{id}/tokens`

use shared::endpoint::*;
use shared::model::{TokenSort, UserId};
use shared::store::Page;

use crate::view::TokenView;

/// Lists the tokens of a user by id.
///
/// Tokens that have ended are left out. The caller must hold all that the user may do (403
/// `permission_denied`).
#[utoipa::path(get, path = "/api/users/{id}/tokens")]
pub async fn list_user_tokens(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageUsers>, Listing<(), TokenSort>>,
    Path(id): Path<PathId<UserId>>,
) -> Result<List<TokenView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages(&app)?);
    let by = async { Ok(caller.identity().await?.held()) };
    let tokens = app.store.tokens();
    let (owner, mut tokens) = tokens.of_user(caller.tenant(), id, by).await?;
    let now = app.clock.now();
    tokens.retain(|token| token.holds(&owner, now));
    let page = Page::of(tokens, |token| token.id.get(), &pages.wanted);
    Ok(pages.answer(page, TokenView::from)?)
}
