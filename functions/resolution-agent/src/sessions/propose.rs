//! `POST /api/concierge/agent-sessions/{id}/propose`

use axum::{Json, extract::State};
use shared::{
    Error, Problem,
    auth::{Caller, need},
    http::{
        Path, PathId,
        refusal::{AnalysisInterrupted, ConcurrentChange, InvalidTransition},
    },
    model::{AgentSessionId, Case},
};

use super::view::AgentSessionProposed;
use crate::ResolutionAgent;

/// What a client reads of a failed analysis; the cause is in the log.
const FAILED: &str = "The analysis failed; open another session to try again.";

/// Analyses the alert and proposes actions, with new ids each time.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/propose",
    operation_id = "proposeAgentActions"
)]
pub async fn propose(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<
    Json<AgentSessionProposed>,
    Problem<(InvalidTransition, AnalysisInterrupted, ConcurrentChange)>,
> {
    let analyse = async |case: &Case| {
        let analysed = state.engine.analyse(case).await;
        analysed.map_err(|error| Error::internal("analysing a signal", error))
    };
    let agent = state.app.store.agent();
    let proposed = agent.propose(caller.permit(), id.known()?, analyse, FAILED);
    let session = proposed.await?;
    Ok(Json(AgentSessionProposed::of(&session)))
}
