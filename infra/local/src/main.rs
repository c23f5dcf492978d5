//! `cargo local`: runs Workdesk on this machine.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    local::stack::main().await
}
