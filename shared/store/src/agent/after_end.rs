//! Work on sessions after their end: the worker reads whether the matter of a completed one's alert is
//! settled, and the organization's journal names the newest entry of each.

use agent::{
    AgentSession, AgentSessionStatus, Alert, AlertStatus, Connection, JournalEvent, Judgement,
    Note, Sight, StatusSource, TargetRead,
};
use model::{AgentSessionId, EntryContent, Error, OrganizationId, SessionHead};

use super::{Agent, PAUSED, due::DueSession, journal::WORKER, transition};
use crate::{
    WriteContext,
    key::{self, AnyKey},
    table::{OrLeave, Read, Stored, Write},
    tracked::Tracked,
};

/// A due check of an alert.
#[derive(Clone, Debug)]
pub struct AlertCheck {
    session: Stored<AgentSession>,
    /// The reads that tell whether the matter is settled.
    pub reads: Vec<TargetRead>,
    /// The existing connections of these reads.
    pub connections: Vec<Connection>,
}

impl Agent<'_> {
    /// Returns the check of a session's alert. None if none is due. During a pause of the
    /// organization or of a connection, the check is deferred, and none is returned too.
    pub async fn to_check_alert(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<Option<AlertCheck>, Error> {
        let whole = self.get(tenant, id).await?;
        let mut session = whole.session;
        if !session.awaits_alert_check() {
            return Ok(None);
        }
        let now = self.0.clock.now();
        let Some(check) = session.alert_check(&whole.actions).cloned() else {
            // The verification that is awaited schedules the check again.
            session.end_alert_checks();
            self.write_or_leave(&session).await?;
            return Ok(None);
        };
        let Some(connections) = self.connections_of(tenant, &check.reads).await? else {
            session.check_alert_at(now.plus(PAUSED));
            self.write_or_leave(&session).await?;
            return Ok(None);
        };
        Ok(Some(AlertCheck {
            session,
            reads: check.reads,
            connections,
        }))
    }

    /// Resolves the alert, with its journal entry, if its conditions were read as true; otherwise
    /// schedules the next check. A concurrent change of the alert or the session leaves the check
    /// due.
    pub async fn alert_checked(&self, check: AlertCheck, sight: &Sight) -> Result<(), Error> {
        let mut session = check.session;
        let now = self.0.clock.now();
        let ends = session.resolved_when.as_ref();
        let is_settled = ends.is_some_and(|end| {
            let judgement = sight.judge(&end.conditions);
            matches!(judgement, Judgement::Holds)
        });
        if !is_settled {
            session.alert_is_unsettled(now);
            return self.write_or_leave(&session).await;
        }
        let from = session.status;
        session.matter_is_settled(now);
        let key = key::alert(session.organization_id, session.alert_id);
        let keys = [AnyKey::from(&key)];
        let batch = self.0.table.batch_get(keys, Read::Consistent).await?;
        // An unreadable alert cannot be resolved.
        let found: Option<Stored<Alert>> = batch.named(&key);
        let open = found.filter(|alert| alert.status != AlertStatus::Resolved);
        let Some(before) = open else {
            return self.settled_elsewhere(session, from).await;
        };
        let mut alert = before.clone();
        alert.resolve(StatusSource::Agent, now);
        let entry = Alert::entry_of_change(&before, &alert);
        let note = Note::new(WORKER, JournalEvent::AlertResolved, Some(from.name()));
        let mut writes = transition::of_session(&mut session, note, now)?;
        writes.push(Write::replace(&alert)?);
        let context = WriteContext::from(alert.organization_id);
        let done = self.0.transact(&context, writes, entry.as_slice()).await?;
        done.or_leave();
        Ok(())
    }

    /// Writes a session whose alert is resolved already, or cannot be.
    async fn settled_elsewhere(
        &self,
        mut session: Stored<AgentSession>,
        from: AgentSessionStatus,
    ) -> Result<(), Error> {
        if session.status == from {
            return self.write_or_leave(&session).await;
        }
        let note = Note::new(WORKER, JournalEvent::Settled, Some(from.name()));
        let writes = transition::of_session(&mut session, note, self.0.clock.now())?;
        self.0.table.transact(writes).await?.or_leave();
        Ok(())
    }

    /// Names the newest entries of ended sessions in their organization's journal. `due` is of one
    /// organization, at most [`NAMED`](DueSession::NAMED). A concurrent change of a session leaves all
    /// for the next visit.
    pub async fn name_ended(&self, due: &[&DueSession]) -> Result<(), Error> {
        let sessions = due.iter().filter_map(|due| due.session());
        let mut sessions: Vec<Stored<AgentSession>> = sessions.cloned().collect();
        let Some(tenant) = sessions.first().map(|session| session.organization_id) else {
            return Ok(());
        };
        let heads = sessions.iter().filter_map(|session| {
            Some(SessionHead {
                id: session.id,
                seq: session.journal.seq,
                at: session.journal_at?,
                hash: session.journal.hash.clone(),
            })
        });
        let entry = EntryContent::sessions_ended(&heads.collect::<Vec<_>>());
        for session in &mut sessions {
            session.set_named();
        }
        let writes: Result<Vec<Write>, Error> = sessions.iter().map(Write::replace).collect();
        let context = WriteContext::from(tenant);
        let done = self.0.transact(&context, writes?, entry.as_slice()).await?;
        done.or_leave();
        Ok(())
    }

    /// Records that the sweeper requested the check of a due session's alert.
    pub async fn alert_check_asked(&self, due: &DueSession) -> Result<(), Error> {
        let Some(mut session) = due.session().cloned() else {
            return Ok(());
        };
        session.alert_check_asked(self.0.clock.now());
        self.write_or_leave(&session).await
    }
}
