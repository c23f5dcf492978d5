//! Looks at target systems: the reads of an action, and what they tell.

use std::time::Duration;

use futures::future::join_all;
use model::{
    AgentAction, AgentSessionId, Connection, Error, Facts, Id, OrganizationId, Sight, Silence,
    Slug, TargetRead,
};
use store::{AwaitedLook, Store};
use targets::Targets;

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
        let view = see(targets, &reads, &connections, limits.look_timeout()).await;
        let Some(looked) = agent.looked(&action, &view.sight).await? else {
            return Ok(());
        };
        log(&looked);
    }
    Ok(())
}

/// What reads came to.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) sight: Sight,
    /// Connections one of whose answers was none of a system that works.
    troubled: Vec<Slug>,
}

impl View {
    /// Whether a connection gave an unclear answer. That it gave clear ones says nothing of calls that
    /// change something.
    pub(crate) fn is_troubled(&self, connection: &Connection) -> bool {
        self.troubled.contains(&connection.name)
    }
}

/// Sends reads side by side.
pub(crate) async fn see<'a>(
    targets: &Targets,
    reads: &[TargetRead],
    connections: impl IntoIterator<Item = &'a Connection> + Clone,
    timeout: Duration,
) -> View {
    let looks = reads.iter().map(|read| {
        let mut connections = connections.clone().into_iter();
        let connection = connections.find(|one| *one.name == *read.connection);
        async move {
            let told = ask(targets, read, connection, timeout).await;
            (read, connection, told)
        }
    });
    let mut view = View::default();
    for (read, connection, told) in join_all(looks).await {
        view.sight.add(told.facts);
        if let Some(silence) = told.silence {
            view.sight.lacks(&read.name, silence);
        }
        let troubled = connection.filter(|_| told.is_unclear);
        view.troubled.extend(troubled.map(|one| one.name.clone()));
    }
    view
}

/// What a read came to.
#[derive(Default)]
struct Told {
    facts: Facts,
    /// Why it told nothing, if so.
    silence: Option<Silence>,
    /// The system did not answer as one does that works.
    is_unclear: bool,
}

async fn ask(
    targets: &Targets,
    read: &TargetRead,
    connection: Option<&Connection>,
    timeout: Duration,
) -> Told {
    let Some(connection) = connection else {
        let name = &read.connection;
        let silence = Silence {
            problem: format!("There is no connection {name} to look through."),
            is_for_good: true,
        };
        return Told {
            silence: Some(silence),
            ..Told::default()
        };
    };
    match targets.look(connection, read, timeout).await {
        Ok(seen) => Told {
            silence: seen.silence(read),
            is_unclear: seen.is_unclear(),
            facts: seen.facts,
        },
        Err(no_answer) => Told {
            silence: Some(no_answer.silence()),
            is_unclear: no_answer.is_unclear(),
            ..Told::default()
        },
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
        "looked at"
    );
}
