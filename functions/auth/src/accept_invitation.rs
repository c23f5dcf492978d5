//! `POST /api/auth/accept`

use axum::extract::State;
use shared::{
    auth::{OwnPage, SetCookie, password},
    endpoint::*,
    http::{
        ClientAddress, UserAgent,
        refusal::{
            EmailTaken, InvitationInvalid, OrganizationSuspended, PasswordSignInOff, UsernameTaken,
        },
    },
    model::people::{InvitationAccept, Session, Sid, User},
    runtime::telemetry,
    store::people::Accepted as NewAccount,
};

use crate::view::SignedInUserView;

type Refused = (
    ConcurrentChange,
    EmailTaken,
    InvitationInvalid,
    OrganizationSuspended,
    PasswordSignInOff,
    UsernameTaken,
);

/// Accepts an invitation: makes the account, signs in, and sets the session cookie.
///
/// 403 `invitation_invalid` for a token that is unknown, used, replaced or older than 7 days. The
/// same answer if the inviter was disabled or could not give the role any more. The address counts
/// as verified. 403 `password_sign_in_off` if the organization has passwords off: its provider
/// accepts the invitation.
#[utoipa::path(post, path = "/api/auth/accept")]
pub async fn accept_invitation(
    State(app): State<App>,
    _: OwnPage,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
    Body(sent): Body<InvitationAccept>,
) -> Result<SetCookie<SignedInUserView>, Problem<Refused>> {
    let invitations = app.store.invitations();
    let open = invitations.open(&sent.token).await?;
    let organization = &open.organization;
    app.store
        .providers()
        .check_new_password(organization.id)
        .await?;
    let hash = password::hash_new(sent.password, "password", &sent.username, organization);
    let new = NewAccount {
        password_hash: hash.await?,
        username: sent.username,
        full_name: sent.full_name,
        provider_subject: None,
    };
    let now = app.clock.now();
    let begun = |sid: &Sid, user: &User| {
        Session::begin(sid, user, now).from(address.clone(), user_agent.clone())
    };
    let (sid, user) = invitations
        .accept(open, &sent.token, &new, begun)
        .await?;
    telemetry::caller(user.id, user.organization_id);
    let cookie = app.cookie.set(&sid.to_string())?;
    Ok(SetCookie(cookie, SignedInUserView::of(&user)))
}
