//! The common parts of Workdesk's API functions: sign-in and permissions ([`auth`]), and the HTTP
//! layers ([`http`], [`serve`]).
//!
//! The crates below are passed on: records and their rules ([`model`]), the single table
//! ([`store`]), and the start of every function ([`runtime`]).

pub mod app;
pub mod auth;
pub mod comments;
pub mod detail;
pub mod endpoint;
pub mod event;
pub mod http;
pub mod openapi;
pub mod problem;
pub mod serve;
pub mod tags;
pub mod view;

pub use agent;
pub use app::App;
pub use model::{
    self,
    base::{Clock, Error, Fault, clock, error, input, random},
};
pub use problem::Problem;
pub use runtime::{self, FromStart, Start, config, queue, telemetry};
pub use store::{self, versioned};
#[doc(hidden)]
pub use utoipa_axum;
