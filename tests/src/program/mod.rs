//! The parts that the programs share: their options, the organization they work in, and Lambda.

mod options;
mod organization;
mod release;
mod runtime_api;

pub use options::Options;
pub use organization::{Member, SECRET, organization};
pub use release::{Release, binary, command, command_of, event};
pub use runtime_api::RuntimeApi;
