//! Transitions of a session.

use model::{
    ActionState, AgentAction, AgentSession, AgentSessionId, AgentSessionStatus, Code, Error, Fault,
    FaultCode, Id, OrganizationId, Proposal, Signal, SignalId, UserId,
};

use super::{Agent, SessionWithActions};
use crate::{
    REWRITES, key,
    table::{Change, Condition, OrNotFound, Read, Stored, Write},
};

/// How many earlier signals of its class an analysis looks at.
const HISTORY: usize = 200;

/// A session whose signal is being analysed.
#[derive(Clone, Debug)]
pub struct Analyzing {
    session: Stored<AgentSession>,
    /// The signal.
    pub signal: Signal,
    /// The newest signals of its class before it, newest first, at most 200.
    pub history: Vec<Signal>,
}

/// What an approval came to.
#[derive(Clone, Debug)]
pub enum Approval {
    /// The actions are queued; a message is to be sent for each of these.
    Queued(SessionWithActions, Vec<String>),
    /// They were approved before, and nothing was written.
    Standing(SessionWithActions),
}

impl Agent<'_> {
    /// Opens a session on a signal, or answers the one that stands. 404 when the signal is not
    /// the tenant's.
    pub async fn open(
        &self,
        tenant: OrganizationId,
        alert: SignalId,
        by: UserId,
    ) -> Result<AgentSession, Error> {
        let table = &self.0.table;
        let signal_key = key::signal(tenant, alert);
        for _ in 0..REWRITES {
            let signal = table
                .get(&signal_key, Read::Consistent)
                .await?
                .or_not_found(SignalId::NOUN)?;
            let (newest, id) = tokio::try_join!(
                self.newest_session(tenant, signal.agent_session_id),
                self.0.next_id(),
            )?;
            let now = self.0.clock.now();
            if let Some(newest) = newest.filter(|newest| !newest.status_at(now).has_ended()) {
                return Ok(newest);
            }
            let session = AgentSession {
                id,
                organization_id: tenant,
                alert_id: alert,
                signal_type: signal.signal_type.clone(),
                occurred_at: signal.occurred_at,
                status: AgentSessionStatus::Started,
                error: None,
                analysis: None,
                proposal: 0,
                proposed_actions: Vec::new(),
                approved: Vec::new(),
                created_by: by,
                due_at: None,
                created_at: now,
                updated_at: now,
            };
            let points = Change::default()
                .set("agentSessionId", id)
                .set("updatedAt", now);
            let as_it_was = match signal.agent_session_id {
                None => Condition::exists().and("attribute_not_exists(#)", "agentSessionId", []),
                Some(old) => Condition::default().equals("agentSessionId", old),
            };
            let writes = vec![
                Write::update(signal_key.clone(), points, as_it_was),
                Write::create(&session)?,
            ];
            if table.transact(writes).await?.is_ok() {
                return Ok(session);
            }
            // Somebody else opened one meanwhile: the next round answers theirs.
        }
        Err(Error::contended())
    }

    async fn newest_session(
        &self,
        tenant: OrganizationId,
        id: Option<AgentSessionId>,
    ) -> Result<Option<AgentSession>, Error> {
        let Some(id) = id else { return Ok(None) };
        Ok(self.session(tenant, id).await?.map(|stored| stored.record))
    }

    pub(super) async fn session(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<Option<Stored<AgentSession>>, Error> {
        let key = key::agent_session(tenant, id);
        self.0.table.get(&key, Read::Consistent).await
    }

    /// Begins an analysis: `analyzing` is written while signal and history are read. 404 when the
    /// session is not the tenant's, 409 unless it is started or awaits confirmation.
    pub async fn begin_analysis(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<Analyzing, Error> {
        let mut session = self
            .session(tenant, id)
            .await?
            .or_not_found(AgentSessionId::NOUN)?;
        let now = self.0.clock.now();
        match session.status_at(now) {
            AgentSessionStatus::Started | AgentSessionStatus::AwaitingConfirmation => {}
            status => return Err(not_while(status, "Actions cannot be proposed")),
        }
        session.record.status = AgentSessionStatus::Analyzing;
        session.record.due_at = Some(now.plus(AgentSession::ANALYSIS));
        session.record.updated_at = now;
        let write = Write::replace(&session)?;
        let signals = self.0.signals();
        let (written, mut signals) = tokio::try_join!(
            self.0.table.write(write),
            signals.of_class_up_to(
                tenant,
                &session.signal_type,
                session.occurred_at,
                session.alert_id,
                HISTORY + 1,
            ),
        )?;
        if written.is_err() {
            return Err(Error::contended());
        }
        session.version += 1;
        // The index may lag behind a signal that was recorded a moment ago.
        let signal = match signals.first() {
            Some(newest) if newest.id == session.alert_id => signals.remove(0),
            _ => self.0.signals().get(tenant, session.alert_id).await?,
        };
        signals.truncate(HISTORY);
        Ok(Analyzing {
            session,
            signal,
            history: signals,
        })
    }

    /// Ends an analysis with what it proposes; the actions get their ids. 409 when the session was
    /// cancelled, or the analysis counted as interrupted, meanwhile.
    pub async fn finish_analysis(
        &self,
        analyzing: Analyzing,
        proposal: Proposal,
    ) -> Result<AgentSession, Error> {
        let Analyzing { mut session, .. } = analyzing;
        let now = self.0.clock.now();
        if session.status_at(now) != AgentSessionStatus::Analyzing {
            return Err(Error::conflict(
                Code::AnalysisInterrupted,
                "The analysis took too long; open another session.",
            ));
        }
        let number = session.proposal + 1;
        let mut actions = proposal.actions;
        for (at, action) in actions.iter_mut().enumerate() {
            action.id = session.action_id(number, at + 1);
        }
        session.record.status = AgentSessionStatus::AwaitingConfirmation;
        session.record.analysis = Some(proposal.analysis);
        session.record.proposal = number;
        session.record.proposed_actions = actions;
        session.record.due_at = Some(now.plus(AgentSession::CONFIRMATION));
        session.record.updated_at = now;
        self.replace(session).await
    }

    /// Ends an analysis that did not come to a proposal.
    pub async fn fail_analysis(
        &self,
        analyzing: Analyzing,
        error: String,
    ) -> Result<AgentSession, Error> {
        let Analyzing { mut session, .. } = analyzing;
        session.record.status = AgentSessionStatus::Failed;
        session.record.error = Some(error);
        session.record.due_at = None;
        session.record.updated_at = self.0.clock.now();
        self.replace(session).await
    }

    async fn replace(&self, session: Stored<AgentSession>) -> Result<AgentSession, Error> {
        let write = Write::replace(&session)?;
        match self.0.table.write(write).await? {
            Ok(()) => Ok(session.record),
            Err(_) => Err(Error::contended()),
        }
    }

    /// Approves actions, all or none. 400 for an id that is unknown or names a manual action, 404
    /// when the session is not the tenant's, 409 for ids of an earlier proposal and where the
    /// session's state does not allow it. `ids` holds 1 to 50 distinct ones.
    pub async fn approve(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
        ids: &[String],
        trace: Option<&str>,
    ) -> Result<Approval, Error> {
        for _ in 0..REWRITES {
            let whole = self.get(tenant, id).await?;
            let now = self.0.clock.now();
            let status = whole.session.status_at(now);
            if matches!(
                status,
                AgentSessionStatus::Started | AgentSessionStatus::Analyzing
            ) {
                return Err(not_while(status, "Actions cannot be executed"));
            }
            check_ids(&whole.session, ids)?;
            let mut sorted = ids.to_vec();
            sorted.sort_unstable();
            let failed = |id: &String| whole.state(id) == Some(ActionState::Failed);
            let standing = whole.session.approved == sorted;
            match status {
                AgentSessionStatus::AwaitingConfirmation => {}
                AgentSessionStatus::Failed if ids.iter().all(failed) => {}
                _ if standing => return Ok(Approval::Standing(whole)),
                _ => return Err(refusal(&whole, status, ids)),
            }
            if let Some(approval) = self.queue(whole, sorted, trace).await? {
                return Ok(approval);
            }
            // The session changed meanwhile: the next round sees how.
        }
        Err(Error::contended())
    }

    /// Writes the session and its actions in one transaction; none when it changed meanwhile.
    async fn queue(
        &self,
        mut whole: SessionWithActions,
        ids: Vec<String>,
        trace: Option<&str>,
    ) -> Result<Option<Approval>, Error> {
        let now = self.0.clock.now();
        let SessionWithActions {
            session, actions, ..
        } = &mut whole;
        session.record.status = AgentSessionStatus::Executing;
        session.record.error = None;
        session.record.approved.clone_from(&ids);
        session.record.due_at = Some(now.plus(AgentSession::SETTLE_CHECK));
        session.record.updated_at = now;
        let mut writes = vec![Write::replace(session)?];
        for id in &ids {
            if let Some(again) = actions.iter_mut().find(|action| action.action_id == *id) {
                again.record.approve_again(now);
                writes.push(Write::replace(again)?);
                again.version += 1;
            } else if let Some(proposed) = session.proposed(id) {
                let trace = trace.map(str::to_owned);
                let action = AgentAction::approve(session, proposed, trace, now);
                writes.push(Write::create(&action)?);
                actions.push(Stored {
                    record: action,
                    version: 1,
                });
            }
        }
        session.version += 1;
        let done = self.0.table.transact(writes).await?;
        Ok(done.is_ok().then_some(Approval::Queued(whole, ids)))
    }

    /// Cancels a session: actions that are queued are skipped, those that run end and are
    /// recorded. Answers the session and the outcomes that this gave its actions. 404 when it is not
    /// the tenant's, 409 when it has ended otherwise.
    pub async fn cancel(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<(AgentSession, Vec<ActionState>), Error> {
        for _ in 0..REWRITES {
            let mut whole = self.get(tenant, id).await?;
            let now = self.0.clock.now();
            let session = &mut whole.session;
            match session.status_at(now) {
                AgentSessionStatus::Cancelling | AgentSessionStatus::Cancelled => {
                    return Ok((whole.session.record, Vec::new()));
                }
                status if status.has_ended() => {
                    return Err(not_while(status, "The session cannot be cancelled"));
                }
                _ => {}
            }
            let mut writes = Vec::new();
            let mut outcomes = Vec::new();
            let mut one_runs = false;
            for action in &mut whole.actions {
                match action.state {
                    ActionState::Queued => {
                        let (state, why) = action.cancelled();
                        action.record.end(state, why, now);
                        outcomes.push(state);
                        writes.push(Write::replace(action)?);
                    }
                    ActionState::Running => one_runs = true,
                    _ => {}
                }
            }
            session.record.status = if one_runs {
                AgentSessionStatus::Cancelling
            } else {
                AgentSessionStatus::Cancelled
            };
            session.record.due_at = one_runs.then(|| now.plus(AgentSession::SETTLE_CHECK));
            session.record.updated_at = now;
            writes.push(Write::replace(session)?);
            if self.0.table.transact(writes).await?.is_ok() {
                return Ok((whole.session.record, outcomes));
            }
            // A worker claimed an action or ended one meanwhile.
        }
        Err(Error::contended())
    }

    /// Ends a session all of whose approved actions have ended; otherwise, and when it has ended
    /// already, does nothing. Answers where it stands.
    pub async fn settle(
        &self,
        tenant: OrganizationId,
        id: AgentSessionId,
    ) -> Result<AgentSessionStatus, Error> {
        for _ in 0..REWRITES {
            let mut whole = self.get(tenant, id).await?;
            if !whole.session.status.is_running() || !whole.all_ended() {
                return Ok(whole.session.status);
            }
            let results = whole.results();
            let without_success = results.iter().filter(|result| !result.success).count();
            let session = &mut whole.session;
            session.record.status = match session.status {
                AgentSessionStatus::Cancelling => AgentSessionStatus::Cancelled,
                _ if without_success == 0 => AgentSessionStatus::Completed,
                _ => AgentSessionStatus::Failed,
            };
            if session.status == AgentSessionStatus::Failed {
                let all = results.len();
                session.record.error = Some(format!(
                    "{without_success} of {all} approved actions did not succeed; see \
                     executionResults."
                ));
            }
            session.record.due_at = None;
            session.record.updated_at = self.0.clock.now();
            let write = Write::replace(session)?;
            if self.0.table.write(write).await?.is_ok() {
                return Ok(session.status);
            }
        }
        // Others keep writing it, and each of them settles after that.
        Ok(AgentSessionStatus::Executing)
    }
}

/// 400 with every id at fault; 409 when the only fault is that an earlier proposal gave it out.
fn check_ids(session: &AgentSession, ids: &[String]) -> Result<(), Error> {
    let mut void = false;
    let mut faults = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        let field = format!("actionIds/{at}");
        match session.proposed(id) {
            Some(action) if action.is_automated => {}
            Some(_) => faults.push(Fault::at(
                &field,
                FaultCode::Manual,
                "This action is manual: a person has to do it.",
            )),
            None if session.is_void(id) => void = true,
            None => faults.push(Fault::unknown(&field, "action of this session")),
        }
    }
    if !faults.is_empty() {
        Err(Error::Invalid(faults))
    } else if void {
        Err(Error::conflict(
            Code::ProposalSuperseded,
            "The actions were proposed again since; read the session and approve the new ones.",
        ))
    } else {
        Ok(())
    }
}

/// Why a list cannot be executed that is not the one that stands.
fn refusal(whole: &SessionWithActions, status: AgentSessionStatus, ids: &[String]) -> Error {
    let any = |state| ids.iter().any(|id| whole.state(id) == Some(state));
    match status {
        AgentSessionStatus::Expired => Error::conflict(
            Code::SessionExpired,
            "The proposal expired after 24 hours; open another session.",
        ),
        AgentSessionStatus::Failed if any(ActionState::Unknown) => Error::conflict(
            Code::OutcomeUnknown,
            "It is not known whether one of the actions took effect. Check the target system \
             before you go on; it cannot be run again here.",
        ),
        AgentSessionStatus::Failed => Error::conflict(
            Code::ActionNotFailed,
            "Only actions that failed can be executed again.",
        ),
        AgentSessionStatus::Executing | AgentSessionStatus::Completed => Error::conflict(
            Code::OtherActionsApproved,
            format!(
                "The session is {}, with another list of actions.",
                status.name()
            ),
        ),
        _ => not_while(status, "Actions cannot be executed"),
    }
}

fn not_while(status: AgentSessionStatus, what: &str) -> Error {
    Error::conflict(
        Code::InvalidTransition,
        format!("{what} while the session is {}.", status.name()),
    )
}

/// The check that the claim and each further step make in their transactions.
pub(super) fn while_executing(tenant: OrganizationId, id: AgentSessionId) -> Write {
    Write::check(
        key::agent_session(tenant, id),
        Condition::default().equals("status", AgentSessionStatus::Executing.name()),
    )
}
