//! The policy as the API answers it.

use serde::Serialize;
use shared::{
    model::{AgentPolicy, PolicyCaps, PolicyRule, Timestamp, UserId},
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// What an organization asks for before its agent acts. The strictest of the rules that fit an
/// action wins; an amount that is not known, or is in another currency than the limit, is above it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentPolicy)]
#[serde(rename_all = "camelCase")]
pub struct AgentPolicyView {
    /// Who has to approve what; where none fits, one person who may execute.
    rules: Vec<PolicyRule>,
    /// The most of a day (UTC).
    caps: PolicyCaps,
    /// Who changed it last; null as long as nobody has.
    updated_by: Option<UserId>,
    /// When that was.
    updated_at: Option<Timestamp>,
    /// Raised by every change; 0 before the first.
    version: i64,
}

versioned!(AgentPolicyView);

impl From<Stored<AgentPolicy>> for AgentPolicyView {
    fn from(policy: Stored<AgentPolicy>) -> Self {
        let version = policy.version;
        let AgentPolicy {
            rules,
            caps,
            updated_by,
            updated_at,
            ..
        } = policy.record;
        Self {
            rules,
            caps,
            updated_by,
            updated_at,
            version,
        }
    }
}
