//! Transitions: one decision, one write. A person, a worker or the sweeper sends a command.
//! [`decide`] and [`decide_action`] change the records of the command, and return all further
//! writes. They are pure: the store reads and writes.

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
pub use decide::{AlertCheck, ObservedCheck, SessionCommand, Transition, decide, open, supersede};
pub use decide_action::{ActionCommand, ClaimDecision, decide_action, decide_claim};
pub use journal::{SWEEPER, WORKER};
pub use precondition::Precondition;
pub use progress::{NextCall, Progress, RunEnd, RunLimits, Wait, Work};
pub use verdict::rebuilt;
