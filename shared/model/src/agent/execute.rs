//! What a client sends to have actions executed.

use crate::{ActionId, input, input::List};

input! {
    /// What a client sends to execute actions.
    pub struct ActionsExecute {
        /// Ids of automated actions of the newest proposal; one that stands twice counts once.
        action_ids: List<ActionId, 1, 50>,
    }
}

impl ActionsExecute {
    /// The ids, each once.
    #[must_use]
    pub fn distinct(self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::with_capacity(self.action_ids.0.len());
        for id in self.action_ids.0 {
            if !ids.iter().any(|other| **other == *id) {
                ids.push(id.into());
            }
        }
        ids
    }
}
