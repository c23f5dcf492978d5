//! View of alerts.

use shared::{agent::Alert, store::Shown};

/// An alert.
pub type AlertView = Shown<Alert>;
