//! The detail of an answer: what a reader decides by, or all members.

use crate::{input, names};

names! {
    /// The detail of an answer.
    pub enum DetailLevel = "a detail" {
        /// All members, also those that the answer leaves out otherwise.
        Full,
    }
}

input! {
    /// The detail of an answer with agent actions.
    pub struct WithDetail {
        /// Members of the answer: `full` for all of them. Without it, those that are not required
        /// are left out.
        detail: Option<DetailLevel>,
    }
}

impl WithDetail {
    pub const fn is_full(&self) -> bool {
        matches!(self.detail, Some(DetailLevel::Full))
    }
}
