//! Sessions, accounts and failed sign-ins.

use model::{
    Error, Organization, OrganizationId, PasswordHash, Session, Timestamp, User, UserId, digest,
    span,
};
use serde::{Deserialize, Serialize};

use super::{
    Permit, Store,
    directory::fold,
    key::{self, AnyKey, Gsi1, Key},
    rewrite::try_rewrite,
    table::{Change, Condition, OrLeave, Read, Record, Stored, Write},
};

/// Sessions, accounts and failed sign-ins.
#[derive(Clone, Copy, Debug)]
pub struct SignIn<'a>(pub(super) &'a Store);

/// Where a username leads: the one item that sign-in reads without knowing the organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The username in folded form.
    pub username: String,
    /// The user's organization.
    pub organization_id: OrganizationId,
    /// The user.
    pub user_id: UserId,
    /// What a password is compared with.
    pub password_hash: PasswordHash,
}

impl Account {
    /// The password is still the one that was compared.
    pub(super) fn unchanged(&self) -> Condition {
        Condition::default().equals("passwordHash", self.password_hash.expose())
    }
}

impl Record for Account {
    const KIND: &'static str = "account";

    fn key(&self) -> Key<Self> {
        key::account(&self.username)
    }
}

impl Record for Session {
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

/// The failed sign-ins of an account from an address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Failures {
    subject: String,
    /// When they began: the newest ten, oldest first.
    at: Vec<Timestamp>,
    /// When the attempts began that are not judged yet. They count like failures while they may
    /// still become some, so that guesses sent all at once count as well.
    #[serde(default)]
    pending: Vec<Timestamp>,
}

/// An attempt to sign in that is not judged yet.
#[derive(Clone, Debug)]
pub struct SignInAttempt {
    at: Timestamp,
    failures: Stored<Failures>,
}

impl Failures {
    /// So many failures ...
    const MOST: usize = 10;
    /// ... within so many milliseconds close the door.
    const WINDOW: i64 = 15 * span::MINUTE;
    /// What is not judged within so many milliseconds never will be: a function has ten seconds.
    const JUDGED_WITHIN: i64 = 15 * span::SECOND;

    /// When each of them no longer counts.
    fn ends(&self) -> impl Iterator<Item = Timestamp> {
        let failed = self.at.iter().map(|at| at.plus(Self::WINDOW));
        let pending = self.pending.iter().map(|at| at.plus(Self::JUDGED_WITHIN));
        failed.chain(pending)
    }

    /// How long the door stays closed, in milliseconds, when it is.
    fn closed_for(&self, now: Timestamp) -> Option<i64> {
        let left = self.ends().map(|end| end.since(now));
        let mut left: Vec<i64> = left.filter(|left| *left > 0).collect();
        left.sort_unstable();
        left.len().checked_sub(Self::MOST).map(|open| left[open])
    }

    /// Notes an attempt that begins, and forgets those that were never judged.
    fn begin(&mut self, now: Timestamp) {
        self.pending.retain(|at| at.plus(Self::JUDGED_WITHIN) > now);
        self.pending.push(now);
    }

    /// Notes that the attempt that began at that instant has failed.
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

impl Record for Failures {
    const KIND: &'static str = "sign_in_failures";

    fn key(&self) -> Key<Self> {
        key::sign_in_failures(&self.subject)
    }

    fn expires_at(&self) -> Option<i64> {
        Some(self.ends().max()?.epoch_seconds() + 1)
    }
}

impl SignIn<'_> {
    /// The caller behind a session: the session, its user and organization, all as they are now.
    /// `None` when any of them is missing.
    pub async fn caller(
        &self,
        tenant: OrganizationId,
        user: UserId,
        sid_hash: &str,
    ) -> Result<Option<(Stored<Session>, User, Stored<Organization>)>, Error> {
        let session_key = key::session(tenant, user, sid_hash);
        let user_key = key::user(tenant, user);
        let organization_key = key::organization(tenant);
        let keys = [
            AnyKey::from(&session_key),
            AnyKey::from(&user_key),
            AnyKey::from(&organization_key),
        ];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        let (Some(session), Some(user), Some(organization)) = (
            batch.get(&session_key)?,
            batch.get(&user_key)?,
            batch.get(&organization_key)?,
        ) else {
            return Ok(None);
        };
        Ok(Some((session, user.record, organization)))
    }

    /// The user of an account.
    pub async fn user(&self, account: &Account) -> Result<Option<User>, Error> {
        let key = key::user(account.organization_id, account.user_id);
        let user = self.0.table.get(&key, Read::Consistent).await?;
        Ok(user.map(|stored| stored.record))
    }

    /// The account of a username, which is matched without regard to case.
    pub async fn account(&self, username: &str) -> Result<Option<Account>, Error> {
        let key = key::account(&fold(username));
        let account = self.0.table.get(&key, Read::Consistent).await?;
        Ok(account.map(|stored| stored.record))
    }

    /// Keeps a new session of somebody who knew the account's password. 401 when that was changed
    /// since the account was read: a sign-in that is under way meanwhile comes too late.
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

    /// Moves the idle end of a session that is still there; a logout meanwhile stands.
    pub async fn touch(&self, session: &Session, now: Timestamp) -> Result<(), Error> {
        let write = Write::update(
            session.key(),
            Change::default().set("touchedAt", now),
            Condition::exists(),
        );
        // Refused means that the session has ended, which the next request will see.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }

    /// Ends a session; one that has ended already stays so.
    pub async fn end(&self, permit: impl Into<Permit>, session: &Session) -> Result<(), Error> {
        let end = async |permit: Permit| {
            let given = permit.given().await?;
            let write = Write::delete(session.key(), Condition::default());
            self.0.commit(&given, vec![write], None).await?.or_leave();
            Ok(())
        };
        permit.into().once(end, async |_| Ok(())).await
    }

    /// Notes an attempt to sign in before the password is looked at. It counts like a failure until
    /// it is judged: [`failed`](Self::failed) makes it one, [`succeeded`](Self::succeeded) takes it
    /// back, and what comes to neither, since the table cannot be reached, is forgotten soon. Ten
    /// within 15 minutes of an account from one address are answered with how many seconds to wait.
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
        let begun = try_rewrite(read().await?, read, write).await?;
        // So many attempts of one account at the same moment are nobody's honest ones.
        begun.ok_or_else(|| too_many(span::SECOND))
    }

    /// Notes that an attempt has failed.
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
                // A sign-in that succeeded has forgotten all before it.
                Write::create(&Failures {
                    subject: subject.clone(),
                    at: vec![at],
                    pending: Vec::new(),
                })?
            };
            Ok(self.0.table.write(write).await?.ok())
        };
        let noted = try_rewrite(Some(failures), read, write).await?;
        noted.ok_or_else(|| too_many(span::SECOND))
    }

    /// Forgets the failures of an account from an address.
    pub async fn succeeded(&self, username: &str, address: &str) -> Result<(), Error> {
        let key = key::sign_in_failures(&subject(username, address));
        let write = Write::delete(key, Condition::default());
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

/// The account, known or not, and the address, as their failures are found; all spellings of a
/// username are one.
fn subject(username: &str, address: &str) -> String {
    digest(&format!("{}\n{address}", fold(username)))
}

fn too_many(millis: i64) -> Error {
    Error::TooManyRequests {
        retry_after: millis.max(1).unsigned_abs().div_ceil(1_000),
    }
}
