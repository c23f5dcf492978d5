//! `GET /api/users/{id}`

use crate::prelude::{Caller, Id, Path, PathId, Problem, Single, UserId, UserView, need};

/// Returns a user.
#[utoipa::path(get, path = "/api/users/{id}")]
pub async fn get_user(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<UserId>>,
) -> Result<Single<UserView>, Problem> {
    let directory = caller.app.store.directory();
    let user = directory.user(caller.tenant(), id.known()?).await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
