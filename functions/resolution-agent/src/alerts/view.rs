//! View of alerts.

use shared::{agent::alert::Alert, store::Shown};

/// An alert.
pub type AlertView = Shown<Alert>;
