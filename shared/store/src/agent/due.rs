//! Work of the sweeper: lost messages, abandoned sessions, and entries of the organization's
//! journal that name the newest entry of each ended session.

use agent::{
    action::{ActionState, AgentAction, Message},
    session::{AgentSession, AgentSessionStatus},
    transition::{ActionCommand, SWEEPER, SessionCommand},
};
use model::{
    base::{OrganizationId, Timestamp},
    people::{EntryContent, SessionHead},
};
use table::{
    AnyKey, OrLeave, Readable, Record, Stored,
    page::{Page, PageRequest},
};

use crate::{
    Result,
    base::{WriteContext, records::Workdesk},
    upkeep::{Shard, due},
};

use super::{Agent, SessionWithActions};

#[derive(Clone, Debug)]
pub struct Due<R> {
    key: AnyKey,
    /// None if unreadable.
    pub(super) record: Option<Stored<R>>,
}

pub type DueAction = Due<AgentAction>;

pub type DueSession = Due<AgentSession>;

/// The work that a due action needs.
#[derive(Clone, Debug)]
pub enum DueWork {
    Send(Message),
    GiveUp,
    Count,
}

impl DueAction {
    pub fn work(&self, now: Timestamp) -> DueWork {
        match &self.record {
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
        self.record
            .as_ref()
            .is_none_or(|action| {
                let is_planned = action.awaits_check() && action.schedule.resends == 0;
                !(action.schedule.deferred || is_planned)
            })
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
        let session = self
            .record
            .as_ref()
            .filter(|session| session.is_unnamed());
        session.map(|session| session.organization_id)
    }

    /// Returns its recorded status; none if it is unreadable.
    pub fn status(&self) -> Option<AgentSessionStatus> {
        self.record
            .as_ref()
            .map(|session| session.status)
    }

    /// Returns the message for the worker, if the check of its alert is due.
    pub fn message(&self, now: Timestamp) -> Option<Message> {
        self.record
            .as_ref()?
            .alert_check_message(now)
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
        wanted: &PageRequest,
    ) -> Result<Page<DueAction>> {
        self.due(shard, now, wanted).await
    }

    /// Returns a page of a shard's sessions that are due at `now`, longest overdue first.
    pub async fn due_sessions(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &PageRequest,
    ) -> Result<Page<DueSession>> {
        self.due(shard, now, wanted).await
    }

    async fn due<R: Record<Workdesk>>(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &PageRequest,
    ) -> Result<Page<Due<R>>> {
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
    pub async fn sent_again(&self, due: &DueAction) -> Result<()> {
        let Some(mut action) = due.record.clone() else {
            return Ok(());
        };
        // After a refused write, a worker has claimed or checked it: the message served its
        // purpose.
        self.run_action(&mut action, ActionCommand::Remind)
            .await?;
        Ok(())
    }

    /// Gives up an action that no worker will run. Returns its outcome if it ended; failed if
    /// unreadable.
    pub async fn give_up_due(&self, due: &DueAction) -> Result<Option<ActionState>> {
        if let Some(action) = due.record.clone() {
            let why = "The worker got many messages within 24 hours and did not finish the action.";
            self.end(action, why).await
        } else {
            self.set_aside(&due.key).await?;
            Ok(Some(ActionState::Failed))
        }
    }

    /// Counts the minutes of an action whose outcome was recorded without them.
    pub async fn count_due(&self, due: &DueAction) -> Result<()> {
        match due.record.clone() {
            Some(action) => self.count(action).await,
            None => Ok(()),
        }
    }

    /// Handles a due session: expires its proposal, ends an interrupted analysis, ends it after its
    /// last action, or takes it from the list of open work. Returns its status.
    pub async fn visit_session(&self, due: &DueSession) -> Result<AgentSessionStatus> {
        let Some(session) = &due.record else {
            self.set_aside(&due.key).await?;
            return Ok(AgentSessionStatus::Failed);
        };
        let tenant = session.organization_id;
        let id = session.id;
        // Its actions decide as well.
        let whole = self.get(tenant, id).await?;
        let session = whole.session.clone();
        if session.works() {
            let settled = self.settle(whole, SWEEPER).await?;
            if let Some(settled) = settled.filter(|settled| !settled.works()) {
                return Ok(settled.status);
            }
        }
        // A refused write means that it was cancelled or ended meanwhile.
        let visited = self
            .run_or_leave(session, SessionCommand::Visit)
            .await?;
        Ok(visited.status)
    }

    /// Names the newest entries of ended sessions in their organization's journal. `due` is of one
    /// organization, at most `DueSession::NAMED`. A concurrent change leaves all for the next
    /// visit.
    pub async fn name_ended(&self, due: &[&DueSession]) -> Result<()> {
        let sessions = due
            .iter()
            .filter_map(|due| due.record.clone());
        let sessions: Vec<Stored<AgentSession>> = sessions.collect();
        let Some(tenant) = sessions
            .first()
            .map(|session| session.organization_id)
        else {
            return Ok(());
        };
        let heads = sessions.iter().filter_map(|session| {
            Some(SessionHead {
                id: session.id,
                seq: session.journal.seq,
                at: session.times.journal_at?,
                hash: session.journal.hash.clone(),
            })
        });
        let entry = EntryContent::sessions_ended(&heads.collect::<Vec<_>>());
        let now = self.0.now();
        let mut writes = Vec::new();
        for session in sessions {
            let named = SessionWithActions::alone(session).decide(SessionCommand::Name, now)?;
            writes.extend(named.writes);
        }
        let context = WriteContext::from(tenant);
        let done = self
            .0
            .transact(&context, writes, entry.as_slice())
            .await?;
        done.or_leave();
        Ok(())
    }
}
