//! The demands of changes on their caller.

use crate::{
    base::{Timestamp, span},
    people::{Permission, Role},
};

/// The demand of a change on its caller, beyond the permission of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// None: a token will do.
    Nothing,
    Session,
    /// All permissions of an admin, a session, and a new sign-in. The change guards the
    /// organization, and notifies its other admins.
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

impl SignInAge {
    /// The age up to which a sign-in is new, in milliseconds.
    pub const NEW: i64 = 30 * span::MINUTE;

    /// Returns the age of a sign-in at that instant. A token did not sign in.
    pub fn of(signed_in_at: Option<Timestamp>, now: Timestamp) -> Self {
        match signed_in_at {
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

    /// Returns the demand of an account of that role with further permissions: a new admin guards
    /// the organization. So does a user with a permission that only admins have by role.
    pub fn of_account(role: Role, permissions: &[Permission]) -> Self {
        let mut permissions = permissions.iter();
        let is_of_admins = |permission: &Permission| permission.least_role() == Role::Admin;
        if role == Role::Admin || permissions.any(is_of_admins) {
            Self::Root
        } else {
            Self::Session
        }
    }
}
