//! Checks of target systems: an action's reads and their results.

use std::time::Duration;

use agent::{AgentAction, Connection, Facts, Sight, Silence, TargetRead};
use futures::future::join_all;
use model::{AgentSessionId, Error, Id, OrganizationId};
use store::{AwaitedLook, Store};
use targets::Targets;

use crate::limits::Limits;

/// Runs the due checks of an ended action: first the reconciliation of its call, then the
/// verification of its effect.
pub(crate) async fn look_at(
    store: &Store,
    targets: &Targets,
    limits: &Limits,
    (tenant, session_id, action_id): (OrganizationId, AgentSessionId, &str),
) -> Result<(), Error> {
    let agent = store.agent();
    for _ in 0..2 {
        let awaited = agent.to_look(tenant, session_id, action_id).await?;
        let Some(AwaitedLook {
            action,
            connections,
        }) = awaited
        else {
            return Ok(());
        };
        let reads = action.awaited_reads();
        let sight = see(targets, &reads, &connections, limits.look_timeout()).await;
        let Some(looked) = agent.looked(&action, &sight).await? else {
            return Ok(());
        };
        log(&looked);
    }
    Ok(())
}

/// Sends reads concurrently.
pub(crate) async fn see<'a>(
    targets: &Targets,
    reads: &[TargetRead],
    connections: impl IntoIterator<Item = &'a Connection> + Clone,
    timeout: Duration,
) -> Sight {
    let looks = reads.iter().map(|read| {
        let mut connections = connections.clone().into_iter();
        let connection = connections.find(|one| *one.name == *read.connection);
        async move { (read, ask(targets, read, connection, timeout).await) }
    });
    let mut sight = Sight::default();
    for (read, (facts, silence)) in join_all(looks).await {
        sight.add(facts);
        if let Some(silence) = silence {
            sight.lacks(&read.name, silence);
        }
    }
    sight
}

/// Returns the facts of a read, and the read error, if any.
async fn ask(
    targets: &Targets,
    read: &TargetRead,
    connection: Option<&Connection>,
    timeout: Duration,
) -> (Facts, Option<Silence>) {
    let Some(connection) = connection else {
        let name = &read.connection;
        let silence = Silence::for_good(format!("There is no connection {name}."));
        return (Facts::default(), Some(silence));
    };
    match targets.look(connection, read, timeout).await {
        Ok(seen) => {
            let silence = seen.silence(read);
            (seen.facts, silence)
        }
        Err(no_answer) => (Facts::default(), Some(no_answer.silence())),
    }
}

fn log(action: &AgentAction) {
    let verification = action
        .verification
        .as_ref()
        .map(|looks| looks.status.into());
    let reconciliation = action
        .reconciliation
        .as_ref()
        .map(|looks| looks.status.into());
    let none = "none";
    tracing::info!(
        traceId = action.trace_id.as_deref(),
        organizationId = action.organization_id.get(),
        sessionId = action.session_id.get(),
        actionId = action.action_id,
        state = action.state.name(),
        verification = verification.unwrap_or(none),
        reconciliation = reconciliation.unwrap_or(none),
        "checked"
    );
}
