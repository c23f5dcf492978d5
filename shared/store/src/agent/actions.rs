//! What the worker does to an action: claim it, go on with it, record what became of it.

use model::{
    ActionState, AgentAction, AgentSessionId, AgentSessionStatus, Error, JsonText, OrganizationId,
};

use super::{Agent, does_not_read, sessions::while_executing};
use crate::{
    REWRITES,
    directory::totals,
    key::{self, AnyKey, Gsi2},
    table::{Change, Condition, Read, Record, Stored, Write, attribute},
};

/// What a worker gets that asks for an action.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The action is the worker's until its lease ends.
    Held(Box<AgentAction>),
    /// Somebody else holds it. Should they die, the sweeper sends another message.
    Busy,
    /// It was ended just now, with this outcome.
    Ended(ActionState),
    /// There is nothing to run: it ended before.
    Over,
}

/// Whether a worker may go on with its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// It still holds the action, and the session still executes.
    GoOn,
    /// The session was cancelled: nothing new may start.
    Cancelled,
    /// The lease ended and somebody else took over: the action is none of its business any more.
    Lost,
}

/// What became of an action.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The outcome.
    pub state: ActionState,
    /// The last answer of the target system.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
}

impl Agent<'_> {
    /// Claims an action for `lease` milliseconds, if it is there to be run.
    ///
    /// `honours_keys` says of a target system whether it does a call once that is sent twice with
    /// the same idempotency key. For one that does not, the claim already notes that a call is
    /// under way, and an action that was left in that state ends as unknown: it is never sent
    /// again.
    pub async fn claim(
        &self,
        tenant: OrganizationId,
        session_id: AgentSessionId,
        action_id: &str,
        lease: i64,
        honours_keys: impl Fn(&str) -> bool,
    ) -> Result<Claim, Error> {
        let session_key = key::agent_session(tenant, session_id);
        let action_key = key::agent_action(tenant, session_id, action_id);
        for _ in 0..REWRITES {
            let batch = self
                .0
                .table
                .batch_get(
                    [AnyKey::from(&session_key), AnyKey::from(&action_key)],
                    Read::Consistent,
                )
                .await?;
            let session = batch.get(&session_key)?;
            let action = batch.get(&action_key)?;
            let (Some(session), Some(mut action)) = (session, action) else {
                return Err(does_not_read(AgentAction::KIND));
            };
            let now = self.0.clock.now();
            if action.state.has_ended() {
                return Ok(Claim::Over);
            }
            if action.is_held(now) {
                return Ok(Claim::Busy);
            }
            let honours = honours_keys(&action.target_system);
            let given_up = match session.status {
                AgentSessionStatus::Executing if !honours && action.sending => Some((
                    ActionState::Unknown,
                    "The worker was interrupted while a call was under way, and the target system \
                     may have done it. Check there; it is not sent again.",
                )),
                AgentSessionStatus::Executing if action.attempts >= AgentAction::MOST_ATTEMPTS => {
                    Some((
                        action.given_up(),
                        "Given up after several attempts, none of which got a clear answer.",
                    ))
                }
                AgentSessionStatus::Executing => None,
                _ => Some(action.cancelled()),
            };
            if let Some((outcome, why)) = given_up {
                action.record.end(outcome, why, now);
                if self.0.table.write(Write::replace(&action)?).await?.is_ok() {
                    return Ok(Claim::Ended(outcome));
                }
                continue;
            }
            // Its last holder is gone, and may have sent the call.
            action.record.ambiguous |= honours && action.state == ActionState::Running;
            action.record.state = ActionState::Running;
            action.record.sending = !honours;
            action.record.token += 1;
            action.record.attempts += 1;
            action.record.resends = 0;
            action.record.lease_until = Some(now.plus(lease));
            action.record.due_at = Some(now.plus(lease + AgentAction::LEASE_MARGIN));
            action.record.started_at.get_or_insert(now);
            action.record.updated_at = now;
            let writes = vec![
                while_executing(tenant, session_id),
                Write::replace(&action)?,
            ];
            if self.0.table.transact(writes).await?.is_ok() {
                return Ok(Claim::Held(Box::new(action.record)));
            }
            // Somebody else claimed it, or the session was cancelled: look again.
        }
        Ok(Claim::Busy)
    }

    /// Asks whether the next call may be sent, and notes the progress so far: `steps_done`,
    /// `sending` and `ambiguous` as they stand in `action`.
    pub async fn go_on(&self, action: &AgentAction) -> Result<Beat, Error> {
        let change = progress(action).set("updatedAt", self.0.clock.now());
        self.while_held(action, change).await
    }

    /// Gives the action back, to be claimed again when its message is redelivered.
    pub async fn release(&self, action: &AgentAction) -> Result<Beat, Error> {
        let now = self.0.clock.now();
        let due = now.plus(AgentAction::DELIVERY);
        let change = progress(action)
            .set("state", ActionState::Queued.name())
            .set("dueAt", due)
            .move_to(key::due_from(due))
            .set("updatedAt", now)
            .remove("leaseUntil");
        self.while_held(action, change).await
    }

    async fn while_held(&self, action: &AgentAction, change: Change) -> Result<Beat, Error> {
        let writes = vec![
            while_executing(action.organization_id, action.session_id),
            Write::update(action.key(), change, held(action)),
        ];
        Ok(match self.0.table.transact(writes).await? {
            Ok(()) => Beat::GoOn,
            Err(refused) if refused.at(1) => Beat::Lost,
            Err(_) => Beat::Cancelled,
        })
    }

    /// Records what became of an action, and the minutes that it saved, once and together.
    /// Answers whether it was still the worker's to record.
    pub async fn record(&self, action: &AgentAction, verdict: &Verdict) -> Result<bool, Error> {
        let now = self.0.clock.now();
        let mut change = progress(action)
            .set("state", verdict.state.name())
            .set("executedAt", now)
            .set("updatedAt", now)
            .remove("leaseUntil")
            .remove("dueAt")
            .leave(Gsi2);
        if let Some(response) = &verdict.response {
            change = change.set("response", attribute(response)?);
        }
        if let Some(error) = &verdict.error {
            change = change.set("error", error.as_str());
        }
        let mut writes = vec![Write::update(action.key(), change, held(action))];
        if verdict.state == ActionState::Succeeded && action.minutes_saved > 0 {
            writes.push(Write::update(
                key::totals(action.organization_id),
                Change::default().add(totals::MINUTES_SAVED, action.minutes_saved),
                Condition::default(),
            ));
        }
        Ok(self.0.table.transact(writes).await?.is_ok())
    }

    /// Ends an action whose message is delivered no more: unknown if a call may have taken
    /// effect, else failed. Nothing happens to one that has ended or that somebody holds; answers the
    /// outcome of one that was ended.
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
            Err(Error::Internal { .. }) => self.set_aside(key.into()).await.map(|()| None),
            Err(error) => Err(error),
        }
    }

    /// Ends an action that nobody holds; answers the outcome if it did.
    pub(super) async fn end(
        &self,
        mut action: Stored<AgentAction>,
        why: &str,
    ) -> Result<Option<ActionState>, Error> {
        let now = self.0.clock.now();
        if action.state.has_ended() || action.is_held(now) {
            return Ok(None);
        }
        let outcome = action.given_up();
        action.record.end(outcome, why, now);
        let done = self.0.table.write(Write::replace(&action)?).await?;
        Ok(done.is_ok().then_some(outcome))
    }

    /// Marks an item that does not read as failed, and takes it out of the index of what is due.
    pub(super) async fn set_aside(&self, key: AnyKey) -> Result<(), Error> {
        let change = Change::default()
            .set("setAsideAt", self.0.clock.now())
            .set("state", ActionState::Failed.name())
            .leave(Gsi2);
        let done = self
            .0
            .table
            .write(Write::update(key, change, Condition::exists()))
            .await?;
        drop(done);
        Ok(())
    }
}

/// What a holder knows better than the table.
fn progress(action: &AgentAction) -> Change {
    let flag = |value| aws_sdk_dynamodb::types::AttributeValue::Bool(value);
    Change::default()
        .set("stepsDone", action.steps_done)
        .set("sending", flag(action.sending))
        .set("ambiguous", flag(action.ambiguous))
}

/// The action is still the claim's that has this token.
fn held(action: &AgentAction) -> Condition {
    Condition::default()
        .equals("token", action.token)
        .equals("state", ActionState::Running.name())
}
