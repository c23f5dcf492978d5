//! Users and their accounts.

use model::{
    Code, Error, Held, Id, OrganizationId, PasswordHash, Permission, Role, User, UserFilter,
    UserId, UserUpdate, each_once,
};

use super::{Directory, fold, words};
use crate::{
    Given, Permit,
    filter::Filter,
    id_is_taken,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    rewrite::rewrite,
    sessions::end_all,
    sign_in::Account,
    table::{Change, Condition, IntoAttribute, OrNotFound, Read, Record, Refused, Stored, Write},
};

/// What a user begins with.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// 3 to 64 characters, unique in the service without regard to case.
    pub username: String,
    /// Name to show.
    pub full_name: String,
    /// What the user may do.
    pub role: Role,
    /// Permissions beyond the role's.
    pub extra_permissions: Vec<Permission>,
    /// What a password is compared with.
    pub password_hash: PasswordHash,
}

impl Record for User {
    const KIND: &'static str = "user";

    fn key(&self) -> Key<Self> {
        key::user(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::user_by_name(self))
    }

    fn words(&self) -> Option<String> {
        Some(
            [words(&self.username), words(&self.full_name)]
                .concat()
                .concat(),
        )
    }
}

impl Directory<'_> {
    /// One user. 404 when it is not the tenant's.
    pub async fn user(&self, tenant: OrganizationId, id: UserId) -> Result<Stored<User>, Error> {
        let key = key::user(tenant, id);
        self.0.one(&key, UserId::NOUN).await
    }

    /// The users that fit, by username.
    pub async fn users(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &UserFilter,
        wanted: &Wanted,
    ) -> Result<Page<Stored<User>>, Error> {
        let fits = Filter::of(caller)
            .any("role", filter.role.as_ref())?
            .is("disabled", filter.disabled)
            .query(filter.query.as_ref());
        let users = key::users(tenant).filter(fits.condition());
        self.0.table.page(users, wanted).await
    }

    /// Creates a user with an account. 409 when the username is taken.
    pub async fn create_user(
        &self,
        permit: impl Into<Permit>,
        new: NewUser,
    ) -> Result<Stored<User>, Error> {
        let new = std::future::ready(Ok(new));
        self.create_user_when_ready(permit, new).await
    }

    /// As [`create_user`](Self::create_user), for a user whose password is still being hashed, or
    /// who may be refused meanwhile.
    pub async fn create_user_when_ready(
        &self,
        permit: impl Into<Permit>,
        new: impl Future<Output = Result<NewUser, Error>>,
    ) -> Result<Stored<User>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit: Permit| {
            let ready = async { tokio::try_join!(self.0.next_id(), new) };
            let (given, (id, new)) = permit.beside(ready).await?;
            let (user, writes) = self.new_user(tenant, id, new)?;
            self.write_new_user(&given, writes, id).await?;
            Ok(Stored::created(user))
        };
        let again = async |made| self.user(tenant, id_of(made)?).await;
        permit.once(create, again).await
    }

    /// A user, and what is to be written for one: an account, which comes first, and the user; an
    /// admin is counted.
    pub(super) fn new_user(
        self,
        tenant: OrganizationId,
        id: UserId,
        new: NewUser,
    ) -> Result<(User, Vec<Write>), Error> {
        let now = self.0.clock.now();
        let account = Account {
            username: fold(&new.username),
            organization_id: tenant,
            user_id: id,
            password_hash: new.password_hash,
        };
        let user = User {
            id,
            organization_id: tenant,
            username: new.username,
            full_name: new.full_name,
            role: new.role,
            extra_permissions: each_once(new.extra_permissions),
            disabled: false,
            session_epoch: 0,
            kept_session: None,
            token_epoch: 0,
            created_at: now,
            updated_at: now,
        };
        let mut writes = vec![Write::create(&account)?, Write::create(&user)?];
        writes.extend(count_admins(tenant, false, user.is_enabled_admin()));
        Ok((user, writes))
    }

    /// Writes what [`new_user`](Self::new_user) begins with.
    pub(super) async fn write_new_user(
        &self,
        given: &Given,
        writes: Vec<Write>,
        id: UserId,
    ) -> Result<(), Error> {
        let done = self.0.commit(given, writes, Some(id.get())).await?;
        done.map_err(|refused| {
            if refused.at(0) {
                Error::conflict(Code::UsernameTaken, "Another user has this username.")
            } else {
                id_is_taken(User::KIND)
            }
        })
    }

    /// Changes a user on behalf of somebody, who is known once `by` is. 404 when it is not the
    /// tenant's; 403 when it may do something that `by` may not, before or after; 409 when the
    /// organization would be left without an admin.
    pub async fn update_user(
        &self,
        permit: impl Into<Permit>,
        by: impl Future<Output = Result<Held, Error>>,
        id: UserId,
        update: UserUpdate,
    ) -> Result<Stored<User>, Error> {
        let permit = permit.into();
        let key = key::user(permit.tenant(), id);
        let read = || self.0.table.get(&key, Read::Consistent);
        let found = async { tokio::try_join!(read(), by) };
        let (given, (found, by)) = permit.beside(found).await?;
        let (given, by, update) = (&given, &by, &update);
        let write = |user: Option<Stored<User>>| async move {
            let before = given.current(user, UserId::NOUN)?;
            by.may_change(&before)?;
            let mut after = before.clone();
            after.change(update.clone());
            by.may_give(after.role, &after.extra_permissions)?;
            self.replace_user(&before, after).await
        };
        rewrite(found, read, write).await
    }

    /// Disables a user, which ends all of the user's sessions and tokens, or enables it again. 404
    /// when it is not the tenant's; 409 when the organization would be left without an admin.
    pub async fn disable_user(
        &self,
        permit: impl Into<Permit>,
        user: UserId,
        disabled: bool,
    ) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::user(permit.tenant(), user);
        let read = || self.0.table.get(&key, Read::Consistent);
        let write = |given: Given, user: Option<Stored<User>>| async move {
            let before = given.current(user, UserId::NOUN)?;
            let mut after = before.clone();
            after.disable(disabled);
            self.replace_user(&before, after).await
        };
        permit.rewrite(read, write).await.map(|_| ())
    }

    /// Writes a user in place of the one that was read, and counts the organization's admins in the
    /// same transaction; none when somebody else changed the user.
    async fn replace_user(
        &self,
        before: &User,
        mut after: Stored<User>,
    ) -> Result<Option<Stored<User>>, Error> {
        after.updated_at = self.0.clock.now();
        let mut writes = vec![Write::replace(&after)?];
        let (was, is) = (before.is_enabled_admin(), after.is_enabled_admin());
        writes.extend(count_admins(after.organization_id, was, is));
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(Some(after.replaced())),
            Err(refused) if refused.at(0) => Ok(None),
            Err(_) => Err(Error::conflict(
                Code::LastAdmin,
                "This is the organization's last admin who is not disabled; name another one first.",
            )),
        }
    }

    /// Replaces a user's password, which ends all of the user's sessions and tokens. 404 when the user is not
    /// the tenant's.
    pub async fn change_password(
        &self,
        permit: impl Into<Permit>,
        user: &User,
        password_hash: PasswordHash,
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?.tenant();
        let is_there = Condition::exists();
        let done = self.write_password(tenant, user, password_hash, is_there);
        done.await?.or_not_found(UserId::NOUN)
    }

    /// As [`change_password`](Self::change_password), for somebody who may do all that the user may,
    /// as it was read and whatever becomes of it meanwhile: 403 otherwise.
    pub async fn set_password(
        &self,
        permit: impl Into<Permit>,
        by: &Held,
        user: Stored<User>,
        password_hash: PasswordHash,
    ) -> Result<(), Error> {
        let given = &permit.into().given().await?;
        let (tenant, id) = (given.tenant(), user.id);
        let (read, hash) = (|| self.user(tenant, id), &password_hash);
        let write = |user: Stored<User>| async move {
            let user = given.current(Some(user), UserId::NOUN)?;
            by.may_change(&user)?;
            let is_the_same = Condition::version(user.version);
            let done = self.write_password(tenant, &user, PasswordHash::clone(hash), is_the_same);
            Ok(done.await?.ok())
        };
        rewrite(user, read, write).await
    }

    async fn write_password(
        &self,
        tenant: OrganizationId,
        user: &User,
        password_hash: PasswordHash,
        expected: Condition,
    ) -> Result<Result<(), Refused>, Error> {
        let account = Write::update(
            key::account(&fold(&user.username)),
            Change::default().set("passwordHash", password_hash.expose()),
            Condition::exists(),
        );
        let user = Write::update(
            key::user(tenant, user.id),
            end_all(Change::default()).set("updatedAt", self.0.clock.now()),
            expected,
        );
        self.0.table.transact(vec![account, user]).await
    }
}

/// Counts an admin in or out who `was` one and now `is` one, as
/// [`is_enabled_admin`](User::is_enabled_admin) says. The last one is not counted out: of all that
/// would leave the organization without an admin, at the same time too, this write refuses what
/// comes last.
fn count_admins(tenant: OrganizationId, was: bool, is: bool) -> Option<Write> {
    const COUNT: &str = "enabled";
    let (by, expected) = match (was, is) {
        (false, true) => (1, Condition::default()),
        (true, false) => {
            let another = Condition::default();
            (-1, another.and("# > :", COUNT, [1.into_attribute()]))
        }
        _ => return None,
    };
    let change = Change::default().add(COUNT, by);
    Some(Write::update(key::admins(tenant), change, expected))
}
