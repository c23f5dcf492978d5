//! View of alerts.

use shared::{agent::Alert, view::Shown};

/// An alert.
pub type AlertView = Shown<Alert>;
