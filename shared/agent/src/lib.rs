//! The agent's records and their rules: pure functions over records and a clock reading. The store
//! reads the records that a command names, has [`transition::decide`] or
//! [`transition::decide_action`] decide, and writes the decision unless a record changed meanwhile.
//! The worker and the sweeper act on what was decided.
//!
//! Each folder needs only those before it: alert, connection, check, journal, action, policy,
//! pattern, session, transition. The table of `tests/transitions.txt` says what each command does in
//! each state. `functions/resolution-agent/README.md` has the diagrams that are drawn from it.
//!
//! # A session
//!
//! The organization's [policy](AgentPolicy) says how many people approve an action and which people
//! may. Approvals that are not enough yet are kept with the proposed action, and the session keeps
//! its status. An approval covers the action's [digest](ProposedAction::digest). Until a call may
//! have taken effect, it is valid for [`ActionApproval::VALID`], and while its approver may
//! approve. A user who rejects the proposal cancels the session.
//!
//! A failed session completes when later checks show that each of its approved actions is done. An
//! unneeded action, whose predecessor succeeded, holds nothing up.
//!
//! A completed session says nothing about the alert. Its [open work](AgentSession::open_actions)
//! stays: for [`AgentSession::AGAIN`] its other automated actions can be approved, and its manual
//! actions can be settled at any time.
//!
//! A playbook states when an alert's matter is settled ([`ResolvedWhen`]). When the session is
//! completed and each verified effect was found, the worker reads that. Only if it holds, the alert
//! is resolved. Without such a statement, people resolve the alert.
//!
//! A failed session can run again for [`AgentSession::AGAIN`], while its alert has no newer
//! session. The request must ask for it with `again`: the same list sent twice is one approval.
//! Opening another session on the alert marks the former one as superseded.
//!
//! A user who checked the target system settles an action whose outcome is unknown: the *verdict*.
//! A failed session completes with the last missing verdict. Otherwise its [`AgentSession::AGAIN`]
//! starts over, as it does after a check that settles an outcome.
//!
//! [Manual actions](Handling) are settled or handed over by users, beside the others. An untouched
//! manual action does not hold up a session whose approved actions succeeded. While the service
//! request of a handed-over action is open, the proposal does not expire. Its automated actions can
//! still be approved for the usual 24 hours only.
//!
//! `cancel` leads to `cancelled` from `started`, `analyzing` and `awaiting_confirmation`, and from
//! `executing` when no action is claimed. A timeout (`failed` after 2 minutes, `expired` after 24
//! hours) shows at once in every read. The sweeper writes it later.
//!
//! # An approved action
//!
//! An action is *given up* [`AgentAction::PATIENCE`] after its last approval, however often it was
//! tried. No message makes a released action run before its retry time. While its connection or the
//! organization is paused, a claim defers it. A deferred action keeps its state, is due again soon,
//! and counts no attempt. An action that was not claimed within the hour of its approvals is
//! skipped all the same.
//!
//! An action is *blocked* by records that others hold, by a failed predecessor, and by missing
//! approvals. Content that differs from the approved content blocks it too. A claim also claims the
//! action's records, each by a guard that names the action. A claim that finds other actions in a
//! guard reads their records, to see whether they still [hold](AgentAction::holds) it.
//!
//! When its session is *cancelled*, a queued action ends at once. A running action is told to stop
//! and ends before its next call. The outcome is unknown if a call may have taken effect, failed if
//! some steps are done, and skipped otherwise.
//!
//! # Checks
//!
//! After a claim, the worker checks the action's *requirements*, before the first call with a
//! change. If a condition no longer holds, the action ends as skipped (`precondition_changed`). If
//! the target system cannot be read, the action is released. There is no such check when the call
//! may have been sent or an earlier step changed something. The check would then find the action's
//! own effect, so the repeat or a later check decides.
//!
//! ```text
//!                    its effect was found           ┌──▶ effective
//! succeeded ──▶ pending ────────────────────────────┤
//!                    not in time                    └──▶ ineffective
//!
//!                    the step was the last          ┌──▶ succeeded, which is verified next
//! unknown ──────▶ pending, the call took effect ────┤
//!                 │  more steps follow              └──▶ failed, can run again from there
//!                 │  the call took no effect
//!                 ├────────────────────────────────────▶ failed, can run again with a new call
//!                 │  neither, after six checks
//!                 └────────────────────────────────────▶ unknown: a person decides
//! ```
//!
//! An action with `verify` counts (saved minutes, last fix, its alert) once it is `effective`. Any
//! other action counts once it is `succeeded`. A check without an effect is believed after an
//! earlier one, `settlesWithin` of the connection before. A changed mark proves it at once.
//!
//! Each transition writes an entry in the [journal](JournalEntry), in the same transaction.
//!
//! An action stores the trace of the request that approved it. Messages hold only ids, so the
//! worker logs the same trace for every sender.

pub mod action;
pub mod alert;
pub mod check;
pub mod connection;
pub mod journal;
pub mod pattern;
pub mod policy;
pub mod session;
#[cfg(test)]
mod tests;
pub mod transition;

#[cfg(doc)]
use self::{
    action::{ActionApproval, AgentAction},
    check::ResolvedWhen,
    journal::JournalEntry,
    policy::AgentPolicy,
    session::{AgentSession, Handling, ProposedAction},
};
