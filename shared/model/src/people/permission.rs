use strum::VariantArray;

use crate::names;

names! {
    /// A user's role in the organization; each has all permissions of the one before it.
    pub enum Role = "a role" {
        Viewer: "Reads.",
        Member: "Does the daily work.",
        Support: "Serves the organization's requests, tickets and alerts; its messages count as support.",
        Manager: "Runs projects and approves the agent's actions.",
        Admin: "Runs the organization.",
    }
}

macro_rules! permissions {
    ($($name:ident from $role:ident $($guard:ident)?: $about:literal,)+) => {
        names! {
            /// A permission. Every user from a certain role up has it; others may be given it.
            /// `x-rules` has the lowest role of each as `leastRole`.
            pub enum Permission = "a permission" {
                $($name: $about,)+
            }
        }

        impl Permission {
            /// The lowest role that includes the permission.
            pub const fn least_role(self) -> Role {
                match self {
                    $(Self::$name => Role::$role,)+
                }
            }

            /// Returns true if the permission guards accounts, money or secrets, so that changes by
            /// it take a session.
            pub const fn guards(self) -> bool {
                match self {
                    $(Self::$name => guards!($($guard)?),)+
                }
            }
        }

        /// A type for each permission, for the argument of a handler.
        pub mod need {
            $(
                #[doc = concat!("The permission [`Permission::", stringify!($name), "`](super::Permission).")]
                #[derive(Debug)]
                pub struct $name;

                impl super::NamedPermission for $name {
                    const PERMISSION: super::Permission = super::Permission::$name;
                }

                ordinary!($name $($guard)?);
            )+
        }
    };
}

/// A type that stands for a permission.
pub trait NamedPermission: Send + Sync + 'static {
    const PERMISSION: Permission;
}

/// A permission that guards nothing: its tokens do all that a session does.
///
/// One that guards is no requirement by itself. An operation says if it reads, brakes, renames, or
/// takes a session.
pub trait OrdinaryPermission: NamedPermission {}

macro_rules! guards {
    () => {
        false
    };
    (guards) => {
        true
    };
}

macro_rules! ordinary {
    ($name:ident) => {
        impl super::OrdinaryPermission for $name {}
    };
    ($name:ident guards) => {};
}

permissions! {
    ViewWork from Viewer: "Read everything outside managed services and the agent.",
    ViewManagedServices from Viewer: "Read the dashboard and tickets, and search references.",
    CreateServiceRequest from Member: "Raise service requests.",
    CommentServiceRequest from Member: "Comment on service requests.",
    CreateTask from Member: "Create tasks.",
    UpdateTask from Member: "Change, reorder and re-phase tasks.",
    CreateActivity from Member: "Record activities.",
    CommentActivity from Member: "Comment on activities.",
    TagActivity from Member: "Attach tags to activities and detach them.",
    ReplyTicket from Member: "Reply to support tickets.",
    UpdateServiceRequest from Support: "Change service requests.",
    DeleteServiceRequest from Manager: "Delete any service request; creators may always delete their own.",
    DeleteTask from Manager: "Delete tasks.",
    ManageMilestones from Manager: "Create, change and delete milestones.",
    ManageDirectory from Manager: "Manage projects, phases and tags.",
    ViewAgentRemediation from Support: "Read agent sessions.",
    CreateAgentRemediation from Support: "Open agent sessions, have actions proposed, and cancel sessions.",
    ExecuteAgentRemediation from Manager guards: "Have approved actions executed.",
    ManageSignals from Support: "Record alerts.",
    ManageTickets from Support: "Manage tickets.",
    ManageUsers from Admin guards: "Manage users.",
    ManageOrganization from Admin guards: "Manage the organization.",
}

impl Role {
    /// The permissions of every user of this role.
    pub fn permissions(self) -> Vec<Permission> {
        let permissions = Permission::VARIANTS.iter().copied();
        permissions
            .filter(|permission| self.may(*permission))
            .collect()
    }

    pub fn may(self, permission: Permission) -> bool {
        self >= permission.least_role()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The agreed numbers of permissions.
    #[test]
    fn each_role_has_all_that_the_one_before_it_has_and_more() {
        let counts = Role::VARIANTS
            .iter()
            .map(|role| role.permissions().len());
        assert_eq!(counts.collect::<Vec<_>>(), [2, 10, 15, 20, 22]);
        assert!(Role::Support.may(Permission::ManageTickets));
        assert!(!Role::Support.may(Permission::ExecuteAgentRemediation));
        assert!(!Role::Manager.may(Permission::ManageUsers));
    }
}
