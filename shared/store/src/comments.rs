//! Comments on service requests, activities and tasks.

use std::collections::HashMap;

use model::{
    ActivityId, Comment, CommentCreate, CommentId, CommentUpdate, Error, Fault, FaultCode, Id,
    OrganizationId, ServiceRequest, ServiceRequestId, TaskId, Thread, ThreadSort, Timestamp,
    UserId, UserRef,
};

use super::{
    Given, Permit, Store, id_is_taken,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    resolutions,
    rewrite::rewrite,
    table::{Batch, Condition, Read, Record, Stored, Write},
};

/// Comments on service requests, activities and tasks.
#[derive(Clone, Copy, Debug)]
pub struct Comments<'a>(pub(super) &'a Store);

/// A comment with who wrote it.
#[derive(Clone, Debug)]
pub struct CommentWithAuthor {
    /// The comment.
    pub comment: Stored<Comment>,
    /// Its author; `None` when the account is gone.
    pub author: Option<UserRef>,
}

impl Record for Comment {
    const KIND: &'static str = "comment";

    fn key(&self) -> Key<Self> {
        key::comment(self.organization_id, self.thread, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::comment_in_time(self))
    }
}

impl Comments<'_> {
    /// Writes a comment. One by the creator of a pending or resolved service request opens the
    /// request again. 404 when what it is on is not the tenant's, 400 when the parent is not a
    /// comment of the same thread or was deleted, 409 when the request to open kept changing.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        thread: Thread,
        author: UserId,
        new: CommentCreate,
    ) -> Result<Stored<Comment>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new(permit, thread, author, new).await;
        let again = async |made| {
            let key = key::comment(tenant, thread, id_of(made)?);
            self.0.one(&key, CommentId::NOUN).await
        };
        permit.once(create, again).await
    }

    async fn create_new(
        &self,
        permit: Permit,
        thread: Thread,
        author: UserId,
        new: CommentCreate,
    ) -> Result<Stored<Comment>, Error> {
        let tenant = permit.tenant();
        let read = || self.service_request(tenant, thread);
        let found = async { tokio::try_join!(self.0.next_id(), read()) };
        let (given, (id, request)) = permit.beside(found).await?;
        // A client can guess the id that its comment is about to get.
        if new.parent_id == Some(id) {
            return Err(unknown_parent());
        }
        let now = self.0.clock.now();
        let comment = Comment::new(id, tenant, thread, author, new, now);
        let write = |request| self.write(&given, &comment, request);
        rewrite(request, read, write).await?;
        Ok(Stored::created(comment))
    }

    /// Writes a comment, and opens the service request again that it is on, if it does so; none when
    /// somebody changed that request since it was read, and what the comment does depends on it.
    async fn write(
        &self,
        given: &Given,
        comment: &Comment,
        request: Option<Stored<ServiceRequest>>,
    ) -> Result<Option<()>, Error> {
        /// Places in the transaction; what is behind them goes with the request as it was read.
        const SUBJECT: usize = 0;
        const PARENT: usize = 2;

        let (tenant, thread) = (comment.organization_id, comment.thread);
        // What a comment of the request's creator does depends on where the request stands.
        let by_creator = request.filter(|request| request.creator_id == comment.user_id);
        let depends = by_creator.is_some();
        let (on, also) = match by_creator {
            None => {
                let is_there = Write::check(key::subject(tenant, thread), Condition::exists());
                (is_there, Vec::new())
            }
            Some(request) if request.reopens_on_comment_of(comment.user_id) => {
                self.reopen(given, &request, comment.created_at).await?
            }
            Some(request) => {
                let as_read = Condition::default().equals("status", request.status);
                (Write::check(request.key(), as_read), Vec::new())
            }
        };
        let mut writes = vec![on, Write::create(comment)?];
        writes.extend(comment.parent_id.map(|parent| {
            let key = key::comment(tenant, thread, parent);
            Write::check(key, Condition::exists().lacks("deletedAt"))
        }));
        let behind = writes.len();
        writes.extend(also);
        let all = writes.len();
        let made = Some(comment.id.get());
        match self.0.commit(given, writes, made).await? {
            Ok(()) => Ok(Some(())),
            Err(refused) if refused.at(SUBJECT) && depends => Ok(None),
            Err(refused) if (behind..all).any(|place| refused.at(place)) => Ok(None),
            Err(refused) if refused.at(SUBJECT) => Err(unknown_subject(thread)),
            Err(refused) if refused.at(PARENT) => Err(unknown_parent()),
            Err(_) => Err(id_is_taken(Comment::KIND)),
        }
    }

    /// Changes what a comment says, unless `allow` refuses when it hears who wrote it. 404 when
    /// there is no such comment in the thread, or no longer, 409 when it kept changing.
    pub async fn edit(
        &self,
        permit: impl Into<Permit>,
        place: (Thread, CommentId),
        update: CommentUpdate,
        allow: impl AsyncFnOnce(UserId) -> Result<(), Error>,
    ) -> Result<CommentWithAuthor, Error> {
        let edit = |comment: &mut Comment, now| comment.edit(update.clone(), now);
        self.change(permit, place, allow, edit).await
    }

    /// Deletes a comment, unless `allow` refuses when it hears who wrote it. It keeps its place
    /// and says nothing. 404 when there is no such comment in the thread, or no longer, 409 when it
    /// kept changing.
    pub async fn delete(
        &self,
        permit: impl Into<Permit>,
        place: (Thread, CommentId),
        allow: impl AsyncFnOnce(UserId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let deleted = self.change(permit, place, allow, Comment::delete).await;
        deleted.map(|_| ())
    }

    /// Changes a comment that is there, on something that is there.
    async fn change(
        &self,
        permit: impl Into<Permit>,
        (thread, id): (Thread, CommentId),
        allow: impl AsyncFnOnce(UserId) -> Result<(), Error>,
        change: impl Fn(&mut Comment, Timestamp),
    ) -> Result<CommentWithAuthor, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let table = &self.0.table;
        let subject = &key::subject(tenant, thread);
        let key = &key::comment(tenant, thread, id);
        let change = &change;
        let read = || table.batch_get([subject.clone(), key.into()], Read::Consistent);
        let there = &|given: &Given, found: &Batch| {
            if !found.has(subject) {
                return Err(unknown_subject(thread));
            }
            let comment = found.get(key)?.filter(|it| it.deleted_at.is_none());
            given.current(comment, CommentId::NOUN)
        };
        let (given, found) = permit.beside(read()).await?;
        let given = &given;
        let write = |found: Batch| async move {
            let mut comment = there(given, &found)?;
            change(&mut comment, self.0.clock.now());
            let author = key::user(tenant, comment.user_id);
            let (done, found) = tokio::try_join!(
                table.write(Write::replace(&comment)?),
                table.batch_get([author.clone()], Read::Eventual),
            )?;
            let author = found.named(&author);
            Ok(done.is_ok().then(|| CommentWithAuthor {
                comment: comment.replaced(),
                author: author.map(|author| UserRef::from(&author.record)),
            }))
        };
        allow(there(given, &found)?.user_id).await?;
        rewrite(found, read, write).await
    }

    /// A thread's comments by time, with their authors. 404 when what they are on is not the
    /// tenant's.
    pub async fn of(
        &self,
        tenant: OrganizationId,
        thread: Thread,
        sort: ThreadSort,
        wanted: &Wanted,
    ) -> Result<Page<CommentWithAuthor>, Error> {
        let table = &self.0.table;
        let subject = key::subject(tenant, thread);
        let comments = key::comments_by_time(tenant, thread).descending_if(sort.is_descending());
        let (known, page) = tokio::try_join!(
            table.batch_get([subject.clone()], Read::Consistent),
            table.page(comments, wanted),
        )?;
        if !known.has(&subject) {
            return Err(unknown_subject(thread));
        }
        let authors = || page.records().map(|comment| comment.user_id);
        let user = |id| key::user(tenant, id);
        let batch = table.batch_get(authors().map(user), Read::Eventual).await?;
        let users: HashMap<_, UserRef> = batch.all(authors(), user);
        Ok(page.map(|comment| CommentWithAuthor {
            author: users.get(&comment.user_id).cloned(),
            comment,
        }))
    }

    /// The request opened again, provided that nobody changed it since it was read, and its
    /// resolution taken out of the count of its day, if it had one; a manual action that was handed
    /// over with it follows.
    async fn reopen(
        &self,
        given: &Given,
        before: &Stored<ServiceRequest>,
        now: Timestamp,
    ) -> Result<(Write, Vec<Write>), Error> {
        let mut request = before.clone();
        let resolution = request.reopen(now)?;
        let (tenant, created_at) = (request.organization_id, request.created_at);
        let count = resolution.map(|it| resolutions::count(tenant, created_at, it));
        let entry = given.updated(&before.record, &request, now)?;
        let after = Some(&request.record);
        let follows = self.0.action_follows(given, &before.record, after, now);
        let mut also: Vec<Write> = count.into_iter().chain(entry).collect();
        also.extend(follows.await?);
        Ok((Write::replace(&request)?, also))
    }

    /// The service request that a thread is on; `None` for a thread on anything else.
    async fn service_request(
        &self,
        tenant: OrganizationId,
        thread: Thread,
    ) -> Result<Option<Stored<ServiceRequest>>, Error> {
        let Thread::ServiceRequest(id) = thread else {
            return Ok(None);
        };
        let key = key::service_request(tenant, id);
        let request = self.0.table.get(&key, Read::Consistent).await?;
        request.map(Some).ok_or_else(|| unknown_subject(thread))
    }
}

fn unknown_subject(thread: Thread) -> Error {
    Error::NotFound(match thread {
        Thread::ServiceRequest(_) => ServiceRequestId::NOUN,
        Thread::Activity(_) => ActivityId::NOUN,
        Thread::Task(_) => TaskId::NOUN,
    })
}

fn unknown_parent() -> Error {
    Error::invalid(Fault::at(
        "parentId",
        FaultCode::Unknown,
        "There is no such comment in this thread.",
    ))
}
