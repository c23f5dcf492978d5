//! Checks of target systems after an action has ended. The worker sends the reads; the action's
//! current record judges the observation.

use agent::{ActionKey, ActionState, AgentAction, Connection, JournalEvent, Message, Note, Sight};
use model::Error;

use super::{Agent, PAUSED, SessionWithActions, journal::WORKER, outcomes, transition};
use crate::{
    key,
    retry::try_retry,
    table::{Read, Stored, Write},
};

/// An action with a due check.
#[derive(Clone, Debug)]
pub struct AwaitedLook {
    /// The action.
    pub action: Box<AgentAction>,
    /// The existing connections of its reads.
    pub connections: Vec<Connection>,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Looked {
    /// The action after it.
    pub action: Box<AgentAction>,
    /// The message of the alert's check, if this result made it due.
    pub message: Option<Message>,
}

impl Agent<'_> {
    /// Returns an action with a due check. None if no check is due. During a pause of the
    /// organization or of a connection, the check is deferred, and none is returned too.
    pub async fn to_look(&self, action: &ActionKey) -> Result<Option<AwaitedLook>, Error> {
        let table = &self.0.table;
        let (tenant, key) = (action.organization_id, key::agent_action(action));
        let found: Option<Stored<AgentAction>> = table.get(&key, Read::Consistent).await?;
        let now = self.0.clock.now();
        let is_due =
            |action: &Stored<AgentAction>| action.next_look_at().is_some_and(|at| at <= now);
        let Some(mut action) = found.filter(is_due) else {
            return Ok(None);
        };
        let connections = self.connections_of(tenant, &action.awaited_reads()).await?;
        let Some(connections) = connections else {
            action.look_later(now.plus(PAUSED));
            self.write_or_leave(&action).await?;
            return Ok(None);
        };
        Ok(Some(AwaitedLook {
            action: Box::new(action.record),
            connections,
        }))
    }

    /// Writes the observation of a check, and the effects on the session. `kind` is the kind of the
    /// target system. None if another worker did the check. 409 if others kept writing the session.
    pub async fn looked(
        &self,
        looked_at: &AgentAction,
        sight: &Sight,
        kind: &str,
    ) -> Result<Option<Looked>, Error> {
        let (tenant, id) = (looked_at.key.organization_id, looked_at.key.session_id);
        let read = || self.get(tenant, id);
        let write = |whole| self.looked_in(whole, looked_at, sight, kind);
        let written = try_retry(read().await?, read, write).await?;
        written.ok_or_else(Error::contended)
    }

    /// None if another caller wrote it meanwhile.
    async fn looked_in(
        &self,
        whole: SessionWithActions,
        looked_at: &AgentAction,
        sight: &Sight,
        kind: &str,
    ) -> Result<Option<Option<Looked>>, Error> {
        let (mut session, mut actions) = (whole.session, whole.actions);
        let now = self.0.clock.now();
        let mut known = actions.known.iter_mut();
        let Some(action) = known.find(|known| known.key == looked_at.key) else {
            return Ok(Some(None));
        };
        // Of two concurrent checks, the first one counts.
        if action.next_look_at() != looked_at.next_look_at() {
            return Ok(Some(None));
        }
        let from = action.state;
        let Some((event, detail)) = action.look(sight, now) else {
            return Ok(Some(None));
        };
        let note = Note::new(WORKER, event, Some(from.name())).with(detail);
        let mut writes = transition::of_action(action, note, now)?;
        if event == JournalEvent::Looked {
            let is_open = action.state == ActionState::Unknown;
            let action = action.clone();
            if is_open {
                // The session names the next check.
                session.note_outcomes(&actions);
                writes.push(Write::replace(&session)?);
            }
            let done = self.0.table.transact(writes).await?;
            let looked = Looked {
                action: Box::new(action.record),
                message: None,
            };
            return Ok(done.is_ok().then_some(Some(looked)));
        }
        let action = action.clone();
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
        session.note_other_amount(&action, kind);
        session.plan_alert_check(&actions, now);
        writes.extend(transition::of_outcome(
            &mut session,
            &actions,
            from,
            WORKER,
            now,
        )?);
        writes.extend(outcomes::writes(&action)?);
        writes.extend(outcomes::run_of_playbook(&action));
        let done = self.write_with_saving(writes, &action).await?;
        let looked = Looked {
            action: Box::new(action.record),
            message: session.alert_check_message(now),
        };
        Ok(done.is_ok().then_some(Some(looked)))
    }
}
