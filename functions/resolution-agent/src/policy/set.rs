//! `PUT /api/concierge/policy`

use shared::agent::policy::PolicySet;
use shared::endpoint::*;

use super::view::AgentPolicyView;

/// Sets the organization's approval policy and daily caps.
///
/// Takes rules, or a preset of them, and caps. An absent field keeps its value. The policy holds
/// from the next approval and the next start of an action.
#[utoipa::path(put, path = "/api/concierge/policy", operation_id = "setAgentPolicy")]
pub async fn set(
    State(app): State<App>,
    _: Conditional,
    caller: Caller<need::WithAgent<need::InSession<need::ManageOrganization>>>,
    Body(set): Body<PolicySet>,
) -> Result<Single<AgentPolicyView>, Problem<ConcurrentChange>> {
    let agent = app.store.agent();
    let policy = agent.set_policy(caller.pending_write(), &set);
    Ok(Single(policy.await?.into()))
}
