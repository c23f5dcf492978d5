//! Checks of target systems after an action or a session has ended. The worker sends the reads; the
//! current record judges the observation.

use agent::{
    action::{ActionKey, AgentAction, Message},
    alert::{Alert, AlertStatus, StatusSource},
    check::{Judgement, Observation, TargetRead},
    connection::{Connection, SystemKind},
    session::AgentSession,
    transition::{ActionCommand, AlertCheck, ObservedCheck, SessionCommand},
};
use model::base::{AgentSessionId, Error};
use table::{OrLeave, Stored, Write};

use crate::{
    Result, Tenant,
    base::{WriteContext, retry::try_retry, tracked::Tracked},
    key::{self, Keyed},
};

use super::{Agent, PAUSED, SessionWithActions, due::DueSession, outcomes};

#[derive(Clone, Debug)]
pub struct DueCheck {
    of: Checked,
    pub reads: Vec<TargetRead>,
    pub connections: Vec<Connection>,
}

#[derive(Clone, Debug)]
enum Checked {
    /// Its effect, or its unclear call.
    Action(Box<AgentAction>),
    /// The end of its alert.
    Session(Box<Stored<AgentSession>>),
}

impl Agent<'_> {
    /// Returns the due check of an action. None if none is due. During a pause of the organization
    /// or of a connection, the check is deferred, and none is returned too.
    pub async fn due_check(&self, action: &ActionKey) -> Result<Option<DueCheck>> {
        let tenant = action.organization_id;
        let action_read = self
            .0
            .read(&key::agent_action(action))
            .await?;
        let now = self.0.now();
        let is_due = |at| at <= now;
        let due_action = action_read.filter(|action| {
            action
                .next_check_at()
                .is_some_and(is_due)
        });
        let Some(mut action) = due_action else {
            return Ok(None);
        };
        let check = action.check();
        let reads = check
            .map(|check| check.reads())
            .unwrap_or_default();
        let Some(mut connections) = self
            .connections_of(tenant, &reads)
            .await?
        else {
            let defer = ActionCommand::DeferCheck(now.plus(PAUSED));
            self.run_action(&mut action, defer)
                .await?;
            return Ok(None);
        };
        connections.retain(|connection| !action.content.is_elsewhere(connection));
        Ok(Some(DueCheck {
            of: Checked::Action(Box::new(action.record)),
            reads,
            connections,
        }))
    }

    /// Returns the due check of a session's alert, as [`due_check`](Self::due_check) does.
    pub async fn due_alert_check(
        &self,
        tenant: Tenant,
        id: AgentSessionId,
    ) -> Result<Option<DueCheck>> {
        let whole = self.get(tenant, id).await?;
        let session = whole.session;
        if !session.awaits_alert_check() {
            return Ok(None);
        }
        let now = self.0.now();
        let Some(check) = session.alert_check(&whole.actions) else {
            // The verification that is awaited schedules the check again.
            let over = SessionCommand::CheckAlert(AlertCheck::Over);
            self.run_or_leave(session, over).await?;
            return Ok(None);
        };
        let reads = check.reads();
        let Some(connections) = self
            .connections_of(tenant, &reads)
            .await?
        else {
            let later = AlertCheck::Deferred(now.plus(PAUSED));
            self.run_or_leave(session, SessionCommand::CheckAlert(later))
                .await?;
            return Ok(None);
        };
        Ok(Some(DueCheck {
            of: Checked::Session(Box::new(session)),
            reads,
            connections,
        }))
    }

    /// Writes the observation of a check, and its effects on the session and the alert. Returns the
    /// action after it, and the message of the alert's check if this result made it due. None for a
    /// check of an alert, and if another worker did the check. 409 if others kept writing the
    /// session.
    pub async fn write_check(
        &self,
        check: DueCheck,
        observation: &Observation,
    ) -> Result<Option<(AgentAction, Option<Message>)>> {
        let before = match check.of {
            Checked::Action(action) => action,
            Checked::Session(session) => {
                self.write_alert_check(*session, observation)
                    .await?;
                return Ok(None);
            }
        };
        let tenant = before.key.organization_id;
        let id = before.key.session_id;
        let system = Connection::named(&check.connections, &before.content.target_system);
        let check = ObservedCheck {
            action: &before,
            observation,
            kind: system.map_or(SystemKind::Other, Connection::system_kind),
            settles_within: Connection::settling_time(&check.connections),
        };
        let read = || self.get(tenant, id);
        let write = |whole| self.write_action_check(whole, &check);
        let written = try_retry(read().await?, read, write).await?;
        written.ok_or_else(Error::contended)
    }

    /// None if another caller wrote it meanwhile. A concurrent settlement has not seen this result.
    /// Both write the session, so one of them retries.
    async fn write_action_check(
        &self,
        whole: SessionWithActions,
        check: &ObservedCheck<'_>,
    ) -> Result<Option<Option<(AgentAction, Option<Message>)>>> {
        let now = self.0.now();
        let decided = whole.decide(SessionCommand::CheckAction(check), now)?;
        let Some(transition) = decided.transition else {
            return Ok(Some(None));
        };
        let whole = decided.whole;
        let mut known = whole.actions.known.into_iter();
        let Some(action) = known.find(|action| action.key == check.action.key) else {
            return Ok(Some(None));
        };
        let mut writes = decided.writes;
        let (done, message) = if transition.is_verified {
            writes.extend(outcomes::run_of_playbook(&action));
            let done = self
                .write_with_saving(writes, &action)
                .await?;
            (done, whole.session.alert_check_message(now))
        } else {
            (self.0.table.transact(writes).await?, None)
        };
        Ok(done
            .is_ok()
            .then_some(Some((action.record, message))))
    }

    /// Resolves the alert, with its journal entry, if its conditions were read as true; otherwise
    /// schedules the next check. A concurrent change of the alert or the session leaves the check
    /// due.
    async fn write_alert_check(
        &self,
        session: Stored<AgentSession>,
        observation: &Observation,
    ) -> Result<()> {
        let now = self.0.now();
        let ends = session.plan.resolved_when.as_ref();
        let judgement = ends.map(|end| observation.judge(&end.conditions));
        if !matches!(judgement, Some(Judgement::Holds)) {
            let unsettled = SessionCommand::CheckAlert(AlertCheck::Unsettled);
            self.run_or_leave(session, unsettled)
                .await?;
            return Ok(());
        }
        let key = session
            .alert
            .alert_id
            .key(session.organization_id);
        // An unreadable alert cannot be resolved.
        let alert = self.0.readable(&key).await?;
        let open = alert.filter(|alert| alert.status != AlertStatus::Resolved);
        let is_open = open.is_some();
        let settled = SessionCommand::CheckAlert(AlertCheck::Settled { is_open });
        let Some(before) = open else {
            self.run_or_leave(session, settled)
                .await?;
            return Ok(());
        };
        let mut alert = before.clone();
        alert.resolve(StatusSource::Agent, now);
        let entry = Alert::entry_of_change(&before, &alert);
        let decided = SessionWithActions::alone(session).decide(settled, now)?;
        let mut writes = decided.writes;
        writes.push(Write::replace(&alert)?);
        let context = WriteContext::from(alert.organization_id);
        let done = self
            .0
            .transact(&context, writes, entry.as_slice())
            .await?;
        done.or_leave();
        Ok(())
    }

    pub async fn alert_check_requested(&self, due: &DueSession) -> Result<()> {
        let Some(session) = due.record.clone() else {
            return Ok(());
        };
        let requested = SessionCommand::CheckAlert(AlertCheck::Requested);
        self.run_or_leave(session, requested)
            .await?;
        Ok(())
    }
}
