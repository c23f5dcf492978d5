//! `GET /api/tags`

use shared::{
    endpoint::*,
    model::people::{Tag, TagFilter, TagSort},
};

/// Lists the tags of the caller's organization by name.
#[utoipa::path(get, path = "/api/tags")]
pub async fn list_tags(
    caller: Caller<need::ViewWork, Listing<TagFilter, TagSort>>,
) -> Result<List<Shown<Tag>>, Problem> {
    let pages = caller.pages()?;
    let directory = caller.app.store.directory();
    let page = directory.tags(caller.tenant(), &caller.query.filter, &pages.wanted);
    Ok(pages.answer(page.await?, Shown::from)?)
}
