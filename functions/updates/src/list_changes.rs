//! `GET /api/changes`

use shared::{
    endpoint::*,
    http::refusal::CursorExpired,
    model::{base::Cursor, updates::FeedQuery},
    store::updates::{FeedFilter, FeedFrom, NumberedEntry},
};

/// Lists changes of records, oldest first.
///
/// Without `cursor` the feed begins now. `cursor=first` begins with the oldest entry; entries are
/// kept for 30 days. The `Link` header is always there: its cursor continues after the last entry,
/// also when the array is empty. Every change of a record has an entry, normally within 2 seconds.
/// Entries of one record are in the order of its versions. An entry may come again under a new id:
/// `type`, `recordId`, `part`, `version` and `action` identify it. The feed has the types that the
/// caller may read. A comment belongs to the project of what it is on.
#[utoipa::path(get, path = "/api/changes")]
pub async fn list_changes(
    caller: Caller<need::ViewWork, FeedQuery>,
) -> Result<List<NumberedEntry>, Problem<CursorExpired>> {
    let query = &caller.query;
    let is_oldest = query
        .cursor
        .as_ref()
        .map(Cursor::as_str)
        == Some(FeedQuery::OLDEST);
    let cursor = query
        .cursor
        .as_ref()
        .filter(|_| !is_oldest);
    let pages = caller
        .links()
        .pages_after(cursor, Some(query.most()))?;
    let from = match pages.wanted.after.clone() {
        Some(place) => FeedFrom::After(place),
        None if is_oldest => FeedFrom::Oldest,
        None => FeedFrom::Now,
    };
    let identity = caller.identity().await?;
    let wanted = query.types().iter().copied();
    let types = wanted.filter(|kind| identity.may(kind.facts().permission));
    let filter = FeedFilter {
        types: types.collect(),
        with_notes: identity.sees_notes(),
        projects: query
            .project_id
            .clone()
            .map(|projects| projects.0),
    };
    let feed = caller.app.store.feed();
    let reader = caller.reader();
    let page = feed.page(&reader, from, &filter, query.most());
    Ok(pages.answer(page.await?, |entry| entry)?)
}
