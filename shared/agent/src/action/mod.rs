//! Approved actions: their records, claims, calls and outcomes.

mod call_result;
mod claim;
mod content;
mod guard;
mod holder;
mod kind;
mod message;
mod outcome;
mod progress;
mod record;
mod record_system;
mod step;

pub use call_result::{BodyForm, CallResult, Effect, Response, retry_after};
pub use claim::{Called, Claim, ClaimContext};
pub use content::{ActionContent, ActionSize, Attempts, Debt};
pub use guard::{HeldRecord, Hold, OtherClaim, RecordClaim, RecordGuard};
pub use holder::Outcome;
pub use kind::{
    ActionKey, ActionState, ActionType, MoneyDirection, MoneyMoved, Reversibility, Reversible, Risk,
};
pub use message::Message;
pub use outcome::{LastOutcome, Saving};
pub use progress::{NextCall, Progress, RunEnd, RunLimits, Wait, Work};
pub use record::{
    ActionEnd, ActionProgress, ActionResult, ActionRound, AgentAction, Fence, Mark, OpenCall,
    Schedule, Try, Verdict, VerdictOutcome,
};
pub use record_system::RecordSystem;
pub use step::{ActionStep, AlreadyDone, ApiCall, StepResult, StepStatus};
