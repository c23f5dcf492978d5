//! Work of the sweeper: lost messages and abandoned sessions.

use agent::{
    action::{ActionState, AgentAction, Message},
    journal::{JournalEvent, Note},
    session::{AgentSession, AgentSessionStatus},
};
use model::{Error, OrganizationId, Timestamp};

use super::{Agent, journal::SWEEPER, transition};
use crate::{
    due::{self, Shard},
    key::AnyKey,
    page::{Page, Wanted},
    table::{OrLeave, Readable, Record, Stored, Write},
};

#[derive(Clone, Debug)]
pub struct Due<R> {
    key: AnyKey,
    /// None if unreadable.
    record: Option<Stored<R>>,
}

pub type DueAction = Due<AgentAction>;

pub type DueSession = Due<AgentSession>;

/// The work that a due action needs.
#[derive(Clone, Debug)]
pub enum DueWork {
    Send(Message),
    GiveUp,
    Count,
    /// Remove its key from the index. A write of version 1.0 ended the work and left the key behind.
    Remove,
}

impl DueAction {
    pub fn work(&self, now: Timestamp) -> DueWork {
        match &self.record {
            Some(action) if action.schedule.due_at.is_none() => DueWork::Remove,
            Some(action) if action.schedule.uncounted => DueWork::Count,
            Some(action) if action.awaits_check() => {
                DueWork::Send(Message::CheckAction(action.key.clone()))
            }
            Some(action) if action.may_be_resent(now) => {
                DueWork::Send(Message::RunAction(action.key.clone()))
            }
            _ => DueWork::GiveUp,
        }
    }

    /// True if it is late. False for a deferred action and for a planned check.
    pub fn is_overdue(&self) -> bool {
        let action = self.record.as_ref();
        action.is_none_or(|action| {
            let is_planned = action.awaits_check() && action.schedule.resends == 0;
            let is_over = action.schedule.due_at.is_none();
            !(action.schedule.deferred || is_planned || is_over)
        })
    }

    /// True if its record says that it is due later.
    fn is_deferred(&self, now: Timestamp) -> bool {
        let action = self.record.as_ref();
        action.is_some_and(|action| action.schedule.due_at.is_some_and(|due| due > now))
    }

    pub fn awaits_check(&self) -> bool {
        let action = self.record.as_ref();
        action.is_some_and(|action| action.awaits_check())
    }

    /// Returns the record's name for the log.
    pub fn name(&self) -> String {
        self.key.to_string()
    }
}

impl DueSession {
    /// The most ended sessions that one write names in the organization's journal.
    pub const NAMED: usize = 40;

    /// Returns its organization, if the organization's journal does not name its newest entry.
    pub fn unnamed_of(&self) -> Option<OrganizationId> {
        let session = self.session().filter(|session| session.is_unnamed());
        session.map(|session| session.organization_id)
    }

    /// Returns its recorded status; none if it is unreadable.
    pub fn status(&self) -> Option<AgentSessionStatus> {
        self.record.as_ref().map(|session| session.status)
    }

    /// Returns the message for the worker, if the check of its alert is due.
    pub fn message(&self, now: Timestamp) -> Option<Message> {
        self.session()?.alert_check_message(now)
    }

    pub(super) const fn session(&self) -> Option<&Stored<AgentSession>> {
        self.record.as_ref()
    }

    /// Returns the record's name for the log.
    pub fn name(&self) -> String {
        self.key.pk().to_owned()
    }
}

impl Agent<'_> {
    /// Returns a page of a shard's actions that are due at `now`, longest overdue first.
    pub async fn due_actions(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Page<DueAction>, Error> {
        let page: Page<DueAction> = self.due(shard, now, wanted).await?;
        // A write of version 1.0 may have deferred it, and left its key behind.
        Ok(page.filter_map(|due| (!due.is_deferred(now)).then_some(due)))
    }

    /// Returns a page of a shard's sessions that are due at `now`, longest overdue first.
    pub async fn due_sessions(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Page<DueSession>, Error> {
        self.due(shard, now, wanted).await
    }

    async fn due<R: Record<crate::Workdesk>>(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Page<Due<R>>, Error> {
        let page = due::page::<R, R>(&self.0.table, shard, now, wanted).await?;
        Ok(page.map(|readable| match readable {
            Readable::Yes(stored) => Due {
                key: stored.key().into(),
                record: Some(stored),
            },
            Readable::No(key) => Due { key, record: None },
        }))
    }

    /// Records another message for an action and schedules the next.
    pub async fn sent_again(&self, due: &DueAction) -> Result<(), Error> {
        let Some(mut action) = due.record.clone() else {
            return Ok(());
        };
        let now = self.0.clock.now();
        if action.awaits_check() {
            action.check_requested(now);
        } else {
            action.resent(now);
        }
        // After a refused write, a worker has claimed or checked it: the message served its purpose.
        self.write_or_leave(&action).await
    }

    /// Gives up an action that no worker will run. Returns the outcome if it ended. An unreadable
    /// record counts as failed.
    pub async fn give_up_due(&self, due: &DueAction) -> Result<Option<ActionState>, Error> {
        if let Some(action) = due.record.clone() {
            let why = "The worker got many messages within 24 hours and did not finish the action.";
            self.end(action, why).await
        } else {
            self.set_aside(&due.key).await?;
            Ok(Some(ActionState::Failed))
        }
    }

    /// Removes the key of an action that is no longer due from the index.
    pub async fn remove_due(&self, due: &DueAction) -> Result<(), Error> {
        match &due.record {
            Some(action) => self.write_or_leave(action).await,
            None => Ok(()),
        }
    }

    /// Counts the minutes of an action whose outcome was recorded without them.
    pub async fn count_due(&self, due: &DueAction) -> Result<(), Error> {
        match due.record.clone() {
            Some(action) => self.count(action).await,
            None => Ok(()),
        }
    }

    /// Handles a due session: expires its proposal, ends an interrupted analysis, ends it after its
    /// last action, or takes it from the list of open work. Returns its status.
    pub async fn visit_session(&self, due: &DueSession) -> Result<AgentSessionStatus, Error> {
        let Some(session) = &due.record else {
            self.set_aside(&due.key).await?;
            return Ok(AgentSessionStatus::Failed);
        };
        let (tenant, id) = (session.organization_id, session.id);
        // Its actions decide as well.
        let whole = self.get(tenant, id).await?;
        let mut session = whole.session.clone();
        let (from, now) = (session.status.name(), self.0.clock.now());
        let writes = if session.works() {
            let settled = self.settle(whole, SWEEPER).await?;
            if let Some(settled) = settled.filter(|settled| !settled.works()) {
                return Ok(settled.status);
            }
            session.check_later(now);
            vec![Write::replace(&session)?]
        } else if session.lapse(now) {
            let note = Note::new(SWEEPER, JournalEvent::Lapsed, Some(from));
            transition::of_session(&mut session, note, now)?
        } else if session.close(now) {
            vec![Write::replace(&session)?]
        } else {
            return Ok(session.status);
        };
        // A refused write means that it was cancelled or ended meanwhile.
        self.0.table.transact(writes).await?.or_leave();
        Ok(session.status)
    }
}
