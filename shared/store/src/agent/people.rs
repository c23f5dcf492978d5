//! What people settle: verdicts on actions whose outcome is unknown, and manual actions, with the
//! service requests that they are handed over with.

use model::{
    ActionRef, ActionState, AgentSession, AgentSessionId, Error, Handling, HandlingStatus, Id,
    JournalActor, JournalEvent, Note, RequestTurn, ServiceRequest, ServiceRequestId, Timestamp,
    UserId, Verdict,
};
use serde_json::json;

use super::{Agent, SessionWithActions, journal::entries, remedy, sessions::noted};
use crate::{
    Given, Permit, Store,
    assignee::Assignee,
    key::{self, AnyKey},
    table::{Read, Record, Write},
};

/// A record that a manual action was handed over with.
#[derive(Clone, Debug)]
pub(crate) struct HandOver {
    pub(crate) action: ActionRef,
    pub(crate) request: ServiceRequestId,
    /// Whether nobody has to do it any more.
    pub(crate) is_over: bool,
}

/// What somebody says of a manual action.
#[derive(Clone, Copy, Debug)]
pub enum ByHand<'a> {
    /// That it is done, and how.
    Done(&'a str),
    /// That nobody has to do it, and why.
    Waived(&'a str),
}

/// What hands a manual action over.
#[derive(Clone, Copy, Debug)]
pub struct HandingOver<'a> {
    /// Who is to do it.
    pub assignee: UserId,
    /// What else they have to know.
    pub note: Option<&'a str>,
}

impl ByHand<'_> {
    fn handling(self, by: UserId, at: Timestamp) -> Handling {
        let (status, note) = match self {
            Self::Done(note) => (HandlingStatus::Done, note),
            Self::Waived(reason) => (HandlingStatus::Waived, reason),
        };
        Handling::new(status, by, Some(note.to_owned()), at)
    }
}

impl Agent<'_> {
    /// Settles an action whose outcome is unknown. 404 when session or action is not the tenant's, else
    /// as [`AgentSession::judge`] says.
    pub async fn judge(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        action_id: &str,
        verdict: &Verdict,
    ) -> Result<SessionWithActions, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.get(tenant, id);
        let judge_in = |given, whole| self.judge_in(given, whole, action_id, verdict);
        let judge = async |permit: Permit| permit.rewrite(read, judge_in).await;
        permit
            .once(judge, async |_| self.get(tenant, id).await)
            .await
    }

    /// None when somebody else wrote action or session meanwhile.
    async fn judge_in(
        &self,
        given: Given,
        mut whole: SessionWithActions,
        action_id: &str,
        verdict: &Verdict,
    ) -> Result<Option<SessionWithActions>, Error> {
        let now = self.0.clock.now();
        let verdict = Verdict {
            at: now,
            ..verdict.clone()
        };
        let SessionWithActions { session, actions } = &mut whole;
        let (made, from) = (Some(session.id.get()), session.status);
        let note = Note::new(
            JournalActor::user(Some(verdict.by)),
            JournalEvent::Verdict,
            Some(ActionState::Unknown.name()),
        );
        let note = note.with(json!({ "outcome": verdict.outcome, "note": verdict.note }));
        let mut writes = Vec::new();
        let is_news = session
            .judge(actions, action_id, verdict.clone())?
            .is_some();
        if is_news {
            let mut known = actions.known.iter_mut();
            let action = known.find(|action| action.action_id == action_id);
            if let Some(action) = action {
                let told = action.note(Some(note), now);
                writes.push(Write::replace(action)?);
                writes.extend(entries(told)?);
                writes.extend(remedy::writes(action)?);
                action.version += 1;
            }
            let by = JournalActor::user(Some(verdict.by));
            let from = from.has_ended().then_some(from.name());
            writes.extend(self.followed(session, actions, from, by, now).await?);
            session.version += 1;
        }
        let done = self.0.commit(&given, writes, made).await?;
        Ok(done.is_ok().then_some(whole))
    }

    /// Keeps what somebody says of a manual action. 404 when session or action is not the tenant's,
    /// else as [`AgentSession::handle`] says.
    pub async fn handle(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        action_id: &str,
        by: UserId,
        said: ByHand<'_>,
    ) -> Result<SessionWithActions, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let read = || self.get(tenant, id);
        let write = |given: Given, mut whole: SessionWithActions| async move {
            let now = self.0.clock.now();
            let session = &mut whole.session;
            let (made, from) = (Some(session.id.get()), session.status.name());
            let handling = said.handling(by, now);
            let mut writes = Vec::new();
            if session.handle(action_id, handling.clone(), now)? {
                let what = handling.status.event();
                let note = told(session, action_id, Some(by), what, from, &handling);
                writes = noted(session, note, now)?;
                session.version += 1;
            }
            let done = self.0.commit(&given, writes, made).await?;
            Ok(done.is_ok().then_some(whole))
        };
        let handle = async |permit: Permit| permit.rewrite(read, write).await;
        permit
            .once(handle, async |_| self.get(tenant, id).await)
            .await
    }

    /// Hands a manual action over: raises a service request for it that refers back, in one transaction
    /// with the session. 400 when the assignee is not the tenant's, else as
    /// [`handle`](Self::handle).
    pub async fn hand_over(
        &self,
        permit: impl Into<Permit>,
        id: AgentSessionId,
        action_id: &str,
        by: UserId,
        over: HandingOver<'_>,
    ) -> Result<SessionWithActions, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let assignee = &Assignee::new(tenant, Some(&over.assignee));
        let read = || async move {
            let users = self.0.table.batch_get(assignee.key(), Read::Consistent);
            tokio::try_join!(self.get(tenant, id), users)
        };
        let hand_over = async |permit: Permit| {
            let found = async { tokio::try_join!(self.0.next_id(), read()) };
            let (given, (request, found)) = permit.beside(found).await?;
            let given = &given;
            let write = |(whole, users): (SessionWithActions, _)| async move {
                assignee.known(&users)?;
                self.hand_over_in(given, whole, action_id, by, over, request)
                    .await
            };
            crate::rewrite::rewrite(found, read, write).await
        };
        let again = async |_| self.get(tenant, id).await;
        permit.once(hand_over, again).await
    }

    /// None when somebody else wrote the session meanwhile.
    async fn hand_over_in(
        &self,
        given: &Given,
        mut whole: SessionWithActions,
        action_id: &str,
        by: UserId,
        over: HandingOver<'_>,
        request: ServiceRequestId,
    ) -> Result<Option<SessionWithActions>, Error> {
        let now = self.0.clock.now();
        let session = &mut whole.session;
        let (made, from) = (Some(session.id.get()), session.status.name());
        let handling = Handling {
            service_request_id: Some(request),
            assignee_id: Some(over.assignee),
            ..Handling::new(
                HandlingStatus::HandedOver,
                by,
                over.note.map(str::to_owned),
                now,
            )
        };
        let mut writes = Vec::new();
        if session.handle(action_id, handling.clone(), now)? {
            let asked = session.proposed(action_id).map(|action| {
                let asked = action.as_request(session, over.note)?;
                Ok::<_, Error>(ServiceRequest {
                    assignee_id: Some(over.assignee),
                    agent_action: Some(ActionRef {
                        session_id: session.id,
                        action_id: action_id.to_owned(),
                    }),
                    ..ServiceRequest::new(request, given.tenant(), by, asked, now)
                })
            });
            let asked = asked.transpose()?;
            let note = told(
                session,
                action_id,
                Some(by),
                JournalEvent::HandedOver,
                from,
                &handling,
            );
            writes = noted(session, note, now)?;
            if let Some(asked) = &asked {
                writes.push(Write::create(asked)?);
                writes.extend(given.created(asked, now)?);
            }
            session.version += 1;
        }
        let done = self.0.commit(given, writes, made).await?;
        Ok(done.is_ok().then_some(whole))
    }
}

impl Store {
    /// The writes by which the manual action that was handed over with a record follows it: resolved,
    /// opened again, or deleted where there is none `after`. They go into the transaction that changes
    /// the record. To the record, a session that does not read or is gone is none of its business.
    pub(crate) async fn action_follows<R: Record>(
        &self,
        given: &Given,
        before: &R,
        after: Option<&R>,
        now: Timestamp,
    ) -> Result<Vec<Write>, Error> {
        let Some(was) = before.hand_over() else {
            return Ok(Vec::new());
        };
        let is = after.and_then(Record::hand_over);
        let turn = match (was.is_over, is.map(|is| is.is_over)) {
            (false, Some(true)) => RequestTurn::Over,
            (true, Some(false)) => RequestTurn::Reopened,
            (_, None) => RequestTurn::Deleted,
            (false, Some(false)) | (true, Some(true)) => return Ok(Vec::new()),
        };
        let key = key::agent_session(given.tenant(), was.action.session_id);
        let keys = [AnyKey::from(&key)];
        let found = self.table.batch_get(keys, Read::Consistent).await?;
        let Some(mut session) = found.named(&key) else {
            return Ok(Vec::new());
        };
        let (from, by) = (session.status.name(), given.actor());
        let action_id = &was.action.action_id;
        let turned = session.request_turned(action_id, was.request, turn, by, now);
        let Some(handling) = turned else {
            return Ok(Vec::new());
        };
        let note = told(&session, action_id, by, turn.event(), from, &handling);
        noted(&mut session, note, now)
    }
}

/// What the journal has to say of a manual action.
fn told(
    session: &AgentSession,
    action_id: &str,
    by: Option<UserId>,
    what: JournalEvent,
    from: &'static str,
    handling: &Handling,
) -> Note {
    let ids = [action_id.to_owned()];
    let detail = json!({
        "actions": session.digests(ids.iter()),
        "note": handling.note,
        "serviceRequestId": handling.service_request_id,
        "assigneeId": handling.assignee_id,
    });
    Note::new(JournalActor::user(by), what, Some(from)).with(detail)
}
