//! What every Workdesk function shares: the records and their rules ([`model`]), sign-in and
//! permissions ([`auth`]), the single table ([`store`]), and the HTTP layers ([`http`]).

pub mod app;
pub mod auth;
pub mod http;
mod problem;
pub mod view;

pub use app::App;
pub use model::{self, Clock, clock, input, random};
pub use model::{Error, Fault, error};
pub use problem::Problem;
pub use runtime::{Start, config, queue, target_systems, telemetry};
pub use store;
