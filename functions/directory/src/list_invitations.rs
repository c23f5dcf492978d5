//! `GET /api/invitations`

use shared::{
    endpoint::*,
    model::base::{InvitationSort, Listing},
};

use crate::view::InvitationView;

/// Lists the invitations of the caller's organization.
///
/// Open invitations come first, then the newest. An open one was not accepted yet.
#[utoipa::path(get, path = "/api/invitations")]
pub async fn list_invitations(
    caller: Caller<need::InSession<need::ManageUsers>, Listing<(), InvitationSort>>,
) -> Result<List<InvitationView>, Problem> {
    let pages = caller.pages()?;
    let invitations = caller.app.store.invitations();
    let page = invitations
        .list(caller.tenant(), &pages.wanted)
        .await?;
    Ok(pages.answer(page, |(invitation, by)| InvitationView::of(&invitation, by))?)
}
