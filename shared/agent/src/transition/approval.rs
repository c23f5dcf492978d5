//! Approvals of actions.

use std::ops::DerefMut;

use model::base::{Code, Error, Fault, FaultCode, Timestamp};

use crate::{
    action::{ActionApproval, AgentAction},
    session::{
        ActionRecord, AgentSession, AgentSessionStatus, ApprovedActions, Approver, Approving,
        EXECUTE, ProposedAction, quoted_action,
    },
};

use super::{
    queue::{queue_again, queued},
    status::set_status,
};

#[derive(Debug)]
pub(crate) enum Approved<'a, A> {
    /// Actions to run, written together with the session.
    Queued {
        /// Actions approved again. The alert must still point to the session.
        again: Vec<&'a A>,
        /// Actions approved for the first time.
        new: Vec<AgentAction>,
    },
    /// More approvers are needed. Only the session is written.
    Pending,
    /// An earlier request approved this list. Its results stand, and nothing is written.
    Standing,
}

/// Approves actions, all or none.
///
/// 400 for an unknown id, for a manual action, and for two actions that share a record and have
/// no order. 403 if the policy asks for another approver. 409 for ids of an earlier proposal,
/// before a proposal, and for a list other than the approved one. 409 also for changed content
/// and for an action that the policy denies.
///
/// Within [`AGAIN`](AgentSession::AGAIN) after the end, while the alert has no newer session, other
/// actions can be approved. Actions that are certainly not done run again if the request asks
/// for it.
///
/// An insufficient approval is kept with its action. The list runs with the approval that
/// completes each of its actions.
pub(crate) fn approve<'a, A: ActionRecord + DerefMut>(
    session: &mut AgentSession,
    actions: &'a mut ApprovedActions<A>,
    approving: &Approving<'_>,
    approver: &Approver<'_>,
    now: Timestamp,
) -> Result<Approved<'a, A>, Error> {
    let status = session.status_at(now);
    if let AgentSessionStatus::Started | AgentSessionStatus::Analyzing = status {
        return Err(status.forbids(EXECUTE));
    }
    let ids = approving.ids;
    check_ids(session, ids)?;
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let may_repeat = status == AgentSessionStatus::Failed || session.plan.awaits_outcome;
    let again = approving.again && may_repeat;
    if session.plan.approved.contains(&sorted) && !again {
        return Ok(Approved::Standing);
    }
    session.check_state(ids, approving.again, now)?;
    check_digests(session, approving)?;
    if !note_approvals(session, approving, approver, now)? {
        session.times.updated_at = now;
        return Ok(Approved::Pending);
    }
    session.error = None;
    session
        .plan
        .shortfall
        .retain(|id, _| !ids.contains(id));
    if !session.plan.approved.contains(&sorted) {
        session.plan.approved.push(sorted);
    }
    let due = now.plus(AgentSession::SETTLE_CHECK);
    set_status(session, AgentSessionStatus::Executing, Some(due), now);
    let queued = queue(session, actions, approving, now);
    let proposed_actions = session.plan.proposed_actions.iter_mut();
    for action in proposed_actions.filter(|action| ids.contains(&action.id)) {
        action.approvals.clear();
    }
    Ok(queued)
}

/// Checks ids. 400 with every id at fault; 409 if the only fault is an id of an earlier
/// proposal.
pub(crate) fn check_ids(session: &AgentSession, ids: &[String]) -> Result<(), Error> {
    let fault = |at: usize, action: &ProposedAction| {
        if !action.is_automated {
            let detail = "This action is manual: a person has to do it.";
            return Some((FaultCode::Manual, detail.to_owned()));
        }
        let mut earlier = ids
            .iter()
            .take(at)
            .filter_map(|id| session.plan.proposed(id));
        let other = earlier.find(|proposed| {
            session
                .plan
                .are_exclusive(action, proposed)
        })?;
        let detail = format!("This action and {} share a record.", quoted_action(other));
        Some((FaultCode::Exclusive, detail))
    };
    session
        .named_without(ids, fault)
        .map(|_| ())
}

/// Checks the digests: 409 for an action that changed, 400 for a digest of an action outside
/// the list.
pub(crate) fn check_digests(
    session: &AgentSession,
    approving: &Approving<'_>,
) -> Result<(), Error> {
    let Some(digests) = approving.digests else {
        return Ok(());
    };
    let mut faults = Vec::new();
    let mut changed = Vec::new();
    for (id, digest) in &digests.0 {
        match session
            .plan
            .proposed(id)
            .filter(|_| approving.ids.contains(id))
        {
            Some(action) if action.digest(session) == digest.0 => {}
            Some(action) => changed.push(quoted_action(action)),
            None => {
                let detail = format!("{id:?} is not one of `actionIds`.");
                faults.push(Fault::at("digests", FaultCode::Unknown, detail));
            }
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults));
    }
    if !changed.is_empty() {
        let changed = changed.join(", ");
        let detail = format!("{changed} changed since you read the session. Read it again.");
        return Err(Error::conflict(Code::ContentChanged, detail));
    }
    Ok(())
}

/// Stores the user's approval with each action of the list, in place of the user's earlier one.
/// Returns whether every action has enough approvals.
pub(crate) fn note_approvals(
    session: &mut AgentSession,
    approving: &Approving<'_>,
    approver: &Approver<'_>,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut approvals = Vec::with_capacity(approving.ids.len());
    for action in approving
        .ids
        .iter()
        .filter_map(|id| session.plan.proposed(id))
    {
        let approval = approving.approval(approver.user, action.digest(session), now);
        session.check_approval(action, approver.policy, &approval)?;
        check_provider(session, action, approver, now)?;
        approvals.push(approval);
    }
    let mut are_enough = true;
    for (id, approval) in approving.ids.iter().zip(approvals) {
        let proposers = &session.proposers(id);
        let Some(action) = session.plan.proposed_mut(id) else {
            continue;
        };
        let requirement = approver
            .policy
            .requires(&action.content)
            .and(&action.rules);
        let is_by_another = |approval: &ActionApproval| approval.user_id != approving.by;
        action.approvals = approver
            .others
            .standing(&action.approvals);
        // Drops approvals that the policy no longer counts, so that none is shown as valid.
        action.approvals.retain(|approval| {
            approval.is_valid(now)
                && is_by_another(approval)
                && requirement.admits(approval, proposers)
        });
        action.approvals.push(approval);
        let needed = requirement.approvers();
        let approver_count = requirement.given(&action.approvals, proposers, now);
        action.approvers = i64::try_from(needed).unwrap_or(i64::MAX);
        are_enough &= approver_count >= needed;
    }
    Ok(are_enough)
}

/// Checks that no user who chose the provider of the approver's session has an interest in the
/// action. 403 otherwise.
pub(crate) fn check_provider(
    session: &AgentSession,
    action: &ProposedAction,
    approver: &Approver<'_>,
    now: Timestamp,
) -> Result<(), Error> {
    let Some(by) = approver.provider_set_by else {
        return Ok(());
    };
    let mut approvals = action.approvals.iter();
    let has_approved = approvals.any(|approval| approval.user_id == by && approval.is_valid(now));
    if !has_approved
        && !session
            .proposers(&action.id)
            .contains(&by)
    {
        return Ok(());
    }
    let name = quoted_action(action);
    let detail = format!(
        "You signed in by a provider that a user set within a day who opened, proposed or approved {name}. \
         Another approver is needed, or a sign-in by password."
    );
    Err(Error::forbidden(Code::ApproverNotAllowed, detail))
}

pub(crate) fn queue<'a, A: ActionRecord + DerefMut>(
    session: &AgentSession,
    actions: &'a mut ApprovedActions<A>,
    approving: &Approving<'_>,
    now: Timestamp,
) -> Approved<'a, A> {
    let listed = approving.ids;
    let mut new = Vec::new();
    let proposed_actions = session.plan.proposed_actions.iter();
    for proposed in proposed_actions.filter(|action| listed.contains(&action.id)) {
        let trace = approving.trace;
        let approvals = proposed.approvals.clone();
        let mut readable = actions.known.iter_mut();
        match readable.find(|action| action.key.action_id == proposed.id) {
            Some(action) => queue_again(action, session, approvals, trace, now),
            None => new.push(queued(session, proposed, approvals, trace, now)),
        }
    }
    let is_listed = |action: &&A| listed.contains(&action.key.action_id);
    let again = actions
        .known
        .iter()
        .filter(is_listed)
        .collect();
    Approved::Queued { again, new }
}
