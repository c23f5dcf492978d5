//! Roles and what they may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a caller may do. A role carries a fixed set; a user may hold more of them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Every read outside managed services and the agent.
    ViewWork,
    /// The dashboard, tickets and reference search.
    ViewManagedServices,
    /// Raise service requests.
    CreateServiceRequest,
    /// Comment on service requests.
    CommentServiceRequest,
    /// Create tasks.
    CreateTask,
    /// Change, reorder and re-phase tasks.
    UpdateTask,
    /// Record activities.
    CreateActivity,
    /// Comment on activities.
    CommentActivity,
    /// Attach tags to activities and detach them.
    TagActivity,
    /// Reply to support tickets.
    ReplyTicket,
    /// Change service requests.
    UpdateServiceRequest,
    /// Delete any service request; creators may always delete their own.
    DeleteServiceRequest,
    /// Delete tasks.
    DeleteTask,
    /// Create, change and delete milestones.
    ManageMilestones,
    /// Manage projects, phases and tags.
    ManageDirectory,
    /// Read agent sessions.
    ViewAgentRemediation,
    /// Open agent sessions, have actions proposed, and cancel sessions.
    CreateAgentRemediation,
    /// Have approved actions executed.
    ExecuteAgentRemediation,
    /// Record signals.
    ManageSignals,
    /// Manage tickets.
    ManageTickets,
    /// Manage users.
    ManageUsers,
    /// Manage the organization.
    ManageOrganization,
}

/// A user's role in the organization; each may do all that the one before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
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

impl Role {
    /// What every user of this role may do.
    #[must_use]
    pub const fn permissions(self) -> &'static [Permission] {
        // One list in ascending order: a role's permissions are a prefix of it.
        const ASCENDING: &[Permission] = &[
            Permission::ViewWork,
            Permission::ViewManagedServices,
            // member
            Permission::CreateServiceRequest,
            Permission::CommentServiceRequest,
            Permission::CreateTask,
            Permission::UpdateTask,
            Permission::CreateActivity,
            Permission::CommentActivity,
            Permission::TagActivity,
            Permission::ReplyTicket,
            // support
            Permission::UpdateServiceRequest,
            Permission::ViewAgentRemediation,
            Permission::CreateAgentRemediation,
            Permission::ManageSignals,
            Permission::ManageTickets,
            // manager
            Permission::DeleteServiceRequest,
            Permission::DeleteTask,
            Permission::ManageMilestones,
            Permission::ManageDirectory,
            Permission::ExecuteAgentRemediation,
            // admin
            Permission::ManageUsers,
            Permission::ManageOrganization,
        ];
        let count = match self {
            Self::Viewer => 2,
            Self::Member => 10,
            Self::Support => 15,
            Self::Manager => 20,
            Self::Admin => ASCENDING.len(),
        };
        ASCENDING.split_at(count).0
    }
}

impl Permission {
    /// The name as the API writes it.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_ends_where_its_column_does() {
        let last = |role: Role| *role.permissions().last().unwrap();
        assert_eq!(last(Role::Viewer), Permission::ViewManagedServices);
        assert_eq!(last(Role::Member), Permission::ReplyTicket);
        assert_eq!(last(Role::Support), Permission::ManageTickets);
        assert_eq!(last(Role::Manager), Permission::ExecuteAgentRemediation);
        assert_eq!(last(Role::Admin), Permission::ManageOrganization);
    }

    #[test]
    fn names_are_snake_case() {
        assert_eq!(
            Permission::CreateAgentRemediation.name(),
            "create_agent_remediation"
        );
    }
}
