pub(crate) mod facts;
pub(crate) mod observation;
mod of_action;
pub(crate) mod record;

pub use facts::{
    AnswerCondition, Expectation, FactCondition, Facts, Reconciliation, ResolvedWhen, TargetRead,
    Verification, quoted, read_of, reads_of,
};
pub use observation::{Judgement, Observation, ReadError, Seen};
pub use of_action::Precondition;
pub use record::*;
