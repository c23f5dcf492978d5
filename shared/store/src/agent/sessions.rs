//! Transitions of a session.

use std::collections::BTreeMap;

use model::{
    ActionState, AgentSession, AgentSessionId, AgentSessionStatus, Approved, Approving, Cancelled,
    Case, Error, Id, JournalActor, JournalActorType, JournalEvent, Note, OrganizationId,
    PlaybookRecord, Proposal, Signal, SignalId, Timestamp, UserId,
};
use serde_json::json;

use super::{
    Agent, SessionOfSignal, SessionWithActions,
    journal::WORKER,
    playbooks::{labels, not_helped},
    policy::Approvable,
};
use crate::{
    Given, Permit,
    key::{self, AnyKey},
    once::id_of,
    rewrite::try_rewrite,
    table::{Change, Condition, OrNotFound, Read, Record, Stored, Write},
};

/// What analyses signals.
const ENGINE: JournalActor = JournalActor::of(JournalActorType::Engine);

/// A session whose signal is being analysed.
#[derive(Debug)]
struct Analyzing {
    given: Given,
    session: Stored<AgentSession>,
    case: Case,
}

/// What an approval came to.
#[derive(Clone, Debug)]
pub enum Approval {
    /// The actions are queued; a message is to be sent for each of these.
    Queued(SessionWithActions, Vec<String>),
    /// More people have to approve them before they run.
    Pending(SessionWithActions),
    /// They were approved before, and nothing was written.
    Standing(SessionWithActions),
}

impl Agent<'_> {
    /// Opens a session on a signal, or answers the one that stands. 404 when the signal is not
    /// the tenant's.
    pub async fn open(
        &self,
        permit: impl Into<Permit>,
        alert: SignalId,
        by: UserId,
    ) -> Result<Stored<AgentSession>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let signals = self.0.signals();
        let read = || signals.get(tenant, alert);
        let open = async |permit: Permit| {
            let open = |given, signal| self.open_on(given, signal, by);
            permit.rewrite(read, open).await
        };
        let again = async |made| self.session(tenant, id_of(made)?).await;
        permit.once(open, again).await
    }

    /// None when somebody else opened one meanwhile, which is answered next.
    async fn open_on(
        &self,
        given: Given,
        signal: Stored<Signal>,
        by: UserId,
    ) -> Result<Option<Stored<AgentSession>>, Error> {
        let tenant = signal.organization_id;
        let (newest, id) = tokio::try_join!(
            self.newest_session(tenant, signal.agent_session_id),
            self.0.next_id(),
        )?;
        let now = self.0.clock.now();
        if let Some(newest) = &newest
            && !newest.status_at(now).has_ended()
        {
            let made = Some(newest.id.get());
            let done = self.0.commit(&given, Vec::new(), made).await?;
            return Ok(done.is_ok().then(|| newest.clone()));
        }
        let mut session = AgentSession::open(id, &signal, by, now);
        let by = JournalActor::user(Some(by));
        let noted = session.note(Note::new(by, JournalEvent::Opened, None), now);
        let points = Change::default()
            .set("agentSessionId", id)
            .set("updatedAt", now);
        let as_it_was = match signal.agent_session_id {
            None => Condition::exists().and("attribute_not_exists(#)", "agentSessionId", []),
            Some(old) => Condition::default().equals("agentSessionId", old),
        };
        let mut writes = vec![
            Write::update(key::signal(tenant, signal.id), points, as_it_was),
            Write::create(&session)?,
            Write::create(&SessionOfSignal::of(&session))?,
            Write::create(&noted)?,
        ];
        // A session that failed may be executed again until there is another one.
        if let Some(newest) = newest {
            let as_it_was = Condition::version(newest.version);
            writes.push(Write::check(newest.key(), as_it_was));
        }
        let done = self.0.commit(&given, writes, Some(id.get())).await?;
        Ok(done.is_ok().then(|| Stored::created(session)))
    }

    async fn newest_session(
        &self,
        tenant: OrganizationId,
        id: Option<AgentSessionId>,
    ) -> Result<Option<Stored<AgentSession>>, Error> {
        let Some(id) = id else { return Ok(None) };
        let key = key::agent_session(tenant, id);
        self.0.table.get(&key, Read::Consistent).await
    }

    pub(super) async fn session(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<Stored<AgentSession>, Error> {
        let key = key::agent_session(tenant, id);
        self.0.one(&key, AgentSessionId::NOUN).await
    }

    /// Analyses a session's signal, given all that is known of it, and proposes what `analyse` comes to; the actions get their ids. 404 when the
    /// session is not the tenant's, 409 unless it is started or awaits
    /// confirmation, and when it was cancelled, or the analysis counted as interrupted, meanwhile. A
    /// session whose analysis fails says `failed`.
    pub async fn propose(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        analyse: impl AsyncFnOnce(&Case) -> Result<Proposal, Error>,
        failed: &str,
    ) -> Result<Stored<AgentSession>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let propose = async |permit| {
            let analyzing = self.begin_analysis(permit, id).await?;
            match analyse(&analyzing.case).await {
                Ok(proposal) => self.finish_analysis(analyzing, proposal).await,
                Err(error) => {
                    self.fail_analysis(analyzing, failed).await?;
                    Err(error)
                }
            }
        };
        let again = async |_| self.session(tenant, id).await;
        permit.once(propose, again).await
    }

    /// Begins an analysis: `analyzing` is written while signal and history are read.
    async fn begin_analysis(&self, permit: Permit, id: AgentSessionId) -> Result<Analyzing, Error> {
        let tenant = permit.tenant();
        let (given, mut session) = permit.beside(self.session(tenant, id)).await?;
        let key = given.attempt().map(|attempt| attempt.key.as_str());
        let (from, now) = (session.status.name(), self.0.clock.now());
        session.begin_analysis(key, now)?;
        session.proposed_by = given.actor();
        let by = JournalActor::user(given.actor());
        let begun = Note::new(by, JournalEvent::AnalysisBegun, Some(from));
        let writes = noted(&mut session, begun, now)?;
        let signal = key::signal(tenant, session.alert_id);
        let noted = not_helped(tenant, &session.entities);
        let class = &session.signal_type;
        let keys: Vec<AnyKey> = noted.iter().map(AnyKey::from).collect();
        let history = self.0.class_history(tenant, class, &signal, keys);
        let written = self.0.table.transact(writes);
        let connections = self.0.connections();
        let runs = self.playbook_runs(tenant);
        let (written, (signal, history, found), connections, runs) =
            tokio::try_join!(written, history, connections.all(tenant), runs)?;
        if written.is_err() {
            return Err(Error::contended());
        }
        session.version += 1;
        Ok(Analyzing {
            given,
            session,
            case: Case {
                signal: signal.or_not_found(SignalId::NOUN)?.record,
                history,
                connections: connections.into_iter().map(|one| one.record).collect(),
                playbooks: PlaybookRecord {
                    runs,
                    not_helped: labels(&noted, &found),
                },
            },
        })
    }

    /// Ends an analysis with what it proposes.
    async fn finish_analysis(
        &self,
        analyzing: Analyzing,
        proposal: Proposal,
    ) -> Result<Stored<AgentSession>, Error> {
        let Analyzing {
            given, mut session, ..
        } = analyzing;
        let (from, now) = (session.status.name(), self.0.clock.now());
        session.finish_analysis(proposal, now)?;
        let digests = session.digests(session.proposed_actions.iter().map(|action| &action.id));
        let note = Note::new(ENGINE, JournalEvent::Proposed, Some(from));
        let writes = noted(&mut session, note.with(json!({ "actions": digests })), now)?;
        let done = self
            .0
            .commit(&given, writes, Some(session.id.get()))
            .await?;
        done.map_err(|_| Error::contended())?;
        Ok(session.replaced())
    }

    /// Ends an analysis that did not come to a proposal.
    async fn fail_analysis(&self, analyzing: Analyzing, error: &str) -> Result<(), Error> {
        let Analyzing { mut session, .. } = analyzing;
        let (from, now) = (session.status.name(), self.0.clock.now());
        session.fail_analysis(error, now);
        let note = Note::new(ENGINE, JournalEvent::AnalysisFailed, Some(from));
        let writes = noted(&mut session, note, now)?;
        let done = self.0.table.transact(writes).await?;
        done.map_err(|_| Error::contended())
    }

    /// Approves actions, all or none, and writes them with their session in one transaction. 404
    /// when the session is not the tenant's, else as [`AgentSession::approve`] says, and 409 when
    /// actions are to run again and another session was opened on the signal. There are 1 to 50
    /// ids.
    pub async fn approve(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        approving: &Approving<'_>,
    ) -> Result<Approval, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.approvable(tenant, id, approving);
        let approve = async |permit: Permit| {
            let approve = |given, found| self.approve_in(given, found, approving);
            permit.rewrite(read, approve).await
        };
        let again = async |_| self.get(tenant, id).await.map(Approval::Standing);
        permit.once(approve, again).await
    }

    /// None when the session changed meanwhile.
    async fn approve_in(
        &self,
        given: Given,
        found: Approvable,
        approving: &Approving<'_>,
    ) -> Result<Option<Approval>, Error> {
        let (approver, mut whole) = (found.approver(), found.whole.clone());
        let SessionWithActions { session, actions } = &mut whole;
        let made = Some(session.id.get());
        let now = self.0.clock.now();
        let from = session.status_at(now).name();
        let came_of_it = session.approve(actions, approving, &approver, now)?;
        let (again, new) = match came_of_it {
            Approved::Queued { again, new } => (again, new),
            Approved::Pending => {
                let note = approval(session, approving, from);
                let writes = noted(session, note, now)?;
                let done = self.0.commit(&given, writes, made).await?;
                session.version += 1;
                return Ok(done.is_ok().then_some(Approval::Pending(whole)));
            }
            Approved::Standing => {
                let done = self.0.commit(&given, Vec::new(), made).await?;
                return Ok(done.is_ok().then_some(Approval::Standing(whole)));
            }
        };
        let note = approval(session, approving, from);
        let mut writes = noted(session, note, now)?;
        let runs_again = !again.is_empty();
        for action in again {
            writes.push(Write::replace(action)?);
        }
        for action in &new {
            writes.push(Write::create(action)?);
        }
        if runs_again {
            writes.push(while_newest(session));
        }
        let signal = writes.len() - 1;
        let queued = session.approved.clone();
        match self.0.commit(&given, writes, made).await? {
            Ok(()) => Ok(Some(Approval::Queued(whole.approved(new), queued))),
            Err(refused) if runs_again && refused.at(signal) => {
                Err(AgentSession::followed_by_another())
            }
            Err(_) => Ok(None),
        }
    }

    /// Rejects what a session proposes. 404 when it is not the tenant's, 409 unless it awaits
    /// confirmation.
    pub async fn reject(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        by: UserId,
        reason: &str,
    ) -> Result<SessionWithActions, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.get(tenant, id);
        let reject_in = |given, whole| self.reject_in(given, whole, by, reason);
        let reject = async |permit: Permit| permit.rewrite(read, reject_in).await;
        let again = async |_| self.get(tenant, id).await;
        permit.once(reject, again).await
    }

    /// None when the session changed meanwhile.
    async fn reject_in(
        &self,
        given: Given,
        mut whole: SessionWithActions,
        by: UserId,
        reason: &str,
    ) -> Result<Option<SessionWithActions>, Error> {
        let session = &mut whole.session;
        let made = Some(session.id.get());
        let mut writes = Vec::new();
        let (from, now) = (session.status.name(), self.0.clock.now());
        if session.reject(by, reason, now)? {
            let by = JournalActor::user(Some(by));
            let note = Note::new(by, JournalEvent::Rejected, Some(from));
            writes = noted(session, note.with(json!({ "reason": reason })), now)?;
        }
        let written = i64::from(!writes.is_empty());
        let done = self.0.commit(&given, writes, made).await?;
        session.version += written;
        Ok(done.is_ok().then_some(whole))
    }

    /// Cancels a session: actions that are queued are skipped, those that run end and are
    /// recorded. Answers the session and the outcomes that this gave its actions. 404 when it is
    /// not the tenant's, 409 when it has ended otherwise.
    pub async fn cancel(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
    ) -> Result<(Stored<AgentSession>, Vec<ActionState>), Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.get(tenant, id);
        let cancel = async |permit: Permit| {
            let cancel = |given, whole| self.cancel_in(given, whole);
            permit.rewrite(read, cancel).await
        };
        let again = async |_| Ok((self.session(tenant, id).await?, Vec::new()));
        permit.once(cancel, again).await
    }

    /// None when a worker claimed an action or ended one meanwhile.
    async fn cancel_in(
        &self,
        given: Given,
        whole: SessionWithActions,
    ) -> Result<Option<(Stored<AgentSession>, Vec<ActionState>)>, Error> {
        let SessionWithActions {
            mut session,
            mut actions,
        } = whole;
        let made = Some(session.id.get());
        let (from, now) = (session.status.name(), self.0.clock.now());
        let Some(cancelled) = session.cancel(&mut actions, now)? else {
            let done = self.0.commit(&given, Vec::new(), made).await?;
            return Ok(done.is_ok().then_some((session, Vec::new())));
        };
        let Cancelled { ended, stopping } = cancelled;
        let outcomes = ended.iter().map(|action| action.state).collect();
        let states = ended.iter().map(|action| (&action.action_id, action.state));
        let note = Note::new(
            JournalActor::user(given.actor()),
            JournalEvent::Cancelled,
            Some(from),
        );
        let note = note.with(json!({
            "ended": states.collect::<BTreeMap<_, _>>(),
            "stopping": stopping.iter().map(|action| &action.action_id).collect::<Vec<_>>(),
        }));
        let mut writes = noted(&mut session, note, now)?;
        for action in ended {
            writes.push(Write::replace(action)?);
        }
        for action in stopping {
            // Its holder goes on writing it: what matters is that it still runs.
            let runs = Condition::default().equals("state", ActionState::Running);
            let stops = Change::default().set("stopping", true);
            writes.push(Write::update(action.key(), stops, runs));
        }
        let done = self.0.commit(&given, writes, made).await?;
        Ok(done.is_ok().then(|| (session.replaced(), outcomes)))
    }

    /// Ends a session all of whose approved actions have ended, now that one has; answers the ids of
    /// the actions that waited for that one.
    pub async fn settle_after(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
        action_id: &str,
    ) -> Result<Vec<String>, Error> {
        let whole = self.get(tenant, id).await?;
        let waiting = whole.actions.waiting_for(action_id);
        self.settle(whole, WORKER).await?;
        Ok(waiting)
    }

    /// Ends a session all of whose approved actions have ended; otherwise, and when it has ended
    /// already, does nothing. Answers where it stands.
    pub(super) async fn settle(
        &self,
        whole: SessionWithActions,
        by: JournalActor,
    ) -> Result<AgentSessionStatus, Error> {
        let (tenant, id) = (whole.session.organization_id, whole.session.id);
        let read = || self.get(tenant, id);
        let settled = try_rewrite(whole, read, |whole| self.settle_in(whole, by)).await?;
        // Others keep writing it, and each of them settles after that.
        Ok(settled.unwrap_or(AgentSessionStatus::Executing))
    }

    /// None when somebody else wrote it meanwhile.
    async fn settle_in(
        &self,
        whole: SessionWithActions,
        by: JournalActor,
    ) -> Result<Option<AgentSessionStatus>, Error> {
        let SessionWithActions {
            mut session,
            actions,
        } = whole;
        let (from, now) = (session.status.name(), self.0.clock.now());
        if !session.settle(&actions, now) {
            return Ok(Some(session.status));
        }
        let writes = self
            .followed(&mut session, &actions, Some(from), by, now)
            .await?;
        let done = self.0.table.transact(writes).await?;
        Ok(done.is_ok().then_some(session.status))
    }
}

/// Writes a session whose transition was just made, and what the journal has to say of it.
pub(super) fn noted(
    session: &mut Stored<AgentSession>,
    note: Note,
    now: Timestamp,
) -> Result<Vec<Write>, Error> {
    let entry = session.note(note, now);
    Ok(vec![Write::replace(session)?, Write::create(&entry)?])
}

/// That somebody approved actions.
fn approval(session: &AgentSession, approving: &Approving<'_>, from: &'static str) -> Note {
    let by = JournalActor::user(Some(approving.by));
    Note::new(by, JournalEvent::Approved, Some(from)).with(json!({
        "actions": session.digests(approving.ids.iter()),
        "again": approving.again,
        "note": approving.note,
    }))
}

/// Expects that no other session was opened on the signal.
fn while_newest(session: &AgentSession) -> Write {
    Write::check(
        key::signal(session.organization_id, session.alert_id),
        Condition::default().equals("agentSessionId", session.id),
    )
}
