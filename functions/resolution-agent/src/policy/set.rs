//! `PUT /api/concierge/policy`

use shared::{
    agent::policy::{AgentPolicy, PolicySet},
    endpoint::*,
    http::refusal::ApproverNotAllowed,
};

/// Sets the organization's approval policy and daily caps.
///
/// Takes rules, or a preset of them, and caps. An absent field keeps its value. The policy holds
/// from the next approval and the next start of an action. A looser policy guards the organization,
/// and so does another `signedInWithin`: they take all permissions of an admin, and a sign-in of
/// the last 30 minutes (403 `sign_in_again`).
///
/// A looser policy waits as `pending`, and is in force after 24 hours. Another admin who sends the
/// same terms confirms it at once. Any other request ends or replaces what waits.
#[utoipa::path(put, path = "/api/concierge/policy")]
pub async fn set_agent_policy(
    _: Conditional,
    caller: Caller<need::WithAgent<need::InSession<need::ManageOrganization>>>,
    Body(set): Body<PolicySet>,
) -> Result<Single<Shown<AgentPolicy>>, Problem<(ConcurrentChange, SignInAgain, ApproverNotAllowed)>>
{
    let agent = caller.app.store.agent();
    let by = async || Ok(caller.identity().await?.held());
    let policy = agent.set_policy(caller.write(), by, &set);
    Ok(Single(policy.await?.into()))
}
