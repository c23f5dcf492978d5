//! The permissions that a caller holds, and the demands of changes on their caller.

use strum::VariantArray;

use crate::prelude::*;

/// The demand of a change on its caller, beyond the permission of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// None: a token will do.
    Nothing,
    Session,
    /// All permissions of an admin, a session, and a new sign-in. The change guards the organization, and
    /// notifies its other admins.
    Root,
}

/// The age of a caller's sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInAge {
    /// The caller has a token, which did not sign in.
    NoSession,
    Older,
    /// At most [`NEW`](Self::NEW) ago.
    New,
}

/// The permissions that a caller holds and may give to other users, and the age of the caller's sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub permissions: Vec<Permission>,
    pub sign_in: SignInAge,
}

impl SignInAge {
    /// The age up to which a sign-in is new, in milliseconds.
    pub const NEW: i64 = 30 * span::MINUTE;

    /// Returns the age of the sign-in of a request's credential.
    pub fn of(credential: &EntryCredential, now: Timestamp) -> Self {
        match credential.signed_in_at {
            Some(at) if now.since(at) <= Self::NEW => Self::New,
            Some(_) => Self::Older,
            None => Self::NoSession,
        }
    }
}

impl Demand {
    /// Returns this demand if a field is sent, and none otherwise.
    #[must_use]
    pub const fn if_sent(self, is_sent: bool) -> Self {
        if is_sent { self } else { Self::Nothing }
    }

    /// True if the change guards the organization.
    pub fn guards(self) -> bool {
        self == Self::Root
    }

    /// Returns the demand of an account of that role with further permissions: a new admin guards the
    /// organization. So does a user with a permission that only admins have by role.
    pub fn of_account(role: Role, permissions: &[Permission]) -> Self {
        let mut given = permissions.iter();
        let is_of_admins = |one: &Permission| one.least_role() == Role::Admin;
        if role == Role::Admin || given.any(is_of_admins) {
            Self::Root
        } else {
            Self::Session
        }
    }
}

impl Held {
    /// Returns what a user holds by a session that has just begun.
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
        let Some(missing) = of_admins.into_iter().find(|one| !self.holds(*one)) else {
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

    /// Checks that the caller may change the user or set their password. 403 if the user has a permission that the
    /// caller does not hold: the caller could gain it. A name of a later version may grant any of them.
    pub fn may_change(&self, user: &User) -> Result<(), Error> {
        let mut extra = user.extra_permissions.iter();
        let has_unknown = user.role.known().is_none() || extra.any(|one| one.known().is_none());
        let all = has_unknown.then(|| Permission::VARIANTS.to_vec());
        let held = all.unwrap_or_else(|| user.permissions());
        self.has_all(held, "change a user who has")
    }

    /// Checks that the caller may give the role and the extra permissions, to others or to themselves.
    /// 403 for a permission that the caller does not hold.
    pub fn may_give(&self, role: Role, extra: &[Permission]) -> Result<(), Error> {
        self.has_all([&role.permissions(), extra].concat(), "give")
    }

    /// As [`may_give`](Self::may_give), of what a user has. Unknown names give nothing.
    pub fn may_give_all_of(&self, user: &User) -> Result<(), Error> {
        self.has_all(user.permissions(), "give")
    }

    /// Checks that the caller holds the permissions. 403 otherwise; `to` says what the caller does with them.
    fn has_all(&self, permissions: Vec<Permission>, to: &str) -> Result<(), Error> {
        let missing = permissions.into_iter().find(|one| !self.holds(*one));
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
            matches!(&error, Error::Forbidden { code: one, .. } if *one == code),
            "{error:?}"
        );
    }

    #[test]
    fn what_guards_takes_an_admin_who_has_just_signed_in() {
        let all = Role::Admin.permissions();
        let few = [
            Role::Manager.permissions(),
            vec![Permission::ManageOrganization],
        ]
        .concat();
        assert!(held(&all, SignInAge::New).meets(Demand::Root).is_ok());
        refuses(&held(&all, SignInAge::Older), Code::SignInAgain);
        refuses(&held(&few, SignInAge::New), Code::PermissionDenied);
        for permissions in [&all, &few] {
            refuses(
                &held(permissions, SignInAge::NoSession),
                Code::SessionRequired,
            );
        }
    }

    #[test]
    fn a_sign_in_is_new_for_half_an_hour() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * span::MINUTE);
        let mut credential = EntryCredential::session();
        assert_eq!(SignInAge::of(&credential, at(0)), SignInAge::NoSession);
        credential.signed_in_at = Some(at(0));
        assert_eq!(SignInAge::of(&credential, at(30)), SignInAge::New);
        assert_eq!(SignInAge::of(&credential, at(31)), SignInAge::Older);
    }

    #[test]
    fn an_account_with_the_power_of_admins_guards() {
        let guards = |role, extra: &[Permission]| Demand::of_account(role, extra).guards();
        assert!(guards(Role::Admin, &[]));
        assert!(guards(Role::Viewer, &[Permission::ManageUsers]));
        assert!(!guards(Role::Manager, &[Permission::ManageTickets]));
    }
}
