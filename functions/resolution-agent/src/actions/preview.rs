//! `POST /api/concierge/agent-sessions/{id}/preview`

use axum::{Json, extract::State};
use shared::{
    agent::session::{ActionsPreview, distinct},
    endpoint::*,
    http::refusal::ProposalSuperseded,
    model::base::AgentSessionId,
};

use crate::{
    ResolutionAgent,
    actions::{observe::Observations, view::AgentActionsPreviewed},
};

/// Previews actions before they are approved; changes nothing.
///
/// Shows per action the requests as they would be sent, obstacles, and the present preconditions.
/// Also shows the money, records and customers concerned, who has to approve, and how the action is
/// undone.
///
/// Reads the target systems for up to eight seconds.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/preview")]
pub async fn preview_agent_actions(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
    Body(input): Body<ActionsPreview>,
) -> Result<Json<AgentActionsPreviewed>, Problem<(ProposalSuperseded, ConcurrentChange)>> {
    let ids = distinct(&input.action_ids.0);
    let agent = state.app.store.agent();
    let previewed = agent
        .to_preview(caller.write(), id.known()?, &ids)
        .await?;
    let identity = caller.identity().await?;
    let actions = previewed.whole.session.named(&ids)?;
    let observations = Observations::of(&state.targets, &previewed, &actions).await;
    let view = AgentActionsPreviewed::of(&previewed, &actions, &observations, &identity);
    Ok(Json(view))
}
