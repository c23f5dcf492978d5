//! Checks of target systems: an action's reads and their results.

use std::time::Duration;

use agent::{ActionKey, AgentAction, Connection, Message, Sight, Silence, TargetRead};
use model::{AgentSessionId, Error, Id, OrganizationId};
use store::{AwaitedLook, Store};
use targets::Targets;

use crate::limits::Limits;

/// Runs the due checks of an ended action: first the reconciliation of its call, then the
/// verification of its effect. Returns the message of the alert's check, if that is due.
pub(crate) async fn look_at(
    store: &Store,
    targets: &Targets,
    limits: &Limits,
    action: &ActionKey,
) -> Result<Option<Message>, Error> {
    let agent = store.agent();
    let mut message = None;
    for _ in 0..2 {
        let awaited = agent.to_look(action).await?;
        let Some(AwaitedLook {
            action,
            connections,
        }) = awaited
        else {
            break;
        };
        let reads = action.awaited_reads();
        let sight = see(targets, &reads, &connections, limits.look_timeout()).await;
        let system = Connection::named(&connections, &action.content.target_system);
        let kind = system.map_or("", |system| &*system.kind);
        let Some(looked) = agent.looked(&action, &sight, kind).await? else {
            break;
        };
        log(&looked.action);
        message = looked.message;
    }
    Ok(message)
}

/// Runs the due check of a completed session's alert: resolves it if its matter is read as settled.
pub(crate) async fn check_alert(
    store: &Store,
    targets: &Targets,
    limits: &Limits,
    (tenant, session_id): (OrganizationId, AgentSessionId),
) -> Result<(), Error> {
    let agent = store.agent();
    let Some(check) = agent.to_check_alert(tenant, session_id).await? else {
        return Ok(());
    };
    let timeout = limits.look_timeout();
    let sight = see(targets, &check.reads, &check.connections, timeout).await;
    agent.alert_checked(check, &sight).await
}

/// Sends reads concurrently.
pub(crate) async fn see<'a>(
    targets: &Targets,
    reads: &[TargetRead],
    connections: impl IntoIterator<Item = &'a Connection> + Clone,
    timeout: Duration,
) -> Sight {
    let through = |name: &str| {
        let mut connections = connections.clone().into_iter();
        let connection = connections.find(|one| *one.name == *name);
        connection.ok_or_else(|| Silence::for_good(format!("There is no connection {name}.")))
    };
    let seen = targets.read_all(reads, through, timeout).await;
    reads.iter().zip(seen).collect()
}

fn log(action: &AgentAction) {
    let (verification, reconciliation) =
        (&action.checks.verification, &action.checks.reconciliation);
    let verification = verification.as_ref().map(|looks| looks.status.into());
    let reconciliation = reconciliation.as_ref().map(|looks| looks.status.into());
    let none = "none";
    tracing::info!(
        traceId = action.round.trace_id.as_deref(),
        organizationId = action.key.organization_id.get(),
        sessionId = action.key.session_id.get(),
        actionId = action.key.action_id,
        state = action.state.name(),
        verification = verification.unwrap_or(none),
        reconciliation = reconciliation.unwrap_or(none),
        "checked"
    );
}
