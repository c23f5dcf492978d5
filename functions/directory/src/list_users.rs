//! `GET /api/users`

use shared::{
    endpoint::*,
    model::{
        base::{Listing, UserSort},
        people::UserFilter,
    },
};

use crate::view::UserView;

/// Lists the users of the caller's organization by username.
#[utoipa::path(get, path = "/api/users")]
pub async fn list_users(
    caller: Caller<need::ViewWork, Listing<UserFilter, UserSort>>,
) -> Result<List<UserView>, Problem> {
    let pages = caller.pages()?;
    let tenant = caller.tenant();
    let filter = &caller.query.filter;
    let directory = caller.app.store.directory();
    let users = directory.users(tenant, caller.user_id(), filter, &pages.wanted);
    let page = users.await?;
    let viewer = caller.identity().await?;
    Ok(pages.answer(page, |user| UserView::seen_by(&viewer, user))?)
}
