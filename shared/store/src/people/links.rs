//! Links in mails: a forgotten password, a new address, and the limits of such mails.
//!
//! The table has the hash of a link's token, and the letter a seed. A link ends with the change
//! that it makes, in the same transaction.

use futures::future::try_join_all;
use model::{
    base::{
        Email, Error, Id, MAX_ID, OrganizationId, Timestamp, UserId, Window, span, unique_name,
    },
    people::{
        AccountLink, EntryContent, Link, LinkPurpose, Organization, PasswordForgotten,
        PasswordHash, SignInProvider, User, digest, mail_limit, refused_link,
    },
    updates::{AccountChange, Letter, MailedLink},
};
use table::{Condition, Record, Stored, UpdateExpression, Write};

use crate::{
    Result,
    base::{
        Store, WriteContext,
        record::{any_keys, record},
        records::{MailCount, ReadHead},
        retry::retry,
        store::resource,
        writes::Writes,
    },
    key::{self, Keyed},
    people::{directory::take_email, journal::head_in},
};

resource! { pub AccountLinks as account_links }

record! {
    link: Link = "link",
    key: key::link(&link.hash),
    expires_at: Some(link.ends_at.epoch_seconds() + 1),
}

record! { count: MailCount = "mail_count", key: key::mail_count(&count.subject, count.since), }

/// A link with its account, as they were read.
#[derive(Clone, Debug)]
pub struct LinkedAccount {
    pub user: Stored<User>,
    pub organization: Organization,
    link: AccountLink,
    hash: String,
    head: ReadHead,
}

/// A number of mails in a window of time.
pub(crate) struct MailLimit {
    /// The mails that count together.
    pub(crate) of: String,
    /// The length of a [`Window`], in milliseconds.
    pub(crate) period: i64,
    pub(crate) most: i64,
}

impl MailLimit {
    fn hourly(of: String, most: i64) -> Self {
        Self {
            of,
            period: span::HOUR,
            most,
        }
    }

    /// Mails for forgotten passwords of an account.
    fn resets_of(account: &str) -> Self {
        Self::hourly(format!("reset\n{account}"), 3)
    }

    /// Counts a mail, if one is left.
    pub(crate) fn counted(&self, now: Timestamp) -> Write {
        let window = Window::of(now, self.period);
        let subject = digest(&self.of);
        let has_left = Condition::default().absent_or("count", "# < :", self.most);
        let change = UpdateExpression::default()
            .set("kind", MailCount::KIND)
            .set("subject", subject.as_str())
            .set("since", window.start)
            .set("expiresAt", window.end.epoch_seconds() + 1)
            .add("count", 1);
        Write::update(key::mail_count(&subject, window.start), change, has_left)
    }
}

impl Store {
    /// The link of a token, and `None` for one that ended.
    pub(crate) async fn followed(&self, token: &str) -> Result<Option<Link>> {
        let link = self
            .read(&key::link(&digest(token)))
            .await?;
        let link = link.map(|stored| stored.record);
        Ok(link.filter(|link| self.now() < link.ends_at))
    }

    /// The notice of a change of a user's account, to an address of the user. None without an
    /// address, and without a `network` to name: then the deployment sends no mail.
    pub(crate) fn notice(
        &self,
        user: &User,
        to: Option<&Email>,
        network: Option<&str>,
        letter: fn(AccountChange) -> Letter,
    ) -> Result<Option<Write>> {
        let (Some(to), Some(network)) = (to, network) else {
            return Ok(None);
        };
        let change = AccountChange {
            username: user.username.clone(),
            at: self.now(),
            network: Some(network.to_owned()),
        };
        let mail = self.mail_of(user.organization_id, Some(user.id), to, letter(change));
        mail.map(Some)
    }

    /// The notice of another address of a user, to the old one. None if that is as it was.
    pub(crate) fn new_email(
        &self,
        before: &User,
        after: &User,
        network: Option<&str>,
    ) -> Result<Option<Write>> {
        let old = before.email.as_ref();
        let new = after.email.as_ref();
        let is_same = old.map(Email::key) == new.map(Email::key);
        let old = old.filter(|_| !is_same);
        self.notice(before, old, network, Letter::EmailChanged)
    }
}

impl LinkedAccount {
    /// The context of a write by the user.
    fn context(&self) -> WriteContext {
        let mut context = WriteContext::from(self.user.organization_id);
        context.actor = Some(self.user.id);
        context.with_head(self.head.clone())
    }

    /// Adds the end of the link, which is followed once.
    fn ends(&self, writes: &mut Writes) {
        let ended = Write::delete(key::link(&self.hash), Condition::exists());
        writes.push_or(ended, refused_link());
    }
}

impl AccountLinks<'_> {
    /// The account of a link for a forgotten password. 403 for a dead link.
    pub async fn to_reset(&self, token: &str) -> Result<LinkedAccount> {
        let of = |purpose| match purpose {
            LinkPurpose::PasswordReset(link) => Some(link),
            _ => None,
        };
        self.account(token, of, AccountLink::resets)
            .await
    }

    async fn account(
        &self,
        token: &str,
        of: impl FnOnce(LinkPurpose) -> Option<AccountLink>,
        holds: fn(&AccountLink, &User) -> bool,
    ) -> Result<LinkedAccount> {
        let followed = self
            .0
            .followed(token)
            .await?
            .ok_or_else(refused_link)?;
        let tenant = followed.organization_id;
        let link = of(followed.purpose).ok_or_else(refused_link)?;
        let user = link.user_id.key(tenant);
        let organization = key::organization(tenant);
        let keys = any_keys![&user, &organization, key::organization_head(tenant)];
        let records = self.0.batch(keys).await?;
        let user: Option<Stored<User>> = records.get(&user)?;
        let user = user.filter(|user| holds(&link, user));
        let user = user.ok_or_else(refused_link)?;
        let organization = records
            .get(&organization)?
            .ok_or_else(refused_link)?
            .record;
        organization.works()?;
        Ok(LinkedAccount {
            user,
            organization,
            head: head_in(&records, tenant)?,
            link,
            hash: followed.hash,
        })
    }

    /// Sets the password of a link's account, which ends all sessions, tokens and links of the
    /// account. 403 for a dead link.
    pub async fn reset(
        &self,
        account: LinkedAccount,
        token: &str,
        password_hash: &PasswordHash,
        network: Option<&str>,
    ) -> Result<()> {
        let read = || self.to_reset(token);
        let write = |account: LinkedAccount| async move {
            let user = &account.user;
            let context = account.context();
            let expected = Condition::version(user.version);
            let directory = self.0.directory();
            let mut writes = directory.new_password(&context, user, password_hash, expected);
            account.ends(&mut writes);
            let to = user.email.as_ref();
            let letter = Letter::PasswordChanged;
            writes.extend(
                self.0
                    .notice(user, to, network, letter)?,
            );
            writes.note(EntryContent::password_reset(user.id));
            self.0
                .commit(&context, writes, ())
                .await
        };
        retry(account, read, write)
            .await?
            .not_replayed()
    }

    /// Sends a link to a new address of a user. 429 after ten in an hour.
    pub async fn ask_for(&self, user: &User, email: Email, mailed: MailedLink) -> Result<()> {
        let tenant = user.organization_id;
        let now = self.0.now();
        let link = Link {
            hash: mailed.hash.clone(),
            organization_id: tenant,
            purpose: LinkPurpose::EmailConfirmation(AccountLink::new(user, email.clone())),
            ends_at: now.plus(Link::EMAIL_CONFIRMATION),
        };
        let letter = Letter::EmailConfirmation {
            username: user.username.clone(),
            link: mailed,
            expires_at: link.ends_at,
        };
        let mut writes = Writes::from(Write::create(&link)?);
        writes.push(
            self.0
                .mail_of(tenant, None, &email, letter)?,
        );
        let limit = MailLimit::hourly(format!("confirm\n{tenant}\n{}", user.id), 10);
        writes.push_or(limit.counted(now), mail_limit(now, limit.period));
        let done = self
            .0
            .commit(&tenant.into(), writes, ())
            .await?;
        done.ok_or_else(Error::contended)?
            .not_replayed()
    }

    /// Gives a link's account the address to which it was sent. 403 for a dead link, 409 if another
    /// user has the address.
    pub async fn confirm_email(&self, token: &str, network: Option<&str>) -> Result<()> {
        let of = |purpose| match purpose {
            LinkPurpose::EmailConfirmation(link) => Some(link),
            _ => None,
        };
        let read = || self.account(token, of, AccountLink::confirms);
        let write = |account: LinkedAccount| async move {
            let context = account.context();
            let before = account.user.clone();
            let mut after = before.clone();
            after.verify_email(account.link.email.clone(), self.0.now());
            let mut writes = take_email(&after, before.email.as_ref())?;
            account.ends(&mut writes);
            writes.extend(
                self.0
                    .new_email(&before, &after, network)?,
            );
            writes.note(EntryContent::email_changed(&before, &after));
            self.0
                .commit_change(&context, before, after, writes)
                .await
        };
        let done = retry(read().await?, read, write).await?;
        done.not_replayed().map(|_| ())
    }

    /// Sends a link for each account of an address or a username: to the verified address of an
    /// enabled user. Takes as many requests for a name without an account. `issue` makes a link.
    ///
    /// Sends nothing after three links for an account in an hour, and after twenty from a network.
    pub async fn forgot(
        &self,
        named: &PasswordForgotten,
        network: &str,
        issue: impl Fn() -> MailedLink,
    ) -> Result<()> {
        let now = self.0.now();
        let of_network = MailLimit::hourly(format!("reset from\n{network}"), 20).counted(now);
        let (accounts, of_network) =
            tokio::try_join!(self.named(named), self.0.table.write(of_network))?;
        let users = self.forgetful(accounts).await?;
        if of_network.is_err() {
            return Ok(());
        }
        let mut letters = Vec::new();
        for user in &users {
            if let Some(email) = user.verified_email() {
                letters.push(self.forgotten(user, email, issue(), now)?);
            }
        }
        if letters.is_empty() {
            letters.push(nothing(named, [issue(), issue()], now)?);
        }
        let sent = letters
            .into_iter()
            .map(|writes| self.0.table.transact(writes));
        // A refused one is beyond the limit of its account.
        try_join_all(sent).await.map(|_| ())
    }

    /// The users of an address or a username. Without any, a user who does not exist.
    async fn named(&self, named: &PasswordForgotten) -> Result<Vec<(OrganizationId, UserId)>> {
        let mut accounts = Vec::new();
        if let Some(email) = &named.email {
            let holder_list = key::email_holders(&email.key()).limit(MOST_ACCOUNTS);
            let holders = self
                .0
                .table
                .list(holder_list.consistent())
                .await?
                .into_iter();
            accounts.extend(holders.map(|holder| (holder.organization_id, holder.user_id)));
        } else if let Some(username) = &named.username {
            let account = self
                .0
                .sign_in()
                .account(username)
                .await?;
            accounts.extend(account.map(|account| (account.organization_id, account.user_id)));
        }
        if accounts.is_empty() {
            accounts.extend(OrganizationId::new(MAX_ID).zip(UserId::new(MAX_ID)));
        }
        Ok(accounts)
    }

    /// The users to whom a link may be sent.
    async fn forgetful(&self, ids: Vec<(OrganizationId, UserId)>) -> Result<Vec<User>> {
        let keys = ids
            .iter()
            .flat_map(|(tenant, id)| any_keys![id.key(*tenant), key::sign_in_provider(*tenant)]);
        let batch = self.0.batch(keys).await?;
        let mut users = Vec::new();
        for (tenant, id) in ids {
            let user: Option<Stored<User>> = batch.get(&id.key(tenant))?;
            let provider = batch.get(&key::sign_in_provider(tenant))?;
            let may = |user: &Stored<User>| {
                let provider: Option<&SignInProvider> = provider.as_deref();
                let is_off = provider.is_some_and(|provider| provider.forbids_password(user));
                !user.disabled && user.verified_email().is_some() && !is_off
            };
            users.extend(
                user.filter(may)
                    .map(|stored| stored.record),
            );
        }
        Ok(users)
    }

    fn forgotten(
        self,
        user: &User,
        email: &Email,
        mailed: MailedLink,
        now: Timestamp,
    ) -> Result<Vec<Write>> {
        let tenant = user.organization_id;
        let link = Link {
            hash: mailed.hash.clone(),
            organization_id: tenant,
            purpose: LinkPurpose::PasswordReset(AccountLink::new(user, email.clone())),
            ends_at: now.plus(Link::PASSWORD_RESET),
        };
        let letter = Letter::PasswordReset {
            username: user.username.clone(),
            link: mailed,
            expires_at: link.ends_at,
        };
        Ok(vec![
            MailLimit::resets_of(&format!("{tenant}\n{}", user.id)).counted(now),
            Write::create(&link)?,
            self.0
                .mail_of(tenant, Some(user.id), email, letter)?,
        ])
    }
}

/// The most accounts of an address that get a link.
const MOST_ACCOUNTS: usize = 10;

/// Writes for a name without an account: as many as for one with an account.
fn nothing(sent: &PasswordForgotten, links: [MailedLink; 2], now: Timestamp) -> Result<Vec<Write>> {
    let email = sent.email.as_ref().map(Email::key);
    let username = sent
        .username
        .as_ref()
        .map(|name| unique_name::key(name));
    let name = email.or(username).unwrap_or_default();
    let mut writes = vec![MailLimit::resets_of(&name).counted(now)];
    for MailedLink { hash, .. } in links {
        let no_organization = OrganizationId::new(MAX_ID);
        let no_organization =
            no_organization.ok_or_else(|| Error::internal("writing a link", "no such id"))?;
        writes.push(Write::create(&Link {
            hash,
            organization_id: no_organization,
            purpose: LinkPurpose::Nothing,
            ends_at: now.plus(Link::PASSWORD_RESET),
        })?);
    }
    Ok(writes)
}
