//! Settlements by people: verdicts on unknown outcomes, and manual actions with their service
//! requests.

use agent::{
    policy::AgentPolicy,
    session::{ActionHandOver, ActionSettle, Handling, HandlingStatus, RequestChange},
    transition::{SessionCommand, rebuilt},
};
use model::{
    base::{AgentSessionId, Timestamp, UserId},
    people::JournalHead,
    work::{ActionRef, ServiceRequest},
};
use table::{Batch, Stored, Write};
use tokio::sync::OnceCell;

use crate::{
    Result, Tenant,
    base::{Pending, Store, WriteContext, ids::Reserved, tracked::Tracked},
    key,
    work::assignee::Assignee,
};

use super::{Agent, SessionWithActions};

impl Agent<'_> {
    /// Settles an action. 404 if session or action is another tenant's, 400 for an outcome of the
    /// other kind of action, and the errors of its verdict or of its handling.
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
        let decide = |context: &WriteContext, read: (SessionWithActions, Stored<AgentPolicy>)| {
            let (whole, policy) = read;
            let now = self.0.now();
            policy.check_sign_in(context.credential.as_deref(), now)?;
            let settle = SessionCommand::SettleAction {
                by,
                action_id,
                sent,
            };
            whole.decide(settle, now)
        };
        let settled = self.run(pending, id, read, decide);
        Ok(settled.await?.whole)
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
            .plan
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
        let record = rebuilt(session, proposed, head, now);
        actions
            .unreadable
            .retain(|id| id != action_id);
        actions
            .known
            .push(Stored::unwritten(record));
        Ok(whole)
    }

    /// Hands a manual action over. Creates its service request in one transaction with the session.
    /// 400 if the assignee is another tenant's, and the errors of its handling.
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
        let decide = |context: &WriteContext, read: (Reserved<_>, SessionWithActions, Batch)| {
            let (request, whole, users) = read;
            assignee.known(&users, None)?;
            let request = request.used();
            let now = self.0.now();
            let note = sent.note.as_deref();
            let handling = Handling {
                service_request_id: Some(request),
                assignee_id: Some(sent.assignee_id),
                ..Handling::new(HandlingStatus::HandedOver, by, note.map(str::to_owned), now)
            };
            let hand_over = SessionCommand::Handle {
                by,
                action_id,
                handling: &handling,
            };
            let mut decided = whole.decide(hand_over, now)?;
            if decided.transition.is_none() {
                return Ok(decided);
            }
            let session = &decided.whole.session;
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
            decided
                .writes
                .push(Write::create(&body)?);
            decided
                .writes
                .extend(context.created(&body, now)?);
            Ok(decided)
        };
        let handed_over = self.run(pending, id, read, decide);
        Ok(handed_over.await?.whole)
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
        let Some(session) = self.readable(&key).await? else {
            return Ok(Vec::new());
        };
        let follow = SessionCommand::FollowRequest {
            by: context.actor,
            action_id: &was.action.action_id,
            request: was.request,
            change,
        };
        let decided = SessionWithActions::alone(session).decide(follow, now)?;
        Ok(decided.writes)
    }
}
