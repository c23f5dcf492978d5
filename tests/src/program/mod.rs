//! The parts that the programs share: their options, the organization they work in, and Lambda.

mod cpu;
mod options;
mod organization;
mod release;
mod runtime_api;

pub use cpu::cpu_of;
pub use options::Options;
pub use organization::{Member, SECRET, organization};
pub(crate) use release::bodies;
pub use release::{Release, binary, command, command_of, event, messages, start_function};
pub use runtime_api::RuntimeApi;
