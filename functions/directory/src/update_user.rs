//! `PATCH /api/users/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Path, PathId, Single,
        refusal::{ConcurrentChange, LastAdmin},
    },
    model::{UserId, UserUpdate},
};

use crate::view::UserView;

/// Changes a user, who may do no more than the caller, before and after.
///
/// A disabled user's sessions and tokens end at once. The last admin who is not disabled stays one.
#[utoipa::path(patch, path = "/api/users/{id}", operation_id = "updateUser")]
pub async fn update_user(
    State(app): State<App>,
    caller: Caller<need::ManageUsers>,
    Path(id): Path<PathId<UserId>>,
    Body(update): Body<UserUpdate>,
) -> Result<Single<UserView>, Problem<(ConcurrentChange, LastAdmin)>> {
    let by = async { Ok(caller.identity().await?.held()) };
    let directory = app.store.directory();
    let user = directory.update_user(caller.permit(), by, id.known()?, update);
    let user = user.await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
