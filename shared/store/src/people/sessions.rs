//! A user's sessions, and what ends them.

use model::{
    base::{Error, Id, UserId},
    people::{
        EntryContent, EntryCredential, Held, OrganizationEvent, PasswordHash, Session, Sid, User,
        journal::subject,
    },
    updates::Letter,
};
use serde_json::{Value, json};
use table::{
    Condition, OrNotFound, Record, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{Account, Pending, WriteContext, records::ReadHead, retry::retry, writes::Writes},
    key::{self, Keyed},
    people::SignIn,
};

impl SignIn<'_> {
    /// A user's sessions, the newest first, including some that have ended.
    pub async fn sessions(
        &self,
        tenant: Tenant,
        user: UserId,
        wanted: &PageRequest,
    ) -> Result<Page<Session>> {
        let newest = key::sessions(tenant, user).descending();
        let page = self
            .0
            .table
            .page(newest, wanted)
            .await?;
        Ok(page.map(|stored| stored.record))
    }

    /// Ends all of a user's sessions but this one, in one write. 401 when another request ended
    /// this one first: of two sessions that end all others, one is left.
    pub async fn end_others(&self, session: &Session, user: &User) -> Result<()> {
        let read = || self.still(session);
        let write = async |user: User| {
            let keep = UpdateExpression::default().add("sessionEpoch", 1);
            let keep = keep.set("keptSession", session.sid_hash.as_str());
            let writes = vec![Write::update(user.key(), keep, unended(&user))];
            let kept = json!({"keptSessionId": session.public_id()});
            let context = of_session(&user, None);
            let entry = [ended(user.id, kept)];
            Ok(self
                .0
                .transact(&context, writes, &entry)
                .await?
                .ok())
        };
        retry(user.clone(), read, write).await
    }

    /// Ends one of a user's sessions, by the id that the user sees. 404 when none that holds has
    /// it.
    pub async fn end_one(&self, pending: impl Pending, user: UserId, id: &str) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let of_user = user.key(tenant);
        let read = || async {
            let session = self.with_id(tenant, user, id);
            tokio::try_join!(session, self.0.with_head(&of_user, tenant))
        };
        let write = async |context: WriteContext, read: (Option<Stored<_>>, (Option<_>, _))| {
            let (session, (user, head)) = read;
            let user: Stored<User> = user.or_not_found("session")?;
            let now = self.0.now();
            let session = session.filter(|session: &Stored<Session>| session.holds(&user, now));
            let session = context.current(session, "session")?;
            let mut writes = Writes::default().noting(ended(user.id, json!({"sessionId": id})));
            let gone = Error::NotFound("session");
            writes.push_or(Write::delete(session.key(), Condition::exists()), gone);
            self.0
                .commit(&context.with_head(head), writes, ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    async fn with_id(
        &self,
        tenant: Tenant,
        user: UserId,
        id: &str,
    ) -> Result<Option<Stored<Session>>> {
        let mut wanted = PageRequest::default();
        loop {
            let newest = key::sessions(tenant, user).descending();
            let page: Page<Stored<Session>> = self
                .0
                .table
                .page(newest, &wanted)
                .await?;
            let mut sessions = page
                .rows
                .into_iter()
                .map(|row| row.record);
            if let Some(session) = sessions.find(|session| session.public_id() == id) {
                return Ok(Some(session));
            }
            wanted.after = page.end;
            if wanted.after.is_none() {
                return Ok(None);
            }
        }
    }

    /// A user and the user's sessions, including some that have ended, for one with the permissions
    /// `by`. 404 when the user is not the tenant's, 403 when the user has a permission beyond `by`.
    pub async fn sessions_of(
        &self,
        tenant: Tenant,
        user: UserId,
        by: impl Future<Output = Result<Held>>,
        wanted: &PageRequest,
    ) -> Result<(User, Page<Session>)> {
        let directory = self.0.directory();
        let owner = directory.user(tenant, user);
        let (by, owner, sessions) = tokio::join!(by, owner, self.sessions(tenant, user, wanted));
        let owner = owner?.record;
        by?.may_change(&owner)?;
        Ok((owner, sessions?))
    }

    /// Ends all sessions of a user, on behalf of one with the permissions `by`. 404 when the user
    /// is not the tenant's, 403 when the user has a permission beyond `by`.
    pub async fn end_all_of<H: Future<Output = Result<Held>>>(
        &self,
        pending: impl Pending,
        by: impl Fn() -> H,
        user: UserId,
    ) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let key = user.key(tenant);
        let read = || async { tokio::try_join!(self.0.with_head(&key, tenant), by()) };
        let write = async |context: WriteContext, ((user, head), by): ((Option<_>, _), Held)| {
            let user: Stored<User> = context.current(user, UserId::NOUN)?;
            by.may_change(&user)?;
            let is_the_same = Condition::version(user.version);
            let end = end_sessions(UpdateExpression::default());
            let writes = Writes::from(Write::update(user.key(), end, is_the_same));
            let writes = writes.noting(ended(user.id, Value::Null));
            self.0
                .commit(&context.with_head(head), writes, ())
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Replaces the password of the session's user: ends all sessions and tokens, and returns the
    /// session that takes the place of this one. `None` when another request changed the password
    /// first, 401 when that ended the session.
    pub async fn renew(
        &self,
        (account, head): (&Account, ReadHead),
        password_hash: &PasswordHash,
        (session, user): (&Session, &User),
        begun: impl Fn(&Sid, &User) -> Session,
        network: Option<&str>,
    ) -> Result<Option<Sid>> {
        let context = of_session(user, Some(Box::new(head)));
        let read = || self.still(session);
        let write = async |user: User| {
            let cell = &self.0.cell;
            let now = self.0.now();
            let sid = Sid::generate(cell, user.organization_id, user.id, now);
            let mut renewed = begun(&sid, &user);
            renewed.epoch = user.session_epoch + 1;
            let password = UpdateExpression::default().set("passwordHash", password_hash.expose());
            let ends = end_all(UpdateExpression::default()).set("updatedAt", now);
            let mut writes = vec![
                Write::update(account.key(), password, account.unchanged()),
                Write::update(user.key(), ends, unended(&user)),
                Write::create(&renewed)?,
                Write::delete(session.key(), Condition::default()),
            ];
            let to = user.email.as_ref();
            let letter = Letter::PasswordChanged;
            writes.extend(
                self.0
                    .notice(&user, to, network, letter)?,
            );
            let entry = [EntryContent::password_set(user.id)];
            let done = Box::pin(
                self.0
                    .transact(&context, writes, &entry),
            )
            .await?;
            Ok(match done {
                Ok(()) => Some(Some(sid)),
                Err(refused) if refused.at(0) => Some(None),
                Err(_) => None,
            })
        };
        retry(user.clone(), read, write).await
    }

    /// The user of a session. 401 when the session has ended.
    async fn still(&self, session: &Session) -> Result<User> {
        let caller = self.caller(session.organization_id, session.user_id, &session.sid_hash);
        match caller.await? {
            Some(caller)
                if caller
                    .credential
                    .holds(&caller.user, self.0.now()) =>
            {
                Ok(caller.user)
            }
            _ => Err(Error::Unauthenticated),
        }
    }
}

fn of_session(user: &User, head: Option<Box<ReadHead>>) -> WriteContext {
    let mut context = WriteContext::from(user.organization_id);
    context.actor = Some(user.id);
    context.credential = Some(Box::new(EntryCredential::session()));
    context.head = head;
    context
}

/// Notes ended sessions: the one of `sessionId`, all but the one of `keptSessionId`, or all.
fn ended(user: UserId, which: Value) -> EntryContent {
    let event = OrganizationEvent::SessionsEnded;
    let subjects = vec![subject::user(user)];
    EntryContent::noted(event, subjects, [Value::Null, which])
}

pub(crate) fn end_sessions(change: UpdateExpression) -> UpdateExpression {
    change
        .add("sessionEpoch", 1)
        .remove("keptSession")
}

/// Ends all of a user's sessions and tokens, for good.
pub(crate) fn end_all(change: UpdateExpression) -> UpdateExpression {
    end_sessions(change).add("tokenEpoch", 1)
}

/// Expects that the user's sessions have not been ended since the user was read.
fn unended(user: &User) -> Condition {
    Condition::exists().equals("sessionEpoch", user.session_epoch)
}
