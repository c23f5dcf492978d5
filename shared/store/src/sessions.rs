//! A user's sessions, and what ends them.

use model::{
    EntryContent, EntryCredential, Error, Letter, OrganizationId, PasswordHash, Session, Sid, User,
    UserId,
};

use super::{
    WriteContext, key,
    page::{Page, Wanted},
    records::{Account, ReadHead},
    retry::retry,
    sign_in::SignIn,
    table::{Change, Condition, Record, Write},
};

impl SignIn<'_> {
    /// A user's sessions, the newest first, including some that have ended.
    pub async fn sessions(
        &self,
        tenant: OrganizationId,
        user: UserId,
        wanted: &Wanted,
    ) -> Result<Page<Session>, Error> {
        let newest = key::sessions(tenant, user).descending();
        let page = self.0.table.page(newest, wanted).await?;
        Ok(page.map(|stored| stored.record))
    }

    /// Ends all of a user's sessions but this one, in one write. 401 when another request ended this one
    /// first: of two sessions that end all others, one is left.
    pub async fn end_others(&self, session: &Session, user: &User) -> Result<(), Error> {
        let read = || self.still(session);
        let write = |user: User| async move {
            let keep = Change::default()
                .add("sessionEpoch", 1)
                .set("keptSession", session.sid_hash.as_str());
            let write = Write::update(user.key(), keep, unended(&user));
            Ok(self.0.table.write(write).await?.ok())
        };
        retry(user.clone(), read, write).await
    }

    /// Replaces the password of the session's user: ends all sessions and tokens, and returns the session
    /// that takes the place of this one. `None` when another request changed the password first, 401
    /// when that ended the session.
    pub async fn renew(
        &self,
        (account, head): (&Account, ReadHead),
        password_hash: &PasswordHash,
        (session, user): (&Session, &User),
        begun: impl Fn(&Sid, &User) -> Session,
        network: Option<&str>,
    ) -> Result<Option<Sid>, Error> {
        let begun = &begun;
        let context = &WriteContext {
            actor: Some(user.id),
            credential: Some(Box::new(EntryCredential::session())),
            head: Some(Box::new(head)),
            ..user.organization_id.into()
        };
        let read = || self.still(session);
        let write = |user: User| async move {
            let sid = Sid::generate(user.organization_id, user.id, self.0.clock.now());
            let mut renewed = begun(&sid, &user);
            renewed.epoch = user.session_epoch + 1;
            let mut writes = vec![
                Write::update(
                    account.key(),
                    Change::default().set("passwordHash", password_hash.expose()),
                    account.unchanged(),
                ),
                Write::update(
                    user.key(),
                    end_all(Change::default()).set("updatedAt", self.0.clock.now()),
                    unended(&user),
                ),
                Write::create(&renewed)?,
                Write::delete(session.key(), Condition::default()),
            ];
            let notice =
                self.0
                    .notice(&user, user.email.as_ref(), network, Letter::PasswordChanged);
            writes.extend(notice?);
            let entry = [EntryContent::password_set(user.id)];
            Ok(
                match Box::pin(self.0.transact(context, writes, &entry)).await? {
                    Ok(()) => Some(Some(sid)),
                    Err(refused) if refused.at(0) => Some(None),
                    Err(_) => None,
                },
            )
        };
        retry(user.clone(), read, write).await
    }

    /// The user of a session. 401 when the session has ended.
    async fn still(&self, session: &Session) -> Result<User, Error> {
        let found = self.caller(session.organization_id, session.user_id, &session.sid_hash);
        match found.await? {
            Some((session, user, _)) if session.holds(&user, self.0.clock.now()) => Ok(user),
            _ => Err(Error::Unauthenticated),
        }
    }
}

/// Ends all of a user's sessions and tokens, for good.
pub(super) fn end_all(change: Change) -> Change {
    change
        .add("sessionEpoch", 1)
        .remove("keptSession")
        .add("tokenEpoch", 1)
}

/// Expects that the user's sessions have not been ended since the user was read.
fn unended(user: &User) -> Condition {
    Condition::exists().equals("sessionEpoch", user.session_epoch)
}
