//! Open work of a session: the actions that a user still has to approve or settle. The next step in
//! plain words: a user or the agent, what they do, and until when.

use std::collections::BTreeSet;

use model::{
    base::{Code, Error, Timestamp, UserId},
    people::{Permission, User},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    action::{ActionApproval, ActionState},
    connection::Connection,
    policy::{AgentPolicy, Approvers},
    session::{AgentSession, AgentSessionStatus, ProposedAction, alert_resolved},
};

/// The render context of a session: the records on which its next step depends.
#[derive(Clone, Debug)]
pub struct SessionContext {
    pub policy: AgentPolicy,
    /// Of the users who approved its actions, those who still may.
    pub approvers: Approvers,
    pub is_resolved: bool,
    /// The actions whose connection changed since they were proposed, or is gone. They are not
    /// executed any more.
    pub unbound: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = NextStep)]
pub struct Next {
    /// The users who can take it, or the agent.
    pub who: String,
    pub what: String,
    /// The end of the time for it; null if there is none.
    pub until: Option<Timestamp>,
    #[serde(skip)]
    step: Step,
}

/// The kind of step, which tells the users who can take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Agent,
    /// A user proposes actions, or opens another session.
    Propose,
    Approve,
    /// A user approves, but not yet.
    Later,
    /// A user settles an action or rejects the proposal.
    Execute,
    /// This user resolves a service request.
    Request(UserId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenWork {
    /// An automated action can be approved.
    Approve,
    /// An automated action is certainly not done, and can be approved again.
    ApproveAgain,
    /// The outcome of an automated action is unknown. A user settles it.
    Judge,
    /// A manual action is neither settled nor handed over.
    ByHand,
}

impl OpenWork {
    /// True if it is an approval. The actions of a resolved alert are not approved.
    pub const fn is_approval(self) -> bool {
        matches!(self, Self::Approve | Self::ApproveAgain)
    }
}

const PROPOSER: &str = "A user who may propose actions";
const EXECUTOR: &str = "A user who may execute actions";
const AGENT: &str = "The agent";

impl Next {
    fn new(step: Step, who: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            what: description.into(),
            until: None,
            step,
        }
    }

    /// Returns the approval as the caller's own.
    fn by_caller(self) -> Self {
        Self {
            who: "You".to_owned(),
            what: self
                .what
                .replacen("approves", "can approve", 1),
            ..self
        }
    }

    const fn until(mut self, until: Option<Timestamp>) -> Self {
        self.until = until;
        self
    }
}

impl AgentSession {
    /// Returns the actions with open work at `now`, in the order of the proposal. `is_resolved`
    /// says that its alert is resolved.
    pub fn open_actions(
        &self,
        is_resolved: bool,
        now: Timestamp,
    ) -> impl Iterator<Item = (&ProposedAction, OpenWork)> {
        let proposed_actions = self.plan.proposed_actions.iter();
        let open =
            proposed_actions.filter_map(move |action| Some((action, self.open_work(action, now)?)));
        open.filter(move |(_, work)| !(is_resolved && work.is_approval()))
    }

    /// True if it belongs in the list of open work, as of its last write.
    pub fn has_open_work(&self) -> bool {
        let mut open = self.open_actions(false, self.times.updated_at);
        self.status == AgentSessionStatus::AwaitingConfirmation || open.next().is_some()
    }

    /// Returns until when its actions can be approved. A proposal can be approved for 24 hours,
    /// however long a manual action keeps the session open. After the end, other actions can be
    /// approved for as long.
    pub fn approvable_until(&self, now: Timestamp) -> Option<Timestamp> {
        let awaits = self.status_at(now) == AgentSessionStatus::AwaitingConfirmation;
        let mut open = self.open_actions(false, now);
        let is_open = awaits || open.any(|(_, work)| work.is_approval());
        let until = self
            .times
            .approvable_until
            .filter(|until| now < *until);
        until.filter(|_| is_open)
    }

    /// Returns the actions that can be approved, in at most `most` characters, and until when. None
    /// if there are none. Descriptions name the records and the amount.
    pub fn approval_request(&self, most: usize, now: Timestamp) -> Option<String> {
        let until = format!(", until {}", minute(self.approvable_until(now)?));
        let open = self.open_actions(false, now);
        let open = open.filter(|(_, work)| work.is_approval());
        let mut actions = open.map(|(action, _)| first_sentence(&action.content.description));
        let first = actions.next()?;
        let others: Vec<&str> = actions.collect();
        let mut text = [&[first], others.as_slice()]
            .concat()
            .join("; ");
        if text.chars().count() + until.len() > most {
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let room = most.saturating_sub(until.len() + more.len());
            let cut = first
                .chars()
                .take(room.saturating_sub(1))
                .chain(['…']);
            let is_long = first.chars().count() > room;
            let cut = is_long.then(|| cut.collect());
            text = cut.unwrap_or_else(|| first.to_owned()) + &more;
        }
        Some(text + &until)
    }

    /// Returns the names of the connections of its actions that can still be approved, as of its
    /// last write.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        let open = self.open_actions(false, self.times.updated_at);
        let open = open.filter(|(_, work)| work.is_approval());
        open.filter_map(|(action, _)| Some(&*action.content.connection.as_ref()?.name))
    }

    /// Returns the actions that are bound to another revision of their connection than these.
    pub fn unbound(&self, connections: &[Connection]) -> BTreeSet<String> {
        let open = self.open_actions(false, self.times.updated_at);
        let unbound = open.filter(|(action, _)| {
            let bound = action.content.connection.as_ref();
            bound.is_some_and(|bound| {
                let current = Connection::named(connections, &bound.name);
                current.is_none_or(|current| current.revision != bound.revision)
            })
        });
        unbound
            .map(|(action, _)| action.id.clone())
            .collect()
    }

    fn open_work(&self, action: &ProposedAction, now: Timestamp) -> Option<OpenWork> {
        use AgentSessionStatus::{AwaitingConfirmation, Completed, Failed};
        let status = self.status_at(now);
        if !action.is_automated {
            return (status.keeps_handlings() && action.handling.is_none())
                .then_some(OpenWork::ByHand);
        }
        let shortfall = self.plan.shortfall.get(&action.id);
        if shortfall == Some(&ActionState::Unknown) {
            // The agent checks it.
            let is_awaited = self
                .plan
                .awaited
                .contains_key(&action.id);
            return (!is_awaited).then_some(OpenWork::Judge);
        }
        let is_in_time = self
            .times
            .approvable_until
            .is_some_and(|until| now < until);
        let stands = matches!(status, AwaitingConfirmation | Completed | Failed);
        let stands = (stands || self.plan.awaits_outcome) && !self.plan.superseded;
        let is_void = self.plan.void.contains(&action.id) || self.is_barred_for_good(&action.id);
        if !stands || !is_in_time || is_void {
            return None;
        }
        match shortfall {
            Some(_) => Some(OpenWork::ApproveAgain),
            None if self.plan.is_approved(&action.id) => None,
            None => Some(OpenWork::Approve),
        }
    }

    /// True if an action may be tried again only after the time in which it can be approved again.
    fn is_barred_for_good(&self, action_id: &str) -> bool {
        let from = self.plan.barred_until.get(action_id);
        from.zip(self.times.approvable_until.as_ref())
            .is_some_and(|(from, until)| until <= from)
    }

    /// Returns its next step; none if nothing is left to do.
    pub fn next(&self, context: &SessionContext, now: Timestamp) -> Option<Next> {
        next_steps(self, context, now)
            .into_iter()
            .next()
    }

    /// Returns its next step for a user with certain permissions, who is told what they can
    /// approve.
    pub fn next_for(
        &self,
        user: &User,
        may: impl Fn(Permission) -> bool,
        context: &SessionContext,
        now: Timestamp,
    ) -> Option<Next> {
        let next = self.next(context, now)?;
        let is_theirs = next.step == Step::Approve
            && may(Permission::ExecuteAgentRemediation)
            && self.awaits_approval_of(user, context, now);
        Some(if is_theirs { next.by_caller() } else { next })
    }

    /// Returns the first step that a user with certain permissions can take now. A user who has
    /// approved an action waits for the others.
    pub fn next_of(
        &self,
        user: &User,
        may: impl Fn(Permission) -> bool,
        context: &SessionContext,
        now: Timestamp,
    ) -> Option<Next> {
        let mut steps = next_steps(self, context, now).into_iter();
        let next = steps.find(|next| match next.step {
            Step::Agent | Step::Later => false,
            Step::Propose => may(Permission::CreateAgentRemediation),
            Step::Execute => may(Permission::ExecuteAgentRemediation),
            Step::Request(assignee) => user.id == assignee,
            Step::Approve => {
                may(Permission::ExecuteAgentRemediation)
                    && self.awaits_approval_of(user, context, now)
            }
        })?;
        Some(match next.step {
            Step::Approve => next.by_caller(),
            _ => next,
        })
    }

    /// True if an approval of a user who may execute actions is missing. A user who has approved an
    /// action waits for the others.
    pub fn awaits_approval_of(
        &self,
        user: &User,
        context: &SessionContext,
        now: Timestamp,
    ) -> bool {
        let is_theirs =
            |approval: &ActionApproval| approval.user_id == user.id && approval.is_valid(now);
        let open = self.open_actions(context.is_resolved, now);
        let mut open = open.filter(|(_, work)| work.is_approval());
        open.any(|(action, _)| {
            !action.approvals.iter().any(is_theirs)
                && self
                    .may_approve(action, user, context, now)
                    .is_ok()
        })
    }

    /// Checks that the approval of a user who may execute actions would be accepted and count. 403
    /// or 409 if not.
    pub fn may_approve(
        &self,
        action: &ProposedAction,
        user: &User,
        context: &SessionContext,
        now: Timestamp,
    ) -> Result<(), Error> {
        if !action.is_automated {
            let detail = "The action is manual and needs no approval.";
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        self.check_open(action, now)?;
        if context.unbound.contains(&action.id) {
            let detail =
                "The connection changed since the action was proposed. Have it proposed again.";
            return Err(Error::conflict(Code::ContentChanged, detail));
        }
        if let Some(from) = self.plan.barred_until(&action.id, now) {
            let from = minute(from);
            let detail =
                format!("Its playbook limits the tries. It may be tried again from {from} on.");
            return Err(Error::conflict(Code::InvalidTransition, detail));
        }
        if context.is_resolved {
            return Err(alert_resolved());
        }
        self.check_approval(action, &context.policy, &ActionApproval::by(user, now))
    }
}

/// Returns its next steps, the most urgent first.
fn next_steps(session: &AgentSession, context: &SessionContext, now: Timestamp) -> Vec<Next> {
    let status = session.status_at(now);
    let mut steps = Vec::new();
    let by_agent = |description| Next::new(Step::Agent, AGENT, description);
    match status {
        AgentSessionStatus::Started => {
            return vec![Next::new(Step::Propose, PROPOSER, "has actions proposed")];
        }
        AgentSessionStatus::Analyzing => {
            return vec![by_agent("analyses the alert").until(session.times.due_at)];
        }
        AgentSessionStatus::Executing if session.works() => {
            steps.push(by_agent("executes the approved actions"));
        }
        AgentSessionStatus::Cancelling => steps.push(by_agent("ends the running actions")),
        _ => {}
    }
    steps.extend(reconciliation_step(session));
    let open: Vec<_> = session
        .open_actions(context.is_resolved, now)
        .collect();
    let of = |is: fn(OpenWork) -> bool| -> Vec<&ProposedAction> {
        let open = open
            .iter()
            .filter(|(_, work)| is(*work));
        open.map(|(action, _)| *action)
            .collect()
    };
    if let Some((action, others)) = of(|work| work == OpenWork::Judge).split_first() {
        let system = &action.content.target_system;
        let action = quoted_action(action);
        let others = besides(others.len());
        let description =
            format!("looks in {system} and settles {action} as done or not done{others}");
        steps.push(Next::new(Step::Execute, EXECUTOR, description));
    }
    let approvals = of(OpenWork::is_approval);
    let (unbound, bound): (Vec<_>, Vec<_>) = approvals
        .into_iter()
        .partition(|action| context.unbound.contains(&action.id));
    steps.extend(approval_step(session, &bound, context, now));
    let may_propose = !context.is_resolved && !session.plan.superseded;
    let awaits = status == AgentSessionStatus::AwaitingConfirmation;
    if let Some(action) = unbound.first().filter(|_| awaits) {
        let description = format!(
            "has actions proposed again, since the connection of {} changed",
            quoted_action(action)
        );
        steps.push(Next::new(Step::Propose, PROPOSER, description).until(session.times.due_at));
    } else if may_propose && (is_outdated(session) || !unbound.is_empty()) {
        steps.push(another_session(session, now));
    }
    if let Some((action, others)) = of(|work| work == OpenWork::ByHand).split_first() {
        let action = quoted_action(action);
        let others = besides(others.len());
        let description = format!("settles {action} or hands it over{others}");
        let expires = status == AgentSessionStatus::AwaitingConfirmation;
        let until = session.times.due_at.filter(|_| expires);
        steps.push(Next::new(Step::Execute, EXECUTOR, description).until(until));
    }
    if status.keeps_handlings() {
        steps.extend(
            session
                .plan
                .proposed_actions
                .iter()
                .filter_map(handed_over),
        );
    }
    if steps.is_empty() {
        let check = verification_step(session).or_else(|| first_alert_check(session));
        let another = || may_propose.then(|| another_session(session, now));
        steps.extend(check.or_else(another));
    }
    steps
}

/// True if it failed since the record of an approved action is not as it was proposed, or since
/// the action may not be tried again in time.
fn is_outdated(session: &AgentSession) -> bool {
    let mut short = session.plan.shortfall.keys();
    session.status == AgentSessionStatus::Failed
        && short.any(|id| session.plan.void.contains(id) || session.is_barred_for_good(id))
}

fn another_session(session: &AgentSession, now: Timestamp) -> Next {
    let alert = session.alert.alert_id;
    let barred = session.plan.shortfall.keys();
    let barred = barred.filter_map(|id| session.plan.barred_until(id, now));
    let from = barred
        .max()
        .map_or_else(String::new, |at| format!(" from {} on", minute(at)));
    let description =
        format!("proposes again in another session on alert {alert}{from}, or resolves the alert");
    Next::new(Step::Propose, PROPOSER, description)
}

fn reconciliation_step(session: &AgentSession) -> Option<Next> {
    let (id, at) = session
        .plan
        .awaited
        .iter()
        .min_by_key(|(_, at)| **at)?;
    Some(check_step(session, id, session.plan.awaited.len())?.until(Some(*at)))
}

fn verification_step(session: &AgentSession) -> Option<Next> {
    let times = &session.plan.verified_at;
    let first = session
        .plan
        .unverified
        .iter()
        .min_by_key(|id| times.get(*id))?;
    let at = times.get(first).copied();
    Some(check_step(session, first, session.plan.unverified.len())?.until(at))
}

/// Returns the agent's check of the first of so many actions.
fn check_step(session: &AgentSession, id: &str, count: usize) -> Option<Next> {
    let action = session.plan.proposed(id)?;
    let system = &action.content.target_system;
    let action = quoted_action(action);
    let others = besides(count - 1);
    let description = format!("checks in {system} whether {action} took effect{others}");
    Some(Next::new(Step::Agent, AGENT, description))
}

/// Returns the first check of its alert after the last action or settlement. Once the matter
/// was found unsettled, a user is needed.
fn first_alert_check(session: &AgentSession) -> Option<Next> {
    let alert = session.alert.alert_id;
    let at = session
        .times
        .alert_check_at
        .filter(|_| session.times.alert_checks == 0)?;
    let description = format!("checks whether the matter of alert {alert} is settled");
    Some(Next::new(Step::Agent, AGENT, description).until(Some(at)))
}

/// Returns the approval of the first action that a user may approve.
fn approval_step(
    session: &AgentSession,
    open: &[&ProposedAction],
    context: &SessionContext,
    now: Timestamp,
) -> Option<Next> {
    let can_be_approved = |action: &&&ProposedAction| {
        let is_denied = context.policy.demands(action).denies();
        !is_denied
            && context
                .policy
                .caps
                .charge(&action.content)
                .is_ok()
    };
    let until = session.approvable_until(now);
    let is_open_now = |action: &&&ProposedAction| {
        can_be_approved(action)
            && session
                .plan
                .barred_until(&action.id, now)
                .is_none()
    };
    let action = open.iter().find(is_open_now);
    let Some(action) = action.or_else(|| open.iter().find(can_be_approved)) else {
        let action = quoted_action(open.first()?);
        let description = format!(
            "rejects the proposal, or has the policy changed: no user may approve {action}"
        );
        return Some(Next::new(Step::Execute, EXECUTOR, description).until(until));
    };
    let requirement = context.policy.demands(action);
    let needed = requirement.approvers();
    let approvals = context
        .approvers
        .standing(&action.approvals);
    let approver_count = requirement.given(&approvals, &session.proposers(&action.id), now);
    let mut description = format!("approves {}", quoted_action(action));
    if session.plan.is_approved(&action.id) {
        description += " again";
    }
    let barred = session
        .plan
        .barred_until(&action.id, now);
    if let Some(from) = barred {
        description = format!(
            "{description} from {} on, as its playbook limits the tries",
            minute(from)
        );
    }
    let count = format!(" ({} of {needed})", needed.min(approver_count + 1));
    if needed > 1 {
        description += &count;
    }
    description += &besides(open.len() - 1);
    let valid = approvals
        .iter()
        .filter(|approval| approval.is_valid(now));
    let expires = valid.map(ActionApproval::expires_at);
    let until = until.into_iter().chain(expires).min();
    let step = if barred.is_some() {
        Step::Later
    } else {
        Step::Approve
    };
    Some(Next::new(step, requirement.who(), description).until(until))
}

/// Returns the step of a handed-over action whose service request is open.
fn handed_over(action: &ProposedAction) -> Option<Next> {
    let handling = action
        .handling
        .as_ref()
        .filter(|handling| handling.is_open())?;
    let (request, assignee) = (handling.service_request_id?, handling.assignee_id?);
    let who = format!("The assignee of service request {request}");
    let description = format!(
        "does {} and resolves the service request",
        quoted_action(action)
    );
    Some(Next::new(Step::Request(assignee), who, description))
}

/// Returns the description of an action in quotes.
pub(crate) fn quoted_action(action: &ProposedAction) -> String {
    format!(
        "\"{}\"",
        action
            .content
            .description
            .trim_end_matches('.')
    )
}

fn besides(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", or one other open action".to_owned(),
        others => format!(", or one of {others} other open actions"),
    }
}

/// Returns an instant in words: `2026-01-15 14:05 UTC`.
fn minute(at: Timestamp) -> String {
    let text = at.to_string().replace('T', " ");
    let minute: String = text
        .chars()
        .take("2026-01-15 14:05".len())
        .collect();
    format!("{minute} UTC")
}

/// Returns the first sentence of a description, without its full stop.
fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text.get(..end).unwrap_or(text);
    sentence
        .strip_suffix('.')
        .unwrap_or(sentence)
}
