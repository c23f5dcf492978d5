use std::{
    collections::{BTreeSet, HashMap},
    future::ready,
};

use model::{
    base::{
        Code, Email, Error, Id, Timestamp, UserId, unique_name,
        words::{spaced, words},
    },
    people::{
        EntryContent, Held, OrganizationEvent, PasswordHash, Permission, ProviderSubject, Role,
        User, UserFilter, UserUpdate, each_once,
    },
    updates::Letter,
};
use table::{
    Condition, IntoAttribute, OrNotFound, Read, Record, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        Account, InScope, Pending, Store, WriteContext,
        filter::Filter,
        record::record,
        records::{EmailHolder, ReadHead},
        retry::retry,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::sessions::end_all,
};

use super::{Directory, members::MEMBER_OF};

#[derive(Clone, Debug)]
pub struct NewUser {
    /// 3 to 64 characters, unique in the service without regard to case.
    pub username: String,
    pub full_name: String,
    pub email: Option<Email>,
    /// When the address was verified, if it was.
    pub email_verified_at: Option<Timestamp>,
    pub role: Role,
    pub extra_permissions: Vec<Permission>,
    pub password_hash: PasswordHash,
    /// The identity at the organization's provider of a user whom it made.
    pub provider_subject: Option<ProviderSubject>,
}

record! {
    user: User, id: UserId,
    number_sets: [MEMBER_OF],
    gsi1: Some(key::user_by_name(user)),
    words: {
        let names = words(&user.username).chain(words(&user.full_name));
        Some(spaced(names))
    },
}

record! {
    holder: EmailHolder = "email_holder",
    key: key::email_holder(holder.organization_id, &holder.email),
}

impl Tracked for User {
    const IS_JOURNALED: bool = true;

    fn entry_of_new(&self) -> Option<EntryContent> {
        Some(EntryContent::created(OrganizationEvent::UserCreated, self))
    }

    /// The address has an entry of its own.
    fn entry_of_change(before: &Self, after: &Self) -> Option<EntryContent> {
        let mut after = after.clone();
        after.email.clone_from(&before.email);
        EntryContent::changed(OrganizationEvent::UserChanged, before, &after)
    }
}

impl Store {
    /// Users by id, as other records show them, without deleted and unreadable ones.
    pub(crate) async fn users<V: for<'a> From<&'a User>>(
        &self,
        tenant: Tenant,
        ids: impl Iterator<Item = UserId> + Clone,
    ) -> Result<HashMap<UserId, V>> {
        let key = |id: UserId| id.key(tenant);
        let keys = ids.clone().map(key);
        let batch = self
            .table
            .batch_get(keys, Read::Lasting)
            .await?;
        Ok(batch.all(ids, key))
    }
}

impl Directory<'_> {
    /// One user. 404 when it is not the tenant's.
    pub async fn user(&self, tenant: Tenant, id: UserId) -> Result<Stored<User>> {
        self.0.get(tenant, id).await
    }

    /// The users that match a filter, by username.
    pub async fn users(
        &self,
        tenant: Tenant,
        caller: UserId,
        filter: &UserFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<User>>> {
        let fits = Filter::of(caller)
            .any("role", filter.role.as_ref())?
            .is("disabled", filter.disabled)
            .has("providerSubject", filter.connected)
            .query(filter.query.as_ref());
        let users = key::users(tenant).filter(fits.condition());
        self.0.table.page(users, wanted).await
    }

    /// Creates a user with an account. 409 when the username or the address is taken.
    pub async fn create_user(&self, pending: impl Pending, new: NewUser) -> Result<InScope<User>> {
        self.create_user_when_ready(pending, ready(Ok(new)))
            .await
    }

    /// As [`create_user`](Self::create_user), of a future that hashes the password, and may refuse.
    pub async fn create_user_when_ready(
        &self,
        pending: impl Pending,
        new: impl Future<Output = Result<NewUser>>,
    ) -> Result<InScope<User>> {
        let user = |context: &WriteContext, id, new, _| {
            self.new_user(context.tenant, id, new, context.actor)
        };
        self.0.create(pending, new, user).await
    }

    /// A user made by another one, or by the operator, and the writes of the user's account and
    /// address, with the count of admins. 409 when the username or the address is taken.
    pub(crate) fn new_user(
        self,
        tenant: Tenant,
        id: UserId,
        new: NewUser,
        by: Option<UserId>,
    ) -> Result<(User, Writes)> {
        let now = self.0.now();
        let account = Account {
            username: unique_name::key(&new.username),
            organization_id: tenant,
            user_id: id,
            password_hash: new.password_hash,
            issuer: new
                .provider_subject
                .as_ref()
                .map(|subject| subject.issuer.clone()),
        };
        let user = User {
            id,
            organization_id: tenant,
            username: new.username,
            full_name: new.full_name,
            email: new.email,
            email_verified_at: new.email_verified_at,
            email_bounced_at: None,
            role: new.role.into(),
            extra_permissions: each_once(new.extra_permissions),
            disabled: false,
            session_epoch: 0,
            kept_session: None,
            token_epoch: 0,
            password_set_by: by,
            password_set_at: by.map(|_| now),
            access_changed_at: None,
            member_of: BTreeSet::new(),
            provider_subject: new.provider_subject,
            created_at: now,
            updated_at: now,
        };
        let mut writes = count_admins(tenant, false, user.is_enabled_admin());
        writes.append(take_email(&user, None)?);
        let taken = Error::conflict(Code::UsernameTaken, "Another user has this username.");
        writes.push_or(Write::create(&account)?, taken);
        Ok((user, writes))
    }

    /// Changes a user on behalf of one with the permissions `by`. 404 when the user is not the
    /// tenant's, 403 when the user has a permission beyond `by`, before or after. 409 when the
    /// organization would have no admin left, or when another user has the new address. The old
    /// address gets a notice, which names the `network`, if the deployment sends mail.
    pub async fn update_user<H: Future<Output = Result<Held>>>(
        &self,
        pending: impl Pending,
        by: impl Fn() -> H,
        id: UserId,
        update: UserUpdate,
        network: Option<&str>,
    ) -> Result<Stored<User>> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let read = || async { tokio::try_join!(self.0.with_head(&key, tenant), by()) };
        let write = async |context: WriteContext, ((user, head), by): ((Option<_>, _), Held)| {
            let context = context.with_head(head);
            let before: Stored<User> = context.current(user, UserId::NOUN)?;
            by.may_change(&before)?;
            let mut after = before.clone();
            after.change(update.clone());
            by.may_give_all_of(&after)?;
            after.updated_at = self.0.now();
            let is_anothers = context
                .actor
                .is_some_and(|actor| actor != id);
            if is_anothers && after.differs_in_access(&before) {
                after.access_changed_at = Some(after.updated_at);
            }
            let was = before.is_enabled_admin();
            let is = after.is_enabled_admin();
            let mut writes = count_admins(context.tenant, was, is);
            writes.append(take_email(&after, before.email.as_ref())?);
            writes.extend(
                self.0
                    .new_email(&before, &after, network)?,
            );
            writes.note(User::entry_of_change(&before, &after));
            writes.note(EntryContent::email_changed(&before, &after));
            self.0
                .commit_change(&context, before, after, writes)
                .await
        };
        self.0
            .write(pending, read, write)
            .await?
            .not_replayed()
    }

    /// Disables a user, which ends all of the user's sessions and tokens, or enables the user
    /// again. 404 when the user is not the tenant's, 409 when the organization would have no admin
    /// left.
    pub async fn disable_user(
        &self,
        pending: impl Pending,
        user: UserId,
        disabled: bool,
    ) -> Result<()> {
        let change = |context: &WriteContext, user: &mut User, now| {
            let was = user.is_enabled_admin();
            user.disable(disabled);
            user.updated_at = now;
            Ok(count_admins(context.tenant, was, user.is_enabled_admin()))
        };
        self.0
            .update(pending, user, change)
            .await?;
        Ok(())
    }

    /// Replaces a user's password, which ends all sessions and tokens. 404 when the user is not the
    /// tenant's.
    pub async fn change_password(
        &self,
        pending: impl Pending,
        user: &User,
        password_hash: PasswordHash,
    ) -> Result<()> {
        let context = pending.into().authorized().await?;
        let mut writes = self.new_password(&context, user, &password_hash, Condition::exists());
        writes.note(EntryContent::password_set(user.id));
        let done = self
            .0
            .commit(&context, writes, ())
            .await?;
        done.or_not_found(UserId::NOUN)?
            .not_replayed()
    }

    /// Reads a user for [`set_password`](Self::set_password). 404 when it is not the tenant's.
    pub async fn to_set_password(
        &self,
        tenant: Tenant,
        id: UserId,
    ) -> Result<(Stored<User>, ReadHead)> {
        let (user, head) = self
            .0
            .with_head(&id.key(tenant), tenant)
            .await?;
        Ok((user.or_not_found(UserId::NOUN)?, head))
    }

    /// As [`change_password`](Self::change_password), on behalf of one with the permissions `by`.
    /// 403 when the user has a permission beyond `by`, also when another request has just given it.
    pub async fn set_password(
        &self,
        pending: impl Pending,
        by: &Held,
        user: (Stored<User>, ReadHead),
        password_hash: PasswordHash,
        network: Option<&str>,
    ) -> Result<()> {
        let context = &pending.into().authorized().await?;
        let tenant = context.tenant;
        let id = user.0.id;
        let read = || self.to_set_password(tenant, id);
        let hash = &password_hash;
        let write = |(user, head): (Stored<User>, ReadHead)| async move {
            let user = context.current(Some(user), UserId::NOUN)?;
            by.may_change(&user)?;
            let is_the_same = Condition::version(user.version);
            let mut writes = self.new_password(context, &user, hash, is_the_same);
            writes.note(EntryContent::password_set(user.id));
            let to = user.email.as_ref();
            let letter = Letter::PasswordChanged;
            writes.extend(
                self.0
                    .notice(&user, to, network, letter)?,
            );
            let context = context.clone().with_head(head);
            self.0
                .commit(&context, writes, ())
                .await
        };
        retry(user, read, write)
            .await?
            .not_replayed()
    }

    /// The writes of a new password, without an entry of the journal.
    pub(crate) fn new_password(
        self,
        context: &WriteContext,
        user: &User,
        password_hash: &PasswordHash,
        expected: Condition,
    ) -> Writes {
        let account = key::account(&unique_name::key(&user.username));
        let password = UpdateExpression::default().set("passwordHash", password_hash.expose());
        let now = self.0.now();
        let mut change = end_all(UpdateExpression::default()).set("updatedAt", now);
        if let Some(another) = context
            .actor
            .filter(|actor| *actor != user.id)
        {
            change = change.set("passwordSetBy", another);
            change = change.set("passwordSetAt", now);
        } else if context.is_operator {
            change = change
                .remove("passwordSetBy")
                .remove("passwordSetAt");
        }
        Writes::from(vec![
            Write::update(account, password, Condition::exists()),
            Write::update(user.key(), change, expected),
        ])
    }
}

/// The writes of a user's address, who `had` another. 409 if another user of the organization has
/// it.
pub(crate) fn take_email(user: &User, had: Option<&Email>) -> Result<Writes> {
    let new = user.email.as_ref().map(Email::key);
    let old = had.map(Email::key);
    let mut writes = Writes::default();
    if new == old {
        return Ok(writes);
    }
    let tenant = user.organization_id;
    if let Some(old) = old {
        let is_its = Condition::default().equals("userId", user.id);
        writes.push(Write::delete(key::email_holder(tenant, &old), is_its));
    }
    if let Some(email) = new {
        let holder = EmailHolder {
            email,
            organization_id: tenant,
            user_id: user.id,
        };
        writes.push_or(Write::create(&holder)?, email_taken());
    }
    Ok(writes)
}

pub(crate) fn email_taken() -> Error {
    Error::conflict(Code::EmailTaken, "Another user has this address.")
}

/// Adds a user to the count of [enabled admins](User::is_enabled_admin), or subtracts them. 409 for
/// the last one: of several requests that would leave the organization without an admin, the last
/// fails.
pub(crate) fn count_admins(tenant: Tenant, was: bool, is: bool) -> Writes {
    const COUNT: &str = "enabled";
    let count = |by, expected| {
        let counted = UpdateExpression::default().add(COUNT, by);
        Write::update(key::admins(tenant), counted, expected)
    };
    let mut writes = Writes::default();
    if is && !was {
        writes.push(count(1, Condition::default()));
    }
    if was && !is {
        let another = Condition::default().and("# > :", COUNT, [1.into_attribute()]);
        let detail = "This is the organization's last admin who is not disabled. \
            Make another user an admin first.";
        writes.push_or(count(-1, another), Error::conflict(Code::LastAdmin, detail));
    }
    writes
}
