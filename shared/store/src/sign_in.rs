//! Sessions, accounts and failed sign-ins.

use std::future::ready;

use model::{
    Error, Organization, OrganizationId, Session, Timestamp, User, UserId, digest, span,
    words::fold,
};
use serde::de::DeserializeOwned;

use super::{
    PendingWrite, Store, WriteContext,
    key::{self, AnyKey, Gsi1, Key},
    records::{Account, Failures, ReadHead},
    retry::retry_or_none,
    store::resource,
    table::{Change, Condition, OrLeave, Read, Record, Stored, Write},
};

resource! {
    /// Sessions, accounts and failed sign-ins.
    pub SignIn as sign_in
}

impl Account {
    /// Expects that the password has not changed since the account was read.
    pub(super) fn unchanged(&self) -> Condition {
        Condition::default().equals("passwordHash", self.password_hash.expose())
    }
}

impl Record<crate::Workdesk> for Account {
    const KIND: &'static str = "account";

    fn key(&self) -> Key<Self> {
        key::account(&self.username)
    }
}

impl Record<crate::Workdesk> for Session {
    const KIND: &'static str = "session";

    fn key(&self) -> Key<Self> {
        key::session(self.organization_id, self.user_id, &self.sid_hash)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::session_in_time(self))
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.latest_end().epoch_seconds())
    }
}

/// An attempt to sign in, whose password is still to be verified.
#[derive(Clone, Debug)]
pub struct SignInAttempt {
    at: Timestamp,
    failures: Stored<Failures>,
}

impl Failures {
    /// Failures that block further attempts,
    const MOST: usize = 10;
    /// within this time, in milliseconds.
    const WINDOW: i64 = 15 * span::MINUTE;
    /// The longest that verifying takes, in milliseconds: a function runs for at most ten seconds.
    const JUDGED_WITHIN: i64 = 15 * span::SECOND;

    /// The instants from which each of them no longer counts.
    fn ends(&self) -> impl Iterator<Item = Timestamp> {
        let failed = self.at.iter().map(|at| at.plus(Self::WINDOW));
        let pending = self.pending.iter().map(|at| at.plus(Self::JUDGED_WITHIN));
        failed.chain(pending)
    }

    /// The time in milliseconds for which attempts are blocked; `None` when they are not.
    fn closed_for(&self, now: Timestamp) -> Option<i64> {
        let left = self.ends().map(|end| end.since(now));
        let mut left: Vec<i64> = left.filter(|left| *left > 0).collect();
        left.sort_unstable();
        left.len().checked_sub(Self::MOST).map(|open| left[open])
    }

    /// Adds an attempt, and removes those that died before their password was verified.
    fn begin(&mut self, now: Timestamp) {
        self.pending.retain(|at| at.plus(Self::JUDGED_WITHIN) > now);
        self.pending.push(now);
    }

    /// Makes a failure of the attempt that began at that instant.
    fn fail(&mut self, began: Timestamp) {
        if let Some(place) = self.pending.iter().position(|at| *at == began) {
            self.pending.remove(place);
        }
        self.at.push(began);
        self.at.sort_unstable();
        let surplus = self.at.len().saturating_sub(Self::MOST);
        self.at.drain(..surplus);
    }
}

impl Record<crate::Workdesk> for Failures {
    const KIND: &'static str = "sign_in_failures";

    fn key(&self) -> Key<Self> {
        key::sign_in_failures(&self.subject)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.ends().max()?.epoch_seconds() + 1)
    }
}

impl Store {
    /// A session or a token with its user and the organization; `None` when any is missing.
    pub(super) async fn caller<R: DeserializeOwned>(
        &self,
        credential: &Key<R>,
        tenant: OrganizationId,
        user: UserId,
    ) -> Result<Option<(Stored<R>, User, Stored<Organization>)>, Error> {
        let (user, organization) = (key::user(tenant, user), key::organization(tenant));
        let keys: [AnyKey; 3] = [credential.into(), (&user).into(), (&organization).into()];
        let found = self.table.batch_get(keys, Read::Consistent).await?;
        let credential = found.get(credential)?;
        let (user, organization) = (found.get(&user)?, found.get(&organization)?);
        let (Some(credential), Some(user), Some(organization)) = (credential, user, organization)
        else {
            return Ok(None);
        };
        Ok(Some((credential, user.record, organization)))
    }
}

impl SignIn<'_> {
    /// A session with its user and the organization, all as they are now. `None` when any is missing.
    pub async fn caller(
        &self,
        tenant: OrganizationId,
        user: UserId,
        sid_hash: &str,
    ) -> Result<Option<(Stored<Session>, User, Stored<Organization>)>, Error> {
        let key = key::session(tenant, user, sid_hash);
        self.0.caller(&key, tenant, user).await
    }

    /// The user of an account.
    pub async fn user(&self, account: &Account) -> Result<Option<User>, Error> {
        let key = key::user(account.organization_id, account.user_id);
        let user = self.0.table.get(&key, Read::Consistent).await?;
        Ok(user.map(|stored| stored.record))
    }

    /// The account of a username, in whatever case.
    pub async fn account(&self, username: &str) -> Result<Option<Account>, Error> {
        let key = key::account(&fold(username));
        let account = self.0.table.get(&key, Read::Consistent).await?;
        Ok(account.map(|stored| stored.record))
    }

    /// The account of a user whose password is to change, for [`renew`](Self::renew).
    pub async fn to_renew(&self, user: &User) -> Result<Option<(Account, ReadHead)>, Error> {
        let key = key::account(&fold(&user.username));
        let (account, head) = self.0.with_head(&key, user.organization_id).await?;
        Ok(account.map(|stored| (stored.record, head)))
    }

    /// Stores a new session of a user who sent the account's password. 401 when the password has changed
    /// since the account was read.
    pub async fn begin(&self, account: &Account, session: &Session) -> Result<(), Error> {
        let writes = vec![
            Write::check(account.key(), account.unchanged()),
            Write::create(session)?,
        ];
        let done = self.0.table.transact(writes).await?;
        done.map_err(|refused| {
            if refused.at(0) {
                return Error::WrongCredentials;
            }
            Error::internal("beginning a session", "two sessions have the same id")
        })
    }

    /// Extends a session by its idle time, unless a logout ended it.
    pub async fn touch(&self, session: &Session, now: Timestamp) -> Result<(), Error> {
        let write = Write::update(
            session.key(),
            Change::default().set("touchedAt", now),
            Condition::exists(),
        );
        // Refused when the session has ended, which the next request will see.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }

    /// Ends a session; no change if it has ended already.
    pub async fn end(
        &self,
        pending: impl Into<PendingWrite>,
        session: &Session,
    ) -> Result<(), Error> {
        let end = async |context: WriteContext, ()| {
            let ended = Write::delete(session.key(), Condition::default());
            self.0.commit(&context, ended, ()).await
        };
        let nothing = || ready(Ok(()));
        self.0.write(pending, nothing, end).await.map(|_| ())
    }

    /// Adds an attempt to sign in, before its password is verified. 429 with the seconds to wait after
    /// ten attempts within 15 minutes, of an account from one address.
    ///
    /// The attempt counts like a failure. [`failed`](Self::failed) makes it one;
    /// [`succeeded`](Self::succeeded) removes it. Without either it is removed within seconds.
    pub async fn attempt(&self, username: &str, address: &str) -> Result<SignInAttempt, Error> {
        let subject = subject(username, address);
        let key = key::sign_in_failures(&subject);
        let read = || self.0.table.get(&key, Read::Consistent);
        let subject = &subject;
        let write = |failures: Option<Stored<Failures>>| async move {
            let now = self.0.clock.now();
            let (failures, write) = if let Some(mut failures) = failures {
                if let Some(wait) = failures.closed_for(now) {
                    return Err(too_many(wait));
                }
                failures.begin(now);
                let write = Write::replace(&failures)?;
                (failures.replaced(), write)
            } else {
                let failures = Failures {
                    subject: subject.clone(),
                    at: Vec::new(),
                    pending: vec![now],
                };
                let write = Write::create(&failures)?;
                (Stored::created(failures), write)
            };
            let written = self.0.table.write(write).await?.ok();
            Ok(written.map(|()| SignInAttempt { at: now, failures }))
        };
        let begun = retry_or_none(read().await?, read, write).await?;
        // No honest user sends so many attempts at the same moment.
        begun.ok_or_else(|| too_many(span::SECOND))
    }

    /// Makes a failure of an attempt.
    pub async fn failed(&self, attempt: SignInAttempt) -> Result<(), Error> {
        let SignInAttempt { at, failures } = attempt;
        let subject = failures.subject.clone();
        let key = key::sign_in_failures(&subject);
        let read = || self.0.table.get(&key, Read::Consistent);
        let subject = &subject;
        let write = |failures: Option<Stored<Failures>>| async move {
            let write = if let Some(mut failures) = failures {
                failures.fail(at);
                Write::replace(&failures)?
            } else {
                // A sign-in that succeeded has removed all attempts before it.
                Write::create(&Failures {
                    subject: subject.clone(),
                    at: vec![at],
                    pending: Vec::new(),
                })?
            };
            Ok(self.0.table.write(write).await?.ok())
        };
        let noted = retry_or_none(Some(failures), read, write).await?;
        noted.ok_or_else(|| too_many(span::SECOND))
    }

    /// Removes the failures and attempts of an account from an address.
    pub async fn succeeded(&self, username: &str, address: &str) -> Result<(), Error> {
        let key = key::sign_in_failures(&subject(username, address));
        let write = Write::delete(key, Condition::default());
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

/// The hash of an account, known or not, and an address, which is the key of their failures. It ignores
/// the case of the username.
fn subject(username: &str, address: &str) -> String {
    digest(&format!("{}\n{address}", fold(username)))
}

fn too_many(millis: i64) -> Error {
    Error::TooManyRequests {
        retry_after: millis.max(1).unsigned_abs().div_ceil(1_000),
    }
}
