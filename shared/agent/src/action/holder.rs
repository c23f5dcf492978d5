//! Calls and outcomes of an approved action: transitions by the worker that holds it.

use crate::{
    action::{ActionState, AgentAction},
    connection::Excerpt,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub state: ActionState,
    /// The target system's last answer.
    pub response: Option<Excerpt>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
}

impl Outcome {
    pub const fn succeeded(response: Option<Excerpt>) -> Self {
        Self::new(ActionState::Succeeded, response, None)
    }

    /// Creates the outcome of an action that is certainly not done.
    pub fn failed(response: Option<Excerpt>, error: impl Into<String>) -> Self {
        Self::new(ActionState::Failed, response, Some(error.into()))
    }

    /// Creates the outcome of an action that may have been done.
    pub fn unknown(response: Option<Excerpt>, error: &str) -> Self {
        let error = format!("{error} The call may have been done; check the target system.");
        Self::new(ActionState::Unknown, response, Some(error))
    }

    pub(crate) const fn new(
        state: ActionState,
        response: Option<Excerpt>,
        error: Option<String>,
    ) -> Self {
        Self {
            state,
            response,
            error,
        }
    }
}

impl AgentAction {
    /// True if a later call of its holder still depends on its alert: no call may have taken
    /// effect.
    pub fn depends_on_alert(&self) -> bool {
        !self.progress.call.is_open() && !self.has_changed()
    }
}
