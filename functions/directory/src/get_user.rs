//! `GET /api/users/{id}`

use shared::{endpoint::*, model::base::UserId};

use crate::view::UserView;

/// Returns a user.
#[utoipa::path(get, path = "/api/users/{id}")]
pub async fn get_user(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<UserId>>,
) -> Result<Single<UserView>, Problem> {
    let directory = caller.app.store.directory();
    let user = directory
        .user(caller.tenant(), id.known()?)
        .await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
