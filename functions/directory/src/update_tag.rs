//! `PATCH /api/tags/{id}`

use shared::{
    endpoint::*,
    http::refusal::NameTaken,
    model::{
        base::TagId,
        people::{Tag, TagUpdate},
    },
};

/// Renames a tag.
///
/// Its name is unique in the organization, without regard to case (409 `name_taken`).
#[utoipa::path(patch, path = "/api/tags/{id}")]
pub async fn update_tag(
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<TagId>>,
    Body(update): Body<TagUpdate>,
) -> Result<Single<Shown<Tag>>, Problem<(ConcurrentChange, NameTaken)>> {
    let directory = caller.app.store.directory();
    let tag = directory.update_tag(caller.write(), id.known()?, update);
    Ok(Single(tag.await?.into()))
}
