//! View of the policy.

use shared::{agent::AgentPolicy, view::Shown};

/// The policy of an organization.
pub type AgentPolicyView = Shown<AgentPolicy>;
