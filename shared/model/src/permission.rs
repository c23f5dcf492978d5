//! Roles and what they may do.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// A user's role in the organization; each may do all that the one before it may.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Does the daily work.
    Member,
    /// Serves the organization's requests, tickets and signals; its messages count as support.
    Support,
    /// Runs projects, and approves the agent's actions.
    Manager,
    /// Runs the organization.
    Admin,
}

macro_rules! permissions {
    ($($(#[doc = $doc:literal])* $name:ident from $role:ident,)*) => {
        /// What a caller may do. Every user from a certain role up may; others may be given it.
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Serialize,
            Deserialize,
            ToSchema,
            IntoStaticStr,
            VariantArray,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum Permission {
            $($(#[doc = $doc])* $name,)*
        }

        impl Permission {
            /// The least of the roles that include it.
            #[must_use]
            pub const fn least_role(self) -> Role {
                match self {
                    $(Self::$name => Role::$role,)*
                }
            }
        }

        /// Each permission as a type, for an argument that needs it.
        pub mod need {
            $(
                #[doc = concat!("The permission [`Permission::", stringify!($name), "`](super::Permission).")]
                #[derive(Debug)]
                pub struct $name;

                impl super::NamedPermission for $name {
                    const PERMISSION: super::Permission = super::Permission::$name;
                }
            )*
        }
    };
}

/// A type that stands for a permission.
pub trait NamedPermission: Send + Sync + 'static {
    /// The permission.
    const PERMISSION: Permission;
}

permissions! {
    /// Every read outside managed services and the agent.
    ViewWork from Viewer,
    /// The dashboard, tickets and reference search.
    ViewManagedServices from Viewer,
    /// Raise service requests.
    CreateServiceRequest from Member,
    /// Comment on service requests.
    CommentServiceRequest from Member,
    /// Create tasks.
    CreateTask from Member,
    /// Change, reorder and re-phase tasks.
    UpdateTask from Member,
    /// Record activities.
    CreateActivity from Member,
    /// Comment on activities.
    CommentActivity from Member,
    /// Attach tags to activities and detach them.
    TagActivity from Member,
    /// Reply to support tickets.
    ReplyTicket from Member,
    /// Change service requests.
    UpdateServiceRequest from Support,
    /// Delete any service request; creators may always delete their own.
    DeleteServiceRequest from Manager,
    /// Delete tasks.
    DeleteTask from Manager,
    /// Create, change and delete milestones.
    ManageMilestones from Manager,
    /// Manage projects, phases and tags.
    ManageDirectory from Manager,
    /// Read agent sessions.
    ViewAgentRemediation from Support,
    /// Open agent sessions, have actions proposed, and cancel sessions.
    CreateAgentRemediation from Support,
    /// Have approved actions executed.
    ExecuteAgentRemediation from Manager,
    /// Record signals.
    ManageSignals from Support,
    /// Manage tickets.
    ManageTickets from Support,
    /// Manage users.
    ManageUsers from Admin,
    /// Manage the organization.
    ManageOrganization from Admin,
}

impl Role {
    /// What every user of this role may do.
    #[must_use]
    pub fn permissions(self) -> Vec<Permission> {
        let all = Permission::VARIANTS.iter().copied();
        all.filter(|permission| self.may(*permission)).collect()
    }

    /// Whether every user of this role may.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        self >= permission.least_role()
    }
}

impl Permission {
    /// The name as the API writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The table that the roles were agreed on by, as counts.
    #[test]
    fn each_role_has_all_that_the_one_before_it_has_and_more() {
        let count = |role: Role| role.permissions().len();
        let counts: Vec<usize> = Role::VARIANTS.iter().map(|role| count(*role)).collect();
        assert_eq!(counts, [2, 10, 15, 20, 22]);
        assert!(Role::Support.may(Permission::ManageTickets));
        assert!(!Role::Support.may(Permission::ExecuteAgentRemediation));
        assert!(!Role::Manager.may(Permission::ManageUsers));
    }

    #[test]
    fn names_are_what_serde_writes() {
        for permission in Permission::VARIANTS {
            assert_eq!(json!(permission), json!(permission.name()));
        }
    }
}
