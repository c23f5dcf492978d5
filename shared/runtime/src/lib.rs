//! What every function starts with, behind the API or not: its settings ([`config`]), its log and
//! metrics ([`telemetry`]) and the queue of approved actions ([`queue`]).

pub mod config;
mod parameter_store;
pub mod queue;
mod start;
pub mod telemetry;

pub use start::Start;
