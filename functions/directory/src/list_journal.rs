//! `GET /api/journal`

use shared::{
    endpoint::*,
    model::{
        base::{Listing, OrganizationJournalSort},
        people::{OrganizationEntry, OrganizationJournalFilter},
    },
    store::Stored,
};

use crate::view::OrganizationEntryView;

/// Lists the organization's journal, oldest entry first.
///
/// Each change of the organization, its users, tokens, policy, connections and pauses has an entry,
/// and so have recorded alerts and changes of their status. Each entry holds the hash of the entry
/// before it.
#[utoipa::path(get, path = "/api/journal")]
pub async fn list_organization_journal(
    caller: Caller<
        need::ToRead<need::ManageOrganization>,
        Listing<OrganizationJournalFilter, OrganizationJournalSort>,
    >,
) -> Result<List<OrganizationEntryView>, Problem> {
    let pages = caller.pages()?;
    let tenant = caller.tenant();
    let filter = &caller.query.filter;
    let journals = caller.app.store.journals();
    let page = journals.list(tenant, caller.user_id(), filter, &pages.wanted);
    let view = |mut entry: Stored<OrganizationEntry>| {
        let names = entry.show_names();
        OrganizationEntryView::of(entry.record, names)
    };
    Ok(pages.answer(page.await?, view)?)
}
