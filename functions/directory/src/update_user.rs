//! `PATCH /api/users/{id}`

use shared::{
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{EmailTaken, LastAdmin, SessionRequired},
    },
    model::{base::UserId, people::UserUpdate},
};

use crate::view::UserView;

type Refused = (
    ConcurrentChange,
    EmailTaken,
    LastAdmin,
    SessionRequired,
    SignInAgain,
);

/// Updates a user.
///
/// The caller must hold all that the user may do, before and after the change (403
/// `permission_denied`). Disabling a user ends their sessions and tokens at once. The last admin
/// who is not disabled can be neither disabled nor given another role (409 `last_admin`). A token
/// changes the name alone (403 `session_required`). Role and permissions of another user guard the
/// organization: they take all permissions of an admin, and a sign-in of the last 30 minutes (403
/// `sign_in_again`). Addresses are unique in the organization, without regard to case (409
/// `email_taken`).
#[utoipa::path(patch, path = "/api/users/{id}")]
pub async fn update_user(
    caller: Caller<need::ToRename<need::ManageUsers>>,
    ClientAddress(address): ClientAddress,
    Path(id): Path<PathId<UserId>>,
    Body(update): Body<UserUpdate>,
) -> Result<Single<UserView>, Problem<Refused>> {
    let id = id.known()?;
    let demand = update.demand(id == caller.user_id());
    let by = async || {
        let held = caller.identity().await?.held();
        held.meets(demand)?;
        Ok(held)
    };
    let directory = caller.app.store.directory();
    let network = caller.app.notices_from(&address);
    let write = caller.write_demanding(demand);
    let updated = directory.update_user(write, by, id, update, network.as_deref());
    let user = updated.await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
