//! `demo [TABLE] PORT`: demo data and target systems for a stack that runs elsewhere.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    Box::pin(local::demo_elsewhere::main()).await
}
