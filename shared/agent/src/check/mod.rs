mod checks;
mod condition;
pub(crate) mod facts;
mod identity;
pub(crate) mod observation;
mod read;
pub(crate) mod record;

pub use checks::Checks;
pub use condition::{Expectation, FactCondition};
pub use facts::{Reconciliation, ResolvedWhen, Verification, reads_of};
pub use observation::{Judgement, Observation, ReadError, Seen};
pub use read::{Derived, Facts, ListFact, Sum, TargetRead, WholeList, read_of};
pub use record::{Check, CheckPurpose, CheckRecord, CheckResult, CheckStatus, Purpose};
