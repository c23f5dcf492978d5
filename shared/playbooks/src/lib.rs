//! Playbooks: knowledge about kinds of alerts, and the analysis of an alert by it.
//!
//! [`Playbooks::inquire`] begins an analysis. The caller sends its reads and adds the answers,
//! until none is wanted. The result is the [`Proposal`](agent::session::Proposal). Nothing here
//! calls another system.

mod analysis;
mod differences;
mod inquiry;
mod pattern;
mod playbook;
mod playbooks;
mod template;
#[cfg(test)]
mod tests;

pub use inquiry::{Inquiry, WantedRead};
pub use playbooks::{PlaybookError, Playbooks};
