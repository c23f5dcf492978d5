//! `POST /api/invitations`

use shared::{
    endpoint::*,
    http::refusal::{EmailTaken, MailNotConfigured},
    model::people::InvitationCreate,
};

use crate::view::{InvitationView, inviter};

/// Invites a person, by a mail with a link.
///
/// `POST /api/auth/accept` makes the account of the link, once, within 7 days. The caller must hold
/// every permission of the role (403 `permission_denied`), also when the link is followed. The plan
/// includes a number of invitations a day, 50 by default (429 `rate_limited`). An earlier open
/// invitation of the address ends. 409 `email_taken` if a user of the organization has the address.
/// An admin's invitation guards the organization: it takes all permissions of an admin, and a
/// sign-in of the last 30 minutes (403 `sign_in_again`).
#[utoipa::path(post, path = "/api/invitations")]
pub async fn create_invitation(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Body(new): Body<InvitationCreate>,
) -> Result<Single<InvitationView>, Problem<(EmailTaken, MailNotConfigured, SignInAgain)>> {
    let by = async || {
        let identity = caller.identity().await?;
        caller.app.needs_mail()?;
        Ok(inviter(&identity))
    };
    let invitations = caller.app.store.invitations();
    let write = caller.write_demanding(new.demand());
    let created = invitations.create(write, by, &new, caller.app.links.issue());
    let invitation = created.await?;
    let by = &caller.identity().await?.user;
    Ok(Single(InvitationView::of(&invitation, Some(by.into()))))
}
