//! `GET /api/users`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::List,
    model::{Listing, UserFilter, UserSort},
};

use crate::view::UserView;

/// Lists the users of the caller's organization by username.
#[utoipa::path(get, path = "/api/users", operation_id = "listUsers")]
pub async fn list_users(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<UserFilter, UserSort>>,
) -> Result<List<UserView>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, filter) = (caller.tenant(), &caller.query.filter);
    let directory = app.store.directory();
    let page = directory.users(tenant, caller.user_id(), filter, &pages.wanted);
    let page = page.await?;
    let viewer = caller.identity().await?;
    Ok(pages.answer(page, |user| UserView::seen_by(&viewer, user))?)
}
