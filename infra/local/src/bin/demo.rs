//! The demo for a stack that runs elsewhere: `demo [TABLE] PORT`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    Box::pin(local::demo_elsewhere::main()).await
}
