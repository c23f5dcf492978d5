//! Tags on records: each type of record that has them has two endpoints.

use model::{
    base::{Id, TagId, Tagged, input::Field},
    work::TagAttach,
};
use utoipa::openapi::HttpMethod::{Delete, Post, Put};

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
    let id = format!("attach{name}Tag");
    let about = about_attach::<On>();
    [
        Endpoint::described(Post, path, id, &about, self::attach::<On>),
        detaching::<On>(name, path),
    ]
}

/// As [`endpoints`], where the path of the tag attaches it.
pub fn endpoints_of_paths<On: Id + Field + Into<Tagged>>(
    name: &str,
    path: &str,
) -> [Endpoint<App>; 2] {
    let id = format!("attach{name}Tag");
    let about = about_attach::<On>();
    let tag_path = format!("{path}/{{tagId}}");
    [
        Endpoint::described(Put, &tag_path, id, &about, self::put::<On>),
        detaching::<On>(name, path),
    ]
}

fn about_attach<On: Id>() -> String {
    let on = with_article(On::NOUN);
    let record = on.replacen('a', "A", 1);
    format!(
        "Attaches a tag to {on}.\n\n\
         {record} that has the tag already stays as it is. {record} has at most 50 tags (409 \
         `too_many_tags`)."
    )
}

fn detaching<On: Id + Field + Into<Tagged>>(name: &str, path: &str) -> Endpoint<App> {
    let on = with_article(On::NOUN);
    let record = on.replacen('a', "A", 1);
    let about = format!(
        "Detaches a tag from {on}.\n\n\
         {record} that does not have the tag stays as it is."
    );
    let path = format!("{path}/{{tagId}}");
    let id = format!("detach{name}Tag");
    Endpoint::described(Delete, &path, id, &about, self::detach::<On>)
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

async fn put<On: Id + Field + Into<Tagged>>(
    caller: Caller<need::TagActivity>,
    Path((on, tag)): Path<(PathId<On>, PathId<TagId>)>,
) -> Result<Changed, Problem<(TooManyTags, ConcurrentChange)>> {
    let tagging = caller.app.store.tagging();
    let version = tagging.set_attached(caller.write(), on.known()?.into(), tag.known()?, true);
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
