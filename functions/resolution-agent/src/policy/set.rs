//! `PUT /api/concierge/policy`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Single, refusal::ConcurrentChange},
    model::PolicySet,
};

use super::view::AgentPolicyView;

/// Sets the organization's policy: rules, or a preset of them, and caps. What is absent stays. It
/// holds from the next approval and the next claim on.
#[utoipa::path(put, path = "/api/concierge/policy", operation_id = "setAgentPolicy")]
pub async fn set(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ManageOrganization>>,
    Body(set): Body<PolicySet>,
) -> Result<Single<AgentPolicyView>, Problem<ConcurrentChange>> {
    let agent = app.store.agent();
    let policy = agent.set_policy(caller.permit(), &set).await?;
    Ok(Single(policy.into()))
}
