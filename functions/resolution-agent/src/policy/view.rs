//! View of the policy.

use serde::Serialize;
use shared::{
    agent::{AgentPolicy, PolicyCaps, PolicyRule},
    model::{Timestamp, UserId},
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// The organization's policy for the agent's actions. The strictest rule that matches an action
/// applies. An amount that is unknown, or in another currency than the limit, exceeds the limit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentPolicy, examples(json!({
    "rules": [{
        "when": {
            "actionType": null,
            "riskAtLeast": null,
            "amountAtLeast": {"minorUnits": 50_000, "currency": "USD"},
            "connection": null,
            "movesMoney": true
        },
        "approvers": 2,
        "roles": [],
        "notOpener": true,
        "deny": false
    }],
    "caps": {"actions": 200, "money": [{"minorUnits": 500_000, "currency": "USD"}]},
    "updatedBy": 1,
    "updatedAt": "2026-01-14T12:10:00.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct AgentPolicyView {
    /// Rules of approval. If none matches, one user who may execute actions approves.
    rules: Vec<PolicyRule>,
    /// Caps of a day (UTC).
    caps: PolicyCaps,
    /// User who changed it last; null before the first change.
    updated_by: Option<UserId>,
    /// Instant of the last change.
    updated_at: Option<Timestamp>,
    /// Version, raised by every change; 0 before the first.
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
