//! The first organization of a deployed table: `first-organization TABLE NAME USERNAME`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    local::first_organization::main().await
}
