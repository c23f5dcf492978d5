use std::collections::BTreeSet;

use agent::{
    action::{ActionKey, ActionState, Message},
    alert::{Alert, AlertStatus},
    connection::{Connection, Systems},
    journal::JournalActor,
    policy::{AgentPolicy, Approvers},
    session::{AgentSession, Approving, Case, Proposal, SessionContext},
    transition::{SessionCommand, WORKER, open, supersede},
};
use model::base::{AgentSessionId, AlertId, Error, Id, UserId};
use table::{Condition, OrNotFound, Stored, UpdateExpression, Write};

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
    policy::{Approvable, policy_in},
};

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
            let (session, noted) = open(id, &alert, by, now);
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
                supersede(&mut newest, now);
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
        let (context, session) = match self
            .0
            .authorized(pending, session)
            .await?
        {
            Created::New(authorized) => authorized,
            Created::Replayed(made) => return Ok(Created::Replayed(made)),
        };
        let key = context.idempotency_key.as_ref();
        let key = key.map(|idempotency| idempotency.key.as_str());
        let now = self.0.now();
        let by = context.actor;
        let begin = SessionCommand::BeginAnalysis { by, key };
        let decided = SessionWithActions::alone(session).decide(begin, now)?;
        let session = decided.whole.session;
        let alert = session.alert.alert_id.key(tenant);
        let class = &session.alert.signal_type;
        let keys = vec![key::agent_policy(tenant).into()];
        let history = self
            .0
            .class_history(tenant, class, &alert, keys);
        let written = Box::pin(
            self.0
                .transact(&context, decided.writes, &[]),
        );
        let connections = self.0.connections();
        let outcomes = self.outcomes(tenant, &session.alert.entities);
        let (written, (alert, history, batch), connections, outcomes) =
            tokio::try_join!(written, history, connections.all(tenant), outcomes)?;
        if written.is_err() {
            return Err(Error::contended());
        }
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
        let now = self.0.now();
        let excerpts = std::mem::take(&mut proposal.excerpts);
        let finish = SessionCommand::FinishAnalysis(&proposal, &analyzing.policy);
        let decided = SessionWithActions::alone(analyzing.session).decide(finish, now)?;
        let session = decided.whole.session;
        let tenant = session.organization_id;
        let id = session.id;
        let kept = excerpts.iter().cloned();
        let kept = kept.map(|excerpt| KeptExcerpt::of_session(tenant, id, excerpt, now));
        let mut writes = decided.writes;
        writes.extend(excerpts::writes(kept)?);
        let is_resolved = analyzing.case.alert.status == AlertStatus::Resolved;
        let context = SessionContext {
            policy: analyzing.policy,
            approvers: Approvers::default(),
            is_resolved,
            unbound: BTreeSet::new(),
        };
        let proposed = (session, context, excerpts.into());
        let done = self
            .0
            .commit(&analyzing.context, writes, proposed)
            .await?;
        done.ok_or_else(Error::contended)
    }

    async fn fail_analysis(&self, analyzing: Analyzing, error: &str) -> Result<()> {
        let fail = SessionCommand::FailAnalysis(error);
        let decided = SessionWithActions::alone(analyzing.session).decide(fail, self.0.now())?;
        let written = self
            .0
            .transact(&analyzing.context, decided.writes, &[]);
        let done = Box::pin(written).await?;
        done.map_err(|_| Error::contended())
    }

    /// Approves actions, all or none, and writes them with their session in one transaction. Takes
    /// 1 to 50 ids. 404 if the session is another tenant's, and the errors of
    /// the approval. 409 if the alert is resolved.
    pub async fn approve(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        approving: &Approving<'_>,
    ) -> Result<Approval> {
        let (pending, tenant) = pending.with_tenant();
        let read = || self.approvable(tenant, id, approving);
        let decide = |context: &WriteContext, approvable: Approvable| {
            let now = self.0.now();
            let credential = context.credential.as_deref();
            let approver = approvable.approver(credential, now)?;
            approver
                .policy
                .check_sign_in(credential, now)?;
            let approve = SessionCommand::Approve {
                approving,
                approver: &approver,
                credential,
            };
            approvable
                .whole
                .clone()
                .decide(approve, now)
        };
        let decided = self
            .run(pending, id, read, decide)
            .await?;
        let whole = decided.whole;
        Ok(match decided.transition {
            None => Approval::Standing(whole),
            Some(approved) if approved.changed.is_empty() && approved.queued.is_empty() => {
                Approval::Pending(whole)
            }
            Some(_) => {
                let mut ids = approving.ids.to_vec();
                ids.sort_unstable();
                Approval::Queued(whole, ids)
            }
        })
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
        let decide = |_: &WriteContext, whole: SessionWithActions| {
            whole.decide(SessionCommand::Reject { by, reason }, self.0.now())
        };
        let read = || self.get(tenant, id);
        let rejected = self.run(pending, id, read, decide);
        Ok(rejected.await?.whole)
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
        let decide = |context: &WriteContext, whole: SessionWithActions| {
            let by = context.actor;
            whole.decide(SessionCommand::Cancel { by }, self.0.now())
        };
        let read = || self.get(tenant, id);
        let decided = self
            .run(pending, id, read, decide)
            .await?;
        let whole = decided.whole;
        let ended = decided
            .transition
            .map_or_else(Vec::new, |cancelled| cancelled.changed);
        let states = ended
            .iter()
            .filter_map(|id| whole.state(id));
        let states = states.collect();
        Ok((whole.session, states))
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
            let decided = whole.decide(SessionCommand::Settle { by }, self.0.now())?;
            let session = decided.whole.session.record;
            if decided.writes.is_empty() {
                return Ok(Some(session));
            }
            let done = self
                .0
                .table
                .transact(decided.writes)
                .await?;
            Ok(done.is_ok().then_some(session))
        };
        try_retry(whole, read, write).await
    }
}
