//! The agent behind its API: the worker, the sweeper, and what they do to target systems.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says why"
)]

mod accounts;
mod approvals;
mod checks;
mod debts;
mod demands;
#[path = "../doubles/mod.rs"]
mod doubles;
mod effects;
mod meaning;
mod open_outcomes;
mod playbooks;
mod real_systems;
mod sweeper;
mod systems;
mod traffic;
mod two_systems;
mod who_approves;
mod worker;
