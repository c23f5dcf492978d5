//! Checks of target systems: an action's reads and their results.

use agent::{
    action::{ActionKey, AgentAction, Message},
    check::{CheckRecord, Observation, ReadError, TargetRead},
    connection::Connection,
};
use model::base::{AgentSessionId, Error, Id, OrganizationId};
use store::agent::DueCheck;

use crate::context::Context;

impl Context {
    /// Runs the due checks of an ended action: first those of its call, then those of
    /// its effect. Returns the message of the alert's check, if that is due.
    pub(crate) async fn check_action(&self, action: &ActionKey) -> Result<Option<Message>, Error> {
        let mut next = None;
        for _ in 0..2 {
            let Some(check) = self
                .store
                .agent()
                .due_check(action)
                .await?
            else {
                break;
            };
            let Some((action, message)) = self.check(check).await? else {
                break;
            };
            log(&action);
            next = message;
        }
        Ok(next)
    }

    /// Runs the due check of a completed session's alert: resolves it if its matter is read as
    /// settled.
    pub(crate) async fn check_alert(
        &self,
        tenant: OrganizationId,
        session: AgentSessionId,
    ) -> Result<(), Error> {
        if let Some(check) = self
            .store
            .agent()
            .due_alert_check(tenant, session)
            .await?
        {
            self.check(check).await?;
        }
        Ok(())
    }

    /// Sends the reads of a check and writes what they observe.
    async fn check(
        &self,
        check: DueCheck,
    ) -> Result<Option<(AgentAction, Option<Message>)>, Error> {
        let observation = self
            .observe(&check.reads, &check.connections)
            .await;
        self.store
            .agent()
            .write_check(check, &observation)
            .await
    }

    /// Sends reads concurrently.
    pub(crate) async fn observe<'a>(
        &self,
        reads: &[TargetRead],
        connections: impl IntoIterator<Item = &'a Connection> + Clone,
    ) -> Observation {
        let through = |name: &str| {
            let mut connections = connections.clone().into_iter();
            let connection = connections.find(|connection| *connection.name == *name);
            connection.ok_or_else(|| ReadError::for_good(format!("There is no connection {name}.")))
        };
        let timeout = self.limits.check_timeout();
        let seen = self
            .targets
            .read_all(reads, through, timeout)
            .await;
        reads.iter().zip(seen).collect()
    }
}

fn log(action: &AgentAction) {
    let checks = &action.checks;
    tracing::info!(
        traceId = action.round.trace_id.as_deref(),
        organizationId = action.key.organization_id.get(),
        sessionId = action.key.session_id.get(),
        actionId = action.key.action_id,
        state = action.state.name(),
        call = status_of(checks.call.as_ref()),
        effect = status_of(checks.effect.as_ref()),
        "checked"
    );
}

fn status_of(record: Option<&CheckRecord>) -> &'static str {
    record.map_or("none", |record| record.status.name())
}
