//! Comments on records: each type of record that has them has the same four endpoints.

use model::{
    base::{CommentId, Id, Listing, Thread, ThreadSort, Timestamp, UserId, input::Field},
    people::UserRef,
    work::{Comment, CommentCreate, CommentFilter, CommentUpdate},
};
use serde::Serialize;
use store::{
    base::{InScope, Versioned},
    work::CommentWithAuthor,
};
use utoipa::{
    ToSchema,
    openapi::HttpMethod::{Delete, Get, Patch, Post},
};

use crate::{
    App, Problem,
    auth::{
        Caller,
        need::{self, Need},
    },
    http::{
        Body, Endpoint, List, NoContent, Path, PathId, Single,
        refusal::{ConcurrentChange, Refusals},
        with_article,
    },
    versioned,
};

/// A comment on a record of one type, as answers show it.
pub trait CommentOn: Serialize + ToSchema + Versioned + Send + Sync + 'static {
    type Record: Id + Field + Into<Thread>;
    /// Permission to comment.
    type Write: Need;
    type Refusals: Refusals + 'static;

    const PATH: &'static str;
    /// Further effect of a new comment, as a sentence of its description.
    const EFFECT: &'static str = "";

    fn new(on: Self::Record, comment: CommentView) -> Self;
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Comment)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    id: CommentId,
    /// The text; empty once the comment is deleted.
    content: String,
    user_id: UserId,
    parent_id: Option<CommentId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Time of deletion. A deleted comment keeps its place for its replies.
    deleted_at: Option<Timestamp>,
    /// Raised by every write.
    version: i64,
    /// The author; null if the account is gone.
    user: Option<UserRef>,
}

versioned!(CommentView);

impl CommentView {
    fn new(comment: InScope<Comment>, author: Option<UserRef>) -> Self {
        let version = comment.version;
        let comment = comment.into_stored().record;
        Self {
            version,
            id: comment.id,
            content: comment
                .content
                .map(String::from)
                .unwrap_or_default(),
            user_id: comment.user_id,
            parent_id: comment.parent_id,
            created_at: comment.created_at,
            updated_at: comment.updated_at,
            deleted_at: comment.deleted_at,
            user: author,
        }
    }
}

pub fn endpoints<C: CommentOn>() -> [Endpoint<App>; 4] {
    let name = C::name();
    let noun = C::Record::NOUN;
    let on = with_article(noun);
    let list_path = C::PATH;
    let comment_path = format!("{}/{{commentId}}", C::PATH);
    let list = format!(
        "Lists the comments on {on}, replies included, by creation time.\n\n\
         A deleted comment stays in the list, with empty `content` and a `deletedAt`."
    );
    let create = format!(
        "Adds a comment to {on}.\n\n\
         With `parentId` it replies to a comment on the same {noun}. 400 if there is no such comment or \
         it is deleted.{}",
        C::EFFECT
    );
    let update = format!(
        "Changes the text of a comment on {on}.\n\n\
         Authors may edit their own comments; other users need the permission `manage_directory`. 404 if \
         the comment is deleted."
    );
    let delete = format!(
        "Deletes a comment on {on}.\n\n\
         The comment stays in the list, with empty `content` and a `deletedAt`, so that its replies keep \
         their place. It can no longer be edited or replied to. Authors may delete their own comments; \
         other users need the permission `manage_directory`."
    );
    let id = |verb| format!("{verb}{name}");
    [
        Endpoint::described(
            Get,
            list_path,
            format!("list{name}s"),
            &list,
            self::list::<C>,
        ),
        Endpoint::described(Post, list_path, id("create"), &create, self::create::<C>),
        Endpoint::described(
            Patch,
            &comment_path,
            id("update"),
            &update,
            self::update::<C>,
        ),
        Endpoint::described(
            Delete,
            &comment_path,
            id("delete"),
            &delete,
            self::delete::<C>,
        ),
    ]
}

async fn list<C: CommentOn>(
    caller: Caller<need::ViewWork, Listing<CommentFilter, ThreadSort>>,
    Path(on): Path<PathId<C::Record>>,
) -> Result<List<C>, Problem> {
    let (on, pages) = (on.known()?, caller.pages()?);
    let Listing { filter, sort, .. } = &caller.query;
    let comments = caller.app.store.comments();
    let reader = caller.reader();
    let page = comments.of(&reader, on.into(), filter, *sort, &pages.wanted);
    Ok(pages.answer(page.await?, |comment| shown(on, comment))?)
}

async fn create<C: CommentOn>(
    caller: Caller<C::Write>,
    Path(on): Path<PathId<C::Record>>,
    Body(new): Body<CommentCreate>,
) -> Result<Single<C>, Problem<C::Refusals>> {
    let (on, comments) = (on.known()?, caller.app.store.comments());
    let created = comments.create(caller.write(), on.into(), caller.user_id(), new);
    let comment = created.await?;
    let author = UserRef::from(&caller.identity().await?.user);
    Ok(Single(C::new(on, CommentView::new(comment, Some(author)))))
}

async fn update<C: CommentOn>(
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((on, comment)): Path<(PathId<C::Record>, PathId<CommentId>)>,
    Body(update): Body<CommentUpdate>,
) -> Result<Single<C>, Problem<ConcurrentChange>> {
    let (on, comments) = (on.known()?, caller.app.store.comments());
    let place = (on.into(), comment.known()?);
    let may = async |author| caller.created_or_may(author).await;
    let edited = comments
        .edit(caller.write(), place, update, may)
        .await?;
    Ok(Single(shown(on, edited)))
}

async fn delete<C: CommentOn>(
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((on, comment)): Path<(PathId<C::Record>, PathId<CommentId>)>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let place = (on.known()?.into(), comment.known()?);
    let may = async |author| caller.created_or_may(author).await;
    let comments = caller.app.store.comments();
    comments
        .delete(caller.write(), place, may)
        .await?;
    Ok(NoContent)
}

fn shown<C: CommentOn>(on: C::Record, read: CommentWithAuthor) -> C {
    C::new(on, CommentView::new(read.comment, read.author))
}
