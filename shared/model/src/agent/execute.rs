//! What a client sends to have actions executed.

use super::ActionApproval;
use crate::{
    ActionId, Timestamp, UserId, input,
    input::{Defaulted, List},
};

input! {
    /// What a client sends to execute actions.
    pub struct ActionsExecute {
        /// Ids of automated actions of the newest proposal; one that stands twice counts once.
        action_ids: List<ActionId, 1, 50>,
        /// Runs actions once more that are not done, for certain. Without it the list that was
        /// approved answers its results, and nothing runs twice.
        again: Defaulted<bool>,
    }
}

impl ActionsExecute {
    /// The ids, each once.
    #[must_use]
    pub fn distinct(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::with_capacity(self.action_ids.0.len());
        for id in &self.action_ids.0 {
            if !ids.iter().any(|other| **other == **id) {
                ids.push(id.clone().into());
            }
        }
        ids
    }
}

/// What somebody approves.
#[derive(Clone, Copy, Debug)]
pub struct Approving<'a> {
    /// The actions, by distinct ids.
    pub ids: &'a [String],
    /// Whether those that are not done, for certain, may run once more.
    pub again: bool,
    /// Who it is.
    pub by: UserId,
    /// The trace of the request, by which the logs have it.
    pub trace: Option<&'a str>,
}

impl Approving<'_> {
    pub(super) const fn approval(&self, now: Timestamp) -> ActionApproval {
        ActionApproval {
            user_id: self.by,
            at: now,
        }
    }
}
