//! What the sweeper does: messages that were never delivered, sessions that were forgotten.

use model::{
    ActionState, AgentAction, AgentSession, AgentSessionStatus, Error, Message, Timestamp,
};

use super::{Agent, Known, Part};
use crate::{
    key::{self, AnyKey},
    table::{Change, Condition, Record, Stored, Write},
};

/// An approved action that should have got further by now.
#[derive(Clone, Debug)]
pub struct DueAction {
    key: AnyKey,
    /// None when the record does not read.
    action: Option<Stored<AgentAction>>,
}

/// A session that has to be looked at.
#[derive(Clone, Debug)]
pub struct DueSession {
    key: AnyKey,
    /// None when the record does not read.
    session: Option<AgentSession>,
}

impl DueAction {
    /// The message to send for it; none when it is to be given up instead.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        let action = self.action.as_ref()?;
        (action.resends < AgentAction::MOST_RESENDS).then(|| Message::RunAction {
            organization_id: action.organization_id,
            session_id: action.session_id,
            action_id: action.action_id.clone(),
        })
    }

    /// The record's name, for the log.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.key.pk(), self.key.sk())
    }
}

impl DueSession {
    /// Whether approved actions of it may still run.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.status.is_running())
    }

    /// The record's name, for the log.
    #[must_use]
    pub fn name(&self) -> String {
        self.key.pk().to_owned()
    }
}

impl Agent<'_> {
    /// The actions that are due, at most `most`, the longest overdue first.
    pub async fn due_actions(&self, most: usize) -> Result<Vec<DueAction>, Error> {
        let due = self.due::<AgentAction>(most).await?;
        Ok(due
            .into_iter()
            .map(|Stored { record, version }| DueAction {
                key: record.key(),
                action: match record {
                    Part::Known(known) => match *known {
                        Known::AgentAction(record) => Some(Stored { record, version }),
                        Known::AgentSession(_) => None,
                    },
                    Part::Unreadable { .. } => None,
                },
            })
            .collect())
    }

    /// The sessions that are due, at most `most`, the longest overdue first.
    pub async fn due_sessions(&self, most: usize) -> Result<Vec<DueSession>, Error> {
        let due = self.due::<AgentSession>(most).await?;
        Ok(due
            .into_iter()
            .map(|Stored { record, .. }| DueSession {
                key: record.key(),
                session: match record {
                    Part::Known(known) => match *known {
                        Known::AgentSession(session) => Some(session),
                        Known::AgentAction(_) => None,
                    },
                    Part::Unreadable { .. } => None,
                },
            })
            .collect())
    }

    async fn due<R: Record>(&self, most: usize) -> Result<Vec<Stored<Part>>, Error> {
        let now = self.0.clock.now();
        let due = key::due::<R>().up_to(key::due_from(now)).limit(most);
        self.0.table.list_stored(due.read_as()).await
    }

    /// Notes that another message was sent for an action, and puts it off: by 30 seconds at first,
    /// and twice as long each time up to an hour.
    pub async fn sent_again(&self, due: &DueAction) -> Result<(), Error> {
        let Some(action) = &due.action else {
            return Ok(());
        };
        let next = action.next_resend(self.0.clock.now());
        // Refused means that a worker has claimed it meanwhile, which is what the message is for.
        self.put_off(action, next, Change::default().add("resends", 1))
            .await
    }

    /// Ends an action that nobody will run any more; answers the outcome if it did. A record that
    /// does not read counts as failed.
    pub async fn give_up_due(&self, due: &DueAction) -> Result<Option<ActionState>, Error> {
        if let Some(action) = &due.action {
            let why = "Given up: it was sent to the worker many times, and nothing came of it.";
            self.end(action.clone(), why).await
        } else {
            self.set_aside(due.key.clone()).await?;
            Ok(Some(ActionState::Failed))
        }
    }

    /// Does what is due of a session: expires its proposal, ends an interrupted analysis, ends it
    /// after the last of its actions. Answers where it stands.
    pub async fn look_after(&self, due: &DueSession) -> Result<AgentSessionStatus, Error> {
        let Some(session) = &due.session else {
            self.set_aside(due.key.clone()).await?;
            return Ok(AgentSessionStatus::Failed);
        };
        let (tenant, id) = (session.organization_id, session.id);
        // The index may lag: only what stands in the table counts.
        let mut whole = self.get(tenant, id).await?;
        if whole.session.status.is_running() {
            let status = self.settle(tenant, id).await?;
            if status.is_running() {
                let next = self.0.clock.now().plus(AgentSession::SETTLE_CHECK);
                self.put_off(&whole.session, next, Change::default())
                    .await?;
            }
            return Ok(status);
        }
        let now = self.0.clock.now();
        let session = &mut whole.session;
        let status = session.status_at(now);
        if status == session.status {
            return Ok(status);
        }
        session.record.error = session.error_at(now).map(str::to_owned);
        session.record.status = status;
        session.record.due_at = None;
        session.record.updated_at = now;
        let write = Write::replace(session)?;
        // Refused means that it was cancelled or finished in the last instant.
        drop(self.0.table.write(write).await?);
        Ok(status)
    }

    async fn put_off<T: Record>(
        &self,
        stored: &Stored<T>,
        next: Timestamp,
        change: Change,
    ) -> Result<(), Error> {
        let change = change.set("dueAt", next).move_to(key::due_from(next));
        let unchanged = Condition::version(stored.version);
        let write = Write::update(stored.record.key(), change, unchanged);
        drop(self.0.table.write(write).await?);
        Ok(())
    }
}
