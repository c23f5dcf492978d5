mod checks;
mod condition;
pub(crate) mod facts;
pub(crate) mod observation;
mod of_action;
mod read;
pub(crate) mod record;
pub(crate) mod words;

pub use checks::Checks;
pub use condition::{Expectation, FactCondition};
pub use facts::{AnswerCondition, Reconciliation, ResolvedWhen, Verification, reads_of};
pub use observation::{Judgement, Observation, ReadError, Seen};
pub use of_action::Precondition;
pub use read::{Derived, Facts, ListFact, ReadingOf, Sum, TargetRead, WholeList, read_of};
pub use record::{Check, CheckPurpose, CheckRecord, CheckResult, CheckStatus, Purpose};
pub use words::quoted;
