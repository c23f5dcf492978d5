//! Transitions: one decision, one write. A command is what a person, a worker or the sweeper asks.
//! [`decide`] and [`decide_action`] change the records that were read, and return what else is
//! written with them. They are pure: the store reads and writes.

pub(crate) mod alert_end;
pub(crate) mod analysis;
pub(crate) mod approval;
pub(crate) mod checks;
pub(crate) mod claim;
mod decide;
mod decide_action;
pub(crate) mod ending;
pub(crate) mod holder;
pub(crate) mod journal;
pub(crate) mod manual;
pub(crate) mod precondition;
pub(crate) mod progress;
pub(crate) mod queue;
pub(crate) mod schedule;
pub(crate) mod settle;
pub(crate) mod status;
pub(crate) mod step;
pub(crate) mod verdict;

pub use claim::{Called, Claim, ClaimContext};
pub use decide::{AlertCheck, CheckResultOf, Command, Transition, decide, open, supersede};
pub use decide_action::{ActionCommand, ClaimDecision, decide_action, decide_claim};
pub use journal::{SWEEPER, WORKER};
pub use precondition::Precondition;
pub use progress::{NextCall, Progress, RunEnd, RunLimits, Wait, Work};
pub use verdict::rebuilt;
