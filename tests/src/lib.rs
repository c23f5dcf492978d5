//! The harness of the tests, and the parts that the programs share.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::return_self_not_must_use,
    clippy::print_stderr,
    reason = "tests and programs end with their first failure"
)]

pub mod feed_copy;
mod file;
mod program;
pub mod records;
pub mod support;
pub mod table_proxy;
pub mod unwary;

pub use file::{File, files, is_test, path, table};
pub use local::function::{
    ApiFunction, FUNCTIONS, Function, FunctionRoutes, States, api_functions,
};
pub use program::{
    Member, Options, Release, RuntimeApi, SECRET, binary, command, command_of, cpu_of, event,
    messages, organization, start_function,
};
