//! Looks at target systems: the reads of an action, and what they tell.

use std::time::Duration;

use futures::future::join_all;
use model::{
    AgentAction, AgentSessionId, Connection, Error, Facts, Id, JsonText, OrganizationId, Sight,
    Silence, TargetRead,
};
use serde_json::Value;
use store::{AwaitedLook, Store};
use targets::{NoAnswer, Seen, Targets};

use crate::limits::Limits;

/// Looks at an action that has ended, if its time has come: what became of its call, and behind that
/// whether it had its effect.
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

/// Sends reads side by side.
pub(crate) async fn see<'a>(
    targets: &Targets,
    reads: &[TargetRead],
    connections: impl IntoIterator<Item = &'a Connection> + Clone,
    timeout: Duration,
) -> Sight {
    let looks = reads.iter().map(|read| {
        let mut connections = connections.clone().into_iter();
        let connection = connections.find(|one| *one.name == *read.connection);
        async move { (read, seen(targets, read, connection, timeout).await) }
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

async fn seen(
    targets: &Targets,
    read: &TargetRead,
    connection: Option<&Connection>,
    timeout: Duration,
) -> (Facts, Option<Silence>) {
    let silent = |problem: String, is_for_good| {
        let silence = Silence {
            problem,
            is_for_good,
        };
        (Facts::default(), Some(silence))
    };
    let Some(connection) = connection else {
        let problem = format!(
            "There is no connection {} to look through.",
            read.connection
        );
        return silent(problem, true);
    };
    match targets.look(connection, read, timeout).await {
        Ok(seen) => {
            let silence = unclear(read, &seen);
            (seen.facts, silence)
        }
        Err(no_answer) => {
            let is_for_good = matches!(no_answer, NoAnswer::Unsendable(_));
            silent(no_answer.problem(), is_for_good)
        }
    }
}

/// Why an answer tells nothing of the record, if that is so: only that the record is there, or is not,
/// tells of it.
fn unclear(read: &TargetRead, seen: &Seen) -> Option<Silence> {
    let JsonText(excerpt) = &seen.excerpt;
    let status = excerpt
        .0
        .get("status")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let is_json = !excerpt.0.get("body").is_some_and(Value::is_string);
    // Of one that is long, the beginning is kept as a text.
    let has_facts = seen.facts.iter().count() > 1;
    let problem = match status {
        404 | 410 => return None,
        200..300 if is_json || has_facts => return None,
        200..300 => "something else than JSON".to_owned(),
        other => other.to_string(),
    };
    Some(Silence {
        problem: format!("The target system answered {problem} to {}.", read.name),
        is_for_good: false,
    })
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
        "looked at"
    );
}
