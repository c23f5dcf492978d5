//! `execution-environment PROGRAM`: Lambda's execution environment, as the runner of `cargo run`.

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    local::execution_environment::main().await
}
