//! Looks at target systems: the reads of an action, and what they tell.

use std::time::Duration;

use futures::future::join_all;
use model::{
    AgentAction, AgentSessionId, Connection, Error, Facts, Id, OrganizationId, Sight, Silence,
    Slug, TargetRead,
};
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

impl Told {
    fn nothing(problem: String) -> Self {
        Self {
            silence: Some(Silence {
                problem,
                is_for_good: false,
            }),
            ..Self::default()
        }
    }

    fn never(problem: String) -> Self {
        Self {
            silence: Some(Silence {
                problem,
                is_for_good: true,
            }),
            ..Self::default()
        }
    }

    fn unclear(problem: String) -> Self {
        Self {
            is_unclear: true,
            ..Self::nothing(problem)
        }
    }
}

async fn ask(
    targets: &Targets,
    read: &TargetRead,
    connection: Option<&Connection>,
    timeout: Duration,
) -> Told {
    let Some(connection) = connection else {
        let name = &read.connection;
        return Told::never(format!("There is no connection {name} to look through."));
    };
    match targets.look(connection, read, timeout).await {
        Ok(seen) => told(read, seen),
        Err(NoAnswer::Unsendable(problem)) => Told::never(problem),
        Err(NoAnswer::NotSent(problem)) => Told::nothing(problem),
        Err(no_answer @ (NoAnswer::Unreachable | NoAnswer::BrokenOff(_))) => {
            Told::unclear(no_answer.problem())
        }
    }
}

/// What an answer tells of the record: only that it is there, or is not, tells of it.
fn told(read: &TargetRead, seen: Seen) -> Told {
    let says = |what: &str| format!("The target system answered {what} to {}.", read.name);
    let told = match seen.status {
        404 | 410 => Told::default(),
        200..300 if seen.is_json => Told::default(),
        200..300 => Told::unclear(says("something else than JSON")),
        trouble @ (408 | 425 | 500..) => Told::unclear(says(&trouble.to_string())),
        other => Told::nothing(says(&other.to_string())),
    };
    Told {
        facts: seen.facts,
        ..told
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
