//! Sessions, accounts and failed sign-ins.
//!
//! Three counters hold back who guesses passwords:
//!
//! - Of an account from a network: ten failures within 15 minutes block it there.
//! - Of a network: thirty failures at any accounts block it until the quarter of an hour ends.
//! - Of an account: from the tenth failure on, from whatever networks, each next attempt waits
//!   longer. Networks from which the account signed in within thirty days do not wait.
//!
//! An attempt counts before its password is verified, so that many at once are no more than one
//! after another. A right password takes it back.

use std::future::ready;

use futures::future::try_join_all;
use model::{
    base::{Error, OrganizationId, Timestamp, UserId, Window, network, span, unique_name},
    people::{Organization, Scope, Scopes, Session, SignInEntry, SignInMethod, User, digest},
};
use serde::de::DeserializeOwned;
use table::{AnyKey, Condition, Key, OrLeave, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        Account, Pending, Store, WriteContext,
        record::{any_keys, record},
        records::{FailureCount, Failures, ReadHead},
        retry::try_retry,
        store::resource,
    },
    key::{self, Gsi4, Keyed},
    people::sign_in_journal::signed_in,
};

resource! { pub SignIn as sign_in }

impl Account {
    /// Expects that the password has not changed since the account was read.
    pub(crate) fn unchanged(&self) -> Condition {
        Condition::default().equals("passwordHash", self.password_hash.expose())
    }
}

record! { account: Account = "account", key: key::account(&account.username), }

record! {
    session: Session = "session",
    key: key::session(session.organization_id, session.user_id, &session.sid_hash),
    gsi1: Some(key::session_in_time(session)),
    expires_at: Some(session.latest_end().epoch_seconds()),
}

/// A caller with their credential and their scope.
#[derive(Clone, Debug)]
pub struct CallerRecords<C> {
    pub credential: C,
    pub user: User,
    /// The organization, five seconds old at most.
    pub organization: Organization,
    pub scope: Scope,
}

/// An attempt to sign in, whose password is still to be verified.
#[derive(Clone, Debug)]
pub struct SignInAttempt {
    at: Timestamp,
    failures: Stored<Failures>,
    counted: Counted,
}

/// An attempt that counts for its network alone.
#[derive(Clone, Debug)]
pub struct NetworkAttempt(Counted);

/// The counters that an attempt raises, by the hashes of their subjects.
#[derive(Clone, Debug)]
struct Counted {
    network: String,
    account: String,
    quarter: Timestamp,
    /// False for a network that the account knows: it takes no turn, and counts once it failed.
    counts_account: bool,
    /// The user of the account, if there is one. The sweeper notes the count in the user's
    /// organization.
    of: Option<(OrganizationId, UserId)>,
}

impl Counted {
    fn new(username: &str, address: &str, now: Timestamp) -> Self {
        Self {
            network: digest(&format!("\n{}", network::counted(address))),
            account: key::sign_in_account(username),
            quarter: Window::of(now, Failures::WINDOW).start,
            counts_account: true,
            of: None,
        }
    }

    fn keys(&self) -> [Key<FailureCount>; 2] {
        [&self.network, &self.account].map(|subject| key::sign_in_count(subject, self.quarter))
    }

    /// Counts an attempt of the network, if it has one left.
    fn network_begins(&self, now: Timestamp) -> Write {
        let has_left = FailureCount::below(FailureCount::MOST_OF_NETWORK);
        self.raised(&self.network, now, has_left, None)
    }

    /// Counts an attempt at the account. From the tenth on it takes the turn after the wait, if no
    /// other attempt took it since the count was read.
    fn account_begins(&self, count: Option<&FailureCount>, now: Timestamp) -> Write {
        let most = FailureCount::FREE_OF_ACCOUNT;
        let may_try = match count.filter(|count| count.failures >= most) {
            Some(count) => Condition::default().equals("lastAt", count.last_at),
            None => FailureCount::below(most),
        };
        self.raised(&self.account, now, may_try, self.of)
    }

    fn raised(
        &self,
        subject: &str,
        now: Timestamp,
        expected: Condition,
        of: Option<(OrganizationId, UserId)>,
    ) -> Write {
        let mut change = UpdateExpression::default()
            .set("kind", FailureCount::KIND)
            .set("subject", subject)
            .set("quarter", self.quarter)
            .set("lastAt", now)
            .set("expiresAt", FailureCount::expires(self.quarter))
            .add("failures", 1);
        if let Some((organization, user)) = of {
            let due = FailureCount::due(organization, self.quarter);
            let of_user = change.set("organizationId", organization);
            change = of_user.set("userId", user).enter(due);
        }
        Write::update(key::sign_in_count(subject, self.quarter), change, expected)
    }
}

impl FailureCount {
    /// Failures of a network that block it until the quarter ends.
    const MOST_OF_NETWORK: i64 = 30;
    /// Failures of an account before attempts wait.
    const FREE_OF_ACCOUNT: i64 = 10;
    /// The longest wait, in milliseconds.
    const LONGEST: i64 = span::MINUTE;

    pub(crate) fn end(quarter: Timestamp) -> Timestamp {
        quarter.plus(Failures::WINDOW)
    }

    /// The second from which the table may delete it: a day later, since the sweeper notes it
    /// before.
    fn expires(quarter: Timestamp) -> i64 {
        Self::end(quarter)
            .plus(span::DAY)
            .epoch_seconds()
            + 1
    }

    /// The key from which it is due to be noted: each attempt of the quarter has ended by then.
    fn due(organization: OrganizationId, quarter: Timestamp) -> Key<Self, Gsi4> {
        key::due(organization, Self::end(quarter).plus(span::MINUTE))
    }

    /// Expects fewer failures.
    fn below(most: i64) -> Condition {
        Condition::default().absent_or("failures", "# < :", most)
    }

    /// The time in milliseconds for which a network is blocked. `None` when it is not.
    fn blocks_network(&self, now: Timestamp) -> Option<i64> {
        (self.failures >= Self::MOST_OF_NETWORK).then(|| Self::end(self.quarter).since(now))
    }

    /// The time in milliseconds until the next attempt at an account: 1, 2, 4 … seconds after the
    /// last failure, at most a minute. `None` when it may come now.
    fn delays_account(&self, now: Timestamp) -> Option<i64> {
        let doublings = u32::try_from(
            self.failures
                .checked_sub(Self::FREE_OF_ACCOUNT)?,
        )
        .ok()?;
        let wait = 1_i64.checked_shl(doublings.min(10))? * span::SECOND;
        let left = self
            .last_at
            .plus(wait.min(Self::LONGEST))
            .since(now);
        (left > 0).then_some(left)
    }
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
        let failed = self
            .at
            .iter()
            .map(|at| at.plus(Self::WINDOW));
        let pending = self
            .pending
            .iter()
            .map(|at| at.plus(Self::JUDGED_WITHIN));
        failed.chain(pending)
    }

    fn none(subject: &str) -> Stored<Self> {
        Stored::unwritten(Self {
            subject: subject.to_owned(),
            ..Self::default()
        })
    }

    /// Milliseconds for which the network of a sign-in is known.
    const KNOWN: i64 = 30 * span::DAY;

    /// Returns true if the account signed in from the network lately.
    fn knows_network(&self, now: Timestamp) -> bool {
        self.signed_in_at
            .is_some_and(|at| now.since(at) < Self::KNOWN)
    }

    /// The time in milliseconds for which attempts are blocked; `None` when they are not.
    fn closed_for(&self, now: Timestamp) -> Option<i64> {
        let left = self.ends().map(|end| end.since(now));
        let mut left: Vec<i64> = left.filter(|left| *left > 0).collect();
        left.sort_unstable();
        left.len()
            .checked_sub(Self::MOST)
            .map(|open| left[open])
    }

    /// Adds an attempt, and removes those that died before their password was verified.
    fn begin(&mut self, now: Timestamp) {
        self.pending
            .retain(|at| at.plus(Self::JUDGED_WITHIN) > now);
        self.pending.push(now);
    }

    /// Turns the pending attempt of that instant into a failure.
    fn fail(&mut self, began: Timestamp) {
        if let Some(place) = self
            .pending
            .iter()
            .position(|at| *at == began)
        {
            self.pending.remove(place);
        }
        self.at.push(began);
        self.at.sort_unstable();
        let surplus = self.at.len().saturating_sub(Self::MOST);
        self.at.drain(..surplus);
    }
}

record! {
    failures: Failures = "sign_in_failures",
    key: key::sign_in_failures(&failures.subject),
    expires_at: {
        let known_until = failures.signed_in_at.map(|at| at.plus(Self::KNOWN));
        Some(failures.ends().chain(known_until).max()?.epoch_seconds() + 1)
    },
}

record! {
    count: FailureCount = "sign_in_count",
    key: key::sign_in_count(&count.subject, count.quarter),
    gsi4: Some(Self::due(count.organization_id?, count.quarter)),
    expires_at: Some(Self::expires(count.quarter)),
}

impl Store {
    /// A credential, its user and the organization, five seconds old at most; `None` when any is
    /// missing.
    pub(crate) async fn caller<R: DeserializeOwned>(
        &self,
        credential: &Key<R>,
        tenant: Tenant,
        user: UserId,
    ) -> Result<Option<CallerRecords<Stored<R>>>> {
        let now = self.now();
        let recent = self.recent.get(tenant, now);
        let user = user.key(tenant);
        let organization = key::organization(tenant);
        let scopes = key::scopes(tenant);
        let mut keys: Vec<AnyKey> = vec![credential.into(), (&user).into()];
        if recent.is_none() {
            keys.extend(any_keys![&organization, &scopes]);
        }
        let batch = self.batch(keys).await?;
        let credential = batch.get(credential)?;
        let (user, read) = (batch.get(&user)?, batch.get(&organization)?);
        // Scopes that do not read are an error: they would show what is hidden.
        let scopes = batch.get(&scopes)?;
        let scopes = scopes.map_or_else(|| Scopes::none(tenant), |stored| stored.record);
        if let Some(read) = &read {
            self.recent.keep(read, &scopes, now);
        }
        let as_read = read.map(|stored| (stored.record, (scopes, now)));
        let (Some(credential), Some(user), Some((organization, (scopes, as_of)))) =
            (credential, user, recent.or(as_read))
        else {
            return Ok(None);
        };
        Ok(Some(CallerRecords {
            credential,
            scope: Scope::of(&user, &scopes, as_of),
            user: user.record,
            organization,
        }))
    }
}

impl SignIn<'_> {
    /// A session, its user, and the organization, five seconds old at most. `None` when any is
    /// missing.
    pub async fn caller(
        &self,
        tenant: Tenant,
        user: UserId,
        sid_hash: &str,
    ) -> Result<Option<CallerRecords<Stored<Session>>>> {
        let key = key::session(tenant, user, sid_hash);
        self.0.caller(&key, tenant, user).await
    }

    /// The user of an account. 403 if the organization is suspended.
    pub async fn user(&self, account: &Account) -> Result<Option<User>> {
        let user = account
            .user_id
            .key(account.organization_id);
        let organization = key::organization(account.organization_id);
        let batch = self
            .0
            .batch(any_keys![&user, &organization])
            .await?;
        if let Some(organization) = batch.get(&organization)? {
            organization.works()?;
        }
        Ok(batch
            .get(&user)?
            .map(|stored| stored.record))
    }

    /// The account of a username, in whatever case and form.
    pub async fn account(&self, username: &str) -> Result<Option<Account>> {
        let account = self
            .0
            .read(&account_key(username))
            .await?;
        Ok(account.map(|account| account.record))
    }

    /// The head of the organization's journal, for [`renew`](Self::renew).
    pub async fn head(&self, tenant: Tenant) -> Result<ReadHead> {
        self.0.head(tenant).await
    }

    /// Stores a new session of a user who sent the account's password. 401 when the password has
    /// changed since the account was read. `method` is none for a session that another event
    /// explains.
    pub async fn begin(
        &self,
        account: &Account,
        session: &Session,
        method: Option<SignInMethod>,
    ) -> Result<()> {
        let mut writes = vec![
            Write::check(account.key(), account.unchanged()),
            Write::create(session)?,
        ];
        if let Some(method) = method {
            writes.push(signed_in(session, method)?);
        }
        let done = self.0.table.transact(writes).await?;
        done.map_err(|refused| {
            if refused.at(0) {
                return Error::WrongCredentials;
            }
            Error::internal("beginning a session", "two sessions have the same id")
        })
    }

    /// Extends a session by its idle time, unless a logout ended it.
    pub async fn touch(&self, session: &Session, now: Timestamp) -> Result<()> {
        let touch = UpdateExpression::default().set("touchedAt", now);
        let write = Write::update(session.key(), touch, Condition::exists());
        // Refused when the session has ended, which the next request will see.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }

    /// Ends a session; no change if it has ended already.
    pub async fn end(&self, pending: impl Pending, session: &Session) -> Result<()> {
        let end = async |context: WriteContext, ()| {
            let entry = SignInEntry::signed_out(session, self.0.now());
            let ended = Write::delete(session.key(), Condition::default());
            let writes = vec![ended, Write::create(&entry)?];
            self.0
                .commit(&context, writes, ())
                .await
        };
        let nothing = || ready(Ok(()));
        self.0
            .write(pending, nothing, end)
            .await
            .map(|_| ())
    }

    /// Adds an attempt to sign in, before its password is verified, and returns it with the
    /// account. 429 with the seconds to wait while one of the counters blocks it.
    ///
    /// The attempt counts like a failure. [`failed`](Self::failed) makes it one;
    /// [`succeeded`](Self::succeeded) and [`decided`](Self::decided) take it back. Without any of
    /// them it counts for the account and network for seconds, and for either of them until the
    /// quarter ends.
    pub async fn attempt(
        &self,
        username: &str,
        address: &str,
    ) -> Result<(SignInAttempt, Option<Account>)> {
        let subject = subject(username, address);
        let key = key::sign_in_failures(&subject);
        let mut counted = Counted::new(username, address, self.0.now());
        let [of_network, of_account] = counted.keys();
        let account = account_key(username);
        let keys = any_keys![&key, &of_network, &of_account, &account];
        let batch = self.0.batch(keys).await?;
        let account = batch
            .get(&account)?
            .map(|account| account.record);
        let user = account.as_ref();
        counted.of = user.map(|account| (account.organization_id, account.user_id));
        let of_network: Option<Stored<FailureCount>> = batch.get(&of_network)?;
        let of_account: Option<Stored<FailureCount>> = batch.get(&of_account)?;
        let of_pair = batch
            .get(&key)?
            .unwrap_or_else(|| Failures::none(&subject));
        counted.counts_account = !of_pair.knows_network(self.0.now());
        let read = || self.failures(&subject);
        let write = async |mut failures: Stored<Failures>| {
            let now = self.0.now();
            let network = of_network
                .as_ref()
                .and_then(|count| count.blocks_network(now));
            let account = of_account
                .as_ref()
                .and_then(|count| count.delays_account(now));
            let account = account.filter(|_| !failures.knows_network(now));
            if let Some(wait) = network
                .max(account)
                .max(failures.closed_for(now))
            {
                return Err(too_many(wait));
            }
            failures.begin(now);
            let written = self
                .0
                .table
                .write(written(&failures)?)
                .await?;
            Ok(written.is_ok().then(|| SignInAttempt {
                at: now,
                failures: failures.replaced(),
                counted: counted.clone(),
            }))
        };
        let begun = try_retry(of_pair, read, write).await?;
        // No honest user sends so many attempts at the same moment.
        let begun = begun.ok_or_else(|| too_many(span::SECOND))?;
        self.count(&counted, of_account.as_deref())
            .await?;
        Ok((begun, account))
    }

    /// Reads the failures of an account and a network; version 0 if there are none.
    async fn failures(&self, subject: &str) -> Result<Stored<Failures>> {
        let failures = self
            .0
            .read(&key::sign_in_failures(subject))
            .await?;
        Ok(failures.unwrap_or_else(|| Failures::none(subject)))
    }

    /// Counts an attempt for its network and its account. 429 if others at the same time took what
    /// was left.
    async fn count(&self, counted: &Counted, account: Option<&FailureCount>) -> Result<()> {
        let now = self.0.now();
        let begins = async |begins: Option<Write>| match begins {
            Some(begins) => self
                .0
                .table
                .write(begins)
                .await
                .map(|done| done.is_ok()),
            None => Ok(true),
        };
        let account = counted.account_begins(account, now);
        let account = counted
            .counts_account
            .then_some(account);
        let network = begins(Some(counted.network_begins(now)));
        let (network, account) = tokio::join!(network, begins(account));
        let counts = [matches!(network, Ok(true)), matches!(account, Ok(true))];
        if counts == [true; 2] {
            return Ok(());
        }
        let taken = [
            counts[0].then_some(&counted.network),
            (counts[1] && counted.counts_account).then_some(&counted.account),
        ];
        self.give_back(counted, taken.into_iter().flatten())
            .await?;
        network?;
        account?;
        Err(too_many(span::SECOND))
    }

    /// Counts a sign-in by a provider for the network that it comes from. Sign-ins by password have
    /// another count. 429 after thirty in a quarter of an hour.
    /// [`network_succeeded`](Self::network_succeeded) takes this one back.
    pub async fn provider_attempt(&self, address: &str) -> Result<NetworkAttempt> {
        let network = format!("{}\nprovider", network::counted(address));
        self.attempt_of(&network).await
    }

    /// Counts a check of a username's ways, by network. 429 after thirty in a quarter of an hour.
    /// [`ways_checked`](Self::ways_checked) takes it back for a name that exists.
    pub async fn ways_attempt(&self, address: &str) -> Result<NetworkAttempt> {
        let network = format!("{}\nways", network::counted(address));
        self.attempt_of(&network).await
    }

    /// Ends a check of a username's ways. One of a name that exists does not count. Writes the same
    /// for other names: the time must not tell which names exist.
    pub async fn ways_checked(&self, attempt: &NetworkAttempt, exists: bool) -> Result<()> {
        let NetworkAttempt(counted) = attempt;
        self.lower(counted, [&counted.network], exists.into())
            .await
    }

    async fn attempt_of(&self, network: &str) -> Result<NetworkAttempt> {
        let now = self.0.now();
        let mut counted = Counted::new("", "", now);
        counted.network = digest(&format!("\n{network}"));
        let begins = counted.network_begins(now);
        if self
            .0
            .table
            .write(begins)
            .await?
            .is_ok()
        {
            return Ok(NetworkAttempt(counted));
        }
        Err(too_many(FailureCount::end(counted.quarter).since(now)))
    }

    pub async fn network_succeeded(&self, attempt: &NetworkAttempt) -> Result<()> {
        let NetworkAttempt(counted) = attempt;
        self.give_back(counted, [&counted.network])
            .await
    }

    async fn give_back(
        &self,
        counted: &Counted,
        subjects: impl IntoIterator<Item = &String>,
    ) -> Result<()> {
        self.lower(counted, subjects, 1).await
    }

    async fn lower(
        &self,
        counted: &Counted,
        subjects: impl IntoIterator<Item = &String>,
        by: i64,
    ) -> Result<()> {
        let writes = subjects.into_iter().map(|subject| {
            let lowered = UpdateExpression::default().add("failures", -by);
            let key = key::sign_in_count(subject, counted.quarter);
            let write = Write::update(key, lowered, Condition::exists());
            self.0.table.write(write)
        });
        for written in try_join_all(writes).await? {
            written.or_leave();
        }
        Ok(())
    }

    /// Returns what came of verifying a password. Takes the attempt back if it could not be
    /// verified.
    pub async fn decided<T>(&self, attempt: &SignInAttempt, verified: Result<T>) -> Result<T> {
        if verified.is_err() {
            // The client gets the first error.
            let _ = self.withdraw(attempt).await;
        }
        verified
    }

    async fn withdraw(&self, attempt: &SignInAttempt) -> Result<()> {
        let counted = &attempt.counted;
        let account = counted
            .counts_account
            .then_some(&counted.account);
        let both = [&counted.network]
            .into_iter()
            .chain(account);
        self.give_back(counted, both).await
    }

    pub async fn failed(&self, attempt: SignInAttempt) -> Result<()> {
        let at = attempt.at;
        let counted = attempt.counted;
        let account = async {
            if !counted.counts_account {
                let raised = counted.raised(&counted.account, at, Condition::default(), counted.of);
                self.0
                    .table
                    .write(raised)
                    .await?
                    .or_leave();
            }
            Ok(())
        };
        let subject = attempt.failures.subject.clone();
        // Those of before may have expired.
        let read = || self.failures(&subject);
        let write = async |mut failures: Stored<Failures>| {
            failures.fail(at);
            Ok(self
                .0
                .table
                .write(written(&failures)?)
                .await?
                .ok())
        };
        let (noted, ()) = tokio::try_join!(try_retry(attempt.failures, read, write), account)?;
        noted.ok_or_else(|| too_many(span::SECOND))
    }

    /// Removes an account's failures from a network, notes the sign-in there, and takes the attempt
    /// back.
    pub async fn succeeded(&self, attempt: &SignInAttempt) -> Result<()> {
        let mut failures = Failures::none(&attempt.failures.subject).record;
        failures.signed_in_at = Some(self.0.now());
        let written = self
            .0
            .table
            .write(Write::put(&failures)?);
        let (written, ()) = tokio::try_join!(written, self.withdraw(attempt))?;
        written.or_leave();
        Ok(())
    }
}

/// Returns the write of failures, which are new at version 0.
fn written(failures: &Stored<Failures>) -> Result<Write> {
    match failures.version {
        0 => Write::create(&failures.record),
        _ => Write::replace(failures),
    }
}

/// The key of an account's failures from a network: a hash, without regard to the username's case.
fn subject(username: &str, address: &str) -> String {
    let username = unique_name::key(username);
    let network = network::counted(address);
    digest(&format!("{username}\n{network}"))
}

fn account_key(username: &str) -> Key<Account> {
    key::account(&unique_name::key(username))
}

fn too_many(millis: i64) -> Error {
    Error::TooManyRequests {
        retry_after: millis
            .max(1)
            .unsigned_abs()
            .div_ceil(1_000),
    }
}
