use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::{
    base::{
        AnyOf, Email, Fault, FullName, OrOther, OrganizationId, ProjectId, SearchText, Timestamp,
        UserId, Username,
        input::{BoundedList, InputPlace, Patch, PatchField, Reading},
        span,
    },
    input,
    people::{Demand, NewPassword, Permission, ProviderSubject, Role},
    short_form,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: UserId,
    pub organization_id: OrganizationId,
    /// The username, 3 to 64 characters, unique in the service.
    pub username: String,
    pub full_name: String,
    /// The address, unique in the organization without regard to case.
    pub email: Option<Email>,
    /// When the user followed a link that was sent there.
    pub email_verified_at: Option<Timestamp>,
    /// When a server first refused a mail to the address for good. None after a later mail was
    /// accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_bounced_at: Option<Timestamp>,
    /// The role. An unknown one has no permission.
    pub role: OrOther<Role>,
    /// Permissions beyond those of the role. Unknown ones are kept, and grant nothing.
    #[serde(default)]
    pub extra_permissions: Vec<OrOther<Permission>>,
    /// True for a disabled user, whose sessions and tokens are void.
    #[serde(default)]
    pub disabled: bool,
    /// A counter. It rises when the password changes, when the user is disabled, and when all
    /// sessions but one are ended. Sessions of an earlier epoch are void.
    #[serde(default)]
    pub session_epoch: i64,
    /// The [`Session::sid_hash`](crate::people::Session::sid_hash) of the session that last ended all
    /// others. It stays valid in spite of its earlier epoch.
    pub kept_session: Option<String>,
    /// A counter. It rises when the password changes and when the user is disabled. Tokens of an
    /// earlier epoch are void.
    #[serde(default)]
    pub token_epoch: i64,
    /// Another user who made the account or set its password. None if the operator did so since.
    pub password_set_by: Option<UserId>,
    /// When that user did.
    pub password_set_at: Option<Timestamp>,
    /// When another user last changed its role, its permissions, or whether it is disabled.
    pub access_changed_at: Option<Timestamp>,
    /// The projects with the user as a member, also open ones.
    #[serde(default)]
    pub member_of: BTreeSet<ProjectId>,
    /// The identity at the organization's provider, once the user signed in by it.
    pub provider_subject: Option<ProviderSubject>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

input! {
    pub struct UserFilter {
        role: Option<AnyOf<Role>>,
        disabled: Option<bool>,
        /// `true` for users who are bound to the organization's provider, `false` for the others.
        connected: Option<bool>,
        /// Words, each of which must begin a word of the username or the full name, without regard
        /// to case.
        query: Option<SearchText>,
    }

    pub struct UserCreate {
        /// Unique in the service without regard to case; never changes.
        username: Username,
        full_name: FullName,
        /// A role whose permissions the caller holds.
        role: Role,
        /// Required, but for an organization with passwords off, which takes none.
        password: Option<NewPassword>,
        /// Permissions beyond those of the role; the caller must hold them all.
        permissions: Option<Permissions>,
        /// Unique in the organization without regard to case.
        email: Option<Email>,
    }
    check(username, password) new_password_is_more_than_the_username;
    example {
        "username": "grace", "fullName": "Grace Okafor", "role": "member",
        "password": "four words of your own", "permissions": ["manage_tickets"],
        "email": "grace@example.com",
    };

    /// A change of a user: at least one field.
    pub struct UserUpdate {
        full_name: PatchField<FullName>,
        /// A role whose permissions the caller holds.
        role: PatchField<Role>,
        /// Permissions beyond those of the role, which replace the current ones. The caller must
        /// hold them all.
        permissions: PatchField<Permissions>,
        /// Disables or enables the user. All sessions and tokens of a disabled user end at once.
        disabled: PatchField<bool>,
        /// A new address, which is not verified; null removes it. Unique in the organization
        /// without regard to case.
        email: Patch<Email>,
    }
    needs any;
    example {"fullName": "Mia Sørensen", "role": "manager", "disabled": false};

    pub struct PasswordSet { password: NewPassword }
    example {"password": "four words of your own"};
}

pub type Permissions = BoundedList<Permission, 0, 50>;

pub(crate) fn password_is_more_than_the_username(
    username: Reading<&Username>,
    password: Reading<&NewPassword>,
    body: &mut InputPlace<'_>,
) {
    if let (Some(username), Some(password)) = (username, password)
        && let Err(error) = password.beyond(&[username])
    {
        let Fault { code, detail, .. } = error.at("password");
        body.at("password").report(code, detail);
    }
}

fn new_password_is_more_than_the_username(
    username: Reading<&Username>,
    password: Reading<&Option<NewPassword>>,
    body: &mut InputPlace<'_>,
) {
    let password = password.and_then(Option::as_ref);
    password_is_more_than_the_username(username, password, body);
}

impl UserUpdate {
    /// Returns what the change demands of its caller. The role and the permissions of another user
    /// guard.
    pub fn demand(&self, is_own: bool) -> Demand {
        let Self {
            full_name,
            role,
            permissions,
            disabled,
            email,
        } = self;
        let access = if is_own {
            Demand::Session
        } else {
            Demand::Root
        };
        let demands = [
            Demand::Nothing.if_sent(full_name.is_sent()),
            access.if_sent(role.is_sent()),
            access.if_sent(permissions.is_sent()),
            Demand::Session.if_sent(disabled.is_sent()),
            Demand::Session.if_sent(email.is_sent()),
        ];
        demands
            .into_iter()
            .max()
            .unwrap_or(Demand::Root)
    }
}

impl UserCreate {
    /// Returns what the account demands of its maker.
    pub fn demand(&self) -> Demand {
        let Self {
            username: _,
            full_name: _,
            role,
            password: _,
            permissions,
            email: _,
        } = self;
        let permissions = permissions
            .as_ref()
            .map(|list| list.0.as_slice());
        Demand::of_account(*role, permissions.unwrap_or_default())
    }
}

impl User {
    /// The most projects whose member a user is.
    pub const MOST_MEMBERSHIPS: usize = 200;

    /// Returns true if the user has the permission, by role or as an extra one.
    pub fn may(&self, permission: Permission) -> bool {
        let mut extra = self.extra_permissions.iter();
        let by_role = self
            .role
            .known()
            .is_some_and(|role| role.may(permission));
        by_role || extra.any(|extra| *extra == permission)
    }

    /// Returns the address for notifications: a verified one of an enabled user.
    pub fn mailed_at(&self) -> Option<&str> {
        self.verified_email()
            .filter(|_| !self.disabled)
            .map(|email| &**email)
    }

    /// Returns true if the user may see internal notes of tickets.
    pub fn sees_notes(&self) -> bool {
        self.may(Permission::ManageTickets) || self.may(Permission::ReplyTicket)
    }

    /// The time in which an account is [fresh](Self::fresh_until), in milliseconds. Another user
    /// may act through it.
    pub const FRESH: i64 = span::DAY;

    /// Returns until when the account is fresh. None unless another user made it, set its password,
    /// or changed what it may do.
    pub fn fresh_until(&self) -> Option<Timestamp> {
        let last = self
            .password_set_at
            .max(self.access_changed_at);
        last.map(|at| at.plus(Self::FRESH))
    }

    /// Returns true if the user may do something else than `before`.
    pub fn differs_in_access(&self, before: &Self) -> bool {
        self.role != before.role
            || self.disabled != before.disabled
            || self.permissions() != before.permissions()
    }

    /// The user's permissions, each once, in a fixed order.
    pub fn permissions(&self) -> Vec<Permission> {
        let permissions = Permission::VARIANTS.iter().copied();
        permissions
            .filter(|permission| self.may(*permission))
            .collect()
    }

    /// Returns true for an admin by role who is not disabled. Every organization keeps at least
    /// one.
    pub fn is_enabled_admin(&self) -> bool {
        self.role == Role::Admin && !self.disabled
    }

    pub fn change(&mut self, update: UserUpdate) {
        update
            .full_name
            .apply(&mut self.full_name);
        update.role.apply(&mut self.role);
        if let PatchField::Set(BoundedList(permissions)) = update.permissions {
            self.extra_permissions = each_once(permissions);
        }
        if let PatchField::Set(disabled) = update.disabled {
            self.disable(disabled);
        }
        if let Patch::Set(email) = update.email {
            self.set_email(email);
        }
    }

    /// The address, if it is verified.
    pub fn verified_email(&self) -> Option<&Email> {
        let email = self.email.as_ref();
        email.filter(|_| self.email_verified_at.is_some())
    }

    /// Sets the address, to which the user has followed a link.
    pub fn verify_email(&mut self, email: Email, now: Timestamp) {
        self.email = Some(email);
        self.email_verified_at = Some(now);
        self.updated_at = now;
    }

    /// Notes a sign-in by the provider. Returns true if an hour has passed since the last one.
    pub fn note_provider_sign_in(&mut self, now: Timestamp) -> bool {
        let Some(subject) = &mut self.provider_subject else {
            return false;
        };
        let is_noted = |at: Timestamp| now.since(at) < span::HOUR;
        let is_due = !subject
            .signed_in_at
            .is_some_and(is_noted);
        if is_due {
            subject.signed_in_at = Some(now);
        }
        is_due
    }

    /// Sets the address. Another one than before is not verified.
    fn set_email(&mut self, email: Option<Email>) {
        if self.email != email {
            self.email = email;
            self.email_verified_at = None;
            self.email_bounced_at = None;
        }
    }

    /// The full name of an erased user.
    pub fn erased_name(id: UserId) -> String {
        format!("Deleted user {id}")
    }

    /// Replaces all that names the person. The user is disabled, and has the least role.
    pub fn erase(&mut self, now: Timestamp) {
        self.disable(true);
        self.username = format!("deleted-user-{}", self.id);
        self.full_name = Self::erased_name(self.id);
        self.set_email(None);
        self.provider_subject = None;
        self.role = Role::Viewer.into();
        self.extra_permissions = Vec::new();
        self.updated_at = now;
    }

    /// Disables the user, which ends all sessions and tokens for good, or enables the user again.
    pub fn disable(&mut self, disabled: bool) {
        if disabled && !self.disabled {
            self.session_epoch += 1;
            self.kept_session = None;
            self.token_epoch += 1;
        }
        self.disabled = disabled;
    }
}

/// Returns each of these once, in order.
pub fn each_once<T: Ord, U: From<T>>(mut values: Vec<T>) -> Vec<U> {
    values.sort_unstable();
    values.dedup();
    values
        .into_iter()
        .map(U::from)
        .collect()
}

short_form! {
    /// A user as part of other records.
    #[derive(Deserialize)]
    UserRef of User { id: UserId, username: String, full_name: String }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::Held;

    fn user(role: Role, extra: &[Permission]) -> User {
        let now = Timestamp::from_millis(0);
        serde_json::from_value(serde_json::json!({
            "id": 1, "organizationId": 1, "username": "ada", "fullName": "Ada", "role": role,
            "extraPermissions": extra, "createdAt": now, "updatedAt": now,
        }))
        .unwrap()
    }

    fn held(role: Role, extra: &[Permission]) -> Held {
        Held::newly(&user(role, extra))
    }

    #[test]
    fn roles_compare_by_their_permissions() {
        let manager = held(Role::Manager, &[Permission::ManageUsers]);
        assert!(
            manager
                .may_give(Role::Manager, &[])
                .is_ok()
        );
        let may_give = |extra| {
            manager
                .may_give(Role::Viewer, &[extra])
                .is_ok()
        };
        assert!(may_give(Permission::ManageUsers));
        assert!(
            manager
                .may_give(Role::Admin, &[])
                .is_err()
        );
        assert!(!may_give(Permission::ManageOrganization));
        let both = [Permission::ManageUsers, Permission::ManageOrganization];
        let with_both = held(Role::Manager, &both);
        assert!(
            with_both
                .may_give(Role::Admin, &[])
                .is_ok()
        );
        assert!(!user(Role::Manager, &both).is_enabled_admin());
    }

    #[test]
    fn nobody_changes_a_user_who_may_do_more() {
        let manager = held(Role::Manager, &[Permission::ManageUsers]);
        assert!(
            manager
                .may_change(&user(Role::Manager, &[]))
                .is_ok()
        );
        let same = user(Role::Manager, &[Permission::ManageUsers]);
        assert!(manager.may_change(&same).is_ok());
        assert!(
            manager
                .may_change(&user(Role::Admin, &[]))
                .is_err()
        );
        let other = user(Role::Viewer, &[Permission::ManageOrganization]);
        assert!(manager.may_change(&other).is_err());
    }

    /// A later version may give such a user more permissions than an admin has.
    #[test]
    fn only_who_may_do_all_changes_a_user_with_an_unknown_name() {
        let mut with_role = user(Role::Viewer, &[]);
        with_role.role = OrOther::Other("owner".into());
        let mut with_permission = user(Role::Viewer, &[]);
        with_permission.extra_permissions = vec![OrOther::Other("owner".into())];
        let manager = held(Role::Manager, &[Permission::ManageUsers]);
        for user in [&with_role, &with_permission] {
            assert!(manager.may_change(user).is_err());
            assert!(
                held(Role::Admin, &[])
                    .may_change(user)
                    .is_ok()
            );
        }
        assert_eq!(with_role.permissions(), []);
        assert_eq!(with_permission.permissions(), Role::Viewer.permissions());
        assert!(!with_role.is_enabled_admin());
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
