//! `GET /api/invitations`

use shared::endpoint::*;
use shared::model::InvitationSort;

use crate::view::InvitationView;

/// Lists the invitations of the caller's organization.
///
/// Open invitations come first, then the newest. An open one was not accepted yet.
#[utoipa::path(get, path = "/api/invitations")]
pub async fn list_invitations(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageUsers>, Listing<(), InvitationSort>>,
) -> Result<List<InvitationView>, Problem> {
    let pages = caller.pages(&app)?;
    let invitations = app.store.invitations();
    let page = invitations.list(caller.tenant(), &pages.wanted).await?;
    Ok(pages.answer(page, |(invitation, by)| InvitationView::new(invitation, by))?)
}
