//! `GET /api/search`

use shared::{
    endpoint::*,
    model::updates::SearchQuery,
    store::updates::{FoundRecord, SearchFilter},
};

/// Searches the records of the organization by their words.
///
/// Finds tasks, service requests, tickets, projects, milestones, activities, comments and messages.
/// Each word of `query` must begin a word of the record, without regard to case and accents. The
/// last changed records come first. A page may have fewer rows than `limit`, even none, and a
/// `Link`. A record is found by its first 500 distinct words, normally within 2 seconds after a
/// change. Tickets and messages are found by callers with `view_managed_services`.
#[utoipa::path(get, path = "/api/search")]
pub async fn search(
    caller: Caller<need::ViewWork, SearchQuery>,
) -> Result<List<FoundRecord>, Problem> {
    let query = &caller.query;
    let links = caller.links();
    let pages = links.pages_after(query.cursor.as_ref(), Some(query.most()))?;
    let reader = caller.reader();
    let search = caller.app.store.search();
    let candidates = Box::pin(search.candidates(reader.tenant, &query.query));
    let (candidates, identity) = tokio::try_join!(candidates, caller.identity())?;
    let wanted = query.types().iter().copied();
    let types = wanted.filter(|kind| identity.may(kind.facts().permission));
    let filter = SearchFilter {
        words: &query.query,
        with_notes: identity.sees_notes(),
        types: types.collect(),
        projects: query
            .project_id
            .as_ref()
            .map(|projects| projects.0.as_slice()),
    };
    let page = search.page(&reader, &filter, candidates, &pages.wanted);
    Ok(pages.answer(Box::pin(page).await?, |record| record)?)
}
