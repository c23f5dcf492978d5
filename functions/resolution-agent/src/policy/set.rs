//! `PUT /api/concierge/policy`

use shared::agent::policy::{AgentPolicy, PolicySet};
use shared::endpoint::*;

/// Sets the organization's approval policy and daily caps.
///
/// Takes rules, or a preset of them, and caps. An absent field keeps its value. The policy holds
/// from the next approval and the next start of an action.
#[utoipa::path(put, path = "/api/concierge/policy")]
pub async fn set_agent_policy(
    State(app): State<App>,
    _: Conditional,
    caller: Caller<need::WithAgent<need::InSession<need::ManageOrganization>>>,
    Body(set): Body<PolicySet>,
) -> Result<Single<Shown<AgentPolicy>>, Problem<ConcurrentChange>> {
    let agent = app.store.agent();
    let policy = agent.set_policy(caller.pending_write(), &set);
    Ok(Single(policy.await?.into()))
}
