//! The parts that every function has, behind the API or not: settings ([`config`]), log and metrics
//! ([`telemetry`]), and the queue of approved actions ([`queue`]).

mod aws;
pub mod config;
mod config_error;
pub mod parameter_store;
pub mod queue;
mod start;
pub mod telemetry;

pub use start::Start;
