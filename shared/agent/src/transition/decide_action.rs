//! Commands of an action by its worker and by the sweeper, and the decision on each of them.

use model::base::Timestamp;
use serde_json::json;

use crate::{
    action::{ActionState, AgentAction, Outcome},
    journal::{JournalActor, JournalEntry, JournalEvent, Note},
    policy::Charge,
};

use super::{
    claim::{Claim, ClaimContext, beyond_the_day, defer_until, wait_for_slot},
    claim::{charge, claim},
    ending::give_up,
    holder::{record, release},
    journal::{SWEEPER, WORKER, action_entries},
    schedule::{check_requested, count_later, counted, defer_check, resent},
};

/// A request of a worker or the sweeper to an action.
#[derive(Clone, Copy, Debug)]
pub enum ActionCommand<'a> {
    /// Defer it until an instant, without an attempt.
    Defer(Timestamp),
    /// Defer it until its slot at its connection.
    WaitForSlot(Timestamp),
    /// End it, since a daily cap is reached.
    EndByCap,
    /// Write the progress of its holder, with new call results.
    Progress,
    /// Release it until an instant.
    Release(Timestamp),
    /// End it with the outcome of its holder. `is_counted` says that its saved minutes are counted
    /// with it.
    Record {
        outcome: &'a Outcome,
        is_counted: bool,
    },
    /// Note that its saved minutes are counted.
    Count,
    /// Give it up, for a reason.
    GiveUp(&'a str),
    /// Note that the sweeper sent another message.
    Remind,
    /// Defer its check until an instant.
    DeferCheck(Timestamp),
}

/// The decision on a claim.
#[derive(Debug)]
pub struct ClaimDecision {
    pub claim: Claim,
    pub entries: Vec<JournalEntry>,
    /// The charge to the daily caps, if it is held.
    pub charge: Option<Charge>,
}

/// Decides on a claim of an action for `lease` milliseconds.
pub fn decide_claim(
    action: &mut AgentAction,
    context: &ClaimContext,
    lease: i64,
    now: Timestamp,
) -> ClaimDecision {
    let from = action.state;
    let charge = charge(action, &context.policy);
    let claim = claim(action, context, lease, now);
    let note = match claim {
        Claim::Ended(_) => Some(ended(WORKER, from, action)),
        Claim::Held(()) => {
            let note = Note::new(WORKER, JournalEvent::Claimed, Some(from.name()));
            Some(note.with(json!({
                "attempt": action.progress.attempts, "round": action.round,
            })))
        }
        _ => None,
    };
    ClaimDecision {
        claim,
        entries: note.map_or_else(Vec::new, |note| action_entries(action, Some(note), now)),
        charge,
    }
}

/// Decides on a command: changes the action, and returns the new entries of its chain. None if
/// there is nothing to write.
pub fn decide_action(
    command: ActionCommand<'_>,
    action: &mut AgentAction,
    now: Timestamp,
) -> Option<Vec<JournalEntry>> {
    let from = action.state;
    let note = match command {
        ActionCommand::Defer(until) => {
            defer_until(action, until, now);
            return Some(Vec::new());
        }
        ActionCommand::WaitForSlot(slot) => {
            wait_for_slot(action, slot, now);
            return Some(Vec::new());
        }
        ActionCommand::EndByCap => {
            beyond_the_day(action, now);
            ended(WORKER, from, action)
        }
        ActionCommand::Progress => {
            action.updated_at = now;
            return Some(action_entries(action, None, now));
        }
        ActionCommand::Release(next) => {
            release(action, next, now);
            let note = Note::new(WORKER, JournalEvent::Released, Some(from.name()));
            note.with(json!({ "notBefore": next }))
        }
        ActionCommand::Record {
            outcome,
            is_counted,
        } => {
            record(action, outcome, now);
            if !is_counted {
                count_later(action, now);
            }
            ended(WORKER, from, action)
        }
        ActionCommand::Count => {
            counted(action);
            return Some(Vec::new());
        }
        ActionCommand::GiveUp(why) => {
            give_up(action, why, now)?;
            ended(SWEEPER, from, action)
        }
        ActionCommand::Remind => {
            if action.awaits_check() {
                check_requested(action, now);
            } else {
                resent(action, now);
            }
            return Some(Vec::new());
        }
        ActionCommand::DeferCheck(later) => {
            defer_check(action, later);
            return Some(Vec::new());
        }
    };
    Some(action_entries(action, Some(note), now))
}

/// Returns the note of an action's end, with its error.
fn ended(actor: JournalActor, from: ActionState, action: &AgentAction) -> Note {
    let note = Note::new(actor, JournalEvent::Ended, Some(from.name()));
    match &action.end.error {
        Some(error) => note.with(json!({ "error": error })),
        None => note,
    }
}
