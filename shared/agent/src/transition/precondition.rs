//! Preconditions, judged before the first call that changes something.

use model::base::Timestamp;

use crate::{
    action::{AgentAction, Mark, Outcome},
    check::{CheckResult, Judgement, Observation, ReadError},
    connection::quoted,
};

use super::holder::{not_sent, stopped};

#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The call may be sent.
    Holds,
    /// Nothing is sent, and the action ends.
    Changed(Outcome),
    /// Nothing is sent at this time, for this reason.
    NotKnown(String),
}

/// Judges its preconditions. The holder has sent nothing that changes anything.
pub(crate) fn permits(
    action: &mut AgentAction,
    observation: &Observation,
    now: Timestamp,
) -> Precondition {
    not_sent(action);
    let judgement = observation.judge(&action.content.require);
    action.progress.checked = Some(CheckResult {
        at: now,
        found: observation.facts.clone(),
        problem: judgement.clone().problem(),
    });
    match judgement {
        Judgement::Holds => {
            action.progress.call.unchecked = false;
            action.progress.mark = mark(action, observation);
            Precondition::Holds
        }
        Judgement::Fails(reason) => kept_from(action, &format!("precondition_changed: {reason}")),
        Judgement::NotKnown(error) if error.is_for_good => {
            kept_from(action, &format!("precondition_unknown: {}", error.problem))
        }
        Judgement::NotKnown(error) => Precondition::NotKnown(error.problem),
    }
}

/// Returns the mark of the next call's record, as observed before the call.
pub(crate) fn mark(action: &AgentAction, observation: &Observation) -> Option<Mark> {
    let step = action
        .content
        .steps
        .get(action.progress.next_step())?;
    let value = observation.value(step.reconcile.as_ref()?.mark()?)?;
    let step = step.order;
    Some(Mark { step, value })
}

/// Judges the account that its connection reaches now. The holder has sent nothing since its
/// claim.
pub(crate) fn permits_account(
    action: &mut AgentAction,
    account: Result<String, ReadError>,
) -> Precondition {
    not_sent(action);
    let approved = action.content.account();
    match account {
        Ok(account) if approved == Some(&*account) => Precondition::Holds,
        Ok(account) => {
            let approved = approved.map_or_else(|| "none".to_owned(), quoted);
            let account = quoted(&account);
            kept_from(
                action,
                &format!(
                    "account_changed: the account of the connection is {account}; {approved} was approved."
                ),
            )
        }
        Err(error) if error.is_for_good => {
            kept_from(action, &format!("precondition_unknown: {}", error.problem))
        }
        Err(error) => Precondition::NotKnown(error.problem),
    }
}

/// Ends an action that is blocked before its next call.
pub(crate) fn kept_from(action: &AgentAction, why: &str) -> Precondition {
    let more = match action.progress.steps_done {
        0 => "",
        _ => "more ",
    };
    Precondition::Changed(Outcome {
        error: Some(format!("{why} Nothing {more}was sent.")),
        ..stopped(action, None)
    })
}
