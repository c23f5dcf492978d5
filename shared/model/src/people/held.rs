//! The permissions that a caller holds and may give to others.

use strum::VariantArray;

use crate::{
    base::{Code, Error},
    people::{Demand, Permission, Role, SignInAge, User},
};

/// The permissions that a caller holds and may give to other users, and the age of the caller's
/// sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub permissions: Vec<Permission>,
    pub sign_in: SignInAge,
}

impl Held {
    /// Returns the permissions of a user with a new session.
    pub fn newly(user: &User) -> Self {
        Self {
            permissions: user.permissions(),
            sign_in: SignInAge::New,
        }
    }

    /// Checks that the caller meets a demand. 403 otherwise: `session_required` with a token,
    /// `permission_denied` without a permission of admins, `sign_in_again` with an older sign-in.
    pub fn meets(&self, demand: Demand) -> Result<(), Error> {
        match demand {
            Demand::Nothing => Ok(()),
            Demand::Session => self.has_session(),
            Demand::Root => {
                self.has_session()?;
                self.has_all_of_admins()?;
                self.signed_in_newly()
            }
        }
    }

    /// 403 with a token, which cannot change the account itself.
    pub fn has_session(&self) -> Result<(), Error> {
        let detail =
            "This operation needs a session. A token cannot do it, whatever its permissions.";
        let required = || Error::forbidden(Code::SessionRequired, detail);
        let has = self.sign_in != SignInAge::NoSession;
        has.then_some(()).ok_or_else(required)
    }

    /// 403 unless the caller holds all permissions of an admin.
    pub fn has_all_of_admins(&self) -> Result<(), Error> {
        let of_admins = Role::Admin.permissions();
        let Some(missing) = of_admins
            .into_iter()
            .find(|permission| !self.holds(*permission))
        else {
            return Ok(());
        };
        let detail = format!(
            "This guards the organization, and needs all permissions of an admin. You do not hold {}.",
            missing.name()
        );
        Err(Error::forbidden(Code::PermissionDenied, detail))
    }

    /// 403 after an older sign-in.
    pub fn signed_in_newly(&self) -> Result<(), Error> {
        let detail = "This needs a sign-in of the last 30 minutes. Sign in again.";
        let again = || Error::forbidden(Code::SignInAgain, detail);
        (self.sign_in == SignInAge::New)
            .then_some(())
            .ok_or_else(again)
    }

    fn holds(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Checks that the caller may change the user or set their password. 403 if the user has a
    /// permission that the caller does not hold: the caller could gain it. A name of a later
    /// version may grant any of them.
    pub fn may_change(&self, user: &User) -> Result<(), Error> {
        let mut extra = user.extra_permissions.iter();
        let has_unknown =
            user.role.known().is_none() || extra.any(|permission| permission.known().is_none());
        let all_permissions = has_unknown.then(|| Permission::VARIANTS.to_vec());
        let held = all_permissions.unwrap_or_else(|| user.permissions());
        self.has_all(held, "change a user who has")
    }

    /// Checks that the caller may give the role and the extra permissions, to others or to
    /// themselves. 403 for a permission that the caller does not hold.
    pub fn may_give(&self, role: Role, extra: &[Permission]) -> Result<(), Error> {
        self.has_all([&role.permissions(), extra].concat(), "give")
    }

    /// As [`may_give`](Self::may_give), of what a user has. Unknown names give nothing.
    pub fn may_give_all_of(&self, user: &User) -> Result<(), Error> {
        self.has_all(user.permissions(), "give")
    }

    /// Checks that the caller holds the permissions. 403 otherwise; `to` says what the caller does
    /// with them.
    fn has_all(&self, permissions: Vec<Permission>, to: &str) -> Result<(), Error> {
        let missing = permissions
            .into_iter()
            .find(|permission| !self.holds(*permission));
        let Some(permission) = missing.map(Permission::name) else {
            return Ok(());
        };
        let detail = format!("You cannot {to} the permission {permission}: you do not hold it.");
        Err(Error::forbidden(Code::PermissionDenied, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Timestamp, span};

    fn held(permissions: &[Permission], sign_in: SignInAge) -> Held {
        Held {
            permissions: permissions.to_vec(),
            sign_in,
        }
    }

    #[track_caller]
    fn refuses(held: &Held, code: Code) {
        let error = held.meets(Demand::Root).unwrap_err();
        assert!(
            matches!(&error, Error::Forbidden { code: error_code, .. } if *error_code == code),
            "{error:?}"
        );
    }

    #[test]
    fn what_guards_takes_an_admin_who_has_just_signed_in() {
        let all_permissions = Role::Admin.permissions();
        let few = [
            Role::Manager.permissions(),
            vec![Permission::ManageOrganization],
        ]
        .concat();
        assert!(
            held(&all_permissions, SignInAge::New)
                .meets(Demand::Root)
                .is_ok()
        );
        refuses(&held(&all_permissions, SignInAge::Older), Code::SignInAgain);
        refuses(&held(&few, SignInAge::New), Code::PermissionDenied);
        for permissions in [&all_permissions, &few] {
            refuses(
                &held(permissions, SignInAge::NoSession),
                Code::SessionRequired,
            );
        }
    }

    #[test]
    fn a_sign_in_is_new_for_half_an_hour() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * span::MINUTE);
        assert_eq!(SignInAge::of(None, at(0)), SignInAge::NoSession);
        assert_eq!(SignInAge::of(Some(at(0)), at(30)), SignInAge::New);
        assert_eq!(SignInAge::of(Some(at(0)), at(31)), SignInAge::Older);
    }

    #[test]
    fn an_account_with_the_power_of_admins_guards() {
        let guards = |role, extra: &[Permission]| Demand::of_account(role, extra).guards();
        assert!(guards(Role::Admin, &[]));
        assert!(guards(Role::Viewer, &[Permission::ManageUsers]));
        assert!(!guards(Role::Manager, &[Permission::ManageTickets]));
    }
}
