//! The name by which target systems distinguish this stack from others.

use std::sync::{Arc, OnceLock};

/// The name, once this instance has read it.
#[derive(Clone, Debug, Default)]
pub(super) struct StackName(Arc<OnceLock<String>>);

impl StackName {
    /// The name; `None` if it must be read.
    pub(super) fn known(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }

    /// Keeps the name that was read.
    pub(super) fn remember(&self, name: String) -> &str {
        self.0.get_or_init(|| name)
    }
}
