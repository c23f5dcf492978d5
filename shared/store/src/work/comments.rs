//! Comments on service requests, activities and tasks.

use std::collections::HashMap;

use model::{
    base::{
        AnyOf, CommentId, Error, Fault, FaultCode, Id, RecordType, ServiceRequestId, Thread,
        ThreadSort, Timestamp, UserId,
    },
    people::UserRef,
    work::{Comment, CommentCreate, CommentFilter, CommentUpdate, ServiceRequest},
};
use table::{
    AnyKey, Batch, Condition, Read, Record, Stored, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, WriteContext,
        idempotency::{Created, id_of},
        reads::in_first_index,
        record::record,
        records::{Located, Participant},
        scope::Placed,
        store::{id_is_taken, resource},
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    work::resolutions,
};

resource! { pub Comments as comments }

#[derive(Clone, Debug)]
pub struct CommentWithAuthor {
    pub comment: InScope<Comment>,
    /// The author; `None` when the account is gone.
    pub author: Option<UserRef>,
}

record! {
    comment: Comment = RecordType::Comment.name(),
    key: key::comment(comment.organization_id, comment.thread, comment.id),
    gsi1: Some(key::comment_in_time(comment)),
}

impl Tracked for Comment {}

impl Comments<'_> {
    /// Creates a comment. A comment of the creator of a pending or resolved service request reopens
    /// the request.
    ///
    /// 404 when the thread's record is not the tenant's. 400 when the parent is deleted, or not a
    /// comment of the same thread. 409 when other requests kept changing the service request.
    pub async fn create(
        &self,
        pending: impl Pending,
        thread: Thread,
        author: UserId,
        new: CommentCreate,
    ) -> Result<InScope<Comment>> {
        let (pending, reader) = pending.with_reader();
        let tenant = reader.tenant;
        // The author as a participant, and the record that the thread is on.
        let keys = [
            AnyKey::from(key::participant(tenant, thread.into(), author)),
            key::subject(tenant, thread),
        ];
        let load = async |made| {
            let key = key::comment(tenant, thread, id_of(made)?);
            let comment = self.0.one(&key, CommentId::NOUN);
            self.0
                .scoped()
                .record(&reader, comment.await?, CommentId::NOUN)
                .await
        };
        // Both end, also after an error, so that no id is lost on its way.
        let (plan, id) = tokio::join!(self.0.plan_once(pending, keys), self.0.next_id());
        let mut plan = match plan? {
            Created::New(plan) => plan,
            Created::Replayed(made) => return load(made).await,
        };
        let id: CommentId = id?.used();
        // A client can guess the id that its comment is about to get.
        if new.parent_id == Some(id) {
            return Err(unknown_parent());
        }
        loop {
            let read = plan.read().await?;
            let now = self.0.now();
            let subject = subject_in(&read, tenant, thread);
            plan.renew(&subject).await?;
            if !plan.context.sees(&subject) {
                return Err(unknown_subject(thread));
            }
            let comment = Comment {
                project_id: subject.project_id,
                ..Comment::new(id, tenant, thread, author, new.clone(), now)
            };
            let writes = self
                .writes(&plan.context, &comment, &read)
                .await?;
            let created = InScope::written(Stored::created(comment));
            if let Some(done) = plan
                .commit(writes.making(id), created)
                .await?
            {
                return done.or_load(load).await;
            }
        }
    }

    /// The writes of a comment and of its author's taking part, with those that reopen its service
    /// request. For a comment of the request's creator they expect the status that was read, since
    /// the effect depends on it.
    async fn writes(
        &self,
        context: &WriteContext,
        comment: &Comment,
        batch: &Batch,
    ) -> Result<Writes> {
        let tenant = comment.organization_id;
        let thread = comment.thread;
        let request = service_request(batch, tenant, thread)?;
        let mut writes = Writes::default();
        writes.extend(Participant::from(comment).joins(batch)?);
        match request.filter(|request| request.creator_id == comment.user_id) {
            None => {
                let is_there = Write::check(key::subject(tenant, thread), Condition::exists());
                writes.push_or(is_there, unknown_subject(thread));
            }
            Some(request) if request.reopens_on_comment_of(comment.user_id) => {
                writes.extend(
                    self.reopen(context, &request, comment.created_at)
                        .await?,
                );
            }
            Some(request) => {
                let as_read = Condition::default().equals("status", &request.status);
                writes.push(Write::check(request.key(), as_read));
            }
        }
        if let Some(parent) = comment.parent_id {
            let key = key::comment(tenant, thread, parent);
            let is_there = Write::check(key, Condition::exists().lacks("deletedAt"));
            writes.push_or(is_there, unknown_parent());
        }
        writes.push_or(Write::create(comment)?, id_is_taken(Comment::KIND));
        Ok(writes)
    }

    /// Changes the text of a comment, unless `allow` refuses its author. 404 when the thread has no
    /// such comment, or it is deleted. 409 when other requests kept changing it.
    pub async fn edit<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        place: (Thread, CommentId),
        update: CommentUpdate,
        allow: impl Fn(UserId) -> A,
    ) -> Result<CommentWithAuthor> {
        let edit = |comment: &mut Comment, now| comment.edit(update.clone(), now);
        self.change(pending, place, allow, edit)
            .await
    }

    /// Deletes the text of a comment, unless `allow` refuses its author. The comment keeps its
    /// place. 404 when the thread has no such comment, or it is deleted. 409 when other requests
    /// kept changing it.
    pub async fn delete<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        place: (Thread, CommentId),
        allow: impl Fn(UserId) -> A,
    ) -> Result<()> {
        let deleted = self
            .change(pending, place, allow, Comment::delete)
            .await;
        deleted.map(|_| ())
    }

    /// Changes a comment. 404 when the thread's record or the comment does not exist.
    async fn change<A: Future<Output = Result<()>>>(
        &self,
        pending: impl Pending,
        (thread, id): (Thread, CommentId),
        allow: impl Fn(UserId) -> A,
        change: impl Fn(&mut Comment, Timestamp),
    ) -> Result<CommentWithAuthor> {
        let (pending, tenant) = pending.with_tenant();
        let subject = key::subject(tenant, thread);
        let key = key::comment(tenant, thread, id);
        let keys = [subject.clone(), (&key).into()];
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let place = subject_in(&read, tenant, thread);
            plan.renew(&place).await?;
            if !read.has(&subject) || !plan.context.sees(&place) {
                return Err(unknown_subject(thread));
            }
            let comment: Option<Stored<Comment>> = read.get(&key)?;
            let comment = comment.filter(|comment| comment.deleted_at.is_none());
            let mut draft = plan
                .draft_of(comment, CommentId::NOUN)
                .await?;
            allow(draft.before.user_id).await?;
            change(&mut draft.after, draft.now);
            let author = draft.before.user_id.key(tenant);
            let authors = self
                .0
                .table
                .batch_get([author.clone()], Read::Lasting);
            let (done, authors) = tokio::try_join!(plan.write(draft), authors)?;
            if let Some(done) = done {
                let author = authors.named(&author);
                return Ok(CommentWithAuthor {
                    comment: done.not_replayed()?,
                    author: author.map(|author| UserRef::from(&author.record)),
                });
            }
        }
    }

    /// A thread's comments that match a filter, by time, with their authors. 404 when the thread's
    /// record is not the tenant's.
    pub async fn of(
        &self,
        reader: &Reader,
        thread: Thread,
        filter: &CommentFilter,
        sort: ThreadSort,
        wanted: &PageRequest,
    ) -> Result<Page<CommentWithAuthor>> {
        let tenant = reader.tenant;
        let table = &self.0.table;
        let subject = key::subject(tenant, thread);
        let descending = sort == ThreadSort::NewestFirst;
        let comments = async {
            let Some(AnyOf(ids)) = &filter.id else {
                let comments = key::comments_by_time(tenant, thread).descending_if(descending);
                return table.page(comments, wanted).await;
            };
            let keys = ids
                .iter()
                .map(|id| key::comment(tenant, thread, *id));
            let rows = self
                .0
                .rows_by_id(keys, |_| true, in_first_index, descending, wanted);
            rows.await
        };
        let batch = table.batch_get([subject.clone()], Read::Consistent);
        let (batch, page) = tokio::try_join!(batch, comments)?;
        let place = subject_in(&batch, tenant, thread);
        let scope = self
            .0
            .scoped()
            .scope(reader, [&place])
            .await?;
        if !batch.has(&subject) || !scope.sees(place.place()) {
            return Err(unknown_subject(thread));
        }
        let page = self
            .0
            .scoped()
            .page(reader, page)
            .await?;
        let authors = page
            .records()
            .map(|comment| comment.user_id);
        let users: HashMap<_, UserRef> = self.0.users(tenant, authors).await?;
        Ok(page.map(|comment| CommentWithAuthor {
            author: users.get(&comment.user_id).cloned(),
            comment,
        }))
    }

    /// The writes that reopen a service request. They expect the version as read, no longer count a
    /// resolution, and reopen the manual action of the request.
    async fn reopen(
        &self,
        context: &WriteContext,
        before: &Stored<ServiceRequest>,
        now: Timestamp,
    ) -> Result<Vec<Write>> {
        let mut request = before.clone();
        let resolution = request.reopen(now)?;
        let tenant = request.organization_id;
        let created_at = request.created_at;
        let mut writes = vec![Write::replace(&request)?];
        writes.extend(
            resolution.map(|resolution| resolutions::count(tenant, created_at, resolution)),
        );
        writes.extend(context.updated(&before.record, &request, now)?);
        let after = Some(&request.record);
        let follows = self
            .0
            .action_follows(context, &before.record, after, now);
        writes.extend(follows.await?);
        Ok(writes)
    }
}

/// The record of a thread. One that does not read is of no project.
fn subject_in(batch: &Batch, tenant: Tenant, thread: Thread) -> Located {
    let subject: Option<Stored<Located>> = batch.named(&key::subject_as(tenant, thread));
    subject
        .map(|stored| stored.record)
        .unwrap_or_default()
}

/// The service request of a thread; `None` for a thread on another record. 404 if it does not
/// exist.
fn service_request(
    batch: &Batch,
    tenant: Tenant,
    thread: Thread,
) -> Result<Option<Stored<ServiceRequest>>> {
    let Some(id) = thread.id_as::<ServiceRequestId>() else {
        return Ok(None);
    };
    let request = batch.get(&id.key(tenant))?;
    request
        .map(Some)
        .ok_or_else(|| unknown_subject(thread))
}

fn unknown_subject(thread: Thread) -> Error {
    Error::NotFound(thread.kind().facts().noun)
}

fn unknown_parent() -> Error {
    let detail = "This thread has no such comment.";
    Error::invalid(Fault::at("parentId", FaultCode::Unknown, detail))
}
