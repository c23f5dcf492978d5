//! `cargo local`: Workdesk on this machine, with everything around it.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    local::stack::main().await
}
