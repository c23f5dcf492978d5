//! The `resolution-agent` function: wires its routes to the Lambda runtime.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::serve::run(env!("CARGO_PKG_NAME"), resolution_agent::routes()).await
}
