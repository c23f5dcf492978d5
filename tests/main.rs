//! Workdesk's tests: every function behind recorded gateway and queue events, on the embedded
//! engines, with a clock that stands still. `api` mirrors the URLs.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says why"
)]

mod api;
mod approvals;
mod bearer;
mod budgets;
mod claim;
mod cleanups;
mod contract;
mod cors;
mod dead_letters;
mod demands;
mod doubles;
mod effects;
mod failures;
mod generated;
mod history;
mod lists;
mod looks;
mod permit;
mod playbooks;
mod preconditions;
mod repeats;
mod request_log;
mod rotation;
mod signals;
mod support;
mod sweeper;
mod table_proxy;
mod taken_ids;
mod template;
mod time_to_live;
mod traffic;
mod unreadable;
mod who_approves;
mod worker;
