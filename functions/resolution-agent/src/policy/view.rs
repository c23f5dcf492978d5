//! View of the policy.

use shared::{agent::policy::AgentPolicy, store::Shown};

/// The policy of an organization.
pub type AgentPolicyView = Shown<AgentPolicy>;
