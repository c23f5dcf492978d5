//! `GET /api/concierge/policy`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Single,
};

use super::view::AgentPolicyView;

/// Reads the organization's policy: who has to approve what, and how much a day takes. Without one,
/// whoever may execute approves.
#[utoipa::path(get, path = "/api/concierge/policy", operation_id = "getAgentPolicy")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
) -> Result<Single<AgentPolicyView>, Problem> {
    let policy = app.store.agent().policy(caller.tenant()).await?;
    Ok(Single(policy.into()))
}
