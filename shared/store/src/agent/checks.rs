//! Checks of target systems after an action or a session has ended. The worker sends the reads; the
//! current record judges the observation.

use agent::{
    action::{ActionKey, AgentAction, Message},
    alert::{Alert, AlertStatus, StatusSource},
    check::{Judgement, Observation, TargetRead},
    connection::{Connection, SystemKind},
    journal::{JournalEvent, Note},
    session::AgentSession,
};
use model::base::{AgentSessionId, Error};
use table::{OrLeave, Stored, Write};

use crate::{
    Result, Tenant,
    base::{WriteContext, retry::try_retry, tracked::Tracked},
    key::{self, Keyed},
};

use super::{
    Agent, PAUSED, SessionWithActions, due::DueSession, journal::WORKER, outcomes, transition,
};

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

/// Properties of the connections for the judgement of a check.
#[derive(Clone, Copy, Debug)]
struct CheckContext {
    /// The kind of the action's target system.
    kind: SystemKind,
    /// Milliseconds for which the reads may lag behind.
    settles_within: i64,
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
            action.defer_check(now.plus(PAUSED));
            self.0.replace_or_leave(&action).await?;
            return Ok(None);
        };
        connections.retain(|connection| !action.is_elsewhere(connection));
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
        let mut session = whole.session;
        if !session.awaits_alert_check() {
            return Ok(None);
        }
        let now = self.0.now();
        let Some(check) = session.alert_check(&whole.actions) else {
            // The verification that is awaited schedules the check again.
            session.end_alert_checks();
            self.0
                .replace_or_leave(&session)
                .await?;
            return Ok(None);
        };
        let reads = check.reads();
        let Some(connections) = self
            .connections_of(tenant, &reads)
            .await?
        else {
            session.check_alert_at(now.plus(PAUSED));
            self.0
                .replace_or_leave(&session)
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
        let context = CheckContext {
            kind: system.map_or(SystemKind::Other, Connection::system_kind),
            settles_within: Connection::settling_time(&check.connections),
        };
        let read = || self.get(tenant, id);
        let write = |whole| self.write_action_check(whole, &before, observation, context);
        let written = try_retry(read().await?, read, write).await?;
        written.ok_or_else(Error::contended)
    }

    /// None if another caller wrote it meanwhile.
    async fn write_action_check(
        &self,
        whole: SessionWithActions,
        before: &AgentAction,
        observation: &Observation,
        context: CheckContext,
    ) -> Result<Option<Option<(AgentAction, Option<Message>)>>> {
        let mut session = whole.session;
        let mut actions = whole.actions;
        let now = self.0.now();
        // Of two concurrent checks, the first one counts.
        let is_first = |action: &AgentAction| action.next_check_at() == before.next_check_at();
        let mut readable = actions.known.iter_mut();
        let Some(action) = readable.find(|action| action.key == before.key && is_first(action))
        else {
            return Ok(Some(None));
        };
        let from = action.state;
        let applied = action.apply_check(observation, context.settles_within, now);
        let Some((event, detail)) = applied else {
            return Ok(Some(None));
        };
        let note = Note::new(WORKER, event, Some(from.name())).with(detail);
        let mut writes = transition::of_action(action, note, now)?;
        let action = action.clone();
        if event == JournalEvent::Checked {
            // The session names the next check.
            session.note_outcomes(&actions);
            writes.push(Write::replace(&session)?);
            let done = self.0.table.transact(writes).await?;
            return Ok(done
                .is_ok()
                .then_some(Some((action.record, None))));
        }
        // A concurrent settlement has not seen this result. Both write the session, so one of them
        // retries.
        let from = session.status.name();
        let changes = if event == JournalEvent::Reconciled {
            session.settle_again(&actions, now)
        } else {
            session.note_outcomes(&actions);
            false
        };
        let from = changes.then_some(from);
        session.note_other_effect(&action, context.kind);
        session.plan_alert_check(&actions, now);
        let outcome = transition::of_outcome(&mut session, &actions, from, WORKER, now);
        writes.extend(outcome?);
        writes.extend(outcomes::writes(&action)?);
        writes.extend(outcomes::run_of_playbook(&action));
        let done = self
            .write_with_saving(writes, &action)
            .await?;
        let message = session.alert_check_message(now);
        Ok(done
            .is_ok()
            .then_some(Some((action.record, message))))
    }

    /// Resolves the alert, with its journal entry, if its conditions were read as true; otherwise
    /// schedules the next check. A concurrent change of the alert or the session leaves the check
    /// due.
    async fn write_alert_check(
        &self,
        mut session: Stored<AgentSession>,
        observation: &Observation,
    ) -> Result<()> {
        let now = self.0.now();
        let ends = session.plan.resolved_when.as_ref();
        let judgement = ends.map(|end| observation.judge(&end.conditions));
        if !matches!(judgement, Some(Judgement::Holds)) {
            session.alert_is_unsettled(now);
            return self.0.replace_or_leave(&session).await;
        }
        let from = session.status;
        session.matter_is_settled(now);
        let key = session
            .alert
            .alert_id
            .key(session.organization_id);
        // An unreadable alert cannot be resolved.
        let alert = self.0.readable(&key).await?;
        let open = alert.filter(|alert| alert.status != AlertStatus::Resolved);
        let Some(before) = open else {
            // It is resolved already, or cannot be.
            if session.status == from {
                return self.0.replace_or_leave(&session).await;
            }
            let note = Note::new(WORKER, JournalEvent::Settled, Some(from.name()));
            let writes = transition::of_session(&mut session, note, now)?;
            self.0
                .table
                .transact(writes)
                .await?
                .or_leave();
            return Ok(());
        };
        let mut alert = before.clone();
        alert.resolve(StatusSource::Agent, now);
        let entry = Alert::entry_of_change(&before, &alert);
        let note = Note::new(WORKER, JournalEvent::AlertResolved, Some(from.name()));
        let mut writes = transition::of_session(&mut session, note, now)?;
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
        let Some(mut session) = due.record.clone() else {
            return Ok(());
        };
        session.alert_check_requested(self.0.now());
        self.0.replace_or_leave(&session).await
    }
}
