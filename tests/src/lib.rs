//! What the programs of this package share.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "these programs end with the first thing that is not as it should be"
)]

mod functions;
pub mod records;
mod release;
mod runtime_api;
pub mod table_proxy;
pub mod unwary;

pub use functions::{ApiFunction, FUNCTIONS, Function, Routes, api_functions};
pub use release::{Release, binary, command, event};
pub use runtime_api::RuntimeApi;
