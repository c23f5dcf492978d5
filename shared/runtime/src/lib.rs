//! The parts that functions share, behind the API or not: settings ([`config`]), log and metrics
//! ([`telemetry`]), the queues ([`queue`]) and their [`messages`], and the key of all secrets
//! ([`kms`]). The [`links`] of mails are signed here, too. Functions without clients share
//! [`background`](mod@background).

mod aws;
pub mod background;
pub mod config;
mod config_error;
pub mod kms;
pub mod links;
pub mod messages;
pub mod queue;
mod start;
pub mod telemetry;

pub use lambda_runtime::Error;
pub use start::{FromStart, Start};
