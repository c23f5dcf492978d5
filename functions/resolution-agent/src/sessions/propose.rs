//! `POST /api/concierge/agent-sessions/{id}/propose`

use axum::{Json, extract::State};
use shared::{
    agent::session::Case,
    endpoint::*,
    http::refusal::AnalysisInterrupted,
    model::base::{AgentSessionId, WithDetail},
};

use crate::{
    ResolutionAgent,
    sessions::{
        action::ShownSession,
        view::{AgentSessionProposed, ProposedSession},
    },
};

/// `error` of a session whose analysis failed; the cause is in the log.
const FAILED: &str = "The analysis failed; open another session to try again.";

type Refused = (InvalidTransition, AnalysisInterrupted, ConcurrentChange);

/// Analyses the alert of a session and proposes actions.
///
/// A new proposal replaces the one before; its actions have new ids. 409 `invalid_transition`
/// unless the session is `started` or `awaiting_confirmation`. 409 `analysis_interrupted` if the
/// analysis took too long.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/propose")]
pub async fn propose_agent_actions(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>, WithDetail>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Json<AgentSessionProposed>, Problem<Refused>> {
    let analyse = async |case: &Case| (state.analyse)(case).await;
    let agent = state.app.store.agent();
    let proposed = agent.propose(caller.write(), id.known()?, analyse, FAILED);
    let (session, context, excerpts) = Box::pin(proposed).await?;
    let identity = caller.identity().await?;
    let shown = ShownSession {
        session: &session,
        actions: &[],
        context: &context,
        caller: &identity,
        is_full: caller.query.is_full(),
        now: state.app.clock.now(),
    };
    let session = ProposedSession::of(&shown, &excerpts);
    Ok(Json(AgentSessionProposed { session }))
}
