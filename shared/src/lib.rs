//! What Workdesk's API functions share: sign-in and permissions ([`auth`]), the HTTP layers
//! ([`http`], [`serve`]), and the crates below, which it passes on: the records and their rules ([`model`]),
//! the single table ([`store`]), and what every function starts with ([`runtime`]).

pub mod app;
pub mod auth;
pub mod event;
pub mod http;
pub mod openapi;
pub mod problem;
pub mod serve;
pub mod view;

pub use app::App;
pub use model::{self, Clock, Error, Fault, clock, error, input, random};
pub use problem::Problem;
pub use runtime::{self, Start, config, queue, telemetry};
pub use store;
#[doc(hidden)]
pub use utoipa_axum;
