//! `POST /api/tags`

use shared::{
    endpoint::*,
    http::refusal::NameTaken,
    model::people::{Tag, TagCreate},
};

/// Creates a tag.
///
/// Its name is unique in the organization, without regard to case (409 `name_taken`).
#[utoipa::path(post, path = "/api/tags")]
pub async fn create_tag(
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<TagCreate>,
) -> Result<Single<Shown<Tag>>, Problem<NameTaken>> {
    let directory = caller.app.store.directory();
    let tag = directory
        .create_tag(caller.write(), new)
        .await?;
    Ok(Single(tag.into()))
}
