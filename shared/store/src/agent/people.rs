//! Settlements by people: verdicts on unknown outcomes, and manual actions with their service
//! requests.

use agent::{
    action::{ActionState, AgentAction, Verdict},
    journal::{JournalActor, JournalEvent, Note},
    policy::AgentPolicy,
    session::{
        ActionHandOver, ActionSettle, AgentSession, Handling, HandlingStatus, RequestChange,
    },
};
use model::{
    base::{AgentSessionId, Timestamp, UserId},
    people::JournalHead,
    work::{ActionRef, ServiceRequest},
};
use serde_json::json;
use table::{Batch, Stored, Write};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{Pending, Store, WriteContext, ids::Reserved, tracked::Tracked},
    key,
    work::assignee::Assignee,
};

use super::{Agent, SessionWithActions, outcomes, transition};

impl Agent<'_> {
    /// Settles an action. 404 if session or action is another tenant's, 400 for an outcome of the
    /// other kind of action, and the errors of [`AgentSession::judge`] and
    /// [`AgentSession::handle`].
    pub async fn settle_action(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        action_id: &str,
        by: UserId,
        sent: &ActionSettle,
    ) -> Result<SessionWithActions> {
        let (pending, tenant) = pending.with_tenant();
        let read = || async {
            let whole = self.get_rebuilt(tenant, id, action_id);
            tokio::try_join!(whole, self.policy(tenant))
        };
        let write = async |context: WriteContext,
                           read: (SessionWithActions, Stored<AgentPolicy>)| {
            let (mut whole, policy) = read;
            let now = self.0.now();
            policy.check_sign_in(context.credential.as_deref(), now)?;
            let writes = if whole
                .session
                .known_action(action_id)?
                .is_automated
            {
                judge(&mut whole, action_id, (by, sent), now)?
            } else {
                handle(&mut whole.session, action_id, (by, sent), now)?
            };
            whole.session.version += i64::from(!writes.is_empty());
            self.0
                .commit(&context, writes, whole)
                .await
        };
        let settled = self
            .0
            .write(pending, read, write)
            .await?;
        settled
            .or_load(async |_| self.get(tenant, id).await)
            .await
    }

    /// Returns a session. After its end, an unreadable record of this action is rebuilt from the
    /// proposal, so that a user can settle it. It has version 0.
    async fn get_rebuilt(
        &self,
        tenant: Tenant,
        id: AgentSessionId,
        action_id: &str,
    ) -> Result<SessionWithActions> {
        let mut whole = self.get(tenant, id).await?;
        let SessionWithActions { session, actions } = &mut whole;
        let is_damaged = actions
            .unreadable
            .iter()
            .any(|id| id == action_id);
        let rebuilds = is_damaged && !session.works();
        let Some(proposed) = session
            .proposed(action_id)
            .filter(|_| rebuilds)
        else {
            return Ok(whole);
        };
        let entries = key::journal(tenant, id).consistent();
        let mut entries = self.0.table.list(entries).await?;
        entries.retain(|entry| entry.action_id.as_deref() == Some(action_id));
        let newest = entries
            .into_iter()
            .max_by_key(|entry| entry.seq);
        let head = newest.map(|entry| JournalHead {
            seq: entry.seq,
            hash: entry.hash,
        });
        let head = head.unwrap_or_default();
        let now = self.0.now();
        let record = AgentAction::rebuilt(session, proposed, head, now);
        actions
            .unreadable
            .retain(|id| id != action_id);
        actions
            .known
            .push(Stored::unwritten(record));
        Ok(whole)
    }

    /// Hands a manual action over. Creates its service request in one transaction with the session.
    /// 400 if the assignee is another tenant's, and the errors of [`AgentSession::handle`].
    pub async fn hand_over(
        &self,
        pending: impl Pending,
        id: AgentSessionId,
        action_id: &str,
        by: UserId,
        sent: &ActionHandOver,
    ) -> Result<SessionWithActions> {
        let (pending, tenant) = pending.with_tenant();
        let assignee = Assignee::new(tenant, Some(&sent.assignee_id));
        let request = OnceCell::new();
        let read = || async {
            let users = self.0.batch(assignee.key());
            let whole = self.get(tenant, id);
            // All end, also after an error, so that no id is lost on its way.
            let (request, whole, users) = tokio::join!(self.0.id_once(&request), whole, users);
            Ok((request?, whole?, users?))
        };
        let write = async |context: WriteContext, read_values: (Reserved<_>, _, Batch)| {
            let (request, mut whole, users): (_, SessionWithActions, _) = read_values;
            assignee.known(&users, None)?;
            let request = request.used();
            let now = self.0.now();
            let session = &mut whole.session;
            let from = session.status.name();
            let note = sent.note.as_deref();
            let handling = Handling {
                service_request_id: Some(request),
                assignee_id: Some(sent.assignee_id),
                ..Handling::new(HandlingStatus::HandedOver, by, note.map(str::to_owned), now)
            };
            if !session.handle(action_id, handling.clone(), now)? {
                return self
                    .0
                    .commit(&context, Vec::new(), whole)
                    .await;
            }
            let body = session
                .known_action(action_id)?
                .as_request(session, note)?;
            let body = ServiceRequest {
                assignee_id: Some(sent.assignee_id),
                agent_action: Some(ActionRef {
                    session_id: session.id,
                    action_id: action_id.to_owned(),
                }),
                ..ServiceRequest::new(request, context.tenant, by, body, now)
            };
            let event = JournalEvent::HandedOver;
            let note = note_of(session, action_id, Some(by), event, from, &handling);
            let mut writes = transition::of_session(session, note, now)?;
            writes.push(Write::create(&body)?);
            writes.extend(context.created(&body, now)?);
            session.version += 1;
            self.0
                .commit(&context, writes, whole)
                .await
        };
        let handed_over = self
            .0
            .write(pending, read, write)
            .await?;
        let load = async |_| self.get(tenant, id).await;
        handed_over.or_load(load).await
    }
}

impl Store {
    /// Returns the writes by which a handed-over action follows its record: resolved, opened again,
    /// or deleted if there is no `after`. They belong to the transaction that changes the record.
    /// Empty if the session is unreadable or gone.
    pub(crate) async fn action_follows<R: Tracked>(
        &self,
        context: &WriteContext,
        before: &R,
        after: Option<&R>,
        now: Timestamp,
    ) -> Result<Vec<Write>> {
        let Some(was) = before.hand_over() else {
            return Ok(Vec::new());
        };
        let is = after.and_then(Tracked::hand_over);
        let change = match (was.is_over, is.map(|is| is.is_over)) {
            (false, Some(true)) => RequestChange::Over,
            (true, Some(false)) => RequestChange::Reopened,
            (_, None) => RequestChange::Deleted,
            (false, Some(false)) | (true, Some(true)) => return Ok(Vec::new()),
        };
        let key = key::agent_session(context.tenant, was.action.session_id);
        let Some(mut session) = self.readable(&key).await? else {
            return Ok(Vec::new());
        };
        let from = session.status.name();
        let by = context.actor;
        let action_id = &was.action.action_id;
        let changed = session.request_changed(action_id, was.request, change, by, now);
        let Some(handling) = changed else {
            return Ok(Vec::new());
        };
        let note = note_of(&session, action_id, by, change.event(), from, &handling);
        transition::of_session(&mut session, note, now)
    }
}

/// Returns the writes that settle an automated action; none for a repeat. The session's version
/// excludes a concurrent settlement.
fn judge(
    whole: &mut SessionWithActions,
    action_id: &str,
    (by, sent): (UserId, &ActionSettle),
    now: Timestamp,
) -> Result<Vec<Write>> {
    let verdict = Verdict {
        outcome: sent.outcome.verdict()?,
        by,
        at: now,
        note: sent.note.to_string(),
    };
    let SessionWithActions { session, actions } = whole;
    let by = JournalActor::user(Some(verdict.by));
    let from = session.status;
    let note = Note::new(by, JournalEvent::Verdict, Some(ActionState::Unknown.name()));
    let note = note.with(json!({ "outcome": verdict.outcome, "note": verdict.note }));
    let mut writes = Vec::new();
    if session
        .judge(actions, action_id, verdict)?
        .is_none()
    {
        return Ok(writes);
    }
    let mut readable = actions.known.iter_mut();
    if let Some(action) = readable.find(|action| action.key.action_id == action_id) {
        writes.extend(transition::of_action(action, note, now)?);
        writes.extend(outcomes::writes(action)?);
        action.version += 1;
    }
    let changes = from.has_ended() || session.status != from;
    let from = changes.then_some(from.name());
    writes.extend(transition::of_outcome(session, actions, from, by, now)?);
    Ok(writes)
}

/// Settles a manual action. Returns the writes; none for a repeat.
fn handle(
    session: &mut Stored<AgentSession>,
    action_id: &str,
    (by, sent): (UserId, &ActionSettle),
    now: Timestamp,
) -> Result<Vec<Write>> {
    let from = session.status.name();
    let status = sent.outcome.handling()?;
    let handling = Handling::new(status, by, Some(sent.note.to_string()), now);
    if !session.handle(action_id, handling.clone(), now)? {
        return Ok(Vec::new());
    }
    let by = Some(by);
    let event = status.event();
    let note = note_of(session, action_id, by, event, from, &handling);
    transition::of_session(session, note, now)
}

/// Returns the note of a manual action's handling.
fn note_of(
    session: &AgentSession,
    action_id: &str,
    by: Option<UserId>,
    event: JournalEvent,
    from: &'static str,
    handling: &Handling,
) -> Note {
    let detail = json!({
        "actions": session.digests([action_id.to_owned()].iter()),
        "note": handling.note,
        "serviceRequestId": handling.service_request_id,
        "assigneeId": handling.assignee_id,
    });
    Note::new(JournalActor::user(by), event, Some(from)).with(detail)
}
