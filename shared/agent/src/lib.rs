//! The agent's state machines: pure functions over records and a clock reading. The store reads the
//! records, calls these functions, and writes the result unless a record changed meanwhile. The
//! worker and the sweeper act on the returned values.
//!
//! # A session
//!
//! ```text
//!      open
//!       │
//!       ▼        propose                 the engine fails, or 2 minutes pass
//!    started ───────────────▶ analyzing ─────────────────────────────────────▶ failed (no actions)
//!       │                      ▲     │
//!       │              propose │     │ the analysis ends
//!       │                      │     ▼                24 hours pass
//!       │            awaiting_confirmation ──────────────────────────────────▶ expired
//!       │                      │  │
//!       │                      │  │       all are manual, and done or waived
//!       │                      │  └──────────────────────────────────────────▶ completed
//!       │                      │
//!       │                      │ approve            all ended, all succeeded
//!       │                      ▼               ┌─────────────────────────────▶ completed
//!       │                  executing ──────────┤   checks or a verdict ▲
//!       │                    │    ▲            └─────────────────────────────▶ failed
//!       │                    │    │              all ended, not all succeeded    │
//!       │ cancel      cancel │    └────────────────────────────────────────────────┘
//!       │      while one is  │       approve others, or again those certainly not done
//!       │           running  ▼
//!       │                cancelling
//!       │                    │ all ended
//!       ▼                    ▼
//!    cancelled ◀─────────────┘
//! ```
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
//! | trigger | method | caller |
//! |---|---|---|
//! | open | [`AgentSession::open`] | a request |
//! | propose | [`AgentSession::begin_analysis`], then [`finish_analysis`](AgentSession::finish_analysis) or [`fail_analysis`](AgentSession::fail_analysis) | a request |
//! | approve | [`AgentSession::approve`] | a request |
//! | reject | [`AgentSession::reject`] | a request |
//! | cancel | [`AgentSession::cancel`] | a request |
//! | a verdict | [`AgentSession::judge`] | a request |
//! | a manual action | [`AgentSession::handle`] | a request |
//! | its service request | [`AgentSession::request_changed`] | a request that resolves, opens or deletes it |
//! | all ended | [`AgentSession::settle`] | the worker that ended the last action, or the sweeper |
//! | an unknown outcome is settled | [`AgentSession::settle_again`], `failed` to `completed` | the worker that checked |
//! | time passed | [`AgentSession::lapse`] | the sweeper |
//!
//! # An approved action
//!
//! ```text
//!                 claim                  every step is done
//! approve ──▶ queued ─────▶ running ──────────────────────────────────────▶ succeeded
//!             │ ▲ ▲          │ ▲ │
//!             │ │ │          └─┘ │   claim again, after the lease
//!             │ │ │              │
//!             │ │ └── release ───┤   no clear answer yet: try again later
//!             │ │                │
//!             │ │                │   refused; or given up, and no call may have taken effect
//!             │ │                ├────────────────────────────────────────▶ failed
//!             │ └────────────────│───────────── approve again ───────────────┘
//!             │                  │
//!             │                  │   outcome unclear; or given up, and a call may have taken effect
//!             │                  └────────────────────────────────────────▶ unknown
//!             │                  │                                          │     │
//!             │                  │                 a check or a verdict: not done │     │ done
//!             │                  │                                          ▼     ▼
//!             │                  │                                     failed     succeeded
//!             │ cancelled or blocked: found by a claim or by the precondition check
//!             └──────────────────┴────────────────────────────────────────▶ skipped
//! ```
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
//!
//! | trigger | method | caller |
//! |---|---|---|
//! | approve, approve again | [`AgentAction::approve`], [`AgentAction::approve_again`] | [`AgentSession::approve`] |
//! | claim | [`AgentAction::claim`] | the worker |
//! | a call | [`ApiCall::effect`], [`AgentAction::sends`], `AgentAction::answered`, [`AgentAction::not_sent`] | the worker that holds it |
//! | release | [`AgentAction::release`] | the worker that holds it |
//! | an outcome | [`AgentAction::record`] | the worker that holds it |
//! | a verdict | [`AgentAction::judge`] | [`AgentSession::judge`] |
//! | cancel | [`AgentAction::cancel`], and by a claim | [`AgentSession::cancel`], the worker |
//! | give up | [`AgentAction::give_up`], and by a claim | the worker, the sweeper |
//! | a lost message | [`AgentAction::resent`] | the sweeper |
//! | a precondition check | [`AgentAction::permits`] | the worker that holds it |
//! | a check after the end | [`AgentAction::apply_check`] | the worker |
//! | a check is due | [`AgentAction::check_requested`] | the sweeper |

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

#[cfg(doc)]
use self::{
    action::{AgentAction, ApiCall},
    check::ResolvedWhen,
    journal::JournalEntry,
    policy::{ActionApproval, AgentPolicy},
    session::{AgentSession, Handling, ProposedAction},
};
