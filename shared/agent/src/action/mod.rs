//! Approved actions: their records, claims, calls and outcomes.

mod approval;
mod call_result;
mod checks;
mod content;
mod guard;
mod holder;
mod kind;
mod message;
mod outcome;
mod record;
mod record_system;
mod state;
mod step;

pub use approval::{ActionApproval, PolicyMatch, PolicyRule};
pub use call_result::{BodyForm, CallResult, Effect, Response, retry_after};
pub use content::{ActionContent, ActionSize, Attempts, Debt, PlaybookVersion};
pub use guard::{HeldRecord, Hold, OtherClaim, RecordClaim, RecordGuard};
pub use holder::Outcome;
pub use kind::{
    ActionKey, ActionState, ActionType, MoneyDirection, MoneyMoved, Reversibility, Reversible, Risk,
};
pub use message::Message;
pub use outcome::{LastOutcome, Saving};
pub(crate) use record::digest_of;
pub use record::{
    ActionEnd, ActionProgress, ActionResult, ActionRound, AgentAction, Fence, Mark, OpenCall,
    Schedule, Try, Verdict, VerdictOutcome,
};
pub use record_system::RecordSystem;
pub use step::{ActionStep, StepResult, StepStatus};
