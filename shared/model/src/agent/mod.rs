//! The resolution agent's state machine: pure functions over records and a reading of the clock.
//! The store reads, asks these what is to be, and writes that under the condition that nothing
//! changed meanwhile; worker and sweeper do what they answer.
//!
//! # A session
//!
//! ```text
//!      open
//!       │
//!       ▼        propose                 the engine fails, or 2 minutes pass
//!    started ───────────────▶ analyzing ─────────────────────────────────────▶ failed (no actions)
//!       │                      ▲     │
//!       │              propose │     │ it proposes
//!       │                      │     ▼                24 hours pass
//!       │            awaiting_confirmation ──────────────────────────────────▶ expired
//!       │                      │  │
//!       │                      │  │       all are manual, and done or waived
//!       │                      │  └──────────────────────────────────────────▶ completed
//!       │                      │
//!       │                      │ approve            all ended, each succeeded
//!       │                      ▼               ┌─────────────────────────────▶ completed
//!       │                  executing ──────────┤             a verdict ▲
//!       │                    │    ▲            └─────────────────────────────▶ failed
//!       │                    │    │              all ended, not each succeeded   │
//!       │ cancel      cancel │    └────────────────────────────────────────────────┘
//!       │       while one is │            approve again what is not done for certain
//!       │            running ▼
//!       │                cancelling
//!       │                    │ all ended
//!       ▼                    ▼
//!    cancelled ◀─────────────┘
//! ```
//!
//! The organization's [policy](AgentPolicy) says how many people approve an action and who they may be.
//! Approvals that are not enough yet stand with the proposed action, and the session stays where it
//! is. An approval is of the action's [digest](ProposedAction::digest), and holds for
//! [`ActionApproval::VALID`] until a call may have been sent. Whoever rejects the proposal cancels the session.
//!
//! A failed session completes all the same when looks tell that each of its approved actions is done by
//! then. Its signal is resolved once it is completed and each effect that is looked for was found; one
//! whose actions look for none is left to people.
//!
//! A failed session runs again for [`AgentSession::AGAIN`] and while its signal has no other one, and
//! only when that is asked for: the same list sent twice is one approval.
//!
//! An action whose outcome is unknown takes a *verdict* of somebody who looked into the target system. With
//! the last one that was missing, a failed session completes; otherwise its [`AgentSession::AGAIN`] begins
//! anew, as it does when a look tells.
//!
//! [Manual actions](Handling) are done, waived or handed over by people, beside the others: what nobody
//! touched does not hold a session up whose approved actions succeeded. As long as the service request
//! is open with which one was handed over, the proposal does not expire, while its automated actions can
//! be approved for the usual 24 hours only.
//!
//! `cancel` leads to `cancelled` from `started`, `analyzing` and `awaiting_confirmation`, and from
//! `executing` when no action is claimed. What a session's time did to it (`failed` after 2
//! minutes, `expired` after 24 hours) is read at once, and written when the sweeper comes by.
//!
//! | trigger | method | who |
//! |---|---|---|
//! | open | [`AgentSession::open`] | a request |
//! | propose | [`AgentSession::begin_analysis`], then [`finish_analysis`](AgentSession::finish_analysis) or [`fail_analysis`](AgentSession::fail_analysis) | a request |
//! | approve | [`AgentSession::approve`] | a request |
//! | reject | [`AgentSession::reject`] | a request |
//! | cancel | [`AgentSession::cancel`] | a request |
//! | a verdict | [`AgentSession::judge`] | a request |
//! | a manual action | [`AgentSession::handle`] | a request |
//! | its service request | [`AgentSession::request_turned`] | a request that resolves, opens or deletes it |
//! | all ended | [`AgentSession::settle`] | the worker that ended the last action, or the sweeper |
//! | what was unknown is known | [`AgentSession::settle_again`], `failed` to `completed` | the worker that looked |
//! | time passed | [`AgentSession::lapse`] | the sweeper |
//!
//! # An approved action
//!
//! ```text
//!                 claim                  every step is done
//! approve ──▶ queued ─────▶ running ──────────────────────────────────────▶ succeeded
//!             │ ▲ ▲          │ ▲ │
//!             │ │ │          └─┘ │   claim again, once the lease is over
//!             │ │ │              │
//!             │ │ └── release ───┤   no clear answer yet: later again
//!             │ │                │
//!             │ │                │   refused; or given up, and nothing can have happened
//!             │ │                ├────────────────────────────────────────▶ failed
//!             │ └────────────────│───────────── approve again ───────────────┘
//!             │                  │
//!             │                  │   no telling; or given up, and something can have happened
//!             │                  └────────────────────────────────────────▶ unknown
//!             │                  │                                          │     │
//!             │                  │                  a look or a verdict: not done │     │ done
//!             │                  │                                          ▼     ▼
//!             │                  │                                     failed     succeeded
//!             │ cancel; or something stands in its way: found by a claim, or by the look behind it
//!             └──────────────────┴────────────────────────────────────────▶ skipped
//! ```
//!
//! It is *given up* [`AgentAction::PATIENCE`] after its last approval, however often it was tried.
//! What is given back is claimed no earlier than it says, whatever message comes. While its connection
//! or the organization is paused, a claim puts it off: it stays as it is and is due again soon, without
//! an attempt. What was not claimed within the hour for which its approvals hold is skipped all the same.
//!
//! *In its way* are the effects of others, actions that come first and did not succeed, approvals that
//! do not do any more, and a content that is not what was approved. A claim
//! takes the action's effects with it, each by a guard that names the action: who finds that of
//! another one asks that one's record whether it still [holds](AgentAction::holds) the effect.
//!
//! When its session is *cancelled*, a queued action ends at once, and a running one is told so and
//! ends before its next call: as skipped only if it never got anywhere, else as failed (some steps are done) or
//! unknown (a call may have taken effect).
//!
//! # Looks
//!
//! A claim is followed by a look at what the action *requires*, before the first call that changes
//! something: what is not so any more ends it as skipped (`precondition_changed`), and what the target
//! system does not tell gives it back. Not where the call may have been sent, or a step before it changed
//! something: there its own effect would be found, and the repeat or a look after the end decides.
//!
//! ```text
//!                    its effect was found           ┌──▶ effective
//! succeeded ──▶ pending ────────────────────────────┤
//!                    not within its time            └──▶ ineffective
//!
//!                    the step was the last          ┌──▶ succeeded, which is verified then
//! unknown ──────▶ pending, the call took effect ────┤
//!                 │  more steps follow              └──▶ failed, run again from there
//!                 │  the call took no effect
//!                 ├────────────────────────────────────▶ failed, run again as another call
//!                 │  neither, after six looks
//!                 └────────────────────────────────────▶ unknown: a person decides
//! ```
//!
//! An action with [`verify`](AgentAction::verify) counts (minutes, what it put right, its signal) from
//! `effective` on, any other one from `succeeded` on. That a call took no effect is believed after
//! [`AgentAction::AT_WORK`]: before, the target system may still be at work on it.
//!
//! Each transition leaves an entry in the [journal](JournalEntry), written with it.
//!
//! It carries the trace of the request that approved it, and is the only one to do so: messages
//! hold ids and nothing else, so that whoever sends one, the worker's log tells the same.
//!
//! | trigger | method | who |
//! |---|---|---|
//! | approve, approve again | [`AgentAction::approve`], [`AgentAction::approve_again`] | [`AgentSession::approve`] |
//! | claim | [`AgentAction::claim`] | the worker |
//! | a call | [`ApiCall::effect`], [`AgentAction::sends`], [`AgentAction::answered`], [`AgentAction::not_sent`] | the worker that holds it |
//! | release | [`AgentAction::release`] | the worker that holds it |
//! | an outcome | [`AgentAction::record`] | the worker that holds it |
//! | a verdict | [`AgentAction::judge`] | [`AgentSession::judge`] |
//! | cancel | [`AgentAction::cancel`], and by a claim | [`AgentSession::cancel`], the worker |
//! | give up | [`AgentAction::give_up`], and by a claim | the worker, the sweeper |
//! | nobody came | [`AgentAction::resent`] | the sweeper |
//! | a look before the first call | [`AgentAction::permits`] | the worker that holds it |
//! | a look after the end | [`AgentAction::look`] | the worker |
//! | a look is due | [`AgentAction::look_asked`] | the sweeper |

mod action;
mod approval;
mod connection;
mod digest;
mod effect;
mod evidence;
mod execute;
mod facts;
mod journal;
mod lease;
mod looks;
mod manual;
mod policy;
mod preview;
mod proposal;
mod reply;
mod saving;
mod session;
mod step_result;
#[cfg(test)]
mod tests;
mod verdict;
mod verification;

pub use action::{ActionApproval, ActionResult, ActionState, AgentAction};
pub use approval::{Approved, ApprovedActions, Cancelled};
pub use connection::{
    Admission, AgentPause, AllowedCall, Asking, AuthScheme, BaseUrl, BasicUser, BodyFormat,
    Breaker, BreakerState, CallLimits, CallPath, Connection, ConnectionAuth, ConnectionPut,
    ConnectionSort, ConnectionTraffic, ErrorCode, FixedHeader, HeaderName, HeaderText,
    IdempotencyKeys, KeyName, KeyPlace, METHODS, MOST_CONNECTIONS, ParameterName, Replays, without,
};
pub use effect::{EffectGuard, HeldEffect, Hold, TargetEffect};
pub use evidence::{
    Case, ConfidenceFrom, Evidence, FindingWeight, NotHelped, PlaybookRecord, PlaybookRuns,
    ReadEvidence,
};
pub use execute::{ActionsExecute, ActionsPreview, Approver, Approving, Digest, Digests};
pub use facts::{
    AnswerCondition, Asked, FactCondition, Facts, Reconciliation, TargetRead, Verification,
};
pub use journal::{
    JournalActor, JournalActorType, JournalBreak, JournalCheck, JournalEntry, JournalEvent,
    JournalFlaw, JournalHead, JournalPeriod, JournalSort, Note, StepAnswer, check_journal,
};
pub use lease::{Answered, Called, Claim, Effect, Idempotency, Outcome, Surroundings};
pub use looks::{Judgement, Looked, Precondition, Sight, Silence};
pub use manual::{
    ActionDone, ActionHandOver, ActionRef, ActionWaive, Handling, HandlingStatus, RequestTurn,
};
pub use policy::{
    AgentPolicy, Charge, PolicyCaps, PolicyMatch, PolicyPreset, PolicyRule, PolicySet,
    PolicySubject, Proposers, Requirement,
};
pub use preview::{MoneySum, PolicyVerdict};
pub use proposal::{
    ActionStep, ActionType, AlreadyDone, Analysis, ApiCall, ConnectionRevision, DryRun,
    MoneyEffect, PlaybookVersion, Proposal, ProposedAction, Risk,
};
pub use reply::{Reply, answer, retry_after};
pub use saving::{Saving, SavingSort};
pub use session::{
    AgentSession, AgentSessionFilter, AgentSessionSort, AgentSessionStatus, Rejection,
    SessionReject,
};
pub use step_result::{StepResult, StepStatus};
pub use verdict::{ActionVerdict, Verdict, VerdictOutcome};
pub use verification::{Looks, ReconciliationStatus, VerificationStatus};
