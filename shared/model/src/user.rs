//! Users: who they are, what they may do, and whom they may change.

use serde::{Deserialize, Serialize};
use strum::VariantArray;
use utoipa::ToSchema;

use super::{
    AnyOf, Code, Error, Fault, FullName, NewPassword, OrganizationId, Permission, Role, SearchText,
    Timestamp, UserId, Username,
    input::{Change, List, Place, Reading},
};
use crate::input;

/// Somebody who signs in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Unique id.
    pub id: UserId,
    /// The organization that the user belongs to.
    pub organization_id: OrganizationId,
    /// Sign-in name, 3 to 64 characters, unique in the service.
    pub username: String,
    /// Name to show.
    pub full_name: String,
    /// What the user may do.
    pub role: Role,
    /// Permissions beyond the role's.
    #[serde(default)]
    pub extra_permissions: Vec<Permission>,
    /// A disabled user's sessions and tokens are void at once.
    #[serde(default)]
    pub disabled: bool,
    /// Raised when the password changes, when the user is disabled, and when all sessions are ended
    /// but one; sessions of an earlier epoch are void.
    #[serde(default)]
    pub session_epoch: i64,
    /// The [`Session::sid_hash`](crate::Session::sid_hash) of the one session of an earlier epoch
    /// that holds all the same: that which ended the others last.
    pub kept_session: Option<String>,
    /// Raised when the password changes and when the user is disabled; tokens of an earlier epoch
    /// are void.
    #[serde(default)]
    pub token_epoch: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

input! {
    /// Which users to list.
    pub struct UserFilter {
        role: Option<AnyOf<Role>>,
        disabled: Option<bool>,
        /// Each of its words must begin a word of the username or the full name, without regard to
        /// case.
        query: Option<SearchText>,
    }
}

/// Orders of users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum UserSort {
    /// By username, without regard to case.
    #[default]
    #[serde(rename = "username")]
    Username,
}

input! {
    /// Somebody who is to sign in.
    pub struct UserCreate {
        /// Unique in the service without regard to case; it stays.
        username: Username,
        full_name: FullName,
        /// One whose permissions the caller holds.
        role: Role,
        password: NewPassword,
        /// Permissions beyond the role's, all of which the caller holds.
        permissions: Option<Permissions>,
    }
    check(username, password) password_is_not_the_username;
}

input! {
    /// What a client sends to change a user, at least one field of it.
    pub struct UserUpdate {
        full_name: Change<FullName>,
        /// One whose permissions the caller holds.
        role: Change<Role>,
        /// Permissions beyond the role's, all of which the caller holds, in place of those before.
        permissions: Change<Permissions>,
        /// A disabled user's sessions end at once.
        disabled: Change<bool>,
    }
    needs any;
}

input! {
    /// What a client sends to set a user's password.
    pub struct PasswordSet {
        password: NewPassword,
    }
}

/// Permissions as a client lists them.
pub type Permissions = List<Permission, 0, 50>;

fn password_is_not_the_username(
    username: Reading<&Username>,
    password: Reading<&NewPassword>,
    body: &mut Place<'_>,
) {
    if let (Some(username), Some(password)) = (username, password)
        && let Err(error) = password.fits(username)
    {
        let Fault { code, detail, .. } = error.at("password");
        body.at("password").report(code, detail);
    }
}

impl User {
    /// Whether the role or an extra permission allows it.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.role.may(permission) || self.extra_permissions.contains(&permission)
    }

    /// All that the user may do, each once, in a fixed order.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        let all = Permission::VARIANTS.iter().copied();
        all.filter(|permission| self.may(*permission)).collect()
    }

    /// Whether it is one of the admins of whom every organization keeps at least one: by the role,
    /// whatever extra permissions others have.
    #[must_use]
    pub fn is_enabled_admin(&self) -> bool {
        self.role == Role::Admin && !self.disabled
    }

    /// Changes it.
    pub fn change(&mut self, update: UserUpdate) {
        let UserUpdate {
            full_name,
            role,
            permissions,
            disabled,
        } = update;
        if let Change::Set(name) = full_name {
            self.full_name = name.into();
        }
        if let Change::Set(List(permissions)) = permissions {
            self.extra_permissions = each_once(permissions);
        }
        role.apply(&mut self.role);
        if let Change::Set(disabled) = disabled {
            self.disable(disabled);
        }
    }

    /// Disables it, which ends all of its sessions and tokens for good, or enables it again.
    pub fn disable(&mut self, disabled: bool) {
        if disabled && !self.disabled {
            self.session_epoch += 1;
            self.kept_session = None;
            self.token_epoch += 1;
        }
        self.disabled = disabled;
    }
}

/// The permissions that somebody holds, who gives of them to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held(pub Vec<Permission>);

impl Held {
    fn has(&self, permission: Permission) -> bool {
        self.0.contains(&permission)
    }

    /// 403 when the user may do something that is not held: whoever changed such a user, or set the
    /// password of one, would come to more than they were given.
    pub fn may_change(&self, user: &User) -> Result<(), Error> {
        let missing = user.permissions().into_iter().find(|one| !self.has(*one));
        missing.map_or(Ok(()), |permission| {
            Err(lacks(permission, "change a user who has"))
        })
    }

    /// 403 when somebody of that role with those extra permissions may do something that is not held:
    /// nobody gives what they do not hold, to themselves neither.
    pub fn may_give(&self, role: Role, extra: &[Permission]) -> Result<(), Error> {
        let given = role.permissions();
        let missing = given.iter().chain(extra).find(|one| !self.has(**one));
        missing.map_or(Ok(()), |permission| Err(lacks(*permission, "give")))
    }
}

fn lacks(permission: Permission, to: &str) -> Error {
    let name = permission.name();
    let detail = format!("You cannot {to} the permission {name}, which you do not hold.");
    Error::forbidden(Code::PermissionDenied, detail)
}

/// Permissions in a fixed order, each once.
#[must_use]
pub fn each_once(mut permissions: Vec<Permission>) -> Vec<Permission> {
    permissions.sort_unstable();
    permissions.dedup();
    permissions
}

/// A user as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRef {
    /// Unique id.
    pub id: UserId,
    /// Sign-in name.
    pub username: String,
    /// Name to show.
    pub full_name: String,
}

impl From<&User> for UserRef {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            username: user.username.clone(),
            full_name: user.full_name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, OrganizationId, Timestamp, UserId};

    fn user(role: Role, extra: &[Permission]) -> User {
        let now = Timestamp::from_millis(0);
        User {
            id: UserId::new(1).unwrap(),
            organization_id: OrganizationId::new(1).unwrap(),
            username: "ada".to_owned(),
            full_name: "Ada".to_owned(),
            role,
            extra_permissions: extra.to_vec(),
            disabled: false,
            session_epoch: 0,
            kept_session: None,
            token_epoch: 0,
            created_at: now,
            updated_at: now,
        }
    }

    fn held(role: Role, extra: &[Permission]) -> Held {
        Held(user(role, extra).permissions())
    }

    #[test]
    fn roles_compare_by_their_permissions() {
        let manager = held(Role::Manager, &[Permission::ManageUsers]);
        assert!(manager.may_give(Role::Manager, &[]).is_ok());
        assert!(
            manager
                .may_give(Role::Viewer, &[Permission::ManageUsers])
                .is_ok()
        );
        assert!(manager.may_give(Role::Admin, &[]).is_err());
        assert!(
            manager
                .may_give(Role::Viewer, &[Permission::ManageOrganization])
                .is_err()
        );
        let both = [Permission::ManageUsers, Permission::ManageOrganization];
        let all = held(Role::Manager, &both);
        assert!(all.may_give(Role::Admin, &[]).is_ok());
        assert!(!user(Role::Manager, &both).is_enabled_admin());
    }

    #[test]
    fn nobody_changes_a_user_who_may_do_more() {
        let manager = held(Role::Manager, &[Permission::ManageUsers]);
        assert!(manager.may_change(&user(Role::Manager, &[])).is_ok());
        let same = user(Role::Manager, &[Permission::ManageUsers]);
        assert!(manager.may_change(&same).is_ok());
        assert!(manager.may_change(&user(Role::Admin, &[])).is_err());
        let other = user(Role::Viewer, &[Permission::ManageOrganization]);
        assert!(manager.may_change(&other).is_err());
    }

    #[test]
    fn disabling_ends_what_was_signed_in_once() {
        let mut user = user(Role::Viewer, &[]);
        user.kept_session = Some("a hash".to_owned());
        user.disable(false);
        assert_eq!((user.session_epoch, user.token_epoch), (0, 0));
        for _ in 0..2 {
            user.disable(true);
            assert_eq!((user.session_epoch, user.token_epoch), (1, 1));
        }
        user.disable(false);
        assert_eq!((user.session_epoch, user.token_epoch), (1, 1));
        assert_eq!(user.kept_session, None);
    }
}
