//! The list of the target systems and their paths.

use super::{
    billing::BILLING, notifications::NOTIFICATIONS, operation::System, payments::PAYMENTS,
};

pub(crate) static SYSTEMS: [&System; 3] = [&BILLING, &PAYMENTS, &NOTIFICATIONS];

/// Returns the path of its base URL.
pub(crate) fn path(system: &System) -> String {
    format!("/targets/{}", system.name)
}
