//! `POST /api/concierge/agent-sessions/{id}/execute`

use std::time::Duration;

use shared::{
    agent::{
        action::Message,
        session::{ActionsExecute, Approving, distinct},
    },
    endpoint::*,
    http::{
        Trace,
        refusal::{
            ActionNotFailed, AlertResolved, ApproverNotAllowed, CapReached, ContentChanged,
            OtherActionsApproved, OutcomeUnknown, PolicyDenied, ProposalSuperseded, SessionExpired,
            SessionSuperseded,
        },
    },
    model::base::{AgentSessionId, Stopwatch, WithDetail},
    store::agent::{Approval, SessionWithActions},
};

use crate::ResolutionAgent;

use super::{prefer::PreferredWait, view::AgentActionsExecuted};

/// First interval between two reads of the results; each is half as long again as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

type Refused = (
    InvalidTransition,
    ProposalSuperseded,
    SessionExpired,
    SessionSuperseded,
    OutcomeUnknown,
    ActionNotFailed,
    OtherActionsApproved,
    (
        ContentChanged,
        ApproverNotAllowed,
        PolicyDenied,
        CapReached,
        SignInAgain,
        AlertResolved,
        ConcurrentChange,
    ),
);

/// Approves actions, executes them and waits for their results.
///
/// Waits up to ten seconds, or as long as `Prefer: wait=N` says. 202 has the same body as 200: some
/// actions still run or are under way, or the policy asks for another approver, which `approval` of
/// the action shows. Of an organization, one call for each 100 units a second of its plan begins to
/// wait in ten seconds; further ones are answered at once.
///
/// A list that was sent before returns its results and runs nothing. Within 24 hours after the end,
/// while no other session was opened on the alert, other actions can be executed. With `again`,
/// actions that failed or were skipped run once more. With `digests`, 409 `content_changed` if an
/// action is not what the approver was shown.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/execute")]
pub async fn execute_agent_actions(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>, WithDetail>,
    Path(id): Path<PathId<AgentSessionId>>,
    wait: PreferredWait,
    Trace(trace): Trace,
    Body(input): Body<ActionsExecute>,
) -> Result<AgentActionsExecuted, Problem<Refused>> {
    let id = id.known()?;
    let ids = distinct(&input.action_ids.0);
    let approving = Approving {
        ids: &ids,
        again: input.again.0,
        digests: input.digests.as_ref(),
        note: input.note.as_deref(),
        by: caller.user_id(),
        trace: trace.as_deref(),
    };
    let agent = state.app.store.agent();
    let session = match agent
        .approve(caller.write(), id, &approving)
        .await?
    {
        Approval::Standing(session) | Approval::Pending(session) => session,
        Approval::Queued(session, queued) => {
            let keys = queued
                .iter()
                .map(|action| session.session.key_of(action));
            let messages: Vec<_> = keys.map(Message::RunAction).collect();
            state.queue.try_send(&messages).await;
            session
        }
    };
    let identity = caller.identity().await?;
    let most = identity.organization.units_per_second;
    let session = results(&state.app, session, wait.0, most.most_waiting()).await?;
    let reader = (&*identity, caller.query.is_full());
    Ok(AgentActionsExecuted::read(&state.app, &session, &ids, reader).await?)
}

/// Reads the session until every approved action has ended or `wait` is over. Does not wait if
/// `most` calls of the organization began to wait in these ten seconds, since each takes an
/// instance of the function.
async fn results(
    app: &App,
    mut whole: SessionWithActions,
    wait: Duration,
    most: u32,
) -> Result<SessionWithActions, Error> {
    let tenant = whole.session.organization_id;
    let id = whole.session.id;
    if wait.is_zero()
        || !whole.session.works()
        || app
            .store
            .quotas()
            .count_waiting(tenant)
            .await?
            > i64::from(most)
    {
        return Ok(whole);
    }
    let waited = Stopwatch::start();
    let mut pause = FIRST_PAUSE;
    while whole.session.works() {
        let left = wait.saturating_sub(waited.elapsed());
        if left.is_zero() {
            break;
        }
        tokio::time::sleep(pause.min(left)).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        whole = app
            .store
            .agent()
            .get(tenant, id)
            .await?;
    }
    Ok(whole)
}
