//! `GET /api/journal/check`

use shared::{
    endpoint::*,
    model::people::{OrganizationJournalCheck, OrganizationJournalFrom},
};

/// Checks that the organization's journal is complete and unchanged.
///
/// Names the first entry that was changed or is missing. A request checks up to 5,000 entries;
/// `next` is the `from` of the request that checks the rest.
#[utoipa::path(get, path = "/api/journal/check")]
pub async fn check_organization_journal(
    caller: Caller<need::ToRead<need::ManageOrganization>, OrganizationJournalFrom>,
) -> Result<Json<OrganizationJournalCheck>, Problem> {
    let journals = caller.app.store.journals();
    let check = journals
        .check(caller.tenant(), caller.query.from)
        .await?;
    Ok(Json(check))
}
