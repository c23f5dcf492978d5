//! The state of an approved action.

use serde::{Deserialize, Serialize};

/// The state of an approved action. The last four are outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActionState {
    /// Waits for a worker.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Done.
    Succeeded,
    /// Certainly not done; may run again.
    Failed,
    /// Possibly done: no answer and no check has told.
    Unknown,
    /// Nothing was changed: it was cancelled before it started, or it was blocked, for example by a
    /// precondition.
    Skipped,
}

impl ActionState {
    /// True for an outcome.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// True if it may run again.
    #[must_use]
    pub const fn is_not_done(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped)
    }

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
