//! The list of the target systems, their paths and the parameters of their secrets.

use super::{
    billing::BILLING, notifications::NOTIFICATIONS, operation::System, payments::PAYMENTS,
};

pub(crate) static SYSTEMS: [&System; 3] = [&BILLING, &PAYMENTS, &NOTIFICATIONS];

/// Returns the last part of the name of the parameter with its secret.
pub(crate) fn parameter(system: &System) -> String {
    format!("{}-key", system.name)
}

/// Returns the path of its base URL.
pub(crate) fn path(system: &System) -> String {
    format!("/targets/{}", system.name)
}
