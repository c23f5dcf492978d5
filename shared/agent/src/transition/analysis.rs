//! The begin of a session, its analyses, and the rejection of their proposal.

use std::collections::BTreeSet;

use model::{
    base::{AgentSessionId, Code, Error, Timestamp, UserId},
    people::JournalHead,
};

use crate::{
    alert::Alert,
    session::{
        AgentSession, AgentSessionStatus, Proposal, Rejection, SessionAlert, SessionAnalysis,
        SessionPeople, SessionPlan, SessionTimes,
    },
};

use super::status::{set_status, withdraw_approvals};

pub(crate) fn opened(
    id: AgentSessionId,
    alert: &Alert,
    by: UserId,
    now: Timestamp,
) -> AgentSession {
    let entities = alert
        .entities
        .iter()
        .map(|entity| entity.id.to_string());
    AgentSession {
        id,
        organization_id: alert.organization_id,
        alert: SessionAlert {
            alert_id: alert.id,
            signal_type: alert.signal_type.to_string(),
            occurred_at: alert.occurred_at,
            entities: entities.collect(),
        },
        status: AgentSessionStatus::Started,
        error: None,
        analysis: SessionAnalysis::default(),
        plan: SessionPlan::default(),
        people: SessionPeople {
            recorded_by: alert
                .created_by
                .filter(|_| !alert.recorded_by_machine),
            created_by: by,
            proposed_by: None,
            rejection: None,
        },
        journal: JournalHead::default(),
        times: SessionTimes {
            journal_at: None,
            journal_named: 0,
            due_at: None,
            alert_check_at: None,
            alert_checks: 0,
            approvable_until: None,
            created_at: now,
            updated_at: now,
        },
    }
}

/// Begins an analysis. 409 unless it is started or awaits confirmation. A replay with the same
/// idempotency key may begin the same analysis again.
pub(crate) fn begin_analysis(
    session: &mut AgentSession,
    key: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    use AgentSessionStatus::{Analyzing, AwaitingConfirmation, Started};
    let is_replay = key.is_some() && key == session.analysis.key.as_deref();
    match session.status_at(now) {
        Started | AwaitingConfirmation => {}
        Analyzing if is_replay => {}
        status => return Err(status.forbids("Actions cannot be proposed")),
    }
    session.analysis.key = key.map(str::to_owned);
    session.times.approvable_until = None;
    set_status(
        session,
        Analyzing,
        Some(now.plus(AgentSession::ANALYSIS)),
        now,
    );
    Ok(())
}

/// Ends an analysis with its proposal. The actions get new ids, and the ids of earlier
/// proposals become void. 409 if the analysis was interrupted or the session cancelled
/// meanwhile.
pub(crate) fn finish_analysis(
    session: &mut AgentSession,
    proposal: Proposal,
    now: Timestamp,
) -> Result<(), Error> {
    if session.status_at(now) != AgentSessionStatus::Analyzing {
        let detail = "The analysis took too long. Open another session.";
        return Err(Error::conflict(Code::AnalysisInterrupted, detail));
    }
    let number = session.plan.proposal + 1;
    let mut actions = proposal.actions;
    for (place, action) in (1..).zip(&mut actions) {
        action.id = session.action_id(number, place);
    }
    session.analysis.newest = Some(proposal.analysis);
    session.analysis.reads = proposal.reads;
    session.plan.resolved_when = proposal.resolved_when;
    session.plan.proposal = number;
    session.plan.proposed_actions = actions;
    session.plan.void = BTreeSet::new();
    let due = now.plus(AgentSession::CONFIRMATION);
    session.times.approvable_until = Some(due);
    set_status(
        session,
        AgentSessionStatus::AwaitingConfirmation,
        Some(due),
        now,
    );
    Ok(())
}

pub(crate) fn fail_analysis(session: &mut AgentSession, error: impl Into<String>, now: Timestamp) {
    session.error = Some(error.into());
    set_status(session, AgentSessionStatus::Failed, None, now);
}

/// Rejects the proposal and cancels the session; none of its actions run. Returns true if this
/// call rejected it, and false for a repeat by the same user. 409 unless it awaits
/// confirmation.
pub(crate) fn reject(
    session: &mut AgentSession,
    by: UserId,
    reason: &str,
    now: Timestamp,
) -> Result<bool, Error> {
    match (session.status_at(now), &session.people.rejection) {
        (AgentSessionStatus::AwaitingConfirmation, _) => {}
        (AgentSessionStatus::Cancelled, Some(rejection)) if rejection.user_id == by => {
            return Ok(false);
        }
        (status, _) => return Err(status.forbids("The proposal cannot be rejected")),
    }
    session.people.rejection = Some(Rejection {
        user_id: by,
        at: now,
        reason: reason.to_owned(),
    });
    withdraw_approvals(session);
    set_status(session, AgentSessionStatus::Cancelled, None, now);
    Ok(true)
}
