pub(crate) mod facts;
pub(crate) mod observation;
mod of_action;
pub(crate) mod record;

pub use facts::*;
pub use observation::{Judgement, Observation, ReadError, Seen};
pub use of_action::Precondition;
pub use record::*;
