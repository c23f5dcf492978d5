//! What every function starts with, behind the API or not: its settings ([`config`]), its log and
//! metrics ([`telemetry`]), the queue of approved actions ([`queue`]) and the systems that they call
//! ([`target_systems`]).

pub mod config;
mod parameter_store;
pub mod queue;
mod start;
pub mod target_systems;
pub mod telemetry;

pub use start::Start;
