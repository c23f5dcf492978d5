//! `POST /api/tags`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Single, refusal::NameTaken},
    model::TagCreate,
};

use crate::view::TagView;

/// Creates a tag, whose name no other has.
#[utoipa::path(post, path = "/api/tags", operation_id = "createTag")]
pub async fn create_tag(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<TagCreate>,
) -> Result<Single<TagView>, Problem<NameTaken>> {
    let directory = app.store.directory();
    let tag = directory.create_tag(caller.permit(), new).await?;
    Ok(Single(tag.into()))
}
