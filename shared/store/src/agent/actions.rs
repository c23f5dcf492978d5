//! What the worker does to an action that it holds: go on with it, give it back, record what became
//! of it. Nobody but the action itself is asked, of which [`claim`](super::claim) says why.

use aws_sdk_dynamodb::types::AttributeValue;
use model::{ActionState, AgentAction, AgentSessionId, Error, OrganizationId, Outcome, Timestamp};

use super::{Agent, does_not_read};
use crate::{
    directory::totals,
    key::{self, AnyKey, Gsi2},
    table::{Change, Condition, IntoAttribute, OrLeave, Read, Record, Stored, Write, attribute},
};

/// What became of a worker's lease on an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// The worker still holds the action, and the session still executes.
    Held,
    /// The session was cancelled: nothing new may start.
    Cancelled,
    /// The lease ended and somebody else took over: the action is none of its business any more.
    Lost,
}

/// What a holder knows better than the table while it works.
const PROGRESS: [&str; 4] = ["stepsDone", "sending", "ambiguous", "updatedAt"];
/// What [`AgentAction::release`] changes.
const RELEASED: [&str; 4] = ["state", "leaseUntil", "notBefore", "dueAt"];
/// What [`AgentAction::record`] and [`AgentAction::count_later`] change.
const RECORDED: [&str; 7] = [
    "state",
    "leaseUntil",
    "dueAt",
    "response",
    "error",
    "executedAt",
    "uncounted",
];

impl Agent<'_> {
    /// Notes the progress of an action that the caller holds, and asks whether the next call may
    /// be sent.
    pub async fn heartbeat(&self, action: &AgentAction) -> Result<Lease, Error> {
        let mut action = action.clone();
        action.updated_at = self.0.clock.now();
        self.while_held(&action, as_in(&action, &PROGRESS)?).await
    }

    /// Gives an action back that the caller holds, to be claimed again from an instant on.
    pub async fn release(&self, action: &AgentAction, next: Timestamp) -> Result<Lease, Error> {
        let mut action = action.clone();
        action.release(next, self.0.clock.now());
        let change = as_in(&action, &[&PROGRESS[..], &RELEASED].concat())?;
        self.while_held(&action, change).await
    }

    async fn while_held(&self, action: &AgentAction, change: Change) -> Result<Lease, Error> {
        let goes_on = [Some(false.into_attribute()), None];
        let expected = held(action).one_of("stopping", goes_on);
        let key = action.key();
        let write = Write::update(key.clone(), change, expected);
        if self.0.table.write(write).await?.is_ok() {
            return Ok(Lease::Held);
        }
        let found = self.0.table.get(&key, Read::Consistent).await?;
        let is_mine = found.is_some_and(|found| {
            found.token == action.token && found.state == ActionState::Running
        });
        Ok(if is_mine {
            Lease::Cancelled
        } else {
            Lease::Lost
        })
    }

    /// Records what became of an action that the caller holds, and the minutes that it saved, once
    /// and together. Answers whether it was still the caller's to record.
    pub async fn record(&self, action: &AgentAction, outcome: &Outcome) -> Result<bool, Error> {
        let mut action = action.clone();
        action.record(outcome, self.0.clock.now());
        let mut writes = vec![recorded(&action)?];
        if action.saved() > 0 {
            writes.push(counts(&action));
        }
        Ok(self.0.table.transact(writes).await?.is_ok())
    }

    /// As [`record`](Self::record), without the total, which every success of the organization
    /// writes: the sweeper counts the minutes later. What is known of a call must not be lost
    /// because a counter is busy.
    pub async fn record_uncounted(
        &self,
        action: &AgentAction,
        outcome: &Outcome,
    ) -> Result<bool, Error> {
        let mut action = action.clone();
        let now = self.0.clock.now();
        action.record(outcome, now);
        action.count_later(now);
        Ok(self.0.table.write(recorded(&action)?).await?.is_ok())
    }

    /// Counts the minutes of an action that was recorded without them.
    pub(super) async fn count(&self, mut action: Stored<AgentAction>) -> Result<(), Error> {
        let counts = counts(&action);
        action.counted();
        let writes = vec![Write::replace(&action)?, counts];
        // Refused means that somebody else has counted them.
        self.0.table.transact(writes).await?.or_leave();
        Ok(())
    }

    /// Takes an action out of everybody's way whose record does not read; it counts as failed for
    /// the session, and its outcome as unknown. Answers whether that was so: a record that reads
    /// is left as it is, and one that could not be read for another reason is an error.
    pub async fn set_aside_if_damaged(
        &self,
        tenant: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
    ) -> Result<bool, Error> {
        let key = key::agent_action(tenant, session_id, action_id);
        let keys = [AnyKey::from(&key)];
        let found = self.0.table.batch_get(keys, Read::Consistent).await?;
        let is_damaged = found.has(&key) && found.named(&key).is_none();
        if is_damaged {
            self.set_aside(&key.into()).await?;
        }
        Ok(is_damaged)
    }

    /// Ends an action that nobody holds; answers the outcome if it did.
    pub(super) async fn end(
        &self,
        mut action: Stored<AgentAction>,
        why: &str,
    ) -> Result<Option<ActionState>, Error> {
        let Some(outcome) = action.give_up(why, self.0.clock.now()) else {
            return Ok(None);
        };
        let done = self.0.table.write(Write::replace(&action)?).await?;
        Ok(done.is_ok().then_some(outcome))
    }

    /// Marks an item that does not read as failed, and takes it out of the index of what is due.
    pub(super) async fn set_aside(&self, key: &AnyKey) -> Result<(), Error> {
        let change = Change::default()
            .set("setAsideAt", self.0.clock.now())
            .set("state", ActionState::Failed)
            .leave(Gsi2);
        let write = Write::mend(key.clone(), change);
        // Refused means that it is gone.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

/// The attributes of these names as the record has them; what it lacks is taken away.
fn as_in(action: &AgentAction, names: &[&str]) -> Result<Change, Error> {
    let AttributeValue::M(mut record) = attribute(action)? else {
        return Err(does_not_read(AgentAction::KIND));
    };
    let mut change = Change::default();
    for name in names {
        change = match record.remove(*name) {
            Some(value) if !value.is_null() => change.set(name, value),
            _ => change.remove(name),
        };
    }
    if !names.contains(&"dueAt") {
        return Ok(change);
    }
    Ok(match action.due_at {
        Some(due) => change.move_to(key::due_from(due)),
        None => change.leave(Gsi2),
    })
}

/// The action is still the claim's that has this token.
fn held(action: &AgentAction) -> Condition {
    Condition::default()
        .equals("token", action.token)
        .equals("state", ActionState::Running)
}

/// Writes the outcome of an action that is still held.
fn recorded(action: &AgentAction) -> Result<Write, Error> {
    let change = as_in(action, &[&PROGRESS[..], &RECORDED].concat())?;
    Ok(Write::update(action.key(), change, held(action)))
}

/// Adds the minutes that an action saved to the organization's total.
fn counts(action: &AgentAction) -> Write {
    Write::update(
        key::totals(action.organization_id),
        Change::default().add(totals::MINUTES_SAVED, action.saved()),
        Condition::default(),
    )
}
