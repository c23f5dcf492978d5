//! `PATCH /api/users/{id}`

use crate::prelude::*;

/// Updates a user.
///
/// The caller must hold all that the user may do, before and after the change (403
/// `permission_denied`). Disabling a user ends their sessions and tokens at once. The last admin
/// who is not disabled can be neither disabled nor given another role (409 `last_admin`). A token
/// changes the name alone (403 `session_required`). Addresses are unique in the organization, without
/// regard to case (409 `email_taken`).
#[utoipa::path(patch, path = "/api/users/{id}")]
pub async fn update_user(
    caller: Caller<need::ToRename<need::ManageUsers>>,
    ClientAddress(address): ClientAddress,
    Path(id): Path<PathId<UserId>>,
    Body(update): Body<UserUpdate>,
) -> Result<Single<UserView>, Problem<(ConcurrentChange, EmailTaken, LastAdmin, SessionRequired)>> {
    let needs_session = update.needs_session();
    let by = async || {
        let by = caller.identity().await?;
        if needs_session {
            by.session()?;
        }
        Ok(by.held())
    };
    let directory = caller.app.store.directory();
    let (id, network) = (id.known()?, caller.app.notices_from(&address));
    let updated = directory.update_user(caller.write(), by, id, update, network.as_deref());
    let user = updated.await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
