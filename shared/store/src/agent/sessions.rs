use std::collections::{BTreeMap, BTreeSet};

use agent::{
    action::{ActionKey, ActionState, Message},
    alert::{Alert, AlertStatus},
    connection::{Connection, Systems},
    journal::{JournalActor, JournalActorType, JournalEvent, Note},
    policy::{AgentPolicy, Approvers, PolicyRule},
    session::{
        AgentSession, Approved, Approver, Approving, Cancelled, Case, Proposal, SessionContext,
    },
};
use model::{
    base::{AgentSessionId, AlertId, Error, Id, UserId},
    people::EntryCredential,
};
use serde_json::json;
use table::{Condition, IntoAttribute, OrNotFound, Record, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{
        Pending, PendingWrite, WriteContext,
        idempotency::{Created, id_of},
        records::{KeptExcerpt, SessionOfAlert},
        retry::try_retry,
        writes::Writes,
    },
    key::{self, Keyed},
};

use super::{
    Agent, Excerpts, SessionWithActions, excerpts,
    journal::WORKER,
    policy::{Approvable, policy_in},
    transition,
};

/// The actor that analyses alerts.
const ENGINE: JournalActor = JournalActor::of(JournalActorType::Engine);

/// A session with a new proposal.
type Proposed = (Stored<AgentSession>, SessionContext, Excerpts);

/// A session in analysis.
#[derive(Debug)]
struct Analyzing {
    context: WriteContext,
    session: Stored<AgentSession>,
    policy: AgentPolicy,
    case: Case,
}

#[derive(Clone, Debug)]
pub enum Approval {
    /// The actions are queued. The caller sends a message for each id.
    Queued(SessionWithActions, Vec<String>),
    /// More approvers are needed.
    Pending(SessionWithActions),
    /// An earlier request approved them. Nothing was written.
    Standing(SessionWithActions),
}

impl Agent<'_> {
    /// Opens a session on an alert, or returns the current one. 404 if the alert is another
    /// tenant's.
    pub async fn open(
        &self,
        pending: impl Pending,
        alert: AlertId,
        by: UserId,
    ) -> Result<Stored<AgentSession>> {
        let (pending, tenant) = pending.with_tenant();
        let alerts = self.0.alerts();
        let read = || alerts.get(tenant, alert);
        let write = async |context: WriteContext, alert: Stored<Alert>| {
            let newest = async {
                match alert.agent_session_id {
                    Some(id) => {
                        self.0
                            .read(&key::agent_session(tenant, id))
                            .await
                    }
                    None => Ok(None),
                }
            };
            let (newest, id) = tokio::try_join!(newest, self.0.next_id())?;
            let now = self.0.now();
            if let Some(newest) = &newest
                && !newest.status_at(now).has_ended()
            {
                let nothing = Writes::default().making(newest.id);
                return self
                    .0
                    .commit(&context, nothing, newest.clone())
                    .await;
            }
            let id = id.used();
            let mut session = AgentSession::open(id, &alert, by, now);
            let by = JournalActor::user(Some(by));
            let noted = session.note(Note::new(by, JournalEvent::Opened, None), now);
            let points = UpdateExpression::default().set("agentSessionId", id);
            let points = points.set("updatedAt", now);
            let as_it_was = match alert.agent_session_id {
                None => Condition::exists().and("attribute_not_exists(#)", "agentSessionId", []),
                Some(old) => Condition::default().equals("agentSessionId", old),
            };
            let mut writes = vec![
                Write::update(alert.id.key(tenant), points, as_it_was),
                Write::create(&session)?,
                Write::create(&SessionOfAlert::of(&session))?,
                Write::create(&noted)?,
            ];
            // A session that has ended can be executed again until the alert has a newer one.
            if let Some(mut newest) = newest {
                newest.plan.superseded = true;
                newest.times.updated_at = now;
                writes.push(Write::replace(&newest)?);
            }
            let writes = Writes::from(writes).making(id);
            let session = Stored::created(session);
            self.0
                .commit(&context, writes, session)
                .await
        };
        let opened = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |made| self.session(tenant, id_of(made)?).await;
        opened.or_load(load).await
    }

    pub(super) async fn session(
        &self,
        tenant: Tenant,
        id: AgentSessionId,
    ) -> Result<Stored<AgentSession>> {
        let key = key::agent_session(tenant, id);
        self.0
            .one(&key, AgentSessionId::NOUN)
            .await
    }

    /// Analyses a session's alert with `analyse` and stores the proposal. The actions get ids. 404
    /// if the session is another tenant's. 409 unless it is started or awaits confirmation, or if
    /// it was cancelled or interrupted meanwhile. A failed analysis ends the session with the error
    /// `failed`.
    pub async fn propose(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        analyse: impl AsyncFnOnce(&Case) -> Result<Proposal>,
        failed: &str,
    ) -> Result<Proposed> {
        let (pending, tenant) = pending.with_tenant();
        let proposed = match self.begin_analysis(pending, id).await? {
            Created::New(analyzing) => match analyse(&analyzing.case).await {
                Ok(proposal) => {
                    self.finish_analysis(analyzing, proposal)
                        .await?
                }
                Err(error) => {
                    self.fail_analysis(analyzing, failed)
                        .await?;
                    return Err(error);
                }
            },
            Created::Replayed(made) => Created::Replayed(made),
        };
        let load = async |_| {
            let whole = self.get(tenant, id).await?;
            let (context, excerpts) = self.context(&whole).await?;
            Ok((whole.session, context, excerpts))
        };
        proposed.or_load(load).await
    }

    /// Begins an analysis. The status `analyzing` is written while alert and history are read.
    async fn begin_analysis(
        &self,
        pending: PendingWrite,
        id: AgentSessionId,
    ) -> Result<Created<Analyzing>> {
        let tenant = pending.tenant();
        let session = self.session(tenant, id);
        let (context, mut session) = match self
            .0
            .authorized(pending, session)
            .await?
        {
            Created::New(authorized) => authorized,
            Created::Replayed(made) => return Ok(Created::Replayed(made)),
        };
        let key = context.idempotency_key.as_ref();
        let key = key.map(|idempotency| idempotency.key.as_str());
        let from = session.status.name();
        let now = self.0.now();
        session.begin_analysis(key, now)?;
        session.people.proposed_by = context.actor;
        let by = JournalActor::user(context.actor);
        let begun = Note::new(by, JournalEvent::AnalysisBegun, Some(from));
        let writes = transition::of_session(&mut session, begun, now)?;
        let alert = session.alert.alert_id.key(tenant);
        let class = &session.alert.signal_type;
        let keys = vec![key::agent_policy(tenant).into()];
        let history = self
            .0
            .class_history(tenant, class, &alert, keys);
        let written = Box::pin(self.0.transact(&context, writes, &[]));
        let connections = self.0.connections();
        let outcomes = self.outcomes(tenant, &session.alert.entities);
        let (written, (alert, history, batch), connections, outcomes) =
            tokio::try_join!(written, history, connections.all(tenant), outcomes)?;
        if written.is_err() {
            return Err(Error::contended());
        }
        session.version += 1;
        let alert = alert
            .or_not_found(AlertId::NOUN)?
            .record;
        let connections: Vec<Connection> = connections
            .into_iter()
            .map(|connection| connection.record)
            .collect();
        let systems = Systems::new(&connections, &alert.target_system);
        let playbooks = outcomes.of(systems, now);
        Ok(Created::New(Analyzing {
            context,
            session,
            policy: policy_in(&batch, tenant, self.0.now())?,
            case: Case {
                alert,
                history,
                connections,
                playbooks,
            },
        }))
    }

    async fn finish_analysis(
        &self,
        analyzing: Analyzing,
        mut proposal: Proposal,
    ) -> Result<Created<Proposed>> {
        let write = analyzing.context;
        let mut session = analyzing.session;
        let from = session.status.name();
        let now = self.0.now();
        let excerpts = std::mem::take(&mut proposal.excerpts);
        session.finish_analysis(proposal.under(&analyzing.policy), now)?;
        let ids = session
            .plan
            .proposed_actions
            .iter()
            .map(|action| &action.id);
        let digests = session.digests(ids);
        let note = Note::new(ENGINE, JournalEvent::Proposed, Some(from));
        let detail = json!({ "actions": digests, "analysis": session.analysis_hash() });
        let mut writes = transition::of_session(&mut session, note.with(detail), now)?;
        let tenant = session.organization_id;
        let id = session.id;
        let kept = excerpts.iter().cloned();
        let kept = kept.map(|excerpt| KeptExcerpt::of_session(tenant, id, excerpt, now));
        writes.extend(excerpts::writes(kept)?);
        let is_resolved = analyzing.case.alert.status == AlertStatus::Resolved;
        let context = SessionContext {
            policy: analyzing.policy,
            approvers: Approvers::default(),
            is_resolved,
            unbound: BTreeSet::new(),
        };
        let proposed = (session.replaced(), context, excerpts.into());
        let done = self
            .0
            .commit(&write, writes, proposed)
            .await?;
        done.ok_or_else(Error::contended)
    }

    async fn fail_analysis(&self, analyzing: Analyzing, error: &str) -> Result<()> {
        let context = analyzing.context;
        let mut session = analyzing.session;
        let from = session.status.name();
        let now = self.0.now();
        session.fail_analysis(error, now);
        let note = Note::new(ENGINE, JournalEvent::AnalysisFailed, Some(from));
        let writes = transition::of_session(&mut session, note, now)?;
        let done = Box::pin(self.0.transact(&context, writes, &[])).await?;
        done.map_err(|_| Error::contended())
    }

    /// Approves actions, all or none, and writes them with their session in one transaction. Takes
    /// 1 to 50 ids. 404 if the session is another tenant's, and the errors of
    /// [`AgentSession::approve`]. 409 if the alert is resolved.
    pub async fn approve(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        approving: &Approving<'_>,
    ) -> Result<Approval> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.approvable(tenant, id, approving);
        let write = async |context: WriteContext, approvable| {
            self.approve_in(&context, approvable, approving)
                .await
        };
        // The future is large.
        let approved = Box::pin(self.0.write(pending, read, write)).await?;
        let load = async |_| {
            self.get(tenant, id)
                .await
                .map(Approval::Standing)
        };
        approved.or_load(load).await
    }

    /// None if the session changed meanwhile.
    async fn approve_in(
        &self,
        context: &WriteContext,
        approvable: Approvable,
        approving: &Approving<'_>,
    ) -> Result<Option<Created<Approval>>> {
        let now = self.0.now();
        let credential = context.credential.as_deref();
        let approver = approvable.approver(credential, now)?;
        let mut whole = approvable.whole.clone();
        let SessionWithActions { session, actions } = &mut whole;
        approver
            .policy
            .check_sign_in(credential, now)?;
        let from = session.status_at(now).name();
        let came_of_it = session.approve(actions, approving, &approver, now)?;
        if let Approved::Standing = came_of_it {
            let standing = Approval::Standing(whole);
            return self
                .0
                .commit(context, Writes::default(), standing)
                .await;
        }
        let note = approval(session, approving, (&approver, credential), from);
        let mut writes = Writes::from(transition::of_session(session, note, now)?);
        let alert = session
            .alert
            .alert_id
            .key(session.organization_id);
        let is_open = Condition::exists().and("# <> :", "status", ["resolved".into_attribute()]);
        writes.push_or(Write::check(alert, is_open), AgentSession::alert_resolved());
        let Approved::Queued { again, new } = came_of_it else {
            session.version += 1;
            let pending = Approval::Pending(whole);
            return self
                .0
                .commit(context, writes, pending)
                .await;
        };
        for action in again {
            writes.push(Write::replace(action)?);
        }
        for action in &new {
            writes.push(Write::create(action)?);
        }
        let mut ids = approving.ids.to_vec();
        ids.sort_unstable();
        let queued = Approval::Queued(whole.approved(&ids, new), ids);
        self.0
            .commit(context, writes, queued)
            .await
    }

    /// Rejects a session's proposal. 404 if it is another tenant's, 409 unless it awaits
    /// confirmation.
    pub async fn reject(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        by: UserId,
        reason: &str,
    ) -> Result<SessionWithActions> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.get(tenant, id);
        let write = async |context: WriteContext, mut whole: SessionWithActions| {
            let session = &mut whole.session;
            let mut writes = Vec::new();
            let from = session.status.name();
            let now = self.0.now();
            if session.reject(by, reason, now)? {
                let by = JournalActor::user(Some(by));
                let note = Note::new(by, JournalEvent::Rejected, Some(from));
                let note = note.with(json!({ "reason": reason }));
                writes = transition::of_session(session, note, now)?;
            }
            session.version += i64::from(!writes.is_empty());
            self.0
                .commit(&context, writes, whole)
                .await
        };
        let rejected = self
            .0
            .write(pending, read, write)
            .await?;
        rejected
            .or_load(async |_| read().await)
            .await
    }

    /// Cancels a session. Queued actions are skipped; running ones end and are recorded. Returns
    /// the session and the outcomes of the actions that ended now. 404 if it is another tenant's,
    /// 409 if it ended otherwise.
    pub async fn cancel(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
    ) -> Result<(Stored<AgentSession>, Vec<ActionState>)> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.get(tenant, id);
        let write = async |context: WriteContext, whole: SessionWithActions| {
            let mut session = whole.session;
            let mut actions = whole.actions;
            let from = session.status.name();
            let now = self.0.now();
            let Some(cancelled) = session.cancel(&mut actions, now)? else {
                let stands = (session, Vec::new());
                return self
                    .0
                    .commit(&context, Writes::default(), stands)
                    .await;
            };
            let Cancelled { ended, stopping } = cancelled;
            let outcomes = ended
                .iter()
                .map(|action| action.state)
                .collect();
            let states = ended
                .iter()
                .map(|action| (&action.key.action_id, action.state));
            let by = JournalActor::user(context.actor);
            let note = Note::new(by, JournalEvent::Cancelled, Some(from)).with(json!({
                "ended": states.collect::<BTreeMap<_, _>>(),
                "stopping": stopping.iter().map(|action| &action.key.action_id).collect::<Vec<_>>(),
            }));
            let mut writes = transition::of_session(&mut session, note, now)?;
            for action in ended {
                writes.push(Write::replace(action)?);
            }
            for action in stopping {
                // Its holder keeps writing it. The condition is only that it runs.
                let runs = Condition::default().equals("state", ActionState::Running);
                let stops = UpdateExpression::default().set("stopping", true);
                writes.push(Write::update(action.key(), stops, runs));
            }
            let cancelled = (session.replaced(), outcomes);
            self.0
                .commit(&context, writes, cancelled)
                .await
        };
        let cancelled = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |_| Ok((self.session(tenant, id).await?, Vec::new()));
        cancelled.or_load(load).await
    }

    /// Settles the session if this was its last running action. Returns the messages of actions it
    /// unblocks, or of the alert's check.
    pub async fn settle_after(&self, action: &ActionKey) -> Result<Vec<Message>> {
        let whole = self
            .get(action.organization_id, action.session_id)
            .await?;
        let waiting = whole
            .actions
            .waiting_for(&action.action_id)
            .into_iter();
        let waiting = waiting.map(|id| Message::RunAction(whole.session.key_of(&id)));
        let mut messages: Vec<Message> = waiting.collect();
        let settled = self.settle(whole, WORKER).await?;
        messages.extend(settled.and_then(|session| session.alert_check_message(self.0.now())));
        Ok(messages)
    }

    /// Ends a session whose approved actions have all ended, and otherwise does nothing. Returns
    /// the session; none if other callers kept writing it, each of whom settles it afterwards.
    pub(super) async fn settle(
        &self,
        whole: SessionWithActions,
        by: JournalActor,
    ) -> Result<Option<AgentSession>> {
        let tenant = whole.session.organization_id;
        let id = whole.session.id;
        let read = || self.get(tenant, id);
        let write = async |whole: SessionWithActions| {
            let mut session = whole.session;
            let actions = whole.actions;
            let from = session.status.name();
            let now = self.0.now();
            if !session.settle(&actions, now) {
                return Ok(Some(session.record));
            }
            let from = (!session.status.is_running()).then_some(from);
            let writes = transition::of_outcome(&mut session, &actions, from, by, now)?;
            let done = self.0.table.transact(writes).await?;
            Ok(done.is_ok().then_some(session.record))
        };
        try_retry(whole, read, write).await
    }
}

/// Returns the note of an approval, with the policy that asked for it.
fn approval(
    session: &AgentSession,
    approving: &Approving<'_>,
    (approver, credential): (&Approver<'_>, Option<&EntryCredential>),
    from: &'static str,
) -> Note {
    let by = JournalActor::user(Some(approving.by));
    let named = approving.ids.iter();
    let rules: BTreeMap<&str, Vec<PolicyRule>> = named
        .filter_map(|id| session.proposed(id))
        .map(|action| (&*action.id, approver.policy.demands(action).rules()))
        .collect();
    Note::new(by, JournalEvent::Approved, Some(from)).with(json!({
        "actions": session.digests(approving.ids.iter()),
        "again": approving.again,
        "note": approving.note,
        "signIn": credential.map(|credential| json!({
            "method": credential.method,
            "sessionId": credential.session_id,
        })),
        "policy": {"updatedAt": approver.policy.updated_at, "rules": rules},
    }))
}
