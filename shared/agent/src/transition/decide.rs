//! Commands of a session, and the decision on each of them.

use std::{collections::BTreeMap, ops::DerefMut};

use model::{
    base::{AgentSessionId, Error, ServiceRequestId, Timestamp, UserId},
    people::EntryCredential,
};
use serde_json::{Value, json};

use crate::{
    action::{ActionState, AgentAction, PolicyRule, Verdict},
    alert::Alert,
    check::Observation,
    connection::SystemKind,
    journal::{JournalActor, JournalActorType, JournalEntry, JournalEvent, Note},
    policy::AgentPolicy,
    session::{
        ActionRecord, ActionSettle, AgentSession, ApprovedActions, Approver, Approving, Handling,
        Proposal, RequestChange,
    },
};

use super::{
    alert_end::{
        alert_check_requested, alert_is_unsettled, check_alert_at, end_alert_checks,
        matter_is_settled, note_other_effect, plan_alert_check,
    },
    analysis::{begin_analysis, fail_analysis, finish_analysis, opened, reject},
    approval::{Approved, approve},
    checks::apply_check,
    journal::{SWEEPER, WORKER, action_entries, session_entry},
    manual::handle,
    manual::request_changed,
    settle::{cancel, note_outcomes, settle, settle_again},
    status::{check_later, close, lapse, set_named},
    verdict::judge,
};

/// A request of a person, a worker or the sweeper to a session.
#[derive(Clone, Copy, Debug)]
pub enum SessionCommand<'a> {
    /// Begin an analysis. `key` is the idempotency key of the request.
    BeginAnalysis {
        by: Option<UserId>,
        key: Option<&'a str>,
    },
    /// Propose the actions of an analysis, under a policy.
    FinishAnalysis(&'a Proposal, &'a AgentPolicy),
    /// End an analysis with an error.
    FailAnalysis(&'a str),
    Approve {
        approving: &'a Approving<'a>,
        approver: &'a Approver<'a>,
        credential: Option<&'a EntryCredential>,
    },
    Reject {
        by: UserId,
        reason: &'a str,
    },
    Cancel {
        by: Option<UserId>,
    },
    /// Settle an automated action with an unknown outcome, or a manual action.
    SettleAction {
        by: UserId,
        action_id: &'a str,
        sent: &'a ActionSettle,
    },
    /// Hand a manual action over, or settle it.
    Handle {
        by: UserId,
        action_id: &'a str,
        handling: &'a Handling,
    },
    /// Follow a change of the service request of a handed-over action.
    FollowRequest {
        by: Option<UserId>,
        action_id: &'a str,
        request: ServiceRequestId,
        change: RequestChange,
    },
    /// End it if each of its approved actions has ended.
    Settle {
        by: JournalActor,
    },
    /// Apply the observation of an action's check.
    CheckAction(&'a ObservedCheck<'a>),
    /// Apply the observation of its alert's check.
    CheckAlert(AlertCheck),
    /// Visit it: end what its time ended, or plan the next visit.
    Visit,
    /// Note that the organization's journal names its newest entry.
    Name,
}

/// The check of an action after its end, with the observation.
#[derive(Clone, Copy, Debug)]
pub struct ObservedCheck<'a> {
    /// The action, as it was when the check began.
    pub action: &'a AgentAction,
    pub observation: &'a Observation,
    /// The kind of the action's target system.
    pub kind: SystemKind,
    /// Milliseconds for which the reads may lag behind.
    pub settles_within: i64,
}

/// A step of the check of a session's alert.
#[derive(Clone, Copy, Debug)]
pub enum AlertCheck {
    /// The sweeper requested the due check.
    Requested,
    /// Nothing may be read before this instant.
    Deferred(Timestamp),
    /// No check is due any more.
    Over,
    /// The matter is not settled.
    Unsettled,
    /// The matter is settled. The agent resolves the alert, if that is open and can be read.
    Settled { is_open: bool },
}

/// All that a command writes besides the session, in one transaction.
#[derive(Clone, Debug, Default)]
pub struct Transition {
    /// New entries of the chains of the session and of its actions.
    pub entries: Vec<JournalEntry>,
    /// Actions approved for the first time.
    pub queued: Vec<AgentAction>,
    /// Ids of the changed actions. Each write expects the action as it was read.
    pub changed: Vec<String>,
    /// Ids of claimed actions that stop. Their holders keep writing them: the write only expects
    /// the state `running`.
    pub stopping: Vec<String>,
    /// True if the write expects that the alert is not resolved.
    pub needs_open_alert: bool,
    /// The action whose settled outcome counts for its records.
    pub settled: Option<String>,
    /// True if the outcome was verified. It counts for the playbook and the saved minutes.
    pub is_verified: bool,
}

impl Transition {
    fn noted(session: &mut AgentSession, note: Note, now: Timestamp) -> Self {
        Self {
            entries: vec![session_entry(session, note, now)],
            ..Self::default()
        }
    }
}

/// The actor that analyses alerts.
const ENGINE: JournalActor = JournalActor::of(JournalActorType::Engine);

/// Opens a session on an alert, with its first entry.
pub fn open(
    id: AgentSessionId,
    alert: &Alert,
    by: UserId,
    now: Timestamp,
) -> (AgentSession, JournalEntry) {
    let mut session = opened(id, alert, by, now);
    let note = Note::new(JournalActor::user(Some(by)), JournalEvent::Opened, None);
    let entry = session_entry(&mut session, note, now);
    (session, entry)
}

/// Marks an ended session: its alert has a newer one.
pub fn supersede(session: &mut AgentSession, now: Timestamp) {
    session.plan.superseded = true;
    session.times.updated_at = now;
}

/// Decides on a command: changes the session and its actions, and returns what else is written.
/// None if there is nothing to write. The errors are those of the transitions.
pub fn decide<A: ActionRecord + DerefMut>(
    command: SessionCommand<'_>,
    session: &mut AgentSession,
    actions: &mut ApprovedActions<A>,
    now: Timestamp,
) -> Result<Option<Transition>, Error> {
    let from = session.status.name();
    let of = |by, event| Note::new(by, event, Some(from));
    let note = match command {
        SessionCommand::BeginAnalysis { by, key } => {
            begin_analysis(session, key, now)?;
            session.people.proposed_by = by;
            of(JournalActor::user(by), JournalEvent::AnalysisBegun)
        }
        SessionCommand::FinishAnalysis(proposal, policy) => {
            finish_analysis(session, proposal.clone().under(policy), now)?;
            let proposed = &session.plan.proposed_actions;
            let ids = proposed.iter().map(|action| &action.id);
            let detail =
                json!({ "actions": session.digests(ids), "analysis": session.analysis_hash() });
            of(ENGINE, JournalEvent::Proposed).with(detail)
        }
        SessionCommand::FailAnalysis(error) => {
            fail_analysis(session, error, now);
            of(ENGINE, JournalEvent::AnalysisFailed)
        }
        SessionCommand::Approve {
            approving,
            approver,
            credential,
        } => {
            let from = session.status_at(now).name();
            let approved = approve(session, actions, approving, approver, now)?;
            let (again, queued) = match approved {
                Approved::Standing => return Ok(None),
                Approved::Pending => (Vec::new(), Vec::new()),
                Approved::Queued { again, new } => (ids(&again), new),
            };
            let note = Note::new(
                JournalActor::user(Some(approving.by)),
                JournalEvent::Approved,
                Some(from),
            );
            let note = note.with(of_approval(session, approving, approver, credential));
            return Ok(Some(Transition {
                changed: again,
                queued,
                needs_open_alert: true,
                ..Transition::noted(session, note, now)
            }));
        }
        SessionCommand::Reject { by, reason } => {
            if !reject(session, by, reason, now)? {
                return Ok(None);
            }
            let note = of(JournalActor::user(Some(by)), JournalEvent::Rejected);
            note.with(json!({ "reason": reason }))
        }
        SessionCommand::Cancel { by } => {
            let Some(cancelled) = cancel(session, actions, now)? else {
                return Ok(None);
            };
            let states = cancelled.ended.iter();
            let states = states.map(|action| (&action.key.action_id, action.state));
            let stopping = ids(&cancelled.stopping);
            let detail = json!({
                "ended": states.collect::<BTreeMap<_, _>>(), "stopping": stopping,
            });
            let changed = ids(&cancelled.ended);
            let note = of(JournalActor::user(by), JournalEvent::Cancelled).with(detail);
            return Ok(Some(Transition {
                changed,
                stopping,
                ..Transition::noted(session, note, now)
            }));
        }
        SessionCommand::SettleAction {
            by,
            action_id,
            sent,
        } => {
            if session
                .known_action(action_id)?
                .is_automated
            {
                return judged(session, actions, action_id, (by, sent), now);
            }
            let status = sent.outcome.handling()?;
            let handling = Handling::new(status, by, Some(sent.note.to_string()), now);
            let settle = SessionCommand::Handle {
                by,
                action_id,
                handling: &handling,
            };
            return decide(settle, session, actions, now);
        }
        SessionCommand::Handle {
            by,
            action_id,
            handling,
        } => {
            if !handle(session, action_id, handling.clone(), now)? {
                return Ok(None);
            }
            let note = of(JournalActor::user(Some(by)), handling.status.event());
            note.with(of_handling(session, action_id, handling))
        }
        SessionCommand::FollowRequest {
            by,
            action_id,
            request,
            change,
        } => {
            let followed = request_changed(session, action_id, request, change, by, now);
            let Some(handling) = followed else {
                return Ok(None);
            };
            let note = of(JournalActor::user(by), change.event());
            note.with(of_handling(session, action_id, &handling))
        }
        SessionCommand::Settle { by } => {
            if !settle(session, actions, now) {
                return Ok(None);
            }
            let has_ended = !session.status.is_running();
            let from = has_ended.then_some(from);
            return Ok(Some(after_outcome(session, actions, from, by, now)));
        }
        SessionCommand::CheckAction(check) => return Ok(checked(session, actions, check, now)),
        SessionCommand::CheckAlert(check) => {
            let Some(event) = check_alert(session, check, now) else {
                return Ok(Some(Transition::default()));
            };
            of(WORKER, event)
        }
        SessionCommand::Visit if session.works() => {
            check_later(session, now);
            return Ok(Some(Transition::default()));
        }
        SessionCommand::Visit => {
            if !lapse(session, now) {
                return Ok(close(session, now).then(Transition::default));
            }
            of(SWEEPER, JournalEvent::Lapsed)
        }
        SessionCommand::Name => {
            set_named(session);
            return Ok(Some(Transition::default()));
        }
    };
    Ok(Some(Transition::noted(session, note, now)))
}

fn ids<A: ActionRecord>(actions: &[&A]) -> Vec<String> {
    let ids = actions.iter();
    ids.map(|action| action.key.action_id.clone())
        .collect()
}

/// Settles an automated action by a verdict. None for a repeat.
fn judged<A: ActionRecord + DerefMut>(
    session: &mut AgentSession,
    actions: &mut ApprovedActions<A>,
    action_id: &str,
    (by, sent): (UserId, &ActionSettle),
    now: Timestamp,
) -> Result<Option<Transition>, Error> {
    let verdict = Verdict {
        outcome: sent.outcome.verdict()?,
        by,
        at: now,
        note: sent.note.to_string(),
    };
    let by = JournalActor::user(Some(by));
    let from = session.status;
    let note = Note::new(by, JournalEvent::Verdict, Some(ActionState::Unknown.name()));
    let note = note.with(json!({ "outcome": verdict.outcome, "note": verdict.note }));
    if judge(session, actions, action_id, verdict)?.is_none() {
        return Ok(None);
    }
    let mut entries = Vec::new();
    let mut known = actions.known.iter_mut();
    if let Some(action) = known.find(|action| action.key.action_id == action_id) {
        entries = action_entries(action, Some(note), now);
    }
    let changes = from.has_ended() || session.status != from;
    let from = changes.then_some(from.name());
    let after = after_outcome(session, actions, from, by, now);
    entries.extend(after.entries);
    Ok(Some(Transition {
        entries,
        changed: vec![action_id.to_owned()],
        settled: Some(action_id.to_owned()),
        ..Transition::default()
    }))
}

/// Applies the observation of an action's check. None if another one was first, or none is awaited.
fn checked<A: ActionRecord + DerefMut>(
    session: &mut AgentSession,
    actions: &mut ApprovedActions<A>,
    check: &ObservedCheck<'_>,
    now: Timestamp,
) -> Option<Transition> {
    let before = check.action;
    // Of two concurrent checks, the first one counts.
    let is_first = |action: &AgentAction| action.next_check_at() == before.next_check_at();
    let mut known = actions.known.iter_mut();
    let action = known.find(|action| action.key == before.key && is_first(action))?;
    let from = action.state.name();
    let (event, detail) = apply_check(action, check.observation, check.settles_within, now)?;
    let note = Note::new(WORKER, event, Some(from)).with(detail);
    let mut entries = action_entries(action, Some(note), now);
    let action = AgentAction::clone(action);
    let id = action.key.action_id.clone();
    let changed = vec![id.clone()];
    if event == JournalEvent::Checked {
        // The session names the next check.
        note_outcomes(session, actions);
        return Some(Transition {
            entries,
            changed,
            ..Transition::default()
        });
    }
    let from = session.status.name();
    let is_settled = if event == JournalEvent::Reconciled {
        settle_again(session, actions, now)
    } else {
        note_outcomes(session, actions);
        false
    };
    note_other_effect(session, &action, check.kind);
    plan_alert_check(session, actions, now);
    let after = after_outcome(session, actions, is_settled.then_some(from), WORKER, now);
    entries.extend(after.entries);
    Some(Transition {
        entries,
        changed,
        settled: Some(id),
        is_verified: true,
        ..Transition::default()
    })
}

/// Applies a step of its alert's check. Returns the event of its entry, if it has one.
fn check_alert(
    session: &mut AgentSession,
    check: AlertCheck,
    now: Timestamp,
) -> Option<JournalEvent> {
    let from = session.status;
    match check {
        AlertCheck::Requested => alert_check_requested(session, now),
        AlertCheck::Deferred(at) => check_alert_at(session, at),
        AlertCheck::Over => end_alert_checks(session),
        AlertCheck::Unsettled => alert_is_unsettled(session, now),
        AlertCheck::Settled { is_open } => {
            matter_is_settled(session, now);
            if is_open {
                return Some(JournalEvent::AlertResolved);
            }
        }
    }
    (session.status != from).then_some(JournalEvent::Settled)
}

/// Returns the transition of a session after an outcome of its actions. `from` is the former status
/// if this settled the session. The entry then names the heads of its actions' chains.
fn after_outcome(
    session: &mut AgentSession,
    actions: &ApprovedActions<impl ActionRecord>,
    from: Option<&'static str>,
    by: JournalActor,
    now: Timestamp,
) -> Transition {
    let Some(from) = from else {
        return Transition::default();
    };
    let heads = actions.known.iter();
    let heads = heads.map(|action| (&action.key.action_id, &action.journal));
    let heads: BTreeMap<_, _> = heads
        .filter(|(_, head)| head.seq > 0)
        .collect();
    let note = Note::new(by, JournalEvent::Settled, Some(from));
    Transition::noted(session, note.with(json!({ "heads": heads })), now)
}

/// Returns the details of an approval, with the policy that asked for it.
fn of_approval(
    session: &AgentSession,
    approving: &Approving<'_>,
    approver: &Approver<'_>,
    credential: Option<&EntryCredential>,
) -> Value {
    let named = approving.ids.iter();
    let rules: BTreeMap<&str, Vec<PolicyRule>> = named
        .filter_map(|id| session.plan.proposed(id))
        .map(|action| (&*action.id, approver.policy.demands(action).rules()))
        .collect();
    json!({
        "actions": session.digests(approving.ids.iter()),
        "again": approving.again,
        "note": approving.note,
        "signIn": credential.map(|credential| json!({
            "method": credential.method,
            "sessionId": credential.session_id,
        })),
        "policy": {"updatedAt": approver.policy.updated_at, "rules": rules},
    })
}

/// Returns the details of a manual action's handling.
fn of_handling(session: &AgentSession, action_id: &str, handling: &Handling) -> Value {
    json!({
        "actions": session.digests([action_id.to_owned()].iter()),
        "note": handling.note,
        "serviceRequestId": handling.service_request_id,
        "assigneeId": handling.assignee_id,
    })
}
