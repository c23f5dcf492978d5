//! `GET /api/concierge/policy`

use shared::endpoint::*;

use super::view::AgentPolicyView;

/// Returns the organization's approval policy and daily caps.
///
/// Before it is set, it has version 0 and any user who may execute actions approves.
#[utoipa::path(get, path = "/api/concierge/policy", operation_id = "getAgentPolicy")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
) -> Result<Single<AgentPolicyView>, Problem> {
    let policy = app.store.agent().policy(caller.tenant()).await?;
    Ok(Single(policy.into()))
}
