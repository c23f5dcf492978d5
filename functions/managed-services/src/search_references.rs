//! `GET /api/managed-services/search-references`

use shared::{
    endpoint::*,
    model::{base::ReferenceSort, updates::ReferenceSearch},
    store::work::FoundReference,
};

/// Searches the records that a service request may refer to.
///
/// The newest come first. A page has at most 50 of them, and 20 if neither `query` nor `limit` is
/// sent.
#[utoipa::path(get, path = "/api/managed-services/search-references")]
pub async fn search_references(
    caller: Caller<need::ViewManagedServices, Listing<ReferenceSearch, ReferenceSort>>,
) -> Result<List<FoundReference>, Problem> {
    let pages = caller.pages()?;
    let reader = caller.reader();
    let search = &caller.query.filter;
    let references = caller.app.store.references();
    let page = references
        .search(&reader, search, &pages.wanted)
        .await?;
    Ok(pages.answer(page, |reference| reference)?)
}
