//! Sessions: proposals, approvals, and settlements.

mod after_end;
mod amount;
mod approval;
mod evidence;
mod execute;
mod manual;
mod next;
mod open;
mod preview;
mod proposal;
mod record;
mod settle;
mod verdict;

pub use approval::{Approved, ApprovedActions};
pub use evidence::*;
pub use execute::{ActionsExecute, ActionsPreview, Approver, Approving, Digest, Digests};
pub use manual::{ActionHandOver, RequestChange};
pub use next::{Next, SessionContext};
pub use open::OpenWork;
pub use preview::MoneySum;
pub use proposal::{Analysis, Handling, HandlingStatus, NotApplicable, Proposal, ProposedAction};
pub use record::*;
pub use settle::Cancelled;
pub use verdict::{ActionSettle, SettleOutcome};
