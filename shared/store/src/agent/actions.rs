//! What the worker does to an action: claim it, go on with it, record what became of it.

use aws_sdk_dynamodb::types::AttributeValue;
use model::{
    ActionState, AgentAction, AgentSessionId, AgentSessionStatus, Claim, Error, Idempotency,
    OrganizationId, Outcome,
};

use super::{Agent, does_not_read, sessions::while_executing};
use crate::{
    directory::totals,
    key::{self, AnyKey, Gsi2},
    rewrite::try_rewrite,
    table::{Change, Condition, OrLeave, Read, Record, Stored, Write, attribute},
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
const RELEASED: [&str; 3] = ["state", "leaseUntil", "dueAt"];
/// What [`AgentAction::record`] changes.
const RECORDED: [&str; 6] = [
    "state",
    "leaseUntil",
    "dueAt",
    "response",
    "error",
    "executedAt",
];

impl Agent<'_> {
    /// Claims an action for `lease` milliseconds, if it is there to be run; `target` says of a
    /// target system what it makes of a call that is sent twice.
    pub async fn claim(
        &self,
        tenant: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
        lease: i64,
        target: impl Fn(&str) -> Idempotency,
    ) -> Result<Claim<Box<AgentAction>>, Error> {
        let read = || self.with_session(tenant, session_id, action_id);
        let claimed = try_rewrite(read().await?, read, async |(session, mut action)| {
            let now = self.0.clock.now();
            let target = target(&action.target_system);
            let claim = action.claim(session, target, lease, now);
            let mut writes = vec![Write::replace(&action)?];
            let claim = match claim {
                Claim::Over => return Ok(Some(Claim::Over)),
                Claim::Busy => return Ok(Some(Claim::Busy)),
                Claim::Ended(outcome) => Claim::Ended(outcome),
                Claim::Held(()) => {
                    writes.push(while_executing(tenant, session_id));
                    Claim::Held(Box::new(action.record))
                }
            };
            // Refused means that somebody else claimed it, or that the session was cancelled.
            let done = self.0.table.transact(writes).await?;
            Ok(done.is_ok().then_some(claim))
        });
        Ok(claimed.await?.unwrap_or(Claim::Busy))
    }

    /// An action, and where its session stands.
    async fn with_session(
        &self,
        tenant: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
    ) -> Result<(AgentSessionStatus, Stored<AgentAction>), Error> {
        let session_key = key::agent_session(tenant, session_id);
        let action_key = key::agent_action(tenant, session_id, action_id);
        let keys = [AnyKey::from(&session_key), AnyKey::from(&action_key)];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        match (batch.get(&session_key)?, batch.get(&action_key)?) {
            (Some(session), Some(action)) => Ok((session.status, action)),
            _ => Err(is_not_there()),
        }
    }

    /// Notes the progress of an action that the caller holds, and asks whether the next call may
    /// be sent.
    pub async fn heartbeat(&self, action: &AgentAction) -> Result<Lease, Error> {
        let mut action = action.clone();
        action.updated_at = self.0.clock.now();
        self.while_held(&action, as_in(&action, &PROGRESS)?).await
    }

    /// Gives an action back that the caller holds, to be claimed again when its message is
    /// redelivered.
    pub async fn release(&self, action: &AgentAction) -> Result<Lease, Error> {
        let mut action = action.clone();
        action.release(self.0.clock.now());
        let change = as_in(&action, &[&PROGRESS[..], &RELEASED].concat())?;
        self.while_held(&action, change).await
    }

    async fn while_held(&self, action: &AgentAction, change: Change) -> Result<Lease, Error> {
        let writes = vec![
            while_executing(action.organization_id, action.session_id),
            Write::update(action.key(), change, held(action)),
        ];
        Ok(match self.0.table.transact(writes).await? {
            Ok(()) => Lease::Held,
            Err(refused) if refused.at(1) => Lease::Lost,
            Err(_) => Lease::Cancelled,
        })
    }

    /// Records what became of an action that the caller holds, and the minutes that it saved, once
    /// and together. Answers whether it was still the caller's to record.
    pub async fn record(&self, action: &AgentAction, outcome: &Outcome) -> Result<bool, Error> {
        let mut action = action.clone();
        action.record(outcome, self.0.clock.now());
        let change = as_in(&action, &[&PROGRESS[..], &RECORDED].concat())?;
        let mut writes = vec![Write::update(action.key(), change, held(&action))];
        if action.saved() > 0 {
            writes.push(Write::update(
                key::totals(action.organization_id),
                Change::default().add(totals::MINUTES_SAVED, action.saved()),
                Condition::default(),
            ));
        }
        Ok(self.0.table.transact(writes).await?.is_ok())
    }

    /// Ends an action whose message is delivered no more: unknown if a call may have taken
    /// effect, else failed. Nothing happens to one that has ended or that somebody holds; answers
    /// the outcome of one that was ended.
    pub async fn give_up(
        &self,
        tenant: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
        why: &str,
    ) -> Result<Option<ActionState>, Error> {
        let key = key::agent_action(tenant, session_id, action_id);
        match self.0.table.get(&key, Read::Consistent).await {
            Ok(None) => Ok(None),
            Ok(Some(action)) => self.end(action, why).await,
            Err(Error::Internal { .. }) => self.set_aside(&key.into()).await.map(|()| None),
            Err(error) => Err(error),
        }
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

/// A message names an action that the table does not have.
fn is_not_there() -> Error {
    Error::internal("claiming an action", "there is none under its key")
}
