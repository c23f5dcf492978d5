//! Writes of a worker that holds an action: progress, release and outcome. Their conditions concern
//! the action's item alone; [`claim`](super::claim) says why.

use agent::{
    action::{ActionKey, ActionState, AgentAction, Outcome},
    journal::JournalEntry,
    transition::{ActionCommand, decide_action},
};
use model::base::Timestamp;
use table::{AnyKey, Condition, Gsi4, OrLeave, Record, Stored, UpdateExpression, Write, attribute};

use crate::{
    Result,
    key::{self, Keyed},
};

use super::{Agent, transition};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// The worker holds the action, and the session executes.
    Held,
    /// The session was cancelled. Nothing new may start.
    Cancelled,
    /// The lease ended and another worker took over.
    Lost,
}

impl Agent<'_> {
    /// Writes the progress of a held action, with its new answers. Returns whether the next call
    /// may be sent.
    pub async fn heartbeat(&self, action: &mut AgentAction) -> Result<Lease> {
        let mut noted = action.clone();
        let progress = ActionCommand::Progress;
        let answers = decide_action(progress, &mut noted, self.0.now()).unwrap_or_default();
        let progress = progress_of(&noted)?;
        let lease = self
            .while_held(&noted, progress, answers)
            .await?;
        if lease == Lease::Held {
            *action = noted;
        }
        Ok(lease)
    }

    /// Returns whether the alert of a held action was resolved since the claim. An unreadable alert
    /// counts as open.
    pub async fn alert_is_resolved(&self, action: &AgentAction) -> Result<bool> {
        let key = action
            .alert_id
            .key(action.key.organization_id);
        let alert = self.0.readable(&key).await?;
        Ok(alert.is_some_and(|alert| alert.stops_actions()))
    }

    /// Releases a held action until `next`.
    pub async fn release(&self, action: &AgentAction, next: Timestamp) -> Result<Lease> {
        let mut action = action.clone();
        let release = ActionCommand::Release(next);
        let noted = decide_action(release, &mut action, self.0.now()).unwrap_or_default();
        let change = visits_of(&action)?;
        self.while_held(&action, change, noted)
            .await
    }

    async fn while_held(
        &self,
        action: &AgentAction,
        change: UpdateExpression,
        noted: Vec<JournalEntry>,
    ) -> Result<Lease> {
        let expected = held(action).equals("stopping", false);
        let key = action.key();
        let mut writes = vec![Write::update(key.clone(), change, expected)];
        writes.extend(transition::entries(&noted)?);
        if self
            .0
            .table
            .transact(writes)
            .await?
            .is_ok()
        {
            return Ok(Lease::Held);
        }
        let action_read = self.0.read(&key).await?;
        let running = action_read.filter(|action_read| action_read.state == ActionState::Running);
        Ok(match running {
            Some(running) if running.fence.token == action.fence.token => Lease::Cancelled,
            _ => Lease::Lost,
        })
    }

    /// Writes the outcome of a held action with its saved minutes. False if the caller no longer
    /// held it.
    pub async fn record(&self, action: &AgentAction, outcome: &Outcome) -> Result<bool> {
        let mut action = action.clone();
        let writes = self.recorded(&mut action, outcome, true)?;
        let done = self
            .write_with_saving(writes, &action)
            .await?;
        Ok(done.is_ok())
    }

    /// Writes the outcome as [`record`](Self::record) does, but without the organization's total.
    /// Contention on the total must not lose an outcome. The sweeper counts the minutes later.
    pub async fn record_uncounted(&self, action: &AgentAction, outcome: &Outcome) -> Result<bool> {
        let mut action = action.clone();
        let writes = self.recorded(&mut action, outcome, false)?;
        Ok(self
            .0
            .table
            .transact(writes)
            .await?
            .is_ok())
    }

    /// Returns the writes of a held action's outcome, its last fix, and its journal entries.
    fn recorded(
        self,
        action: &mut AgentAction,
        outcome: &Outcome,
        is_counted: bool,
    ) -> Result<Vec<Write>> {
        let record = ActionCommand::Record {
            outcome,
            is_counted,
        };
        let noted = decide_action(record, action, self.0.now()).unwrap_or_default();
        let end = visits_of(action)?
            .set_attribute("checks", attribute(&action.checks)?)
            .set_attribute("end", attribute(&action.end)?);
        let mut writes = vec![Write::update(action.key(), end, held(action))];
        writes.extend(transition::entries(&noted)?);
        writes.extend(transition::outcome(action)?);
        Ok(writes)
    }

    /// Counts the minutes of an action that was recorded without them.
    pub(super) async fn count(&self, mut action: Stored<AgentAction>) -> Result<()> {
        decide_action(ActionCommand::Count, &mut action, self.0.now());
        let writes = vec![Write::replace(&action)?];
        // A refused write means that another caller counted them.
        self.write_with_saving(writes, &action)
            .await?
            .or_leave();
        Ok(())
    }

    /// Sets an unreadable action aside: the session counts it as failed, with an unknown outcome.
    /// Returns whether it did. A readable record stays as it is, and another read failure is an
    /// error.
    pub async fn set_aside_if_damaged(&self, action: &ActionKey) -> Result<bool> {
        let key = key::agent_action(action);
        let batch = self.0.batch([&key]).await?;
        let is_damaged = batch.has(&key) && batch.named(&key).is_none();
        if is_damaged {
            self.set_aside(&key.into()).await?;
        }
        Ok(is_damaged)
    }

    /// Gives up an action without a holder. Returns the outcome if it ended.
    pub(super) async fn end(
        &self,
        mut action: Stored<AgentAction>,
        why: &str,
    ) -> Result<Option<ActionState>> {
        let is_written = self
            .run_action(&mut action, ActionCommand::GiveUp(why))
            .await?;
        Ok(is_written.then_some(action.state))
    }

    /// Marks an unreadable item as failed and removes it from the index of due work.
    pub(super) async fn set_aside(&self, key: &AnyKey) -> Result<()> {
        let change = UpdateExpression::default()
            .set("setAsideAt", self.0.now())
            .set("state", ActionState::Failed);
        let write = Write::mend(key.clone(), change.leave(Gsi4));
        // A refused write means that the item is gone.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }
}

/// Returns the change of the holder's updates at work.
fn progress_of(action: &AgentAction) -> Result<UpdateExpression> {
    Ok(UpdateExpression::default()
        .set_attribute("progress", attribute(&action.progress)?)
        .set_attribute("journal", attribute(&action.journal)?)
        .set("updatedAt", action.updated_at))
}

/// Returns the change that writes the progress, the state and the next visits.
fn visits_of(action: &AgentAction) -> Result<UpdateExpression> {
    let change = progress_of(action)?
        .set("state", action.state)
        .set_attribute("schedule", attribute(&action.schedule)?);
    Ok(match action.gsi4() {
        Some(due) => change.enter(due),
        None => change.leave(Gsi4),
    })
}

/// Returns the condition that the claim with this token still holds the action.
fn held(action: &AgentAction) -> Condition {
    Condition::default()
        .equals("token", action.fence.token)
        .equals("state", ActionState::Running)
}
