//! `POST /api/concierge/agent-sessions/{id}/propose`

use axum::{Json, extract::State};
use shared::{
    Error, Problem,
    auth::{Caller, need},
    http::{
        Path, PathId,
        refusal::{AnalysisInterrupted, ConcurrentChange, InvalidTransition},
    },
    model::AgentSessionId,
};

use crate::{ResolutionAgent, view::AgentSessionProposed};

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
    let agent = state.app.store.agent();
    let analyzing = agent.begin_analysis(caller.permit(), id.known()?).await?;
    let proposed = state
        .engine
        .analyse(&analyzing.signal, &analyzing.history)
        .await;
    match proposed {
        Ok(proposal) => {
            let session = agent.finish_analysis(analyzing, proposal).await?;
            Ok(Json(AgentSessionProposed::of(&session)))
        }
        Err(error) => {
            agent.fail_analysis(analyzing, FAILED).await?;
            Err(Error::internal("analysing a signal", error).into())
        }
    }
}
