//! What every Workdesk function shares: the records and their rules ([`model`]), sign-in and
//! permissions ([`auth`]), the single table ([`store`]), and the HTTP layers ([`http`]).

pub mod app;
pub mod auth;
pub mod clock;
pub mod config;
pub mod error;
pub mod http;
pub mod input;
pub mod model;
pub mod queue;
pub mod random;
pub mod store;
pub mod target_systems;
pub mod telemetry;
pub mod view;

pub use app::App;
pub use error::Error;
