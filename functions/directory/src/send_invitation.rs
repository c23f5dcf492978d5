//! `POST /api/invitations/{id}/send`

use shared::{
    endpoint::*,
    http::refusal::{EmailTaken, MailNotConfigured},
    model::base::InvitationId,
};

use crate::view::{InvitationView, inviter};

type Refused = (
    ConcurrentChange,
    EmailTaken,
    InvalidTransition,
    MailNotConfigured,
    SignInAgain,
);

/// Sends an invitation again, with a new link.
///
/// The old link is dead. The caller takes the place of the inviter, and must hold every permission
/// of the role (403 `permission_denied`). 429 `rate_limited` after five times in a day (UTC), and
/// after the day's invitations of the plan, among which it counts. 409 `invalid_transition` if it
/// was accepted. An admin's invitation guards the organization, as `POST /api/invitations` says.
#[utoipa::path(post, path = "/api/invitations/{id}/send")]
pub async fn send_invitation(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Path(id): Path<PathId<InvitationId>>,
) -> Result<Single<InvitationView>, Problem<Refused>> {
    let by = async || {
        let identity = caller.identity().await?;
        caller.app.needs_mail()?;
        Ok(inviter(&identity))
    };
    let write = caller.write();
    let link = caller.app.links.issue();
    let invitations = caller.app.store.invitations();
    let invitation = invitations
        .send(write, id.known()?, by, link)
        .await?;
    let by = &caller.identity().await?.user;
    Ok(Single(InvitationView::of(&invitation, Some(by.into()))))
}
