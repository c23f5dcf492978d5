//! Comments on service requests and activities.

use std::collections::HashMap;

use model::{
    ActivityId, Comment, CommentId, Error, Fault, Id, OrganizationId, ServiceRequest,
    ServiceRequestId, Thread, Timestamp, UserId, UserRef,
};

use super::{
    Permit, Store, id_is_taken,
    key::{self, Gsi1, Key},
    resolutions,
    rewrite::rewrite,
    table::{Condition, Read, Record, Stored, Write},
};

/// Comments on service requests and activities.
#[derive(Clone, Copy, Debug)]
pub struct Comments<'a>(pub(super) &'a Store);

/// What a comment begins with.
#[derive(Clone, Debug)]
pub struct NewComment {
    /// What it is on.
    pub thread: Thread,
    /// Who writes it.
    pub author: UserId,
    /// 1 to 50,000 characters.
    pub content: String,
    /// The comment of the same thread that it replies to.
    pub parent_id: Option<CommentId>,
}

/// A comment with who wrote it.
#[derive(Clone, Debug)]
pub struct CommentWithAuthor {
    /// The comment.
    pub comment: Comment,
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
    /// comment of the same thread, 409 when the request to open kept changing.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: NewComment,
    ) -> Result<Comment, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.service_request(tenant, new.thread);
        let found = async { tokio::try_join!(self.0.next_id(), read()) };
        let (id, request) = permit.beside(found).await?;
        // A client can guess the id that its comment is about to get.
        if new.parent_id == Some(id) {
            return Err(unknown_parent());
        }
        let now = self.0.clock.now();
        let comment = Comment {
            id,
            organization_id: tenant,
            thread: new.thread,
            content: new.content,
            user_id: new.author,
            parent_id: new.parent_id,
            created_at: now,
            updated_at: now,
        };
        let write = |request| self.write(&comment, request);
        let written = rewrite(request, read, write).await?;
        written.ok_or_else(Error::contended)?;
        Ok(comment)
    }

    /// Writes a comment, and opens the service request again that it is on, if it does so and
    /// nobody changed that since it was read; none when somebody did.
    async fn write(
        &self,
        comment: &Comment,
        request: Option<Stored<ServiceRequest>>,
    ) -> Result<Option<()>, Error> {
        /// Places in the transaction; what is behind them expects nothing.
        const SUBJECT: usize = 0;
        const PARENT: usize = 2;

        let (tenant, thread) = (comment.organization_id, comment.thread);
        let reopening = request
            .filter(|request| request.reopens_on_comment_of(comment.user_id))
            .map(|request| reopen(request, comment.created_at))
            .transpose()?;
        let reopens = reopening.is_some();
        let (on, count) = reopening.unwrap_or_else(|| {
            let key = key::subject(tenant, thread);
            (Write::check(key, Condition::exists()), None)
        });
        let mut writes = vec![on, Write::create(comment)?];
        writes.extend(comment.parent_id.map(|parent| {
            let key = key::comment(tenant, thread, parent);
            Write::check(key, Condition::exists())
        }));
        writes.extend(count);
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(Some(())),
            Err(refused) if refused.at(SUBJECT) && reopens => Ok(None),
            Err(refused) if refused.at(SUBJECT) => Err(unknown_subject(thread)),
            Err(refused) if refused.at(PARENT) => Err(unknown_parent()),
            Err(_) => Err(id_is_taken(Comment::KIND)),
        }
    }

    /// A thread's comments, oldest first, with their authors. 404 when what they are on is not
    /// the tenant's.
    pub async fn of(
        &self,
        tenant: OrganizationId,
        thread: Thread,
    ) -> Result<Vec<CommentWithAuthor>, Error> {
        let table = &self.0.table;
        let subject = key::subject(tenant, thread);
        let (known, comments) = tokio::try_join!(
            table.batch_get([subject.clone()], Read::Consistent),
            table.list(key::comments_by_time(tenant, thread)),
        )?;
        if !known.has(&subject) {
            return Err(unknown_subject(thread));
        }
        let authors = || comments.iter().map(|comment| comment.user_id);
        let user = |id| key::user(tenant, id);
        let batch = table.batch_get(authors().map(user), Read::Eventual).await?;
        let users: HashMap<_, UserRef> = batch.all(authors(), user)?;
        Ok(comments
            .into_iter()
            .map(|comment| CommentWithAuthor {
                author: users.get(&comment.user_id).cloned(),
                comment,
            })
            .collect())
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

/// The request opened again, provided that nobody changed it since it was read, and its
/// resolution taken out of the count of its day, if it had one.
fn reopen(
    mut request: Stored<ServiceRequest>,
    now: Timestamp,
) -> Result<(Write, Option<Write>), Error> {
    let was_resolved_at = request.reopen(now);
    let count = was_resolved_at.map(|at| {
        let ServiceRequest {
            organization_id,
            created_at,
            ..
        } = request.record;
        resolutions::count(organization_id, created_at, at, -1)
    });
    Ok((Write::replace(&request)?, count))
}

fn unknown_subject(thread: Thread) -> Error {
    Error::NotFound(match thread {
        Thread::ServiceRequest(_) => ServiceRequestId::NOUN,
        Thread::Activity(_) => ActivityId::NOUN,
    })
}

fn unknown_parent() -> Error {
    Error::invalid(Fault::at(
        "parentId",
        "unknown",
        "There is no such comment in this thread.",
    ))
}
