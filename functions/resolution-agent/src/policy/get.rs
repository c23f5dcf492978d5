//! `GET /api/concierge/policy`

use shared::{agent::policy::AgentPolicy, endpoint::*};

/// Returns the organization's approval policy and daily caps.
///
/// Before it is set, it has version 0 and any user who may execute actions approves.
#[utoipa::path(get, path = "/api/concierge/policy")]
pub async fn get_agent_policy(
    caller: Caller<need::ViewAgentRemediation>,
) -> Result<Single<Shown<AgentPolicy>>, Problem> {
    let policy = caller
        .app
        .store
        .agent()
        .policy(caller.tenant())
        .await?;
    Ok(Single(policy.into()))
}
