//! Tags on records: each type of record that has them has the same two endpoints.

use model::{
    base::{Id, TagId, Tagged, input::Field},
    work::TagAttach,
};
use utoipa::openapi::HttpMethod::{Delete, Post};

use crate::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Changed, Conditional, Endpoint, Path, PathId,
        refusal::{ConcurrentChange, TooManyTags},
        with_article,
    },
};

/// Returns the endpoints of the tags on a type of record. `name` is its name in the ids of
/// operations, `path` that of its tags.
pub fn endpoints<On: Id + Field + Into<Tagged>>(name: &str, path: &str) -> [Endpoint<App>; 2] {
    let on = with_article(On::NOUN);
    let record = on.replacen('a', "A", 1);
    let attach = format!(
        "Attaches a tag to {on}.\n\n\
         {record} that has the tag already stays as it is. {record} has at most 50 tags (409 \
         `too_many_tags`)."
    );
    let detach = format!(
        "Detaches a tag from {on}.\n\n\
         {record} that does not have the tag stays as it is."
    );
    let tag_path = format!("{path}/{{tagId}}");
    let id = |verb| format!("{verb}{name}Tag");
    [
        Endpoint::described(Post, path, id("attach"), &attach, self::attach::<On>),
        Endpoint::described(Delete, &tag_path, id("detach"), &detach, self::detach::<On>),
    ]
}

async fn attach<On: Id + Field + Into<Tagged>>(
    _: Conditional,
    caller: Caller<need::TagActivity>,
    Path(on): Path<PathId<On>>,
    Body(TagAttach { tag_id }): Body<TagAttach>,
) -> Result<Changed, Problem<(TooManyTags, ConcurrentChange)>> {
    let tagging = caller.app.store.tagging();
    let version = tagging.set_attached(caller.write(), on.known()?.into(), tag_id, true);
    Ok(Changed(version.await?))
}

async fn detach<On: Id + Field + Into<Tagged>>(
    caller: Caller<need::TagActivity>,
    Path((on, tag)): Path<(PathId<On>, PathId<TagId>)>,
) -> Result<Changed, Problem<ConcurrentChange>> {
    let tagging = caller.app.store.tagging();
    let version = tagging.set_attached(caller.write(), on.known()?.into(), tag.known()?, false);
    Ok(Changed(version.await?))
}
