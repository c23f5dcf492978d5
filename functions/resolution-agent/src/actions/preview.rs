//! `POST /api/concierge/agent-sessions/{id}/preview`

use axum::{Json, extract::State};
use shared::{
    Problem,
    auth::{Caller, need},
    http::{
        Body, Path, PathId,
        refusal::{ConcurrentChange, ProposalSuperseded},
    },
    model::{ActionsPreview, AgentSessionId},
};

use super::{look::Looks, view::AgentActionsPreviewed};
use crate::ResolutionAgent;

/// Previews actions before anybody approves them: what would be sent, what stands in the way, what has
/// to be so and whether it is, whom and how much it touches, who has to approve, and how it is undone.
/// It reads the target systems, for up to eight seconds, and changes nothing. Dry runs that are no GETs
/// are sent for those who may have actions proposed.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/preview",
    operation_id = "previewAgentActions"
)]
pub async fn preview(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
    Body(input): Body<ActionsPreview>,
) -> Result<Json<AgentActionsPreviewed>, Problem<(ProposalSuperseded, ConcurrentChange)>> {
    let ids = input.distinct();
    let agent = state.app.store.agent();
    let found = agent.to_preview(caller.permit(), id.known()?, &ids).await?;
    let identity = caller.identity().await?;
    let actions = found.whole.session.named(&ids)?;
    let looks = Looks::of(&state.targets, &found, &actions, &identity).await;
    let previewed = AgentActionsPreviewed::of(&found, &actions, &looks, &identity);
    Ok(Json(previewed))
}
