//! `POST /api/auth/accept`

use shared::endpoint::*;
use shared::model::{InvitationAccept, Session, Sid, User};
use shared::store::Accepted as NewAccount;

use crate::view::UserView;

/// Accepts an invitation: makes the account, signs in, and sets the session cookie.
///
/// 403 `invitation_invalid` for a token that is unknown, used, replaced or older than 7 days. The same answer
/// if the inviter was disabled or could not give the role any more. The address counts as verified.
#[utoipa::path(post, path = "/api/auth/accept")]
pub async fn accept_invitation(
    State(app): State<App>,
    _: OwnPage,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
    Body(InvitationAccept {
        token,
        username,
        full_name,
        password,
    }): Body<InvitationAccept>,
) -> Result<
    SetCookie<UserView>,
    Problem<(
        ConcurrentChange,
        EmailTaken,
        InvitationInvalid,
        OrganizationSuspended,
        UsernameTaken,
    )>,
> {
    let invitations = app.store.invitations();
    let open = invitations.open(&token).await?;
    let hash = password::hash_new(password, "password", &username, &open.organization);
    let new = NewAccount {
        password_hash: hash.await?,
        username,
        full_name,
    };
    let now = app.clock.now();
    let begun = |sid: &Sid, user: &User| {
        Session::begin(sid, user, now).from(address.clone(), user_agent.clone())
    };
    let (sid, user) = invitations.accept(open, &token, &new, begun).await?;
    Ok(SetCookie(
        app.cookie.set(&sid.to_string())?,
        UserView::from(&user),
    ))
}
