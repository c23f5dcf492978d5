//! `PATCH /api/tags/{id}`

use shared::endpoint::*;
use shared::model::{TagId, TagUpdate};

use crate::view::TagView;

/// Renames a tag.
///
/// Its name is unique in the organization, without regard to case (409 `name_taken`).
#[utoipa::path(patch, path = "/api/tags/{id}", operation_id = "updateTag")]
pub async fn update_tag(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<TagId>>,
    Body(update): Body<TagUpdate>,
) -> Result<Single<TagView>, Problem<(ConcurrentChange, NameTaken)>> {
    let directory = app.store.directory();
    let tag = directory.update_tag(caller.pending_write(), id.known()?, update);
    Ok(Single(tag.await?.into()))
}
